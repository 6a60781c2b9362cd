"""What a report has to say on each question: evidence in, chapters out.

Nothing is computed here. A chapter that has nothing to say is None. One that public readers may see
is made of the certificate and of what can be counted in the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from shlex import quote
from typing import Any

from indistinct.analytics.attacks.finding import KINDS
from indistinct.document import (
    Grid,
    Line,
    Style,
    brief,
    first_names,
    many,
    parameters,
    share,
    shown,
)
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.measures import measures
from indistinct.privacy.promise import models
from indistinct.recoding.styles import STYLES
from indistinct.release.certificate import NOT_BOUNDED, WITH_OTHERS
from indistinct.report.page import (
    Bars,
    Beside,
    Block,
    Chapter,
    Code,
    Curve,
    Facts,
    Fold,
    Group,
    Heat,
    Page,
    Pairs,
    Part,
    Strips,
    Tile,
    Tone,
)
from indistinct.types import PlainMapping
from indistinct.warning_kinds import Kind, ranked, read_warnings

ALL = "all quasi-identifiers"

VISITS = "visits"
"""What became of the attributes of visits, in the private evidence of a release."""

MOST_MAPPED = 200
"""Values of an attribute whose mapping a report lists; all of them are in ``private/plan.json``."""

MOST_NAMED = 8
"""Nodes of a level that a report names in words."""

STRONGEST = 8
"""Attackers that a report shows at once."""

HARM = 0.09
"""The risk of a record that EMA and Health Canada allow of data for the public."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a release.

    Arguments:
        certificate: the public account.
        published: what can be counted in the published files.
        holds: whether the audit found every promise kept.
        run: the private account; None where a public report is made.
        plan: what became what.
        private: what was counted in the table.
        lost: of attributes of which little is left, the share that is.
        refused: why there is no release, where there is none.
    """

    certificate: PlainMapping = field(default_factory=dict)
    published: PlainMapping = field(default_factory=dict)
    holds: bool = True
    run: PlainMapping | None = None
    plan: PlainMapping | None = None
    private: PlainMapping | None = None
    lost: Mapping[str, float] = field(default_factory=dict)
    refused: Sequence[Problem] = ()

    @property
    def public(self) -> bool:
        """Whether this is what anybody may read."""
        return self.run is None and not self.refused

    @property
    def account(self) -> PlainMapping:
        """The run, else the certificate: what is said of classes and promises."""
        return self.certificate if self.run is None else self.run

    @property
    def made_up(self) -> bool:
        """Whether records of the release may be nobody's."""
        return bool({"noise", "decoys"} & {*self.certificate.get("may_contain", ())})

    @property
    def units(self) -> tuple[str, str]:
        """What a class holds, one and many."""
        people = self.certificate.get("person") or self.certificate.get("linked")
        return ("person", "people") if people else ("record", "records")

    @property
    def suppressed(self) -> int:
        """Published records, or people, with ``*`` in every quasi-identifier."""
        return int(self.published.get("suppressed", 0))

    def of(self, key: str) -> Any:
        """Something that was counted in the table, or added by hand; None where it was not."""
        return (self.private or {}).get(key) or None


def lead(found: Evidence) -> str:
    """What is published, in one sentence."""
    certificate = found.certificate
    records = many(certificate["records_published"], "record", "records")
    quasi = certificate["quasi_identifiers"]
    tables = [item["path"] for item in certificate["tables"]]
    where = f" in {' and '.join(tables)}" if tables else ""
    said = "every promise is kept" if found.holds else "a promise is BROKEN: do not publish this"
    known = many(len(quasi), "attribute", "attributes")
    visits = known_of_visits(certificate["promises"])
    of_visits = f", and {shown(len(visits))} of a visit" if visits else ""
    return f"{records}{where}, with {known} that others may know of a person{of_visits}; {said}."


def known_of_visits(promises: Iterable[PlainMapping]) -> list[str]:
    """The attributes that others may know of a visit, as promises name them."""
    return [name for item in promises for name in item["parameters"].get("visit") or ()]


def tiles(found: Evidence) -> list[Tile]:
    """The figures that are read first."""
    account, (one, more) = found.account, found.units
    promises = account["promises"]
    kept = sum(1 for item in promises if item["holds"])
    made = [
        Tile(shown(account["records_published"]), "records published"),
        Tile(
            f"{kept} of {len(promises)}",
            "promises kept",
            "good" if found.holds and kept == len(promises) else "bad",
        ),
    ]
    smallest = account["classes"].get("smallest")
    if smallest and not (found.public and found.made_up):
        what = f"the fewest {more} that share all quasi-identifiers"
        made.append(Tile(shown(smallest), what, "bad" if smallest == 1 else "good"))
        what = f"the best chance to pick the right {one}, by quasi-identifiers alone"
        fewest = min(smallest, found.suppressed or smallest)
        made.append(Tile(f"1 in {shown(fewest)}", what, "good" if fewest > 10 else "doubt"))
    if found.run is not None:
        out, records = found.run["suppressed"], found.run["records"]
        what = f"of the table's {shown(records)} records suppressed"
        made.append(Tile(share(out / records if records else 0.0), what))
        if (loss := found.run["measures"].get("loss-arithmetic")) is not None:
            made.append(Tile(f"{loss:.0%}", "of the detail of quasi-identifiers lost, on average"))
        if visits := found.of(VISITS):
            what = "of the detail of what others know of a visit lost, on average"
            made.append(Tile(f"{visits['loss']:.0%}", what))
    return made


