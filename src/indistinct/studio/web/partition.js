// The classes of a release as boxes over the values of two columns; a box tells its classes.

import { count, grid, h, menu, share, shape } from "/web/dom.js";
import { store } from "/web/store.js";

const WIDE = 720, HIGH = 360, LEFT = 8, TOP = 8, BOXES = 300;
const chosen = { of: null, pair: [null, null], box: null };

const cellsOf = (item, names, name) => item[1 + names.indexOf(name)];

const area = ({ across, down }) => (across[2] - across[1]) * (down[2] - down[1]);

// Classes with the same two cells are one box.
function boxes({ cells, classes }, names, [one, other]) {
  const found = new Map();
  for (const item of classes) {
    const key = `${cellsOf(item, names, one)} ${cellsOf(item, names, other)}`;
    const box = found.get(key) ?? { key, across: cells[one][cellsOf(item, names, one)], down: cells[other][cellsOf(item, names, other)], classes: [], records: 0 };
    box.classes.push(item);
    box.records += item[0];
    found.set(key, box);
  }
  // Small boxes lie above large ones.
  return [...found.values()].sort((a, b) => b.records - a.records).slice(0, BOXES).sort((a, b) => area(b) - area(a));
}

export function partition(redraw) {
  const { release, beside } = store.results;
  const made = [["made last", release?.result?.partition], ...(beside?.result?.releases ?? []).map((item) => [item.name, item.partition])].filter(([, own]) => own);
  const card = (...inside) => h("section", { className: "card", "aria-label": "Groups" }, h("h2", {}, "Who looks alike, drawn"), ...inside);
  if (!made.length) return card(h("p", { className: "soft" }, "Compare releases above, or make one: its groups are drawn here."));
  const [of, told] = made.find(([name]) => name === chosen.of) ?? made[0];
  const names = Object.keys(told.cells);
  const usual = [...names].sort((a, b) => told.cells[b].length - told.cells[a].length);
  const pair = chosen.pair.map((name, at) => (names.includes(name) ? name : usual[Math.min(at, usual.length - 1)]));
  const put = (at, name) => { chosen.pair = at ? [pair[0], name] : [name, pair[1]]; chosen.box = null; redraw(); };
  const drawn = boxes(told, names, pair);
  const box = drawn.find((item) => item.key === chosen.box);
  return card(
    h("p", { className: "soft" }, "Each box is what two columns of a group are published as; its sides span the records with these values. Choose a box, by mouse or by the arrow keys, to see its groups. A large box keeps little detail."),
    h("div", { className: "row" }, made.length > 1 ? menu("drawn", "Release that is drawn", made.map(([name]) => [name, `release ${name}`]), of, (name) => { Object.assign(chosen, { of: name, box: null }); redraw(); }) : null,
      menu("across", "Column drawn across", names, pair[0], (name) => put(0, name)), h("span", { className: "soft" }, "across,"),
      menu("down", "Column drawn downwards", names, pair[1], (name) => put(1, name)), h("span", { className: "soft" }, "downwards")),
    picture(drawn, box, pair, redraw),
    told.others ? h("p", { className: "soft small" }, `${count(told.others)} records stand in smaller groups than those drawn.`) : null,
    h("div", { id: "box", "aria-live": "polite" }, box ? inside(box, told.cells, names, pair) : null));
}

function picture(drawn, box, pair, redraw) {
  const layers = Math.max(drawn.reduce((sum, item) => sum + area(item), 0), 1);
  const take = (at) => { chosen.box = drawn[at].key; redraw(); document.getElementById(`box-${at}`)?.focus(); };
  const svg = shape("svg", { class: "chart partition", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": `Groups by ${pair.join(" and ")}` });
  drawn.forEach((item, at) => {
    const [name, low, high] = item.across;
    const [other, top, end] = item.down;
    const title = shape("title", {});
    title.textContent = `${pair[0]} ${name}, ${pair[1]} ${other}: ${count(item.records)} records in ${count(item.classes.length)} ${item.classes.length === 1 ? "group" : "groups"}`;
    const made = shape("rect", { id: `box-${at}`, class: item === box ? "box chosen" : "box", role: "button", "aria-pressed": String(item === box), "aria-label": title.textContent,
      tabindex: item === (box ?? drawn[0]) ? "0" : "-1", x: LEFT + low * (WIDE - 2 * LEFT), y: TOP + top * (HIGH - 2 * TOP),
      width: Math.max((high - low) * (WIDE - 2 * LEFT) - 1, 3), height: Math.max((end - top) * (HIGH - 2 * TOP) - 1, 3), "fill-opacity": (0.3 / Math.sqrt(layers)).toFixed(3), "stroke-opacity": (1 / Math.sqrt(layers)).toFixed(3) }, title);
    made.addEventListener("click", () => take(at));
    made.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step && event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      take((at + (step ?? 0) + drawn.length) % drawn.length);
    });
    svg.append(made);
  });
  // Drawn anew as a whole: its boxes have nothing that is typed or opened.
  return h("div", { "data-key": JSON.stringify([pair, box?.key, drawn.map((item) => [item.key, item.records])]) }, svg);
}

function inside(box, cells, names, pair) {
  const shown = box.classes.slice(0, 20);
  return [h("h3", {}, `${pair[0]} ${box.across[0]}, ${pair[1]} ${box.down[0]}: ${count(box.records)} records in ${count(box.classes.length)} ${box.classes.length === 1 ? "group" : "groups"}`),
    grid("Groups of the box", [
      ["Records", (item) => count(item[0]), true],
      ...names.map((name) => [name, (item) => { const [text, low, high] = cells[name][cellsOf(item, names, name)]; return [text, h("div", { className: "soft small" }, `spans ${share(high - low)} of the records`)]; }]),
    ], shown),
    box.classes.length > shown.length ? h("p", { className: "soft small" }, `and ${count(box.classes.length - shown.length)} smaller ones`) : null];
}
