// What each value may be published as, level by level: drawn, counted, and changed by hand.

import { bar, count, h, menu, note, problems, shape } from "/web/dom.js";
import { edit, read, refuse, step, store } from "/web/store.js";

const SYSTEMS = ["icd-10", "icd-9-cm", "atc", "us-zip", "us-state", "country"];
const DATES = ["day", "month", "quarter", "year", "decade"];

// Kinds of hierarchies: [name, title, first settings, fields]; a field is [key, title, type].
const KINDS = [
  ["intervals", "Intervals of numbers", { width: 5 }, [["width", "Width", "number"], ["breaks", "or bounds, such as 18, 30, 65", "numbers"], ["bottom", "All below as one", "number"], ["top", "All from here on as one", "number"], ["levels", "Levels", "number"]]],
  ["equal_frequency", "Groups of equal size", 8, [["", "Groups", "number"]]],
  ["date", "Dates", { levels: ["month", "quarter", "year"] }, [["format", "or a pattern, as %d.%m.%Y", "text"], ["levels", "Levels", DATES]]],
  ["mask", "Characters taken off", { from: "right" }, [["from", "From", ["right", "left"], "one"], ["keep", "Characters that always stay", "number"]]],
  ["code_system", "A code system", "icd-10", [["", "System", SYSTEMS, "one"]]],
  ["order", "Ordered values", null, []],
  ["file", "Groups made by hand", null, []],
  ["tree", "Groups in the policy", null, []],
  ["suppress", "As it is, or not at all", "suppress", []],
];

const seen = { key: null, told: null, wrong: null, dates: {} };
const view = { attribute: null, level: null, chosen: new Set() };

async function look(key, attribute, dated, redraw) {
  Object.assign(seen, { key, wrong: null, dates: {} });
  const [told, dates] = await Promise.allSettled([read("hierarchy", { attribute }), dated ? read("dates", { attribute }) : {}]);
  if (seen.key !== key) return;
  seen.dates = dates.value ?? {};
  seen.told = told.value ?? null;
  seen.wrong = told.reason?.problems ?? null;
  redraw();
}

export function hierarchyRoom(redraw) {
  const { policy, version } = store.state;
  const names = Object.entries(policy.attributes).filter(([, own]) => own.role === "quasi-identifier").map(([name]) => name);
  const head = [h("h1", {}, "How coarse may values become?"),
    h("p", { className: "lead" }, "Every quasi-identifier has levels, from the value itself to a label that tells nothing. A release uses as little of them as it can."), problems(policy.problems)];
  if (!names.length) return h("div", {}, head, note("doubt", "There is no quasi-identifier, so nothing is made coarser: give columns that role in the room Table."));
  if (!names.includes(view.attribute)) select(names[0]);
  const name = view.attribute;
  const key = `${version} ${name} ${store.state.table.path}`;
  if (seen.key !== key) look(key, name, kindOf(policy.attributes[name].hierarchy) === "date", redraw);
  return h("div", {}, head, h("div", { className: "split" },
    h("section", { className: "card", "aria-label": "Quasi-identifiers" }, h("ul", { className: "list" }, names.map((item) => h("li", {},
      h("button", { id: `hierarchy-${item}`, "aria-current": String(item === name), onclick: () => { select(item); redraw(); } }, item))))),
    h("div", { "data-key": name }, kind(name, policy.attributes[name].hierarchy), policy.problems.length ? null : problems(seen.wrong), seen.told?.attribute === name ? levels(seen.told, redraw) : seen.wrong ? null : h("p", { className: "soft" }, "Counting …"))));
}

function select(name) {
  Object.assign(view, { attribute: name, level: null, chosen: new Set() });
}

const kindOf = (spec) => (typeof spec === "string" ? spec : KINDS.map(([name]) => name).find((name) => name in (spec ?? {})) ?? "suppress");