def answers(found: Evidence) -> list[tuple[str, str]]:
    """The questions that are asked first, with their answers."""
    said = [
        ("What was promised?", "; ".join(_asked(found.account["promises"])) or "nothing"),
        (
            "Is it true?",
            _proof(found),
        ),
    ]
    if found.run is not None:
        said.append(("What did it cost?", _cost(found)))
    said.append(("What is still at risk?", _still(found)))
    if found.run is not None:
        said.append(("Does the analysis still hold?", _analysis(found)))
    return said


def counts_population(model: str) -> bool:
    """Whether promises of a model count people of a population, which no release shows."""
    known = models().get(model)
    return known is not None and known.needs_population


def _proof(found: Evidence) -> str:
    if not found.holds:
        return "NO. The published files break a promise. Do not publish them."
    asked = {item["model"] for item in found.account["promises"]}
    beside = sorted(filter(counts_population, asked))
    every = "Every other promise" if beside else "Every promise"
    said = (
        f"{every} was recomputed from the published files alone, by code that shares nothing with "
        "what made them."
    )
    if not beside:
        return f"Yes. {said}"
    counted = f"Whether {' and '.join(beside)} is kept was computed with the population at hand"
    return f"Yes. {counted}, which the files do not show. {said if asked - set(beside) else ''}"


def _asked(promises: Sequence[PlainMapping]) -> Iterator[str]:
    """What was asked, each the same promise once for all attributes that it is about."""
    sensitive: dict[tuple[str, str, str], list[str]] = {}
    for item in promises:
        asked = parameters({key: one for key, one in item["parameters"].items() if one is not None})
        on = "items" if _of_items(item) else first_names(item.get("on") or (ALL,))
        of = sensitive.setdefault((item["model"], asked, on), [])
        of += [item["sensitive"]] if item.get("sensitive") else []
    for (model, asked, on), names in sensitive.items():
        yield f"{model}{f' of {first_names(names)}' if names else ''} ({asked}) on {on}"


def _cost(found: Evidence) -> str:
    assert found.run is not None
    out, records = found.run["suppressed"], found.run["records"]
    said = [
        f"{shown(out)} of {shown(records)} records are suppressed ({share(out / (records or 1))})."
    ]
    if found.lost:
        lost = [f"{name} ({kept:.0%} left)" for name, kept in found.lost.items()]
        said.append(f"Little or nothing is left of {', '.join(lost)}.")
    elif found.run["plan"].get("leakage"):
        said.append("No quasi-identifier lost more than three quarters of what it told.")
    if visits := found.of(VISITS):
        gone = [name for name, at in visits["levels"].items() if at == visits["heights"][name]]
        if gone:
            said.append(f"Nothing is left of {', '.join(gone)} of the visits.")
    return " ".join(said)


def _still(found: Evidence) -> str:
    smallest = found.account["classes"].get("smallest")
    said = [] if found.run is None else _most_urgent(found.run)
    if smallest and not (found.public and found.made_up):
        said.append(
            "An attacker who knows all quasi-identifiers of a person picks the right "
            f"{found.units[0]} with a chance of 1 in {shown(smallest)} at best"
            + (
                f", of one in the table who fits no class with 1 in {shown(found.suppressed)}: so "
                "many are published as *."
                if 0 < found.suppressed < smallest
                else "."
            )
        )
    attacks = found.of("attacks")
    if attacks is not None:
        worst = max(attacks["attacks"], key=lambda item: item["gain"]["max"], default=None)
        if worst is not None:
            gain = share(worst["gain"]["max"])
            said.append(f"The strongest attacker ({worst['name']}) gains up to {gain} on somebody.")
    elif found.run is not None:
        said.append("Attackers have not been tried yet.")
    beyond = (NOT_BOUNDED, WITH_OTHERS)
    told = [text for text in found.certificate.get("warnings", ()) if text.startswith(beyond)]
    said += [f"{text[0].upper()}{text[1:]}." for text in told]
    said.append(
        "The promises say nothing of attributes that others know and that were not declared "
        "quasi-identifiers."
    )
    return " ".join(said)


