// Releases with several k beside each other: figures, values, pairs of columns, rows.

import { bar, count, figure, grid, h, menu, note, problems, rowsOf, share } from "/web/dom.js";
import { run, stop, store } from "/web/store.js";

const MOST = 3;
const chosen = { k: [], pair: [null, null] };

const QUALITY = {
  granularity: "Detail of the cells", non_uniform_entropy: "Information left", squared_error: "Closeness of numbers",
  missings: "Cells that are not empty", generalization_intensity: "Levels left",
};

export function besideRoom(redraw, ks, closed) {
  const job = store.results.beside ?? {};
  const { attributes } = store.state.policy;
  const names = Object.keys(attributes).filter((name) => attributes[name].role !== "identifier");
  const [one, other] = chosen.pair.map((name, at) => (names.includes(name) ? name : names[Math.min(at, names.length - 1)]));
  const put = (at, name) => { chosen.pair = at ? [one, name] : [name, other]; redraw(); };
  const tick = (k, on) => { chosen.k = on ? [...chosen.k, k].sort((a, b) => a - b) : chosen.k.filter((item) => item !== k); redraw(); };
  const busy = closed || Boolean(job.running);
  return h("section", { className: "card", "aria-label": "Beside each other" }, h("h2", {}, "Releases beside each other"),
    h("p", { className: "soft" }, `Choose up to ${MOST} k, and two columns whose joint counts matter to you. The releases are made and compared; nothing is written.`),
    h("div", { className: "row", role: "group", "aria-label": "k to compare" }, ks.map((k) => h("label", {},
      h("input", { type: "checkbox", id: `beside-${k}`, checked: chosen.k.includes(k), disabled: !chosen.k.includes(k) && chosen.k.length >= MOST, onchange: (event) => tick(k, event.target.checked) }), ` k = ${k}`))),
    names.length > 1 ? h("div", { className: "row" }, menu("pair-one", "First column", names, one, (name) => put(0, name)), h("span", { className: "soft" }, "by"), menu("pair-other", "Second column", names, other, (name) => put(1, name))) : null,
    h("div", { className: "row" },
      h("button", { id: "compare", className: "main", disabled: busy || !chosen.k.length, onclick: () => run("beside", { k: chosen.k, pair: one && one !== other ? [one, other] : null }, redraw) }, "Compare them"),
      job.running ? [h("span", { className: "soft" }, `${job.what} …`), h("button", { id: "stop-beside", onclick: () => stop("beside") }, "Stop")] : null),
    job.running ? h("progress", { "aria-label": job.what, max: 1, value: job.share ?? undefined }) : null,
    job.stopped ? note("doubt", "Stopped.") : null, problems(job.problems), job.result ? compared(job.result) : null);
}

function compared({ releases, contingency, before, records }) {
  if (!releases.length) return note("doubt", "No release keeps the promises with these k.");
  const qualities = Object.keys(QUALITY).filter((key) => releases.some((item) => typeof item.quality?.[key] === "number"));
  const asked = releases.flatMap((item) => (item.analyses ?? []).map((one) => one.name)).filter((name, at, all) => all.indexOf(name) === at);
  const check = (item, name) => item.analyses?.find((one) => one.name === name);
  const lines = [
    ["Records published", (item) => `${count(item.rows)} of ${count(records)}`],
    ["Smallest group", (item) => count(item.classes.smallest)],
    ["Groups", (item) => count(item.classes.count)],
    ["Detail lost, on average", (item) => share(item.loss?.mean)],
    ["Error of counts, median", (item) => share(item.query_error?.median)],
    ...qualities.map((key) => [QUALITY[key], (item) => share(item.quality[key])]),
    ...asked.map((name) => [`Overlap: ${name}`, (item) => { const one = check(item, name); return one?.why ? `no answer: ${one.why}` : [share(one?.overlap), one?.kept === false ? h("span", { className: "tag bad" }, "less than asked") : null]; }]),
  ];
  const columns = [...new Set(releases.flatMap((item) => item.spreads.map((one) => one.name)))];
  return [
    grid("Figures of the releases", [["Figure", ([title]) => title], ...releases.map((item) => [item.name, ([, cell]) => cell(item), true])], lines),
    asked.length ? null : h("p", { className: "soft small" }, "Will an analysis still hold? Say under [[analyses]] in the policy what will be done with the release; its estimates are compared here."),
    releases[0].linked ? h("p", { className: "soft small" }, "These releases are two linked tables. They do not show which values occur together in a record, so there are no joint counts. The rows are those of the people.") : null,
    contingency ? h("details", { id: "beside-pair", open: true }, h("summary", {}, `${contingency.attributes.join(" by ")}: how many records`),
      h("div", { className: "sides" }, pair("before", contingency.attributes, contingency.before), ...Object.entries(contingency.after).map(([name, own]) => pair(name, contingency.attributes, own)))) : null,
    ...columns.map((name) => h("details", { id: `beside-${name}` }, h("summary", {}, `${name}: values`),
      h("div", { className: "sides" }, spread("before", before.find((one) => one.name === name)?.before), ...releases.map((item) => spread(item.name, item.spreads.find((one) => one.name === name)?.spread))))),
    h("details", { id: "beside-rows" }, h("summary", {}, "Rows"), releases.map((item) => [h("h3", {}, item.name), rowsOf(`Rows of ${item.name}`, item.head)])),
  ];
}

function pair(title, [one], { rows, columns, counts }) {
  return h("div", {}, h("h3", {}, title), grid(`Counts, ${title}`, [[one, (row) => rows[row] ?? "missing"],
    ...columns.map((name, at) => [name ?? "missing", (row) => count(counts[row][at]), true])], rows.map((_, row) => row)));
}

function spread(title, told) {
  if (!told) return null;
  const rest = told.rest > 0 ? [["all others", told.rest]] : [];
  return h("div", {}, h("h3", {}, `${title}: ${figure(told.distinct)} values`), grid(`Values, ${title}`, [
    ["Value", ([name]) => String(name)], ["Share", ([, part]) => [bar(part, 90), " ", share(part)]]], [...told.bars, ...rest]));
}
