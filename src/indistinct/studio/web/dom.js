// Elements, figures and pictures: what all rooms share.

export function h(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !["list", "form"].includes(name) && typeof value !== "string") made[name] = value;
    else made.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const count = (value) => Number(value).toLocaleString("en");

export function share(value) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 0.001) return "< 0.1 %";
  if (value < 1 && value > 0.999) return "> 99.9 %";
  return `${(100 * value).toLocaleString("en", { maximumFractionDigits: 1 })} %`;
}

export const figure = (value) =>
  typeof value === "number" ? value.toLocaleString("en", { maximumSignificantDigits: 4 }) : String(value ?? "–");

export function shape(tag, props, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function bar(part, width = 110, bad = false) {
  const front = Math.max(0, Math.min(1, part)) * width;
  return shape("svg", { class: "bar", width, height: 10, "aria-hidden": "true" },
    shape("rect", { class: "back", width, height: 10, rx: 5 }),
    shape("rect", { class: bad ? "front bad" : "front", width: front, height: 10, rx: 5 }));
}

export function note(kind, ...content) {
  return h("div", { className: `note ${kind}`, role: kind === "bad" ? "alert" : null }, ...content);
}

export function problems(list, kind = "bad") {
  if (!list?.length) return null;
  return note(kind, h("ul", {}, list.map((item) => h("li", {},
    typeof item === "string" ? item : [
      item.attribute ? h("b", {}, `${item.attribute}: `) : null, item.message,
      item.remedy ? h("div", { className: "soft" }, `What helps: ${item.remedy}`) : null,
    ]))));
}

// A table with a caption: columns are [title, cell of a row, whether it is a number].
export function grid(caption, columns, rows, className = "") {
  return h("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { className },
      h("caption", { className: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map(([title, , number]) =>
        h("th", { scope: "col", className: number ? "num" : null }, title)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([, cell, number], at) =>
        h(at ? "td" : "th", { scope: at ? null : "row", className: number ? "num" : null }, cell(row))))))));
}

export function rowsOf(caption, rows) {
  const names = Object.keys(rows[0] ?? {});
  return grid(caption, names.map((name) => [name, (row) => row[name] ?? h("span", { className: "soft" }, "missing")]), rows, "cells");
}

export function menu(id, label, choices, chosen, onchange, more = {}) {
  return h("select", { id, "aria-label": label, onchange: (event) => onchange(event.target.value), ...more },
    choices.map((item) => {
      const [value, title] = Array.isArray(item) ? item : [item, item];
      return h("option", { value, selected: value === chosen }, title);
    }));
}

export const ROLES = [
  ["identifier", "Identifier"], ["quasi-identifier", "Quasi-identifier"],
  ["sensitive", "Sensitive"], ["insensitive", "Insensitive"],
];