def _most_urgent(run: PlainMapping) -> list[str]:
    """The first warning of people at risk, where there is one, and how many more there are."""
    told = ranked(read_warnings(run.get("warnings", ()), run.get("warning_kinds", ())))
    risks = [one for one in told if one.kind is Kind.RISK]
    if not risks:
        return []
    more = f" {many(len(risks) - 1, 'more warning')} of this kind below." if risks[1:] else ""
    return [f"{risks[0][0].upper()}{risks[0][1:]}.{more}"]


def _analysis(found: Evidence) -> str:
    report = found.of("analyses")
    if report is None:
        return "Nobody has asked: say in the policy, under [[analyses]], what will be done with it."
    said = [
        f"{item['name']}: "
        + (
            f"no answer ({item['why']})"
            if item.get("why")
            else f"confidence intervals overlap by {share(item['overlap'])}{_changed(item)}"
        )
        + (", less than was asked" if item["kept"] is False else "")
        for item in report["analyses"]
    ]
    return f"{'; '.join(said)}."


def _changed(item: PlainMapping) -> str:
    """What a reader would conclude otherwise of an analysis."""
    said = []
    for what in CHANGES:
        if terms := [one["term"] for one in item["estimates"] if one[f"{what}_changed"]]:
            said.append(f", and the {what} of {_few(terms)} changes")
    if lacking := [one["term"] for one in item["estimates"] if one["release"] is None]:
        said.append(f", and {_few(lacking)} cannot be estimated any more")
    return "".join(said)


def _few(terms: Sequence[str]) -> str:
    return ", ".join(terms) if len(terms) <= MOST_TERMS else many(len(terms), "estimate")


MOST_TERMS = 3
"""Estimates that an answer names."""

CHANGES = ("sign", "significance")
"""What may change of an estimate, beside its size."""


# Chapters --------------------------------------------------------------------------------------


def promises(found: Evidence) -> Chapter:
    """What was promised, and what the audit found."""
    rows = [
        (
            item["model"] + (f" of {item['sensitive']}" if item.get("sensitive") else ""),
            parameters({key: one for key, one in item["parameters"].items() if one is not None}),
            promised_on(item),
            {True: "kept", False: "BROKEN", None: "not verifiable"}[item["holds"]],
            parameters(item["achieved"]),
        )
        for item in found.account["promises"]
    ]
    meant = [
        (name, _meaning(name))
        for name in dict.fromkeys(item["model"] for item in found.account["promises"])
    ]
    told = read_warnings(found.account.get("warnings", ()), found.account.get("warning_kinds", ()))
    warnings = [Line(one, "bad" if one.kind is Kind.RISK else "doubt") for one in ranked(told)]
    return Chapter(
        "promises",
        "Promises, and whether they are kept",
        "Each line was recomputed from the published files. “Achieved” says how far the release "
        "goes "
        "beyond what was asked. BROKEN is alarming: such a release must not leave the house.",
        (Grid(("promise", "asked", "on", "verdict", "achieved"), rows), Facts(meant), *warnings),
    )


def promised_on(item: PlainMapping) -> str:
    """What of a person a promise is about: quasi-identifiers, or the items that the person has."""
    return "items" if _of_items(item) else ", ".join(item.get("on") or (ALL,))


def _of_items(item: PlainMapping) -> bool:
    known = models().get(item["model"])
    return known is not None and known.of_items_alone


def _meaning(model: str) -> str:
    known = models().get(model)
    text = (known.__doc__ or "").split("\n\n")[0] if known is not None else ""
    return " ".join(text.replace("`", "").split()) or "brought by a plugin"


def attributes(found: Evidence) -> Chapter:
    """Roles, levels, and how values are distributed before and after."""
    own = {item["name"]: item for item in (found.private or {}).get("attributes", ())}
    there = {item["name"]: item for item in found.published["attributes"]}
    names = [*there, *(name for name in own if name not in there)]
    rows = {name: _attribute(name, own.get(name), there.get(name), found) for name in names}
    folds: dict[str, Part] = {}
    for name in names:
        drawn = tuple(_drawn(name, own.get(name, {})))
        if spreads := tuple(_spreads(name, own.get(name), there.get(name))):
            what = "hierarchy and values" if drawn else "values"
            folds[name] = Fold(f"{name}: {what}", (*drawn, Beside(spreads)))
    shown_first = names
    if len(names) > MOST_OPEN:
        shown_first = [name for name in names if rows[name][1] == "quasi-identifier"]
    parts = _listed(shown_first, rows, folds)
    if rest := [name for name in names if name not in shown_first]:
        others = "others" if shown_first else "attributes"
        parts = (*parts, Fold(f"{len(rest)} {others}", _listed(rest, rows, folds)))
    what = "Open an attribute to see how often each value occurs"
    what += "" if found.public else " and where in its hierarchy it is published"
    return Chapter(
        "attributes",
        "Attributes",
        f"{what}{'' if found.public else ', before and after'}. An attribute that others know and "
        "that is published as it is would be alarming; so is one that tells nothing any more.",
        parts,
    )


