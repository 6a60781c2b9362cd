// What other methods would keep under the same promises, side by side.

import { bar, count, grid, h, note, problems, shape, share } from "/web/dom.js";
import { besideRoom } from "/web/beside.js";
import { partition } from "/web/partition.js";
import { edit, read, run, step, stop, store } from "/web/store.js";

const KS = [2, 3, 5, 7, 10, 15, 20, 30, 50];

export function exploreRoom(redraw) {
  const job = store.results.alternatives ?? {};
  const { problems: wrong, lacks } = store.state.policy;
  return h("div", {},
    h("h1", {}, "What does it cost, and what would cost less?"),
    h("p", { className: "lead" }, "The same promises can be kept in several ways. Here they are tried on your table, each as a whole release that is audited; nothing is written."),
    problems(wrong), problems(lacks.map((what) => `There is no ${what} yet.`)),
    h("section", { className: "card", "aria-label": "Ways" }, h("h2", {}, "Other methods"),
      h("p", { className: "soft" }, "Levels, ranges or groups of the nearest records: which keeps most of your table?"),
      h("div", { className: "row" },
        h("button", { id: "try", className: "main", disabled: Boolean(wrong.length || lacks.length || job.running), onclick: () => run("alternatives", {}, redraw) }, "Try them"),
        job.running ? [h("span", { className: "soft" }, `${job.what} …`), h("button", { id: "stop-alternatives", onclick: () => stop("alternatives") }, "Stop")] : null),
      job.running ? h("progress", { "aria-label": job.what, max: 1, value: job.share ?? undefined }) : null,
      job.stopped ? note("doubt", "Stopped.") : null, problems(job.problems), job.result ? found(job.result) : null),
    frontier(redraw, Boolean(wrong.length || lacks.length)), besideRoom(redraw, KS, Boolean(wrong.length || lacks.length)), partition(redraw), levels(redraw));
}

// Every choice of levels: who would look like whom, and what the search may choose.
const tried = { key: null, levels: {}, told: null };

async function look(redraw) {
  const key = `${store.state.table.path} ${store.state.version} ${JSON.stringify(tried.levels)}`;
  if (tried.key === key) return;
  tried.key = key;
  const told = await read("classes", { levels: JSON.stringify(tried.levels) }).catch(() => null);
  if (tried.key !== key) return;
  tried.told = told ?? tried.told;
  redraw();
}

function levels(redraw) {
  const { attributes, heeded, sections } = store.state.policy;
  const names = Object.keys(attributes).filter((name) => attributes[name].role === "quasi-identifier");
  if (!names.length) return null;
  tried.levels = Object.fromEntries(Object.entries(tried.levels).filter(([name]) => names.includes(name)));
  look(redraw);
  const { told } = tried;
  const k = (sections.promises ?? []).find((item) => item.model === "k-anonymity" && !item.on)?.k ?? 5;
  const best = store.results.release?.result?.run?.plan?.levels;
  const put = (found) => { tried.levels = { ...found }; redraw(); };
  const people = told?.unit === "person" ? "people" : "records";
  const high = (name) => told?.heights[name] ?? 0;
  // A bound at the end that forbids nothing is none.
  const bound = (name, key, title, free) => slide(`${key}-${name}`, `${title} of ${name}`, high(name), attributes[name][key] ?? free,
    attributes[name][key] === undefined ? "any" : String(attributes[name][key]),
    { onchange: (event) => edit(["attributes", name, key], Number(event.target.value) === free ? null : Number(event.target.value)) });
  return h("section", { className: "card", "aria-label": "Levels" }, h("h2", {}, "Coarser, column by column"),
    h("p", { className: "soft" }, `Move a column to a coarser level and see who would still look like fewer than ${k - 1} others.${heeded.length ? " Bounds and weights go into the policy: they tell the search what it may choose, and what matters to you." : ""}`),
    told ? h("div", { className: "figures", "aria-live": "polite" },
      h("div", {}, h("span", { className: "big", id: "tried-below" }, count(told.below[Math.min(k, told.below.length - 1)])), h("span", { className: "soft" }, `of ${count(told.units)} ${people} in groups of fewer than ${k}`)),
      h("div", {}, h("span", { className: "big" }, count(told.smallest)), h("span", { className: "soft" }, `${told.smallest === 1 ? told.unit : people} in the smallest group`)),
      h("div", {}, h("span", { className: "big", id: "tried-groups" }, count(told.classes)), h("span", { className: "soft" }, "groups"))) : h("p", { className: "soft" }, "Counting …"),
    h("div", { className: "row" },
      h("button", { id: "levels-none", onclick: () => put({}) }, "Reset: no column coarser"),
      best ? h("button", { id: "levels-best", onclick: () => put(best) }, "As the release has them") : null),
    told ? grid("Levels, bounds and weights", [
      ["Column", (name) => name],
      ["Level", (name) => !(name in told.heights) ? h("span", { className: "soft" }, "set per visit, within the groups of the others") : slide(`try-${name}`, `Level of ${name}`, high(name), tried.levels[name] ?? 0, `${tried.levels[name] ?? 0} of ${high(name)}`,
        { oninput: (event) => put({ ...tried.levels, [name]: Number(event.target.value) }) })],
      heeded.includes("min_level") ? ["At least", (name) => bound(name, "min_level", "Lowest level", 0)] : null,
      heeded.includes("max_level") ? ["At most", (name) => bound(name, "max_level", "Highest level", high(name))] : null,
      heeded.includes("weight") ? ["Weight", (name) => slide(`weight-${name}`, `Weight of ${name}`, 5, attributes[name].weight ?? 1, String(attributes[name].weight ?? 1),
        { step: "0.5", onchange: (event) => edit(["attributes", name, "weight"], Number(event.target.value)) })] : null,
    ].filter(Boolean), names) : null,
    told ? lattice(told, k, put, redraw) : null,
    heeded.length < 3 ? h("p", { className: "soft small" }, `${sections.method?.algorithm ?? "The method"} makes ${heeded.length ? "ranges" : "groups"} of its own and ignores ${heeded.length ? "bounds of levels" : "bounds and weights"}. To set them, try the other methods above and take one.`) : null);
}

