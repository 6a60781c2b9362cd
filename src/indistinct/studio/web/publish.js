// One button that makes a release, proves it and writes it; and the command that does the same.

import { bar, count, figure, grid, h, note, problems, rowsOf, share } from "/web/dom.js";
import { edit, run, say, step, stop, store } from "/web/store.js";

let out = null;
let of = null;
let tried = null;

export function publishRoom(redraw) {
  const { state, results } = store;
  if (of !== state.table.path) { of = state.table.path; out = state.out; }
  const { problems: wrong, lacks } = state.policy;
  const job = results.release ?? {};
  const going = job.running || results.prove?.running;
  const there = job.problems?.some((item) => item.code === "release-there") && tried === out;
  const publish = async (replace) => {
    tried = out;
    delete results.prove;
    const told = await run("release", { out: whole(), replace }, redraw);
    if (told.result) await run("prove", { out: told.result.out }, redraw);
  };
  const folder = h("input", { id: "out", className: "wide", value: out, oninput: (event) => { out = event.target.value; redraw(); } });
  const whole = () => (/^([a-z]:)?[\\/~]/i.test(out.trim()) ? out.trim() : `${state.beside}/${out.trim()}`);
  const line = () => state.command + (/[^\w@%+=:,./-]/.test(whole()) ? `'${whole()}'` : whole());
  const command = h("pre", { className: "command", id: "command", tabindex: "0" }, line());
  return h("div", {},
    h("h1", {}, "Prove and publish"),
    h("p", { className: "lead" }, "Makes the release, checks every promise on the files that were written, attacks them as strangers would, and tells the risk that is left."),
    problems(wrong), problems(lacks.map((what) => `There is no ${what} yet.`)),
    h("section", { className: "card", "aria-label": "Make the release" },
      h("div", { className: "field" }, h("label", { for: "out" }, "Folder for the release"), h("div", { className: "row" }, folder,
        h("button", { id: "publish", className: "main", disabled: Boolean(wrong.length || lacks.length || going), onclick: () => publish(false) }, "Make the release"))),
      h("p", { className: "soft small" }, "This folder holds what you may hand out; its folder “private” holds what you may not.", whole() === out.trim() ? null : ` It will be ${whole()}.`),
      h("details", {}, h("summary", {}, "The command that does the same"), command,
        h("button", { id: "copy", onclick: () => navigator.clipboard.writeText(line()).then(() => say("Copied.")) }, "Copy"),
        h("p", { className: "soft small" }, "With a seed in [method] both write the same bytes; without, rows are shuffled anew every time."))),
    progress("release", job), job.problems ? problems(job.problems, there ? "doubt" : undefined) : null,
    there && !going ? h("p", {}, h("button", { id: "replace", onclick: () => publish(true) }, "Replace the release there")) : null,
    job.stopped ? note("doubt", "Stopped. Nothing was written.") : null,
    job.result ? shown(job.result, results.prove ?? {}, state) : null);
}

function progress(kind, job) {
  if (!job.running) return null;
  return h("section", { className: "card", "aria-label": "Progress" },
    h("p", {}, `${job.what} …`, job.share !== null && job.share !== undefined ? ` ${share(job.share)}` : ""),
    h("progress", { "aria-label": job.what, max: 1, value: job.share ?? undefined }),
    h("p", {}, h("button", { id: `stop-${kind}`, onclick: () => stop(kind) }, "Stop")));
}

function shown(result, prove, state) {
  const { run: told, audit, measures } = result;
  const stale = result.policy !== state.policy.text;
  const kept = measures["loss-arithmetic"];
  const visits = Object.keys(result.visits?.levels ?? {});
  const warnings = told.warnings ?? [];
  const inPart = audit.promises.filter((item) => item.in_part).map((item) => item.model);
  const held = `Every promise holds in the published files${inPart.length ? `, ${inPart.join(" and ")} as far as they show it` : ""}.`;
  const atRisk = warnings.filter((text, at) => told.warning_kinds?.[at] === "risk");
  return h("div", {},
    stale ? note("doubt", "The policy has changed since: this is what the earlier one made.") : null,
    note(audit.holds ? "good" : "bad", h("p", {}, h("b", {}, audit.holds ? held : "A promise is broken.")),
      h("p", {}, "The release is in ", h("code", {}, result.out), ": ", result.files.join(", "), "."),
      result.files.includes("report.html") ? h("p", {}, h("a", { id: "report-public", href: "/report/public", target: "_blank" }, "The report for everybody"), " · ",
        h("a", { id: "report-private", href: "/report/private", target: "_blank" }, "The report for you, with everything (private)")) : null),
    warnings.length ? h("section", { className: "card", "aria-label": "Warnings" }, h("h2", {}, "Read this before you hand it out"), problems(atRisk, "bad"), problems(warnings.filter((text) => !atRisk.includes(text)), "doubt")) : null,
    h("section", { className: "card", "aria-label": "What is published" }, h("h2", {}, "What is published"),
      h("div", { className: "figures" },
        big(count(told.published ?? told.records_published ?? audit.records), "records published"),
        big(count(told.suppressed ?? 0), "records suppressed"),
        big(count(told.classes?.smallest ?? 0), "in the smallest group"),
        kept === undefined ? null : big(share(1 - kept), visits.length ? `of the detail of people's quasi-identifiers kept, without ${visits.join(", ")}` : "of the detail of quasi-identifiers kept"),
        visits.length ? big(share(1 - result.visits.loss), `of the detail of ${visits.join(", ")} kept, told per visit`) : null),
      told.person ? h("p", { className: "soft" }, `Column ${told.person} has a pseudonym made for this release: it shows which records belong to one person.`) : null,
      rowsOf("The first rows that others see", result.rows),
      result.listed?.length ? [h("p", { className: "soft" }, "The bucket links people to what they have together; nothing shows who of them has what:"), rowsOf("The first rows of the second table", result.listed)] : null),
    h("div", { className: "two" },
      h("section", { className: "card", "aria-label": "Audit" }, h("h2", {}, "The audit"),
        h("p", { className: "soft" }, "Computed from the published files alone."),
        grid("Promises and what was achieved", [
          ["Promise", (item) => [item.model, item.sensitive ? ` of ${item.sensitive}` : "", h("div", { className: "soft small" }, list(item.parameters))]],
          ["Achieved", (item) => list(item.achieved)],
          ["", (item) => h("span", { className: `tag ${item.holds ? "good" : "bad"}` }, item.holds ? "holds" : "broken")],
        ], audit.promises)),
      h("section", { className: "card", "aria-label": "Risk" }, h("h2", {}, "The risk that is left"), risk(prove))),
    h("section", { className: "card", "aria-label": "Attackers" }, h("h2", {}, "What attackers learn"),
      h("p", { className: "soft" }, "Each tried the files, with what it knows. Private: do not hand this out."), progress("prove", prove), attacks(prove)));
}