MOST_OPEN = 40
"""Of more attributes, only those that others may know are listed openly."""


def _listed(
    names: Sequence[str],
    rows: Mapping[str, tuple[str, str, str]],
    folds: Mapping[str, Part],
) -> tuple[Part, ...]:
    """A table of these attributes, and what is drawn of each."""
    if not names:
        return ()
    grid = Grid(("attribute", "role", "published"), [rows[name] for name in names])
    return (grid, *(folds[name] for name in names if name in folds))


def _attribute(
    name: str, own: PlainMapping | None, there: PlainMapping | None, found: Evidence
) -> tuple[str, str, str]:
    role = own["role"] if own is not None else (there or {}).get("role", "")
    if there is None:
        return name, role, "left out"
    spread = there["spread"]
    distinct = spread["distinct"]
    many_values = "more values than are counted"
    said = [many_values if distinct is None else many(distinct, "value", "values")]
    told = found.certificate.get("transformed", {}).get(name)
    if told:
        said.append(told)
    plan = {} if found.run is None else found.run["plan"]
    height = None if own is None else own.get("height")
    if height is not None and name in plan.get("levels", {}):
        used = plan.get("levels_used", {}).get(name, [plan["levels"][name]] * 2)
        at = shown(used[0]) if used[0] == used[1] else f"{used[0]} to {used[1]}"
        said.append(f"level {at} of {height}")
    visits = found.of(VISITS) or {"levels": {}}
    if name in visits["levels"]:
        said.append(f"level {visits['levels'][name]} of {visits['heights'][name]}")
    if name in plan.get("cells", {}):
        style = plan["cells"][name]
        said.append(f"of each class {STYLES.get(style, style)}")
    if name in found.lost:
        said.append(f"only {found.lost[name]:.0%} of what it told is left")
    return name, role, "; ".join(said)


def _drawn(name: str, own: PlainMapping) -> Iterator[Part]:
    """The hierarchy with what is published of it, or cells that are at no level of it."""
    drawn = own.get("drawn") or {}
    if levels := drawn.get("levels"):
        yield _hierarchy(f"The hierarchy of {name}, and what is published of it", levels)
        yield Line("A node is as wide as its share of the records; the bar shows how many of them "
                   "are published as it. Everything in the first line would be alarming: the "
                   "attribute then tells nothing.")  # fmt: skip
    elif cells := drawn.get("cells"):
        strips = [(share(part), [Block(text, low, high, 1.0)]) for text, part, low, high in cells]
        rows = [(text, share(part)) for text, part, _, _ in cells]
        grid = Grid(("cell", "records"), rows, right=("records",))
        yield Strips(f"The most frequent cells of {name}, over its values", strips, grid)
        yield Line("Every class has a cell of its own; values are as wide as their records. Cells "
                   "across everything would be alarming: they tell nothing.")  # fmt: skip


def _hierarchy(caption: str, levels: Sequence[Sequence[tuple[str, float, float]]]) -> Strips:
    """The root first, the leaves last."""
    strips, rows = [], []
    for at, nodes in reversed([*enumerate(levels)]):
        ends = [0.0, *accumulate(wide for _, wide, _ in nodes)]
        blocks = [
            Block(label, ends[place], ends[place + 1], on)
            for place, (label, _, on) in enumerate(nodes)
        ]
        there = share(min(sum(wide * on for _, wide, on in nodes), 1.0))
        strips.append((f"level {at}: {there}", blocks))
        more = f" and {len(nodes) - MOST_NAMED} more" if len(nodes) > MOST_NAMED else ""
        rows.append((str(at), ", ".join(node[0] for node in nodes[:MOST_NAMED]) + more, there))
    head = ("level", "nodes", "records published there")
    return Strips(caption, strips, Grid(head, rows, right=head[2:]))


def _spreads(name: str, own: PlainMapping | None, there: PlainMapping | None) -> Iterator[Part]:
    both: list[tuple[str, Tone, PlainMapping | None]] = [
        ("before", "before", None if own is None else own.get("before")),
        ("in the release", "after", None if there is None else there["spread"]),
    ]
    for when, tone, spread in both:
        if spread is None or not spread["bars"]:
            continue
        rows = [(str(label), part, share(part)) for label, part in spread["bars"]]
        for what, part in (("missing", spread["missing"]), ("all others", spread["rest"])):
            if part:
                rows.append((f"({what})", part, share(part)))
        more = many(spread["distinct"], "value", "values")
        yield Bars(f"{name}, {when}: {more}", ("value", "share of the records"), rows, tone)