function kind(name, spec) {
  const own = kindOf(spec);
  const [, , , fields] = KINDS.find(([item]) => item === own);
  const place = ["attributes", name, "hierarchy"];
  const set = (key, value) => {
    if (key === "") return value === null ? null : edit(place, { [own]: value });
    const held = own === "date" && typeof spec[own] === "string" ? { format: spec[own] } : Array.isArray(spec[own]) ? { levels: spec[own] } : spec[own];
    const now = { ...(typeof held === "object" ? held : {}) };
    if (value === null) delete now[key]; else now[key] = value;
    if (key === "breaks" && value) delete now.width;
    if (key === "width" && value) delete now.breaks;
    return edit(place, { [own]: now });
  };
  const offered = KINDS.filter(([item, , first]) => first !== null || item === own).map(([item, title]) => [item, title]);
  const choose = (item) => {
    const first = KINDS.find(([other]) => other === item)[2];
    view.level = null;
    edit(place, item === "suppress" ? "suppress" : { [item]: first });
  };
  return h("section", { className: "card", "aria-label": `Hierarchy of ${name}` }, h("h2", {}, name),
    h("div", { className: "row" },
      h("div", { className: "field" }, h("label", { for: "kind" }, "Made by"), menu("kind", "Made by", offered, own, choose)),
      own === "date" ? written(spec[own].format ?? (typeof spec[own] === "string" ? spec[own] : "iso"), set) : null,
      fields.map((field) => setting(field, typeof spec[own] === "object" && !Array.isArray(spec[own]) ? spec[own] : { "": spec[own], width: spec[own], levels: spec[own], from: spec[own] }, set))),
    h("div", { className: "row", style: null }, exporting(name), importing(name)));
}

// The forms that read the values, with one of them; the form in the policy is always there.
function written(form, set) {
  const choices = Object.entries(seen.dates).map(([item, [text, date]]) => [item, `${text} is ${date}`]);
  if (!choices.some(([item]) => item === form)) choices.unshift([form, form === "iso" ? "iso, as 2024-01-31" : form]);
  return h("div", { className: "field" }, h("label", { for: "written" }, "How are dates written?"), menu("written", "How are dates written?", choices, form, (item) => set("format", item)));
}

function setting([key, title, type, one], held, set) {
  const id = `set-${key || "value"}`;
  const value = held[key];
  const field = (inside) => h("div", { className: "field" }, h("label", { for: id }, title), inside);
  if (one) return field(menu(id, title, type, value, (now) => set(key, now)));
  if (Array.isArray(type)) {
    const chosen = Array.isArray(value) ? value : [];
    return h("fieldset", {}, h("legend", {}, title), type.map((item) => h("label", {},
      h("input", { type: "checkbox", id: `${id}-${item}`, checked: chosen.includes(item),
        onchange: (event) => set(key, type.filter((other) => (other === item ? event.target.checked : chosen.includes(other)))) }), ` ${item} `)));
  }
  const numbers = type === "numbers";
  const take = (event) => {
    const text = event.target.value.trim();
    if (event.target.validity.badInput) return refuse(`${title}: write a number`);
    if (text === "" || type === "text") return set(key, text || null);
    const read = numbers ? text.split(/[,;\s]+/).filter(Boolean).map(Number) : Number(text);
    return [read].flat().every(Number.isFinite) ? set(key, read) : refuse(`${title}: '${text}' is no ${numbers ? "row of numbers, such as 18, 30, 65" : "number"}`);
  };
  return field(h("input", { id, type: numbers || type === "text" ? "text" : "number", placeholder: type === "text" ? "iso" : null, step: "any", value: numbers ? (value ?? []).join?.(", ") ?? "" : String(value ?? ""), onchange: take }));
}

function exporting(name) {
  return h("button", { id: "export", onclick: async () => {
    const { text } = await read("export", { attribute: name });
    const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: `${name}.csv` });
    link.click();
    URL.revokeObjectURL(link.href);
  } }, "Export as a file");
}

function importing(name) {
  const input = h("input", { type: "file", id: "import-file", className: "unseen", tabindex: "-1", accept: ".csv,text/csv", "aria-label": "A file with a hierarchy",
    onchange: async ({ target }) => {
      const [file] = target.files;
      if (file) await step("import", { attribute: name, text: await file.text() });
      target.value = "";
    } });
  return h("span", {}, h("button", { id: "import", onclick: () => document.getElementById("import-file").click() }, "Import a file"), input);
}

function levels(told, redraw) {
  const top = told.levels.length - 1;
  if (view.level === null || view.level > top) view.level = Math.min(1, top);
  const at = told.levels[view.level];
  return h("div", {}, h("section", { className: "card", "aria-label": "Levels" },
    h("div", { className: "levels", role: "group", "aria-label": "Level" }, told.levels.map((item) =>
      h("button", { id: `level-${item.level}`, "aria-pressed": String(item.level === view.level), onclick: () => { view.level = item.level; view.chosen.clear(); redraw(); } },
        `Level ${item.level}: ${count(item.labels)} ${item.labels === 1 ? "label" : "labels"}`))),
    h("p", { className: "soft" }, view.level === top ? "The last level tells nothing: it is what is left where nothing else helps."
      : `${view.level === 0 ? "The values as they are" : "What is published on this level"}. The rarest label has ${count(at.smallest)} of ${count(told.records)} records.`),
    histogram(at),
    at.shown.length < at.labels ? h("p", { className: "soft small" }, `The ${count(at.shown.length)} most frequent of ${count(at.labels)} labels are shown.`) : null,
    labels(at, top, redraw), byHand(told, at, top, redraw)), tree(told, top));
}

