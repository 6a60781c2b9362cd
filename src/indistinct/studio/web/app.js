// The page: rooms, the policy beside them, and what is kept in place while it is drawn again.

import { count, fit, h, note, problems } from "/web/dom.js";
import { onchange, refresh, send, step, store, upload } from "/web/store.js";
import { exploreRoom } from "/web/explore.js";
import { hierarchyRoom } from "/web/hierarchies.js";
import { promiseRoom } from "/web/promises.js";
import { publishRoom } from "/web/publish.js";
import { tableRoom } from "/web/table.js";

const ROOMS = [
  ["table", "Table", tableRoom],
  ["hierarchies", "Hierarchies", hierarchyRoom],
  ["promises", "Promises", promiseRoom],
  ["explore", "Explore", exploreRoom],
  ["publish", "Prove and publish", publishRoom],
];

const byId = (id) => document.getElementById(id);
const place = () => location.hash.slice(1).split("/")[0] || "table";
let opening = false;

// What has the focus keeps it when the place it stands in is made anew.
function kept(change) {
  const id = document.activeElement?.id;
  change();
  const again = id ? byId(id) : null;
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
}

let drawn = null;

function draw() {
  const { state } = store;
  const [id, title, room] = ROOMS.find(([name]) => name === place()) ?? ROOMS[0];
  kept(() => {
    fit(byId("rooms"), ROOMS.map(([name, label], at) => h("li", {},
      h("a", { href: `#${name}`, id: `to-${name}`, "aria-current": name === id ? "page" : null },
        h("span", { className: "number", "aria-hidden": "true" }, String(at + 1)), label))));
    document.title = `${title} – indistinct studio`;
    drawTop(state);
    drawPolicy(state);
    const wrong = store.problems?.length ? h("div", { className: "refused" }, problems(store.problems)) : null;
    const [what, ...inside] = !state ? ["start", wrong ?? h("p", { className: "lead" }, "One moment …")]
      : state.opening ? ["opening", busy(state.opening)]
      : !state.table || opening ? ["welcome", welcome(state)]
      : [`${id} ${state.table.path}`, wrong, room(draw)];
    if (drawn !== what) byId("room").replaceChildren();
    drawn = what;
    fit(byId("room"), inside.filter(Boolean));
  });
}

function busy(what) {
  return h("section", { className: "welcome" }, h("h1", {}, "Opening the table"),
    h("p", { className: "lead", role: "status" }, `${what} …`), h("progress", { "aria-label": what }));
}

function drawTop(state) {
  const table = state?.table;
  byId("source").replaceChildren(...(table && store.table
    ? [h("b", {}, table.name), ` · ${count(store.table.profile.records)} records · ${store.table.columns.length} columns`] : []));
  byId("undo").disabled = !state?.policy?.undo;
  byId("redo").disabled = !state?.policy?.redo;
  byId("show-policy").hidden = byId("show-open").hidden = !table;
  if (!table) byId("policy").hidden = true;
}

let shown = null;

function drawPolicy(state) {
  const side = byId("policy");
  if (side.hidden || !state?.policy) return;
  const { text, file, problems: wrong, warnings, lacks } = state.policy;
  const area = byId("policy-text");
  if (!area) {
    const take = () => step("policy", { text: byId("policy-text").value });
    side.replaceChildren(
      h("div", {}, h("h2", {}, "Policy"), h("p", { className: "soft small", id: "policy-file" })),
      h("label", { htmlFor: "policy-text", for: "policy-text" }, "Everything you click, as text"),
      h("textarea", { id: "policy-text", spellcheck: "false", wrap: "off",
        onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) take(); } }),
      h("p", { className: "row" }, h("button", { id: "take-policy", onclick: take }, "Use this text"),
        h("span", { className: "soft small" }, "or Ctrl + Enter")),
      h("div", { id: "policy-told" }));
    shown = null;
  }
  byId("policy-file").textContent = `Kept at every step in ${file}`;
  if (shown !== text) { byId("policy-text").value = text; shown = text; }
  const missing = lacks.map((what) => `There is no ${what} yet.`);
  byId("policy-told").replaceChildren(...[problems(wrong), problems([...missing, ...warnings], "doubt"),
    wrong.length + missing.length + warnings.length ? null : note("good", "No problem found in this text. The rooms tell whether it fits the values of the table.")].filter(Boolean));
}

// How else a table can be read that could not be read as it is; what was said before is said again.
let reading = { path: null };