def classes(found: Evidence) -> Chapter | None:
    """How large classes are."""
    published = found.published
    if not published["sizes"]:
        return None
    more = found.units[1]
    after = _size_bars(f"in the release, share of the {more}", published["sizes"], "after")
    before = found.of("sizes")
    said = [after] if before is None else [_size_bars("before", before, "before"), after]
    of = found.account["classes"]
    facts = [
        ("classes", shown(of["count"])),
        ("smallest", shown(of["smallest"])),
        ("on average", shown(of["mean"])),
        ("largest", shown(of["largest"])),
    ]
    told = (Line("Made-up records count here, which are not marked.", "doubt"),)
    return Chapter(
        "classes",
        "How many people look alike",
        f"A class: {more} that share all quasi-identifiers as they are published. Many small "
        "classes leave little margin above what was promised; classes of one would be alarming.",
        (Facts(facts), Beside(said), *(told if found.made_up else ())),
    )


def _size_bars(caption: str, sizes: Sequence[PlainMapping], tone: Tone) -> Bars:
    total = sum(item["records"] for item in sizes) or 1
    rows = [
        (
            _between(item["from"], item["to"]),
            item["records"] / total,
            f"{share(item['records'] / total)} in {many(item['classes'], 'class', 'classes')}",
        )
        for item in sizes
    ]
    return Bars(f"Size of classes, {caption}", ("size of the class", "share"), rows, tone)


def _between(low: int, high: int | None) -> str:
    if high is None:
        return f"{shown(low)} or more"
    return shown(low) if low == high else f"{shown(low)} to {shown(high)}"


def risks(found: Evidence) -> Chapter | None:
    """The chance to find somebody by the quasi-identifiers."""
    after = found.published["risk"]
    if after is None:
        return None
    before = found.of("risk")
    both = [after] if before is None else [before, after]
    head = ("release",) if before is None else ("before", "release")
    rows = [
        ("highest risk of a record (R2)", *(share(one["highest"]) for one in both)),
        ("average risk (R3), and a marketer's", *(share(one["average"]) for one in both)),
        *(
            (
                f"records with a risk above {bound} (R1)",
                *(share(one["above"][bound]) for one in both),
            )
            for bound in after["above"]
        ),
    ]
    parts: list[Part] = [Grid(("risk", *head), rows, right=head)]
    if found.made_up:
        parts.append(Line("Made-up records count as people here: real risks are higher.", "doubt"))
    if found.suppressed:
        told = (
            f"{many(found.suppressed, *found.units)} published as * in every quasi-identifier "
            "are not counted here: a person in the table who fits no class is one of these."
        )
        parts.append(Line(told, "doubt"))
    curves = [
        _curve(f"Risk without classes of fewer than k, {when}", curve)
        for when, curve in (("before", found.of("curve")), ("release", found.published["curve"]))
        if curve
    ]
    if curves:
        parts += [
            Beside(curves),
            Line(
                "What is left if classes of fewer than k are taken out too. Curves above the "
                "dotted line are alarming in data for the public: it is 0.09, what EMA and Health "
                "Canada allow."
            ),
        ]
    return Chapter(
        "risk",
        "Risk of being found",
        "The attacker knows all quasi-identifiers of a person and that the person is in the "
        "release, and guesses: the risk of a record is 1 / size of its class. At most 0.09 is "
        "usual for public data, 0.2 to 0.33 for data that a few recipients signed for. Above "
        "that it is alarming.",
        parts,
    )


def _curve(caption: str, points: Sequence[PlainMapping]) -> Curve:
    names = {"R1": f"above {HARM:g} (R1)", "R2": "highest (R2)", "R3": "average (R3)"}
    series = [(name, [(point["k"], point[key]) for point in points]) for key, name in names.items()]
    return Curve(caption, ("k", "risk"), series, HARM)


def leakage(found: Evidence) -> Chapter | None:
    """How much each attribute identifies people, before and after."""
    leaks = {} if found.run is None else found.run["plan"].get("leakage", {})
    if not leaks:
        return None
    rows = [(name, told["before"], told["after"]) for name, told in leaks.items()]
    rows.sort(key=lambda row: -row[1])
    return Chapter(
        "leakage",
        "How much each attribute identifies people",
        "The share of the information that would tell all records apart. After the release less "
        "should be left, and yet something: an attribute that tells nothing is of no use. A long "
        "bar after is alarming where many people know the attribute. It can be longer than before "
        "if records are published at several levels: the level tells something too.",
        (Pairs("Leakage of each attribute", ("attribute", "before", "after"), rows),),
    )


