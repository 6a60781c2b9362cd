// What other methods would keep under the same promises, side by side.

import { bar, count, grid, h, note, problems, shape, share } from "/web/dom.js";
import { edit, run, step, stop, store } from "/web/store.js";

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
    frontier(redraw, Boolean(wrong.length || lacks.length)));
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
      ["", (item) => item.kept === null || at < 0 || store.state.policy.sections.promises[at].k === item.k ? null
        : h("button", { id: `take-k-${item.k}`, onclick: () => edit(["promises", at, "k"], item.k) }, "Take this k")],
    ], tried)];
}

function picture(made, best) {
  const wide = 760, high = 200, left = 56;
  const most = Math.max(...made.map((item) => item.risk.highest));
  const x = (item) => left + item.risk.highest / most * (wide - left - 30);
  const y = (item) => 14 + (1 - item.kept) * (high - 58);
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
    text("100 %", left - 8, 18, "end"), text("0 %", left - 8, high - 44, "end"), text("0 %", left, high - 26), text(share(most), x(made.find((item) => item.risk.highest === most)), high - 26),
    text("highest risk that somebody is found →", (wide + left) / 2, high - 6));
}

function found({ alternatives, recommended }) {
  return grid("Ways to keep the promises", [
    ["Way", (item) => [item.name, alternatives[recommended] === item ? h("div", {}, h("span", { className: "tag good" }, "recommended")) : null]],
    ["Keeps", (item) => item.kept === null ? h("span", { className: "doubt-text" }, `no release (${item.why_not})`) : [bar(item.kept, 110), " ", share(item.kept)]],
    ["Records left out", (item) => item.left_out === null ? "–" : share(item.left_out), true],
    ["Columns mostly lost", (item) => item.lost.join(", ") || "–"],
    ["", (item) => item.kept === null || item === alternatives[0] ? null
      : h("button", { id: `take-${item.method.algorithm}-${item.method.local_recoding ?? ""}`, onclick: () => step("edit", { place: ["method"], value: item.method }) }, "Take this")],
  ], alternatives);
}
