// Elements, figures and pictures: what all rooms share.

export function h(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) listen(made, name.slice(2), value);
    else if (name in made && !["list", "form"].includes(name) && typeof value !== "string") made[name] = value;
    else made.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// What is done at an event can change while the element stays.
const acts = new WeakMap();

function listen(element, event, act) {
  const own = acts.get(element) ?? {};
  acts.set(element, own);
  if (!(event in own)) element.addEventListener(event, (happened) => own[event]?.(happened));
  own[event] = act;
}

// The field under the hands: what is typed or dragged in it is not overwritten.
let typed = null;
addEventListener("input", (event) => { typed = event.target; }, true);
for (const end of ["change", "focusout"]) addEventListener(end, (event) => { if (typed === event.target) typed = null; }, true);

const keyOf = (node) => node.id || node.dataset?.key || node.getAttribute?.("aria-label") || "";
const alike = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

// Makes the children of a place like the given ones. Elements that stay are changed, never
// replaced: a click, a selection or an open menu survives that the page is drawn again.
export function fit(place, children) {
  const held = new Set(place.childNodes);
  let next = place.firstChild;
  for (const fresh of [...children]) {
    const node = next && alike(next, fresh) ? next : [...held].find((old) => alike(old, fresh)) ?? fresh;
    if (node !== fresh) {
      held.delete(node);
      renew(node, fresh);
    }
    if (node === next) next = next.nextSibling;
    else place.insertBefore(node, next);
    while (next && !held.has(next)) next = next.nextSibling;
  }
  for (const old of held) old.remove();
}

function renew(node, fresh) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== fresh.data) node.data = fresh.data;
    return;
  }
  // A reader has opened or closed the details of a page, not the page itself.
  for (const { name } of [...node.attributes]) if (!fresh.hasAttribute(name) && name !== "open") node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (node.getAttribute(name) !== value && name !== "open") node.setAttribute(name, value);
  const own = acts.get(node) ?? {};
  for (const event of Object.keys(own)) own[event] = null;
  for (const [event, act] of Object.entries(acts.get(fresh) ?? {})) listen(node, event, act);
  fit(node, fresh.childNodes);
  if (node === typed || node.type === "file") return;
  if (node.checked !== fresh.checked) node.checked = fresh.checked;
  const told = fresh.tagName === "SELECT" || fresh.hasAttribute("value") || fresh.value;
  if ("value" in node && told && node.value !== fresh.value) node.value = fresh.value;
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
