"""What a report says first: a sentence, the first figures, and the first questions answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indistinct.document import first_names, in_quotes, many, parameters, share, shown
from indistinct.release.certificate import NOT_BOUNDED, WITH_OTHERS
from indistinct.report.chapters.evidence import (
    ALL,
    VISITS,
    Evidence,
    counts_population,
    known_of_visits,
    of_items,
)
from indistinct.report.page import Chapter, Code, Facts, Fold, Group, Page, Part, Tile
from indistinct.types import PlainMapping
from indistinct.warning_kinds import Kind, ranked, read_warnings

MOST_TERMS = 3
"""Estimates that an answer names."""

CHANGES = ("sign", "significance")
"""What may change of an estimate, beside its size."""


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
    if people := account.get("people"):
        published, source = shown(people["published"]), shown(people["source"])
        made.insert(1, Tile(f"{published} of {source}", "people published"))
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
    if parts := [item["model"] for item in found.account["promises"] if item.get("in_part")]:
        return (
            f"As far as files show it. {said} Of {in_quotes(parts, ' and ')} they show the sizes "
            "of classes alone: for the rest trust whoever made the release."
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
        on = "items" if of_items(item) else first_names(item.get("on") or (ALL,))
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
    if people := found.run.get("people"):
        gone, of = people["suppressed"], people["source"]
        said.insert(0, f"{shown(gone)} of {shown(of)} people are suppressed ({share(gone / of)}).")
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
