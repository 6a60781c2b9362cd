// What was read, what is suggested, and what the columns give away.

import { ROLES, bar, count, grid, h, menu, note, problems, rowsOf, share } from "/web/dom.js";
import { edit, run, step, stop, store } from "/web/store.js";

const MEANING = [
  ["Identifier", "Names a person. Left out of the release; the column that names the person of each record becomes a new pseudonym."],
  ["Quasi-identifier", "Others could know it: age, place, dates. Made coarser until many people look alike."],
  ["Sensitive", "Would harm a person if disclosed. Published, and protected by promises."],
  ["Insensitive", "Nobody can know it, and it harms nobody. Published as it is."],
];

const ADDED = "Not in your table: added with one value for all. If others know nothing of people but their visits, all people are one class.";

// The first names, and how many more there are; every column has its reason below.
const MOST = 8;
const first = (names) => names.slice(0, MOST).join(", ") + (names.length > MOST ? ` and ${count(names.length - MOST)} more` : "");

// What is said of the whole table, until it was done; whose the records are has a note of its own.
function ofTheWhole(profile, roles) {
  const now = (role) => Object.values(roles).filter((own) => own.role === role).length;
  const then = (role) => profile.attributes.filter((item) => item.role === role).length;
  const done = {
    "people-with-several-records": true,
    "no-quasi-identifier": now("quasi-identifier") > 0,
    "many-quasi-identifiers": now("quasi-identifier") < then("quasi-identifier"),
    "many-columns": now("identifier") > then("identifier"),
  };
  const own = { "many-columns": `${count(profile.attributes.length)} columns: make identifiers of those that the release does not need, which leaves them out` };
  return profile.warnings.filter((warned) => !done[warned.code])
    .map((warned) => ({ what: own[warned.code] ?? warned.message, attributes: [] }));
}

export function tableRoom(redraw) {
  const { profile, head, notes, format } = store.table;
  const { policy } = store.state;
  const roles = policy.attributes;
  if (!store.results.assess && !policy.problems.some((item) => item.code === "bad-toml")) run("assess", {}, redraw);
  const told = store.results.assess ?? {};
  const leak = Object.fromEntries((told.result?.leakage ?? []).filter((item) => item.attributes.length === 1)
    .map((item) => [item.attributes[0], item]));
  for (const item of told.result?.events ?? []) leak[item.attribute] ??= { ...item, normalized: item.loss / told.result.entropy, of: " in one record" };
  const suggested = Object.fromEntries(profile.attributes.map((item) => [item.attribute, item]));
  const names = [...store.table.columns];
  const added = policy.sections.source?.constant ?? {};
  // What was left out since is no longer in doubt.
  const out = (name) => roles[name]?.role === "identifier" && suggested[name]?.role !== "identifier";
  const open = ofTheWhole(profile, roles).concat(profile.doubts).map((item) => ({ ...item, attributes: item.attributes.filter((name) => !out(name)), settled: item.attributes.length && item.attributes.every(out) }))
    .filter((item) => !item.settled);
  return h("div", {},
    h("h1", {}, "Your table, column by column"),
    h("p", { className: "lead" }, "Every role below is a suggestion with its reason. You know the data: correct what is wrong. Everything else follows from it."),
    format ? note("", `A folder in the format ${format}: its columns have roles of their own, and promises count people.`) : null,
    people(profile.people, policy.sections.source?.person, format),
    problems(notes, "doubt"),
    problems(policy.problems),
    open.length ? note("doubt", h("p", {}, h("b", {}, "Look at these first")),
      h("ul", {}, open.map((item) => h("li", {}, item.what, item.attributes.length ? [": ", h("b", {}, first(item.attributes))] : null)))) : null,
    h("section", { className: "card roles", "aria-label": "Columns" },
      h("h2", {}, "Columns and their roles"),
      grid("Columns with their roles", [
        ["Column", (name) => [name, suggested[name]?.title ? h("div", { className: "soft small" }, suggested[name].title) : null]],
        ["Role", (name) => [role(name, roles[name]?.role), toldOf(name, roles[name], policy.sections.source?.person)]],
        ["Looks like", (name) => looks(suggested[name])],
        ["Values", (name) => count(suggested[name]?.distinct ?? 0), true],
        ["Missing", (name) => suggested[name]?.missing ? count(suggested[name].missing) : "–", true],
        ["Gives away", (name) => gives(leak[name], told)],
        ["Why", (name) => name in added ? h("span", { className: "small" }, ADDED) : why(suggested[name], roles[name]?.role)],
      ], names),
      h("details", {}, h("summary", {}, "What do the roles mean?"),
        h("dl", {}, MEANING.map(([name, text]) => [h("dt", {}, h("b", {}, name)), h("dd", {}, text)])))),
    h("div", { className: "two" }, combinations(told, redraw), protectedBy(told)),
    h("section", { className: "card" }, h("h2", {}, "The first rows, as they were read"), rowsOf("The first rows", head)));
}

