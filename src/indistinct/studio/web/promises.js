// What is promised, and how many people need it.

import { count, grid, h, menu, note, problems, shape, share } from "/web/dom.js";
import { edit, read, refuse, store } from "/web/store.js";
import { inWords, isPlain } from "/web/models.js";

const MOST = 50;
const seen = { key: null, sizes: null, wrong: null, infeasible: null, k: null, offers: null };

async function look(key, redraw) {
  seen.key = key;
  const [sizes, infeasible] = await Promise.allSettled([read("classes"), read("feasible")]);
  if (seen.key !== key) return;
  seen.sizes = sizes.value ?? null;
  seen.wrong = sizes.reason?.problems ?? null;
  seen.infeasible = infeasible.value ?? null;
  redraw();
}

async function lookAround(redraw) {
  seen.offers = [];
  seen.offers = (await read("promises")).map(inWords);
  redraw();
}

const offered = (model) => seen.offers.find((item) => item.model === model);

export function promiseRoom(redraw) {
  const { version, policy } = store.state;
  const key = `${version} ${store.state.table.path}`;
  if (seen.key !== key) look(key, redraw);
  if (!seen.offers) lookAround(redraw);
  const promises = policy.sections.promises ?? [];
  const sensitive = Object.entries(policy.attributes).filter(([, own]) => own.role === "sensitive").map(([name]) => name);
  return h("div", {},
    h("h1", {}, "What do you promise?"),
    h("p", { className: "lead" }, "A promise protects everybody in the release from any attacker. Begin with “nobody stands alone”, then add others."),
    problems(policy.problems), policy.problems.length ? null : feasibility(promises),
    h("div", { className: "two" }, slider(promises, redraw), promised(promises, sensitive, policy.implied)),
    h("section", { className: "card", "aria-label": "More promises" },
      h("h2", {}, "Add a promise"), offers(seen.offers.filter(isPlain), promises, sensitive),
      h("details", { id: "more-promises" }, h("summary", {}, "More promises"),
        offers(seen.offers.filter((item) => !isPlain(item)), promises, sensitive))));
}

function feasibility(promises) {
  if (!promises.length) return note("doubt", "Nothing is promised yet: choose a promise below.");
  if (seen.wrong) return problems(seen.wrong);
  if (seen.infeasible?.length) return h("div", {}, h("h2", { className: "bad-text" }, "No release can keep this"), problems(seen.infeasible));
  const idle = promises.find((item) => item.k === 1);
  if (idle) return note("doubt", `${idle.model} with k = 1 promises nothing: write 5 or more.`);
  if (seen.infeasible) return note("good", "No problem found in these promises. The next rooms tell whether a release keeps them, and what it costs.");
  return h("p", { className: "soft" }, "Counting …");
}

const first = (promises) => promises.findIndex((item) => item.model === "k-anonymity" && !item.on);

function slider(promises, redraw) {
  const at = first(promises);
  const k = seen.k ?? promises[at]?.k ?? 5;
  const card = (...inside) => h("section", { className: "card", "aria-label": "Who could be found" }, h("h2", {}, "Who could be found today"), ...inside);
  if (!seen.sizes) return card(h("p", { className: "soft" }, seen.wrong ? "The policy has to be corrected first." : "Counting …"));
  const { units, below, smallest, unit } = seen.sizes;
  const people = unit === "person" ? "people" : "records";
  const now = Math.min(k, below.length - 1);
  const input = h("input", { type: "range", id: "k", min: "2", max: String(MOST), value: String(k), "aria-label": "k: how many look alike",
    oninput: (event) => { seen.k = Number(event.target.value); redraw(); },
    onchange: async () => {
      if (at < 0 || seen.k === null) return;
      if (seen.k !== promises[at].k) await edit(["promises", at, "k"], seen.k);
      seen.k = null;
      redraw();
    } });
  return card(
    h("p", { className: "soft" }, "Move k, the number of people who must look alike. The figures describe your table as it is, before anything is made coarser."),
    h("div", { className: "row" }, h("output", { id: "k-value", className: "big", for: "k" }, `k = ${now}`), input),
    h("div", { className: "figures", "aria-live": "polite" },
      h("div", {}, h("span", { className: "big", id: "at-risk" }, count(below[now])),
        h("span", { className: "soft" }, `${share(below[now] / units)} of ${count(units)} ${people} look like fewer than ${now === 2 ? "one other" : `${now - 1} others`}`)),
      h("div", {}, h("span", { className: "big", id: "smallest" }, count(smallest)), h("span", { className: "soft" }, `${people} in the smallest group of your table`))),
    curve(below, units, now),
    at < 0 ? h("button", { id: "promise-k", onclick: () => { seen.k = null; edit(["promises", promises.length], { model: "k-anonymity", k }); } }, "Promise this k") : null);
}

