"""The chapter on the chance to find somebody by the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.document import Grid, Line, many, share
from indistinct.report.chapters.evidence import HARM, Evidence
from indistinct.report.page import Beside, Chapter, Curve, Part
from indistinct.types import PlainMapping


def chapter(found: Evidence) -> Chapter | None:
    """The chance to find somebody by the quasi-identifiers."""
    after = found.published["risk"]
    if after is None:
        return None
    before = found.of("risk")
    both = [after] if before is None else [before, after]
    one_of, several = found.units
    head = ("release",) if before is None else ("before", "release")
    rows = [
        (f"highest risk of a {one_of} (R2)", *(share(one["highest"]) for one in both)),
        ("average risk (R3), and a marketer's", *(share(one["average"]) for one in both)),
        *(
            (
                f"{several} with a risk above {bound} (R1)",
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
        "release, and guesses: the risk is 1 / size of the class. At most 0.09 is usual for "
        "public data, 0.2 to 0.33 for data that a few recipients signed for. Above that it is "
        "alarming.",
        parts,
    )


def _curve(caption: str, points: Sequence[PlainMapping]) -> Curve:
    names = {"R1": f"above {HARM:g} (R1)", "R2": "highest (R2)", "R3": "average (R3)"}
    series = [(name, [(point["k"], point[key]) for point in points]) for key, name in names.items()]
    return Curve(caption, ("k", "risk"), series, HARM)