def attackers(found: Evidence, kinds: Sequence[str] = ()) -> Chapter | None:
    """What attackers achieve, or that none was tried."""
    if found.run is None:
        return None
    reading = (
        "Each attacker knows the release and what its row says. “Sure of” is the share "
        "of people whose true value it believes with 95 % or more; the next share is that of an "
        "attacker who knows only how frequent values are. A large difference is alarming. Never "
        "publish this chapter."
    )
    report = found.of("attacks")
    if report is None:
        text = "No attacker was tried. Try them:"
        command = "indistinct report DIR --data DATA"
        parts: list[Part] = [Line(text, "doubt"), Code(command, "command")]
        return Chapter("attackers", "What attackers achieve", reading, parts)
    attacks = [item for item in report["attacks"] if not kinds or item["kind"] in kinds]
    rows = [
        (
            item["name"],
            KINDS.get(item["kind"], item["kind"])
            + (f": {item['sensitive']}" if item["sensitive"] else ""),
            item["knowledge"],
            share(item["success"]["0.95"]),
            share(item["prior"]["0.95"]),
            share(item["gain"]["max"]),
        )
        for item in sorted(attacks, key=lambda item: -item["gain"]["max"])
    ]
    head = ("attacker", "learns", "knows", "sure of", "without release", "largest gain")
    parts = [Grid(head, rows[:STRONGEST], right=head[3:])]
    if rows[STRONGEST:]:
        weaker = Grid(head, rows[STRONGEST:], right=head[3:])
        parts.append(Fold(f"{len(weaker.rows)} that gain less", (weaker,), printed=False))
    skipped: dict[str, list[str]] = {}
    for item in report["skipped"]:
        skipped.setdefault(item["name"], []).append(item["why"])
    if skipped:
        reasons = [(name, "; ".join(dict.fromkeys(why))) for name, why in skipped.items()]
        parts.append(Fold("Not tried", (Facts(reasons),)))
    return Chapter("attackers", "What attackers achieve", reading, parts)


def utility(found: Evidence) -> Chapter | None:
    """What the release costs."""
    if found.run is None:
        return None
    rows = [
        (name, value, shown(float(value)))
        for name, value in found.run["measures"].items()
        if isinstance(value, int | float) and 0 <= value <= 1
    ]
    parts: list[Part] = (
        [Bars("Cost, from 0 (nothing lost) to 1", ("measure", "cost"), rows, "doubt")]
        if rows
        else []
    )
    for name, kept in found.lost.items():
        parts.append(Line(f"{name}: {kept:.0%} of what it told is left.", "bad"))
    compared = found.of("comparison")
    if compared is not None:
        parts += _compared(compared)
    return Chapter(
        "utility",
        "What is left for analysis",
        "Each measure counts another loss; none of them knows your analysis. Look for a single "
        "attribute that carries the cost: a column that tells nothing is alarming, even if the "
        "mean is good.",
        parts,
    )


def _compared(compared: PlainMapping) -> Iterator[Part]:
    one = compared["releases"][0]
    lost = (one.get("loss") or {}).get("per_attribute") or {}
    if lost:
        rows = [(name, part, share(part)) for name, part in lost.items()]
        rows.sort(key=lambda row: -row[1])
        caption = "Detail of each attribute that is lost, mean over the records"
        yield Bars(caption, ("attribute", "lost"), rows, "doubt")
    together = compared.get("contingency")
    if together:
        names, after = together["attributes"], next(iter(together["after"].values()))
        both = (("before", together["before"]), ("in the release", after))
        heats = [_heat(names, when, counts) for when, counts in both]
        narrow = max(len(heat.columns) for heat in heats) <= BESIDE
        yield from [Beside(heats)] if narrow else heats
        yield Line("The darker a cell, the more records. A pattern that the release no longer "
                   "shows is alarming for anyone who studies the two together.")  # fmt: skip
    error = one.get("query_error")
    for mode, told in (error or {}).get("by_mode", {}).items():
        if told.get("mean") is not None:
            said = (
                f"{told['median']:.0%} of the true count in the median, {told['mean']:.0%} in the"
            )
            yield Facts([(f"error of counts, {READ[mode]}", f"{said} mean")])


BESIDE = 4
"""Columns up to which two tables stand beside each other."""

READ = {
    "overlap": "all records counted whose cell may match",
    "uniform": "records spread evenly over their cell",
}
"""How a query reads a generalized cell, by the name of its mode."""


def _heat(names: Sequence[str], when: str, counts: PlainMapping) -> Heat:
    one, other = names
    columns = (one, *("(missing)" if name is None else name for name in counts["columns"]))
    rows = [
        ("(missing)" if name is None else name, own)
        for name, own in zip(counts["rows"], counts["counts"], strict=True)
    ]
    return Heat(f"Records by {one} and {other}, {when}", columns, rows)


