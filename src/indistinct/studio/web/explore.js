// What other methods would keep under the same promises, side by side.

import { bar, grid, h, note, problems, share } from "/web/dom.js";
import { run, step, stop, store } from "/web/store.js";

export function exploreRoom(redraw) {
  const job = store.results.alternatives ?? {};
  const { problems: wrong, lacks } = store.state.policy;
  return h("div", {},
    h("h1", {}, "What does it cost, and what would cost less?"),
    h("p", { className: "lead" }, "The same promises can be kept in several ways. Here they are tried on your table, each as a whole release that is audited; nothing is written."),
    problems(wrong), problems(lacks.map((what) => `There is no ${what} yet.`)),
    h("section", { className: "card", "aria-label": "Ways" },
      h("div", { className: "row" },
        h("button", { id: "try", className: "main", disabled: Boolean(wrong.length || lacks.length || job.running), onclick: () => run("alternatives", {}, redraw) }, "Try them"),
        job.running ? [h("span", { className: "soft" }, `${job.what} …`), h("button", { id: "stop-alternatives", onclick: () => stop("alternatives") }, "Stop")] : null),
      job.running ? h("progress", { "aria-label": job.what, max: 1, value: job.share ?? undefined }) : null,
      job.stopped ? note("doubt", "Stopped.") : null, problems(job.problems), job.result ? found(job.result) : null));
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