function again(state) {
  if (reading.path !== state.tried) reading = { path: state.tried };
  const codes = new Set(state.problems.map((item) => item.code));
  const way = (id, key, value, label) => h("button", { id, onclick: async () => {
    reading[key] = value;
    const { path, ...source } = reading;
    try { await send("open", { path, source }); } catch (error) { store.problems = error.problems ?? []; }
    await refresh();
  } }, label);
  const ways = [
    codes.has("undecodable") ? way("as-western", "encoding", "cp1252", "Read it as Windows-1252 (Western Europe)") : null,
    state.problems.some((item) => item.code === "header-is-a-record" && item.remedy.includes("header = false")) ? way("without-header", "header", false, "The first line is data, not names") : null,
    codes.has("header-is-a-record") ? way("with-header", "header", true, "The first line has the names") : null,
    ...new Set(state.problems.flatMap((item) => item.sheets ?? [])),
  ].map((one) => typeof one === "string" ? way(`sheet-${one}`, "sheet", one, `Read the sheet “${one}”`) : one).filter(Boolean);
  return ways.length ? h("p", { className: "row" }, ways) : null;
}

// Why a table could not be read; where a click helps, what to write is not told.
function unread(state) {
  const ways = again(state);
  return [problems(ways ? state.problems.map(({ remedy, ...item }) => item) : state.problems), ways];
}

function welcome(state) {
  const input = h("input", { type: "file", id: "file", className: "unseen", tabindex: "-1", "aria-label": "Choose a file",
    onchange: (event) => { if (event.target.files[0]) take(event.target.files[0]); event.target.value = ""; } });
  const take = async (file) => {
    opening = false;
    store.problems = [];
    try { await upload(file); location.hash = "table"; } catch (error) { store.problems = error.problems ?? []; draw(); }
  };
  const drop = h("div", { className: "drop",
    ondragover: (event) => { event.preventDefault(); event.currentTarget.classList.add("over"); },
    ondragleave: (event) => event.currentTarget.classList.remove("over"),
    ondrop: (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); } },
    h("p", {}, "Drop a CSV, Excel or Parquet file here, or"),
    h("button", { id: "choose", className: "main", onclick: () => byId("file").click() }, "Choose a file"), input,
    h("p", { className: "soft small" }, "It stays on this machine, in a private folder that goes when the studio ends."));
  const path = h("input", { id: "path", className: "wide", placeholder: "/home/me/discharges.csv", autocomplete: "off" });
  const open = async (event) => {
    event.preventDefault();
    opening = false;
    store.problems = [];
    try { await send("open", { path: byId("path").value.trim() }); location.hash = "table"; } catch (error) { store.problems = error.problems ?? []; }
    await refresh();
  };
  return h("section", { className: "welcome" }, h("h1", {}, "Which table do you want to release?"),
    h("p", { className: "lead" }, "A table about people. The studio reads it, suggests what to protect, makes a release and proves what it promises. Nothing leaves this machine."),
    problems(store.problems), ...unread(state), drop,
    h("form", { className: "card", onsubmit: open },
      h("label", { htmlFor: "path", for: "path" }, "Or open a file or folder of this machine by its path"),
      h("div", { className: "row" }, path, h("button", { type: "submit", id: "open-path" }, "Open")),
      h("p", { className: "soft small" }, "Large tables, and folders of FHIR or OMOP data, are opened this way; the policy is then kept beside them.")),
    state.table ? h("button", { onclick: () => { opening = false; draw(); } }, `Back to ${state.table.name}`) : null);
}

byId("undo").addEventListener("click", () => step("undo"));
byId("redo").addEventListener("click", () => step("redo"));
byId("show-open").addEventListener("click", () => { opening = !opening; draw(); });
byId("show-policy").addEventListener("click", (event) => {
  const side = byId("policy");
  side.hidden = !side.hidden;
  event.target.setAttribute("aria-expanded", String(!side.hidden));
  sessionStorage.setItem("policy", side.hidden ? "" : "open");
  draw();
});
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("room").focus(); });
addEventListener("hashchange", () => { opening = false; store.problems = []; draw(); byId("room").focus(); scrollTo(0, 0); });
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
  if (event.key === "z") { event.preventDefault(); step(event.shiftKey ? "redo" : "undo"); }
});

if (sessionStorage.getItem("policy")) {
  byId("policy").hidden = false;
  byId("show-policy").setAttribute("aria-expanded", "true");
}
onchange(draw);
refresh();