const big = (value, text) => h("div", {}, h("span", { className: "big" }, value), h("span", { className: "soft" }, text));
const list = (keys) => Object.entries(keys ?? {}).map(([name, value]) => `${name} = ${Array.isArray(value) ? value.join(", ") : figure(value)}`).join(", ");

function risk(prove) {
  if (prove.running) return h("p", { className: "soft" }, `${prove.what} …`);
  if (!prove.result) return h("p", { className: "soft" }, "Not measured.");
  const { before, after } = prove.result;
  const wrong = [...(before.problems ?? []), ...(after.problems ?? [])];
  if (wrong.length) return problems(wrong, "doubt");
  const rows = [
    ["Highest risk that somebody is found", (told) => told.prosecutor?.R2],
    ["Mean risk", (told) => told.prosecutor?.R3],
    [`Share above ${share(after.threshold)}`, (told) => told.prosecutor?.R1],
    ["Found by linking all", (told) => told.marketer?.R],
  ];
  return [grid("Risk before and after", [
    ["", ([title]) => title],
    ["Your table", ([, of]) => share(of(before)), true],
    ["Release", ([, of]) => share(of(after)), true],
  ], rows), standards(after.standards)];
}

function standards(found) {
  if (!found?.length) return null;
  const verdict = (holds) => h("span", { className: `tag ${holds ? "good" : holds === false ? "bad" : "doubt"}` }, holds ? "met" : holds === false ? "not met" : "look");
  return grid("Standards", [
    ["Standard", (item) => [item.title, h("details", { className: "small" }, h("summary", {}, "Why"),
      h("ul", {}, item.checks.map((check) => h("li", {}, verdict(check.holds), " ", check.what, check.attribute ? ` (${check.attribute})` : "", ": ", check.why))))]],
    ["", (item) => verdict(item.holds)],
  ], found);
}

const MANY = 6;

function attacks(prove) {
  if (prove.problems) return problems(prove.problems);
  const found = prove.result?.attack;
  if (!found) return prove.stopped ? h("p", { className: "soft" }, "Stopped: nothing was tried.") : null;
  if (found.problems) return problems(found.problems, "doubt");
  const rows = [...found.attacks].sort((one, other) => (other.learnt ?? 0) - (one.learnt ?? 0));
  return [
    table("Those who learn most", rows.slice(0, MANY)),
    rows.length > MANY ? h("details", {}, h("summary", {}, `All ${rows.length} attacks`), table("All others", rows.slice(MANY))) : null,
    found.skipped?.length ? h("details", {}, h("summary", {}, `${found.skipped.length} could not be tried`),
      h("ul", {}, found.skipped.map((item) => h("li", {}, h("b", {}, item.name), item.sensitive ? ` (${item.sensitive})` : "", `: ${item.why}`)))) : null,
  ];
}

function table(caption, rows) {
  return grid(caption, [
    ["Attacker", (item) => [item.name, item.sensitive ? h("div", { className: "soft small" }, `of ${item.sensitive}`) : null]],
    ["Learns of", (item) => [bar(item.learnt ?? 0, 90, item.learnt > 0.05), " ", share(item.learnt)]],
    ["What that means", (item) => h("div", { className: "small" }, item.note, h("div", { className: "soft" }, `Knows ${item.knowledge}.`))],
    ["Against it", (item) => remedy(item)],
  ], rows);
}

function remedy(item) {
  if (!item.remedy) return "–";
  const { promises = [], attributes = {} } = item.remedy.policy ?? {};
  const own = store.state.policy.sections.promises ?? [];
  const fresh = promises.filter((one) => !own.some((held) => held.model === one.model && held.sensitive === one.sensitive));
  const roles = Object.entries(attributes).filter(([name, keys]) => keys.role && store.state.policy.attributes[name]?.role !== keys.role);
  const take = async () => {
    for (const one of fresh) await edit(["promises", store.state.policy.sections.promises?.length ?? 0], one);
    for (const [name, keys] of roles) await step("role", { attribute: name, role: keys.role });
    say("Written into the policy. Make the release again to see what it changes.");
  };
  return h("div", { className: "small" }, item.remedy.text,
    fresh.length || roles.length ? h("div", {}, h("button", { id: `take-${item.name}-${item.sensitive ?? ""}`, onclick: take }, "Write it into the policy")) : null);
}