// Whose a record is: where people have many, every promise counts people.
function people(found, person, format) {
  if (person) return note("", `Every promise counts people, by ${person}. A release has a pseudonym in that column, made for it alone: it shows which records belong to one person. `, format ? null : h("button", { id: "count-records", onclick: () => edit(["source", "person"]) }, "Count records instead"));
  if (!found) return null;
  const said = found.doubt ? `Does ${found.column} name the person of each record? It has ${count(found.people)} values in ${count(found.records)} records, but ${found.doubt}. ` : `${found.column} repeats: it seems that ${count(found.people)} people have ${count(found.records)} records. `;
  return note("doubt", said,
    h("button", { id: "count-people", onclick: () => edit(["source", "person"], found.column) }, `Count people by ${found.column}`));
}

function role(name, chosen) {
  const choices = chosen ? ROLES : [["", "choose …"], ...ROLES];
  return menu(`role-${name}`, `Role of ${name}`, choices, chosen ?? "",
    (value) => value && step("role", { attribute: name, role: value }), { "data-role": chosen ?? "" });
}

// A date or ward of a visit is hidden among visits; an age or sex among people.
function toldOf(name, own, person) {
  if (!person || own?.role !== "quasi-identifier") return null;
  return menu(`level-${name}`, `What ${name} belongs to`, [["person", "belongs to the person"], ["event", "belongs to each visit"]], own.level ?? "person",
    (level) => edit(["attributes", name, "level"], level === "event" ? level : null));
}

function looks(item) {
  if (!item) return "–";
  return [item.kind, item.free_text ? " (free text)" : "",
    item.nearly_unique ? h("div", {}, h("span", { className: "tag doubt" }, "nearly unique")) : null];
}

function gives(item, told) {
  if (!item) return told.running ? h("span", { className: "soft" }, "…") : "–";
  const part = item.normalized ?? 0;
  return [bar(part, 90, part > 0.5), h("div", { className: "soft small" }, `${item.loss.toFixed(1)} bits${item.of ?? ""}`)];
}

function why(item, chosen) {
  if (!item) return "–";
  const other = chosen && chosen !== item.role ? h("div", {}, h("span", { className: "tag doubt" }, `suggested: ${item.role}`)) : null;
  const short = item.why.length < 70;
  return [other, short ? h("span", { className: "small" }, item.why)
    : h("details", { className: "small" }, h("summary", {}, `${item.why.slice(0, 60)} …`), item.why),
    ...(chosen === "identifier" ? [] : item.warnings).map((warned) => h("div", { className: "small doubt-text" }, warned.message))];
}

function combinations(told, redraw) {
  const card = (...inside) => h("section", { className: "card", "aria-label": "Combinations" }, h("h2", {}, "As good as a name"), ...inside);
  if (told.running) return card(h("p", { className: "soft" }, `${told.what} …`), h("progress", { "aria-label": "Measuring", value: told.share ?? undefined, max: 1 }),
    h("button", { id: "stop-assess", onclick: () => stop("assess") }, "Stop"));
  const again = h("button", { id: "assess", onclick: () => run("assess", {}, redraw) }, "Measure again");
  if (told.problems) return card(problems(told.problems), again);
  if (!told.result) return card(h("p", { className: "soft" }, "Stopped."), again);
  const list = told.result.key_like.length ? told.result.key_like : told.result.top;
  if (!list.length) return card(h("p", { className: "soft" }, "No combination of columns was measured."), again);
  return card(
    h("p", { className: "soft" }, told.result.key_like.length
      ? "An attacker who knows these few columns of a person nearly always finds one record."
      : "No combination of up to three columns is as good as a name. These tell most:"),
    grid("Combinations of columns", [
      ["Columns", (item) => item.attributes.join(" + ")],
      ["Share of a name", (item) => [bar(item.normalized, 80, item.normalized > 0.9), " ", share(item.normalized)]],
    ], list.slice(0, 8)), again);
}

function protectedBy(told) {
  const found = told.result;
  const known = found?.unit === "person" && found.unicity?.before["3"];
  const alone = (part, text) => h("div", {}, h("span", { className: "big" }, share(part)), h("span", { className: "soft" }, text));
  return h("section", { className: "card", "aria-label": "Uniqueness" }, h("h2", {}, "Alone in the table"),
    found ? [h("div", { className: "figures" }, alone(found.together.alone, `of the ${found.unit === "person" ? "people" : "records"} are unique: an attacker who knows all their quasi-identifiers finds them`),
      known ? alone(known.unique, "of the people are found by an attacker who knows three cells of their records, drawn at random") : null)]
      : h("p", { className: "soft" }, told.running ? "Measuring …" : "Not measured."));
}