def search(found: Evidence) -> Chapter | None:
    """How the plan was found, and what was proved of it."""
    if found.run is None:
        return None
    plan = found.run["plan"]
    objective = plan.get("objective") or {}
    proved = (
        "optimal, by proof: no release of this kind does better"
        if plan.get("optimal")
        else plan.get("unproved") or "not proved optimal"
    )
    wanted = (
        "scope",
        "nodes",
        "checked",
        "recodings",
        "classes",
        "stopped_by",
    )
    facts = [
        ("algorithm", str(plan.get("algorithm", ""))),
        (
            _aim(objective.get("measure")),
            f"{objective.get('measure', '')} ({objective.get('aggregate', '')})",
        ),
        ("value", shown(objective.get("value"))),
        ("proved", proved),
        *((key.replace("_", " "), shown(plan[key])) for key in wanted if plan.get(key) is not None),
    ]
    return Chapter(
        "search",
        "How the release was chosen",
        "What the search minimized, and whether it is proved optimal. A search that was "
        "stopped early may have missed a better release; the promises hold anyway.",
        (Facts(facts),),
    )


def _aim(measure: str | None) -> str:
    known = measures().get(measure or "")
    return "maximized" if known is not None and known.maximized else "minimized"


def mapping(found: Evidence) -> Chapter | None:
    """What became of every value."""
    known = (found.plan or {}).get("attributes", {})
    folds = []
    for name, item in known.items():
        pairs = item["published"]
        if not pairs or not isinstance(pairs[0], list):
            continue
        rows = [(str(one), "left out" if other is None else str(other)) for one, other in pairs]
        more = (Line("All of them are in private/plan.json."),) if len(rows) > MOST_MAPPED else ()
        folds.append(
            Fold(
                f"{name}: what became what",
                (Grid(("value", "published as"), rows[:MOST_MAPPED]), *more),
                printed=False,
            )
        )
    if not folds:
        return None
    local = "recodings" in (found.run or {}).get("plan", {})
    note = (
        " Local recoding publishes some records in more or less detail than that." if local else ""
    )
    return Chapter(
        "mapping",
        "What became of each value",
        f"The values of the table, and what the plan publishes instead.{note} Look for values that "
        "share a group and should not.",
        folds,
    )


def added(found: Evidence) -> Chapter | None:
    """What is left out, and what is made up."""
    may = found.certificate.get("may_contain", ())
    facts = [("the release may contain", ", ".join(may) or "nothing that was not in the table")]
    facts += list(found.certificate.get("transformed", {}).items())
    if found.run is not None:
        facts += [
            ("records suppressed", shown(found.run["suppressed"])),
            ("records of noise", shown(found.run["added"]["noise"])),
            ("decoys", shown(found.run["added"]["decoys"])),
        ]
    return Chapter(
        "added",
        "Left out, changed and made up",
        "Readers who count must allow for these. Many left-out records make the release look "
        "smoother than the table; made-up records are nobody's.",
        (Facts(facts),),
    )


def exposed(found: Evidence) -> Chapter | None:
    """The records that are easiest to find in the release, by their rows."""
    item = found.of("exposed")
    if item is None:
        return None
    units, others = found.units[1], shown(item["smallest"] - 1)
    rows = [tuple(map(shown, row)) for row in item["rows"]]
    head = ("row", "alike in the table", "alike in the release")
    parts: list[Part] = [
        Line(
            f"{shown(item['records'])} {units} share their class with only {others} others, the "
            "fewest of all. First those who were rarest in the table:"
        ),
        Grid(head, rows, right=head),
    ]
    if item["suppressed"]:
        out = ", ".join(map(shown, item["suppressed"]))
        parts.append(Line(f"Left out are, among others, rows {out}."))
    return Chapter(
        "exposed",
        "Who is most exposed",
        "Rows of the table, counted from 1 without its header. Look these people up: is anything "
        "known of them to others that the policy does not call a quasi-identifier?",
        parts,
    )


def again(found: Evidence) -> Chapter:
    """Versions, digests, the policy, and how to do it again."""
    certificate = found.certificate
    facts = [
        ("made by", f"indistinct {certificate['version']}"),
        ("made at", str(certificate["created"])),
        *(
            (item["path"], f"{shown(item['rows'])} rows, SHA-256 {item['sha256']}")
            for item in certificate["tables"]
        ),
    ]
    parts: list[Part] = []
    commands = "indistinct audit DIR"
    if found.run is not None:
        source = (found.private or {}).get("source") or "DATA"
        facts += [
            ("table", source),
            *(
                (f"digest of the {what}", found.run[f"{key}_sha256"])
                for what, key in (("table", "source"), ("policy", "policy"))
                if found.run[f"{key}_sha256"] is not None
            ),
        ]
        commands += f"\nindistinct anonymize {quote(str(source))} --policy POLICY --out DIR"
        policy = (found.private or {}).get("policy")
        if policy:
            parts.append(Fold("The policy", (Code(str(policy), "policy"),)))
    return Chapter(
        "again",
        "Check it, and make it again",
        "Anyone who has the release can audit it. If a digest differs, the file is not the one "
        "that this report is about.",
        (Facts(facts), Code(commands, "commands"), *parts),
    )