function slide(id, label, most, value, told, more) {
  return h("div", { className: "row" },
    h("input", { type: "range", id, min: "0", max: String(most), value: String(value), "aria-label": label, ...more }),
    h("span", { className: "soft" }, told));
}

// The choices of levels one step coarser or finer than the one above, drawn above and below it.
const near = { key: null, steps: [], asked: false };

async function around(told, redraw) {
  const key = `${tried.key} ${JSON.stringify(told.heights)}`;
  if (near.key === key) return;
  Object.assign(near, { key, steps: [] });
  for (const up of [1, -1]) for (const [name, height] of Object.entries(told.heights)) {
    const level = (tried.levels[name] ?? 0) + up;
    if (level < 0 || level > height) continue;
    const levels = { ...tried.levels, [name]: level };
    const found = await read("classes", { levels: JSON.stringify(levels) }).catch(() => null);
    if (near.key !== key) return; // the reader has moved on
    if (found) near.steps = [...near.steps, { name, level, up, levels, told: found }];
    redraw();
  }
}

function lattice(told, k, put, redraw) {
  if (!near.asked) return h("button", { id: "around", onclick: () => { near.asked = true; redraw(); } }, "Show the choices around this one");
  around(told, redraw);
  const least = (found) => found.below[Math.min(k, found.below.length - 1)];
  const node = (item) => h("button", { id: `step-${item.name}-${item.level}`, onclick: () => put(item.levels) },
    `${item.name}: level ${item.level}`, h("span", { className: "soft" }, ` ${count(least(item.told))} in groups under ${k}`));
  const side = (up, title) => h("div", { className: "row", role: "group", "aria-label": title }, h("span", { className: "soft" }, title),
    near.steps.filter((item) => item.up === up).sort((one, other) => least(one.told) - least(other.told)).map(node));
  return h("div", { className: "lattice", id: "lattice" }, side(1, "One step coarser"),
    h("div", { className: "row" }, h("b", {}, "This choice"), h("span", { className: "soft" }, `${count(least(told))} in groups under ${k}`)), side(-1, "One step finer"));
}

// How much detail is kept at which k, and how safe that is.
function frontier(redraw, closed) {
  const job = store.results.explore ?? {};
  return h("section", { className: "card", "aria-label": "Safety and detail" }, h("h2", {}, "How much safety for how much detail?"),
    h("p", { className: "soft" }, `The same policy with other k: ${KS.join(", ")}. Each is a release of its own; nothing is written.`),
    h("div", { className: "row" },
      h("button", { id: "try-k", className: "main", disabled: closed || Boolean(job.running), onclick: () => run("explore", { k: KS }, redraw) }, "Try every k"),
      job.running ? [h("span", { className: "soft" }, `${job.what} …`), h("button", { id: "stop-explore", onclick: () => stop("explore") }, "Stop")] : null),
    job.running ? h("progress", { "aria-label": job.what, max: 1, value: job.share ?? undefined }) : null,
    job.stopped ? note("doubt", "Stopped.") : null, problems(job.problems), job.result ? points(job.result) : null);
}