function curve(below, units, k) {
  const wide = 460, high = 130, left = 44;
  const x = (at) => left + (at - 2) / (MOST - 2) * (wide - left - 8);
  const y = (part) => high - 22 - part * (high - 34);
  const points = below.slice(2, MOST + 1).map((value, at) => `${x(at + 2)},${y(value / units)}`);
  const text = (content, at, up, anchor = "middle") => {
    const made = shape("text", { x: at, y: up, "text-anchor": anchor });
    made.textContent = content;
    return made;
  };
  return shape("svg", { class: "chart", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `Share at risk by k: ${share(below[k] / units)} at k = ${k}` },
    shape("polygon", { class: "area", points: `${x(2)},${y(0)} ${points.join(" ")} ${x(MOST)},${y(0)}` }),
    shape("polyline", { class: "curve", points: points.join(" ") }),
    shape("line", { class: "axis", x1: left, x2: wide - 8, y1: y(0), y2: y(0) }),
    shape("line", { class: "mark", x1: x(k), x2: x(k), y1: y(0), y2: y(1) }),
    text("100 %", left - 6, y(1) + 4, "end"), text("0", left - 6, y(0) + 4, "end"),
    ...[2, 10, 20, 30, 40, 50].map((at) => text(String(at), x(at), high - 5)));
}

function promised(promises, sensitive, implied) {
  return h("section", { className: "card", "aria-label": "Promised" }, h("h2", {}, "Promised"),
    promises.length ? promises.map((item, at) => one(item, at, sensitive)) : h("p", { className: "soft" }, "Nothing yet."),
    implied.map((item) => h("div", { className: "promise", role: "group", "aria-label": `Comes with it: ${item.model}` },
      h("h3", {}, offered(item.model)?.title ?? (item.visit ? "A visit finds nobody" : item.model), " ", h("span", { className: "tag" }, item.model)),
      h("p", { className: "small soft" }, `Comes with the promises above, with k = ${item.k}: an attacker who knows ${item.visit?.join(", ") || "the columns that belong to each visit"} of one visit finds at least ${item.k} people of a group with such a visit.`))));
}

// Where the focus goes when what had it is gone.
const go = (id) => (document.getElementById(id) ?? document.getElementById("room")).focus();

function one(item, at, sensitive) {
  const known = offered(item.model);
  const settings = known?.settings.filter(({ value }) => typeof value === "number") ?? [];
  return h("div", { className: "promise", role: "group", "aria-label": `Promise ${at + 1}: ${item.model}` },
    h("h3", { style: null }, known?.title ?? item.model, " ", h("span", { className: "tag" }, item.model)),
    known ? h("p", { className: "small soft" }, known.says) : null,
    h("div", { className: "row" },
      settings.map(({ name: key, value: usual, whole, least, most }) => {
        const id = `promise-${at}-${key}`, title = known.names[key] ?? key;
        const step = whole ? 1 : most === 1 ? 0.05 : 0.25;
        return h("div", { className: "field" }, h("label", { for: id }, title),
          h("input", { type: "number", id, step: String(step), min: least === null ? null : String(least), max: most === null ? null : String(most), value: String(item[key] ?? usual),
            onchange: (event) => { const value = Number(event.target.value); if (event.target.value === "" || !Number.isFinite(value)) return refuse(`${title} has to be a number, such as ${item[key] ?? usual}`); seen.k = null; return edit(["promises", at, key], value); } }));
      }),
      item.sensitive !== undefined ? h("div", { className: "field" }, h("label", { for: `promise-${at}-of` }, "Of"),
        menu(`promise-${at}-of`, "Sensitive attribute", sensitive.includes(item.sensitive) ? sensitive : [item.sensitive, ...sensitive], item.sensitive,
          (value) => edit(["promises", at, "sensitive"], value))) : null,
      h("button", { id: `drop-${at}`, className: "plain", "aria-label": `Remove promise ${at + 1}: ${item.model}`, onclick: () => edit(["promises", at]).then(() => go(`drop-${Math.max(0, at - 1)}`)) }, "Remove")),
    item.on ? h("p", { className: "small" }, `For an attacker who knows only: ${item.on.join(", ")}`) : null);
}

const offers = (items, promises, sensitive) => h("div", { className: "models" }, items.map((item) => offer(item, promises, sensitive)));

function offer(item, promises, sensitive) {
  const { source, risk } = store.state.policy.sections;
  const taken = item.sensitive ? promises.filter((own) => own.model === item.model).map((own) => own.sensitive) : [];
  const free = sensitive.filter((name) => !taken.includes(name));
  let why = null;
  if (item.people && !source?.person) why = "Only where people have many records, and the policy names the person.";
  else if (item.population && !risk?.population) why = "It needs a population: name one under [risk] in the policy.";
  else if (item.sensitive && !sensitive.length) why = "It needs a sensitive column: give one that role in the room Table.";
  else if (item.sensitive && !free.length) why = "Already promised for every sensitive column.";
  else if (!item.sensitive && promises.some((own) => own.model === item.model && !own.on)) why = "Already promised: change it above.";
  const add = () => edit(["promises", promises.length], {
    model: item.model,
    ...Object.fromEntries(item.settings.map(({ name, value }) => [name, value])),
    ...(item.sensitive ? { sensitive: free[0] } : {}),
  }).then(() => go(`promise-${promises.length}-${item.settings[0]?.name}`));
  return h("div", {},
    h("h3", {}, item.title, " ", h("span", { className: "tag" }, item.model)),
    h("p", {}, item.says), item.keeps ? h("p", { className: "small soft" }, `Prevents ${item.keeps}.`) : null,
    item.rows && h("details", {}, h("summary", {}, "An example"),
      h("div", { className: "example" }, grid(`Example of ${item.model}`, [["Age", (row) => row[0]], ["Postcode", (row) => row[1]], ["Illness", (row) => row[2]]], item.rows)),
      h("p", { className: "small" }, item.remark)),
    why ? h("p", { className: "small soft" }, why) : h("button", { id: `add-${item.model}`, onclick: add }, "Promise this"));
}