def limits(found: Evidence) -> Chapter:
    """What no figure here says."""
    del found
    return Chapter(
        "limits",
        "What this report does not say",
        "Evidence for the person who decides, never a certification.",
        (
            Line(
                "Whether the quasi-identifiers were well chosen: who could know what is for "
                "people to judge."
            ),
            Line("Whether other releases of the same people say more together with this one."),
            Line(
                "Whether the law of your country is kept: the figures speak to it, experts decide."
            ),
        ),
    )


def analyses(found: Evidence) -> Chapter | None:
    """Estimates on the table and on the release, side by side."""
    report = found.of("analyses")
    if report is None:
        return None
    parts: list[Part] = []
    for item in report["analyses"]:
        parts += _analysed(item)
    return Chapter(
        "analyses",
        "Will the analysis still hold?",
        "The policy's analyses, on the table and on the release; ranges are read as their "
        "midpoints, other cells as categories. An interval that no longer overlaps, another "
        "sign or another significance is alarming: a reader would conclude something else.",
        parts,
    )


def _analysed(item: PlainMapping) -> Iterator[Part]:
    yield Line(str(item["name"]), "title")
    if item.get("why"):
        yield Line(f"It has no answer: {item['why']}.", "doubt")
        return
    asked = "" if item["min_overlap"] is None else f", {item['min_overlap']:.0%} asked"
    style: Style = "text" if item["kept"] is None else "good" if item["kept"] else "bad"
    used = item["records"]
    yield Line(
        f"Confidence intervals overlap by {share(item['overlap'])}{asked}; "
        f"{shown(used['original'])} records of the table and {shown(used['release'])} of the "
        "release were used.",
        style,
    )
    rows = [
        (
            one["term"],
            *(_figure(one[side]) for side in ("original", "release")),
            share(one["overlap"]),
            ", ".join(what for what in CHANGES if one[f"{what}_changed"]),
        )
        for one in item["estimates"]
    ]
    head = ("estimate", "table", "release", "overlap", "changed")
    yield Grid(head, rows, right=head[1:4])
    figures = item.get("figures", {})
    if "roc" in figures.get("original", {}):
        sides = [(side, [tuple(at) for at in figures[side]["roc"]]) for side in figures]
        axes = ("false positives", "true positives")
        yield Curve(f"ROC, held-out records: {item['name']}", axes, sides)
        yield Line("The higher a curve, the better the prediction; the diagonal is a guess. A "
                   "curve of the release far below the other one is alarming.")  # fmt: skip
        yield Facts(
            [
                (
                    f"accuracy, {side}",
                    f"{share(one['accuracy'])}; {share(one['zero_rule'])} by always "
                    "guessing the most frequent",
                )
                for side, one in figures.items()
            ]
        )


def _figure(figure: PlainMapping | None) -> str:
    if figure is None:
        return "none"
    estimate, low, high = map(brief, (figure["estimate"], figure["low"], figure["high"]))
    return f"{estimate} [{low}, {high}]"


CHAPTERS: Mapping[str, Callable[[Evidence], Chapter | None]] = {
    "promises": promises,
    "attributes": attributes,
    "classes": classes,
    "risk": risks,
    "leakage": leakage,
    "attackers": attackers,
    "analyses": analyses,
    "utility": utility,
    "search": search,
    "mapping": mapping,
    "added": added,
    "exposed": exposed,
    "again": again,
    "limits": limits,
}
"""The chapters, by name, in the order of a plain report."""


def refusal(found: Evidence) -> Page:
    """The report of a run that made no release: what was asked, why it cannot be, what may help."""
    first = found.refused[0]
    facts = [
        (
            ", ".join(filter(None, (problem.attribute, problem.file))) or problem.code,
            f"{problem.message}. {problem.remedy or ''}".strip(),
        )
        for problem in found.refused
    ]
    policy = (found.private or {}).get("policy")
    parts: list[Part] = [] if not policy else [Fold("The policy", (Code(str(policy), "policy"),))]
    why = Chapter(
        "why",
        "Why there is no release",
        "Nothing was published. Each line says what prevents it, and what would help.",
        (Facts(facts), *parts),
    )
    return Page(
        title="No release can keep the promises",
        public=False,
        lead=f"Nothing was published: {first.message}.",
        tiles=(Tile("0", "records published", "bad"),),
        answers=(
            ("What was promised?", str((found.private or {}).get("promised", "see the policy"))),
            ("What may help?", first.remedy or "A weaker promise, or more suppression."),
        ),
        groups=(Group("", "", (why,)),),
        made="Made by indistinct.",
    )