function points({ points: tried, recommended, why }) {
  const at = (store.state.policy.sections.promises ?? []).findIndex((item) => item.model === "k-anonymity" && !item.on);
  const made = tried.filter((item) => item.kept !== null);
  const best = tried[recommended];
  return [best ? note("good", `Recommended: k = ${best.k}: ${why}.`) : note("doubt", why),
    made.length > 1 ? picture(made, best) : null,
    grid("Releases by k", [
      ["k", (item) => [String(item.k), item === best ? h("div", {}, h("span", { className: "tag good" }, "recommended")) : null]],
      ["Keeps", (item) => item.kept === null ? h("span", { className: "doubt-text" }, "no release") : [bar(item.kept, 110), " ", share(item.kept)]],
      ["Highest risk", (item) => share(item.risk?.highest), true],
      ["Left out", (item) => item.suppressed === null ? "–" : count(item.suppressed), true],
      ["Columns mostly lost", (item) => item.lost.join(", ") || "–"],
      ["", (item) => item.kept === null || at < 0 ? null : store.state.policy.sections.promises[at].k === item.k ? chosen()
        : h("button", { id: `take-k-${item.k}`, onclick: () => edit(["promises", at, "k"], item.k) }, "Take this k")],
    ], tried)];
}

function picture(made, best) {
  const wide = 760, high = 200, left = 56;
  const most = Math.max(...made.map((item) => item.risk.highest));
  const x = (item) => left + item.risk.highest / most * (wide - left - 30);
  const y = (item) => 28 + (1 - item.kept) * (high - 72);
  // Names that would lie on each other are left out; the table has all of them.
  let last = Infinity;
  const named = made.filter((item) => item === best || (Math.abs(x(item) - last) > 48 && (last = x(item)) > 0));
  const text = (content, across, down, anchor = "middle") => {
    const shown = shape("text", { x: across, y: down, "text-anchor": anchor });
    shown.textContent = content;
    return shown;
  };
  return shape("svg", { class: "chart", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "Detail kept against the highest risk that somebody is found; the table below has the figures" },
    shape("line", { class: "axis", x1: left, x2: wide - 10, y1: high - 44, y2: high - 44 }),
    shape("polyline", { class: "curve", points: made.map((item) => `${x(item)},${y(item)}`).join(" ") }),
    ...made.flatMap((item) => [shape("circle", { class: item === best ? "point best" : "point", cx: x(item), cy: y(item), r: item === best ? 7 : 4.5 }),
      ...(named.includes(item) ? [text(`k = ${item.k}`, x(item), y(item) - 11)] : [])]),
    text("100 %", left - 8, 32, "end"), text("0 %", left - 8, high - 44, "end"), text("0 %", left, high - 26), text(share(most), x(made.find((item) => item.risk.highest === most)), high - 26),
    text("highest risk that somebody is found →", (wide + left) / 2, high - 6));
}

// What the policy says now is marked: it is what was taken last.
const chosen = () => h("span", { className: "tag good" }, "in the policy");
const sorted = ({ seed, ...keys }) => JSON.stringify(Object.entries({ algorithm: "optimal", ...keys }).sort());

function found({ alternatives, recommended }) {
  const held = store.state.policy.sections.method ?? {};
  const now = alternatives.find((item) => sorted(item.method) === sorted(held));
  const seed = held.seed === undefined ? {} : { seed: held.seed };
  return [now && now !== alternatives[0] ? note("good", `Taken: the policy now asks for "${now.name}". Nothing is made before the room Prove and publish.`) : null, grid("Ways to keep the promises", [
    ["Way", (item) => [item.name, alternatives[recommended] === item ? h("div", {}, h("span", { className: "tag good" }, "recommended")) : null]],
    ["Keeps", (item) => item.kept === null ? h("span", { className: "doubt-text" }, `no release (${item.why_not})`) : [bar(item.kept, 110), " ", share(item.kept)]],
    ["Records left out", (item) => item.left_out === null ? "–" : share(item.left_out), true],
    ["Columns mostly lost", (item) => item.lost.join(", ") || "–"],
    ["", (item) => item === now ? chosen() : item.kept === null ? null
      : h("button", { id: item === alternatives[0] ? "take-asked" : `take-${item.method.algorithm}-${item.method.local_recoding ?? ""}`, onclick: () => step("edit", { place: ["method"], value: { ...seed, ...item.method } }) }, "Take this")],
  ], alternatives)];
}