function histogram(at) {
  if (at.shown.length < 2) return null;
  const wide = 900, high = 110;
  const most = Math.max(...at.shown.map(([, number]) => number));
  const each = wide / at.shown.length;
  return shape("svg", { class: "chart", viewBox: `0 0 ${wide} ${high + 2}`, role: "img", "aria-label": `Records of ${at.shown.length} labels, from ${at.smallest} to ${most}` },
    ...at.shown.map(([, number], place) => shape("rect", { class: number < 5 ? "column low" : "column", x: place * each + each * 0.08, width: each * 0.84, y: high - number / most * high, height: Math.max(1, number / most * high), rx: Math.min(2, each / 4) })),
    shape("line", { class: "axis", x1: 0, x2: wide, y1: high + 1, y2: high + 1 }));
}

function labels(at, top, redraw) {
  const most = Math.max(...at.shown.map(([, number]) => number));
  const choosing = at.level < top;
  return h("div", { className: "tree scroll", tabindex: "0", role: "region", "aria-label": `Labels of level ${at.level}` }, h("table", {},
    h("thead", {}, h("tr", {}, choosing ? h("th", { scope: "col" }, "Choose") : null, h("th", { scope: "col" }, "Label"), h("th", { scope: "col", className: "num" }, "Records"), h("td", {}))),
    h("tbody", {}, at.shown.map(([label, number], place) => h("tr", {},
      choosing ? h("td", {}, label === null ? null : h("input", { type: "checkbox", id: `label-${place}`, "aria-label": `Choose ${label}`, checked: view.chosen.has(label),
        onchange: (event) => { event.target.checked ? view.chosen.add(label) : view.chosen.delete(label); redraw(); } })) : null,
      h("th", { scope: "row" }, label ?? h("span", { className: "soft" }, "missing")),
      h("td", { className: "num" }, count(number)), h("td", {}, bar(number / most, 140)))))));
}

function byHand(told, at, top, redraw) {
  if (at.level >= top) return null;
  const chosen = [...view.chosen];
  const name = h("input", { id: "group-name", className: "wide", list: "groups", autocomplete: "off" });
  name.setAttribute("list", "groups");
  const above = told.levels[at.level + 1].shown.map(([label]) => label).filter((label) => label !== null);
  const act = async (what) => {
    const labels = [...view.chosen];
    const field = document.getElementById("group-name");
    const name = field.value;
    field.value = "";
    view.chosen.clear();
    if (what === "group" && view.level + 1 <= top) view.level += 1;
    await step("regroup", { attribute: view.attribute, level: at.level, labels, name, act: what });
    redraw();
  };
  return h("section", { className: "promise", "aria-label": "Change by hand" }, h("h3", {}, "Change by hand"),
    h("p", { className: "small soft" }, chosen.length ? `Chosen: ${chosen.slice(0, 8).join(", ")}${chosen.length > 8 ? ` and ${chosen.length - 8} more` : ""}`
      : "Choose labels above. Put them under a group of the next level, new or there already (that moves and splits); or give them one name (that renames and merges)."),
    h("div", { className: "row" }, h("label", { for: "group-name" }, "Name"), name, h("datalist", { id: "groups" }, above.map((label) => h("option", { value: label }))),
      h("button", { id: "put", disabled: !chosen.length, onclick: () => act("group") }, `Put under it on level ${at.level + 1}`),
      at.level > 0 ? h("button", { id: "rename", disabled: !chosen.length, onclick: () => act("rename") }, "Give this name") : null));
}

function tree(told, top) {
  if (told.values > told.rows.length || top < 2) return null;
  const grow = (rows, level) => {
    const parts = new Map();
    for (const row of rows) parts.set(row[level], [...(parts.get(row[level]) ?? []), row]);
    return h("ul", {}, [...parts].map(([label, own]) => h("li", {},
      level === 0 || (own.length === 1 && own[0].slice(0, level).every((item) => item === label)) ? (label ?? "missing")
        : h("details", { open: level === top }, h("summary", {}, label ?? "missing", h("span", { className: "count" }, `${own.length} ${own.length === 1 ? "value" : "values"}`)), grow(own, level - 1)))));
  };
  return h("section", { className: "card", "aria-label": "Tree" }, h("h2", {}, "As a tree"), h("div", { className: "tree", tabindex: "0", role: "region", "aria-label": "The hierarchy as a tree" }, grow(told.rows, top)));
}
