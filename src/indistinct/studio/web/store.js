// The state that the server holds, and the few ways to change it.

export const store = { state: null, table: null, results: {}, problems: [] };

let draw = () => {};
const others = new BroadcastChannel("indistinct-studio");

export function onchange(render) {
  draw = render;
  others.onmessage = () => refresh();
}

async function answer(response) {
  let told;
  try {
    told = await response.json();
  } catch {
    told = { problems: [{ message: response.status === 413 ? "this is too large: open it by its path" : "the studio does not answer as it should: start it again" }] };
  }
  if (!response.ok) throw Object.assign(new Error(), { problems: told.problems ?? [], status: response.status });
  return told;
}

const lost = { problems: [{ message: "the studio has ended", remedy: "start it again in the terminal" }] };

// What takes long is asked for again until it is there.
export async function read(name, keys = {}) {
  const query = new URLSearchParams(keys);
  while (true) {
    const told = await answer(await fetch(`/api/${name}?${query}`).catch(() => { throw lost; }));
    if (!told.later) return told;
    await new Promise((done) => setTimeout(done, 250));
  }
}

export async function send(name, message = {}) {
  const body = JSON.stringify(message);
  return answer(await fetch(`/api/${name}`, { method: "POST", body }).catch(() => { throw lost; }));
}

export async function upload(file) {
  await answer(await fetch(`/api/upload/${encodeURIComponent(file.name)}`, { method: "PUT", body: file }).catch(() => { throw lost; }));
  await refresh();
}

let waiting = null;

// Which table is open, and how it is read; its file may be another by now, and is read again then.
const sourceOf = (state) => JSON.stringify([state?.table?.path, state?.table?.reading, state?.policy?.sections?.source]);

export async function refresh() {
  clearTimeout(waiting);
  try {
    const state = await read("state");
    const same = sourceOf(store.state) === sourceOf(state);
    if (!state.table) store.table = null;
    else if (!same || !store.table) store.table = await read("table");
    if (!same) store.results = {};
    if (!store.state && state.table) resume(state.jobs);
    store.state = state;
    if (state.opening) waiting = setTimeout(refresh, 300);
  } catch (error) {
    store.problems = error.problems ?? [{ message: String(error) }];
  }
  draw();
}

// The last runs of this table, whichever page they were begun in.
function resume(jobs) {
  for (const { job, kind } of jobs) {
    store.results[kind] = { kind, job, running: true, what: "looking" };
    follow({ job }, (now) => {
      if (store.results[kind]?.job !== job) return;
      store.results[kind] = now;
      draw();
    }).catch(() => { if (store.results[kind]?.job === job) delete store.results[kind]; });
  }
}

// A step of the policy, after those before it; other windows look again.
let before = Promise.resolve();

export function step(name, message = {}) {
  before = before.then(() => take(name, message));
  return before;
}

async function take(name, message) {
  store.problems = [];
  try {
    await send(name, { version: store.state.version, ...message });
  } catch (error) {
    store.problems = error.problems ?? [{ message: String(error) }];
  }
  await refresh();
  others.postMessage("changed");
}

export const edit = (place, value = null) => step("edit", { place, value });

// What was typed is not taken, and why.
export function refuse(message) {
  store.problems = [{ message }];
  draw();
}

let hiding = null;

export function say(text) {
  const live = document.getElementById("live");
  live.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => { live.textContent = ""; }, 8000);
}

// Looks at a job until it ends; `told` is called with what is new.
export async function follow(job, told) {
  for (let last = null; ;) {
    const now = await read("job", { job: job.job });
    const text = JSON.stringify(now);
    if (text !== last) told(now);
    last = text;
    if (!now.running) return now;
    await new Promise((done) => setTimeout(done, 250));
  }
}

export async function run(kind, message, redraw) {
  store.results[kind] = { kind, running: true, what: "starting" };
  redraw();
  try {
    await before; // a run is of the policy with the last step
    const job = await send("run", { version: store.state.version, kind, ...message });
    const begun = store.results[kind];
    if (begun) begun.job = job.job; // from here on it can be stopped by its number
    if (begun?.stopping) await send("stop", { job: job.job });
    await follow(job, (now) => {
      if (store.results[kind]?.job !== now.job) return; // it was of an earlier table
      store.results[kind] = now;
      redraw();
    });
    const end = store.results[kind];
    if (end?.job === job.job) say(end.stopped ? "The run was stopped." : end.problems ? "The run has ended with a problem." : "The run is done.");
  } catch (error) {
    store.results[kind] = { kind, running: false, problems: error.problems ?? [{ message: String(error) }] };
    redraw();
  }
  return store.results[kind];
}

// A run that has no number yet is stopped as soon as it has one.
export async function stop(kind) {
  const now = store.results[kind];
  if (now?.job) await send("stop", { job: now.job });
  else if (now) now.stopping = true;
}
