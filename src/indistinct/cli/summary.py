"""What was released, and what it cost, on one screen."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.cli.terminal import (
    SCREEN,
    complain,
    console,
    print_json,
    print_parts,
    print_table,
    wrapped,
)
from indistinct.document import Line, many, parameters, share, shown, some_of
from indistinct.recoding.styles import STYLES
from indistinct.types import PlainMapping
from indistinct.warning_kinds import Kind, WarningText, ranked, read_warnings

if TYPE_CHECKING:
    from indistinct.pipeline.release import Release
    from indistinct.policy import Policy

HOLDING = {
    "one": "everybody of a bucket has one of its rows",
    "some": "each value is listed once for each person of the bucket who has it",
    "all": "everybody of a bucket has all of its values",
}
"""How the values of a bucket belong to its people, in words."""

SINGLE = 2
"""Attributes with items up to which the groups of each are listed."""

GROUPS = 8
"""How many groups of items the summary lists; all of them are in ``private/items.json``."""

ALIKE = 5
"""How many attributes of which the same can be said have a line each; more of them share one."""

EXAMPLES = 3
"""How many published labels of an attribute the summary shows."""


HALF_A_SCREEN = 12
"""Lines of warnings at most, on a screen of 80 columns.

All on columns that tell little, and the first on people at risk, are shown however long they are.
"""


def warn(own: Iterable[WarningText], run: PlainMapping, out: Path | None, *, details: bool) -> None:
    """The warnings of a run and of a policy on standard error, the most urgent first.

    Those that do not fit half a screen are counted.

    Arguments:
        own: the warnings of the policy.
        run: the account of the run.
        out: the folder of the release, if there is one.
        details: all of them, however many they are.
    """
    found = ranked([*read_warnings(run["warnings"], run["warning_kinds"]), *own])
    fitting = found if details else _fitting(found)
    for warning in fitting:
        complain("warning", warning)
    if left := [one for one in found if one not in fitting]:
        about = [
            f"{shown(count)} on {kind.title}"
            for kind in Kind
            if (count := sum(one.kind is kind for one in left))
        ]
        complain("warning", f"{len(left)} more, {', '.join(about)}: {_where(out)}")


def _fitting(warnings: Sequence[WarningText]) -> list[WarningText]:
    """The warnings that fit half a screen, with two lines that count the others."""
    lines = {
        text: wrapped(f"warning: {text}", SCREEN, indent=2).count("\n") + 1 for text in warnings
    }
    if sum(lines.values()) <= HALF_A_SCREEN:
        return list(warnings)
    at_risk = [one for one in warnings if one.kind is Kind.RISK]
    whole = {one for one in warnings if one.kind is Kind.COLUMN} | {*at_risk[:1]} or {warnings[0]}
    room = HALF_A_SCREEN - 2 - sum(lines[one] for one in whole)
    ends = itertools.accumulate(lines[one] * (one not in whole) for one in warnings)
    return [one for one, end in zip(warnings, ends, strict=True) if one in whole or end <= room]


def _where(out: Path | None) -> str:
    """Where all warnings are found."""
    if out is None:
        return "add --details to see them"
    private = out / "private"
    file = next(name for name in ("report.html", "run.json") if (private / name).is_file())
    return f"see {private / file}, or add --details"


def print_run(policy: Policy, run: PlainMapping) -> None:
    """A run as JSON, whose seed undoes the shuffle: only one that the policy names is printed."""
    hidden = {"seed"} if policy.method.seed is None else set()
    print_json({key: value for key, value in run.items() if key not in hidden})


def _per_cent(part: int, whole: int) -> str:
    """A share with two digits, which are 0 for none alone."""
    if not whole:
        return ""
    return " (<0.01 %)" if 0 < part < 0.00005 * whole else f" ({100 * part / whole:.2f} %)"


def summarize(release: Release) -> None:
    """A release, for a person: what is promised and kept, what is published, what it cost."""
    run = release.run.to_dict()
    screen = console()
    records, suppressed = run["records"], run["suppressed"]
    of_records = _per_cent(suppressed, records)
    people = run.get("people")
    if people is not None:
        gone = people["suppressed"]
        of_all = _per_cent(gone, people["source"])
        screen.print(
            f"{some_of(people['published'], people['source'], 'person')} published, "
            f"{shown(gone)} suppressed{of_all}",
            style="bold",
        )
    screen.print(
        f"{some_of(run['published'], records, 'record')} published, "
        f"{shown(suppressed)} suppressed{of_records}"
        if run.get("linked") is None
        else f"from {some_of(run['published'], records, 'record')}",
        style="bold" if people is None else None,
    )
    unit, units = ("record", "records") if people is None else ("person", "people")
    added = [
        many(count, f"{unit} of {what}", f"{units} of {what}")
        for what, count in (("noise", run["added"]["noise"]), ("decoys", run["added"]["decoys"]))
        if count
    ]
    if added:
        screen.print(f"{' and '.join(added)} added (made up, not real people)", style="bold")
    print_classes(run["classes"], people is not None)
    if run.get("linked") is not None:
        buckets = next(iter(run["plan"]["buckets"].values()))
        holding = HOLDING[run["linked"]["holding"]]
        screen.print(f"{many(buckets, 'bucket', 'buckets')} of sensitive values: {holding}")
    if "unicity" in run.get("singled_out", {}):
        print_parts([Line(_unicity(run["singled_out"]["unicity"]))])
    screen.print()
    print_promises(run["promises"])
    if run.get("transformed"):
        screen.print()
        print_table(("attribute", "transformed"), list(run["transformed"].items()))
    levels = run["plan"].get("levels") or {}
    used = run["plan"].get("levels_used", {})
    if levels:
        document = release.private.get("plan.json", {})
        known = document.get("attributes", {}) if isinstance(document, Mapping) else {}
        rows = [
            (
                name,
                _level(used.get(name, [level, level]), known.get(name, {}).get("levels")),
                ", ".join(_published(release.tables, name)),
            )
            for name, level in levels.items()
        ]
        screen.print()
        print_table(("attribute", "level", "published as, for example"), rows)
    styles = run["plan"].get("cells") or {}
    if styles:
        rows = [
            (name, STYLES.get(style, style), ", ".join(_published(release.tables, name)))
            for name, style in styles.items()
        ]
        screen.print()
        print_table(("attribute", "of each class", "published as, for example"), rows)
    visits = release.private.get("visits.json", {})
    assert isinstance(visits, Mapping)
    if visits:
        rows = [
            (
                name,
                f"{level} of {visits['heights'][name]}",
                ", ".join(_published(release.tables, name)),
            )
            for name, level in visits["levels"].items()
        ]
        screen.print()
        print_table(("attribute of visits", "level", "published as, for example"), rows)
    items = release.private.get("items.json", {})
    assert isinstance(items, Mapping)
    cuts = {name: found for name, found in items.items() if "cut" in found}
    if len(cuts) > SINGLE:
        screen.print()
        _print_all_items(cuts)
    else:
        for name, found in cuts.items():
            screen.print()
            _print_items(name, found)
    lost = {"loss of attributes of visits": visits["loss"]} if visits else {}
    figures = [
        (name, shown(round(float(value), 6)))
        for name, value in {**run["measures"], **lost}.items()
        if isinstance(value, int | float)
    ]
    if figures:
        screen.print()
        print_table(("measure", "from 0 to 1"), figures, right=("from 0 to 1",))
    _print_analyses(release.private.get("analyses.json"))
    print_parts([Line(f"\n{_search(run['plan'], run['classes'])}")])


def _print_analyses(document: object) -> None:
    """How near the estimates of each analysis are to those on the table."""
    if not isinstance(document, Mapping):
        return
    rows = [
        (item["name"], item.get("why") or share(item["overlap"] or 0.0))
        for item in document["analyses"]
    ]
    console().print()
    print_table(("analysis", "confidence intervals overlap by"), rows)


def _print_all_items(cuts: Mapping[str, PlainMapping]) -> None:
    """What is left of what items of many attributes told, a line each; one of all that kept all."""
    kept = [name for name, found in cuts.items() if not _grouped(found["cut"])]
    together = set(kept) if len(kept) > ALIKE else set()
    rows = []
    for name, found in cuts.items():
        if name in together:
            continue
        behind: Mapping[str, list[str | None]] = found["cut"]
        groups = _grouped(behind)
        values = sum(map(len, behind.values()))
        rows.append(
            (
                name,
                share(found["information"]),
                share(found["information_at_most"]),
                share(found["exact"]),
                f"{shown(len(behind) - len(groups))} of {shown(values)}",
                shown(len(groups)),
            )
        )
    head = ("items of", "information left", "at most", "as they are", "values kept", "groups")
    if rows:
        print_table(head, rows, right=head[1:])
    if together:
        print_parts([Line(f"items of {len(together)} attributes are published as they are")])
    if rows:
        console().print("which values are in which group: private/items.json", soft_wrap=True)


def _grouped(behind: Mapping[str, list[str | None]]) -> dict[str, list[str | None]]:
    """The labels that stand for other values than themselves; a missing value has no label."""
    return {
        label: values
        for label, values in behind.items()
        if values not in ([label], [label or None])
    }


def _print_items(name: str, found: PlainMapping) -> None:
    """What items are published as, and what is left of what they told."""
    behind: Mapping[str, list[str | None]] = found["cut"]
    rows = sorted(_grouped(behind).items(), key=lambda row: -len(row[1]))
    own = len(behind) - len(rows)
    total, at_most = found["information"], found["information_at_most"]
    grouped = sum(len(values) for _, values in rows)
    told = (
        f"{name}: {share(total)} of the information of its items is left"
        f"{'' if at_most <= total else f' (no release keeps more than {share(at_most)})'}, "
        f"{share(found['exact'])} of them as they are; "
        f"{many(own, 'value is')} published as {'itself' if own == 1 else 'themselves'}"
        + (f", and {many(grouped, 'value')} as {many(len(rows), 'group')}" if rows else "")
    )
    print_parts([Line(told)])
    if rows:
        more = [(f"and {len(rows) - GROUPS} more", "")] if len(rows) > GROUPS else []
        shown_rows = [(label, shown(len(values))) for label, values in rows[:GROUPS]]
        print_table((f"group of {name}", "values"), [*shown_rows, *more], right=("values",))


def _unicity(figures: PlainMapping) -> str:
    """How many people a few published cells single out, and the columns that carry it."""
    error = f" (give or take {share(figures['error'])})" if figures["error"] else ""
    shares = [f"{p} for {share(figures[str(p)]['unique'])}" for p in (3, 4, 5)]
    told = (
        "an attacker who knows some published cells of a person, drawn at random, finds that "
        f"person: 2 cells for {share(figures['2']['unique'])} of people, {', '.join(shares)}{error}"
    )
    columns = ", ".join(figures.get("carried", ()))
    return f"{told}; most by {columns}" if columns else told


def _level(used: list[int], levels: int | None) -> str:
    """The level of an attribute, or the lowest and the highest that are used, of how many."""
    text = shown(used[0]) if used[0] == used[1] else f"{used[0]} to {used[1]}"
    return text if levels is None else f"{text} of {levels - 1}"


def print_classes(classes: PlainMapping, of_people: bool = False) -> None:
    """How many equivalence classes there are, and their sizes, in a line."""
    unit, units = ("person", "people") if of_people else ("record", "records")
    if not classes.get("count"):
        return
    told = many(classes["count"], "class", "classes")
    largest = many(classes["largest"], unit, units)
    if classes["smallest"] == classes["largest"]:
        console().print(f"{told} of {largest}")
        return
    mean = shown(round(classes["mean"], 2))
    console().print(f"{told} of {shown(classes['smallest'])} to {largest}, {mean} on average")


def print_promises(promises: Iterable[PlainMapping]) -> None:
    """A table of promises, what they ask, whether they hold and what was achieved."""
    from indistinct.report.chapters.evidence import promised_on

    rows = []
    for alike in _folded(list(promises)):
        item = alike[0]
        if len(alike) > 1:
            of, achieved = f" of {len(alike)} attributes", _spanned(alike)
        else:
            of = f" of {item['sensitive']}" if item.get("sensitive") else ""
            achieved = _achieved(item)
        verdict = "holds" if item["holds"] else "BROKEN"
        asked = parameters(item["parameters"])
        rows.append((item["model"] + of, asked, promised_on(item), verdict, achieved))
    print_table(("promise", "asked", "on", "verdict", "achieved"), rows)


def _folded(promises: list[PlainMapping]) -> Iterable[list[PlainMapping]]:
    """Promises in their order; those that ask the same of many attributes, and hold, together."""
    groups: dict[str, list[PlainMapping]] = {}
    for place, item in enumerate(promises):
        apart = {"sensitive", "achieved", "classes", "violations"}
        asked = {key: value for key, value in item.items() if key not in apart}
        asked["figures"] = list(item["achieved"])
        figures = all(isinstance(value, int | float) for value in item["achieved"].values())
        own = None if item["holds"] and item.get("sensitive") and figures else place
        groups.setdefault(repr((own, asked)), []).append(item)
    for alike in groups.values():
        yield from [alike] if len(alike) > ALIKE else [[item] for item in alike]


def _spanned(alike: list[PlainMapping]) -> str:
    """From where to where what was achieved goes, of promises that ask the same."""
    spans: list[str] = []
    for name in alike[0]["achieved"]:
        found = sorted({_rounded(item["achieved"][name]) for item in alike})
        if spans and found == [alike[0]["parameters"].get(name)]:
            continue
        ends = f"{parameters({name: found[0]})}"
        spans.append(ends if len(found) == 1 else f"{ends} to {shown(found[-1])}")
    return ", ".join(spans)


def _achieved(item: PlainMapping) -> str:
    """What was achieved of a promise, and with which others as they were asked.

    Further figures that are just as asked say nothing more.
    """
    found: list[str] = []
    for name, value in item["achieved"].items():
        if found and value == item["parameters"].get(name):
            continue
        others = item.get("achieved_with", {}).get(name)
        beside = f" with {parameters(others)}" if others else ""
        found.append(parameters({name: _rounded(value)}) + beside)
    return ", ".join(found)


def list_files(out: Path, into: str | None = None) -> None:
    """What lies in the folder of a release, and where else, and which of it may leave the house."""
    files = sorted(path for path in out.rglob("*") if path.is_file())
    if not files:
        return
    console().print(f"\nin {out}:", soft_wrap=True)
    rows = [(path.relative_to(out).as_posix(), _audience(path.relative_to(out))) for path in files]
    print_table(
        ("file", "who may read it"), sorted(rows, key=lambda row: row[0].startswith("private/"))
    )
    if into is not None:
        console().print(f"\nrows and certificate, public, are at {into}", soft_wrap=True)


def _audience(path: Path) -> str:
    return "you: private" if path.parts[0] == "private" else "anybody: public"


def _search(plan: PlainMapping, classes: PlainMapping) -> str:
    """How the release was found, and how good it is.

    Arguments:
        plan: what the search says of itself.
        classes: those of the release; the plan's may be more, where some are published alike.
    """
    from indistinct.measures import measures

    objective = plan.get("objective") or {}
    measure = objective.get("measure", "the objective")
    known = measures().get(measure)
    has_aggregate = known is not None and "aggregate" in known.settings
    aggregate = f" ({objective['aggregate']})" if has_aggregate else ""
    value = objective.get("value")
    figure = "" if value is None else f" = {shown(_rounded(value))}"
    if plan.get("optimal"):
        return f"{measure}{aggregate}{figure}: optimal, no release of this kind does better"
    if "drawn" in plan:
        drawn = many(plan["drawn"], "record")
        return f"levels chosen by chance, and {drawn} drawn: the others were left out at random"
    start = plan.get("full_domain")
    if start:
        before = shown(_rounded(start["objective"]["value"]))
        kind = "optimum" if start.get("optimal") else "plan"
        recodings = many(plan["recodings"], "recoding", "recodings")
        return (
            f"{measure}{aggregate}{figure}: the full-domain {kind} ({before}), then recoded "
            f"locally in {recodings}"
        )
    made = many(plan.get("classes", 0), "class")
    if classes.get("count") not in (None, plan.get("classes")):
        made += f" (published as {shown(classes['count'])})"
    if plan.get("scope") == "linked":
        return (
            f"{made} and buckets by {plan.get('algorithm', 'the search')}, no optimality guarantee"
        )
    if measure == "noise":
        made_up = many(int(value or 0), "record of noise", "records of noise")
        return f"{made} by theta, with {made_up}"
    if "cells" in plan:
        return (
            f"{measure}{aggregate}{figure}: {made} by "
            f"{plan.get('algorithm', 'the search')}, no optimality guarantee"
        )
    bound = plan.get("bound")
    beyond = "above" if known is not None and known.maximized else "below"
    least = "" if bound is None else f"; none is {beyond} {shown(_rounded(bound))}"
    by = plan.get("algorithm", "the search")
    why = f" ({plan['unproved']})" if plan.get("unproved") else ""
    return f"{measure}{aggregate}{figure}: found by {by}, not proved optimal{why}{least}"


def _published(tables: Any, attribute: str) -> list[str]:
    """The most frequent published labels of an attribute."""
    if tables is None or isinstance(tables, Mapping):
        return []
    from indistinct.sources.engines import open_table
    from indistinct.sources.table import count_column

    table = open_table(tables, allow_empty=True)
    if attribute not in table.columns:
        return []
    order = [count_column([attribute]), attribute]
    found = table.distinct([attribute]).sort(order, descending=[True, False])[attribute]
    labels = ["(missing)" if label is None else label for label in found.to_list()]
    return labels[:EXAMPLES] + (["…"] if len(labels) > EXAMPLES else [])


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value
