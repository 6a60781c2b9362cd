"""Codes published with their last (or first) characters masked: 81667, 8166*, 816**, ...

Made for codes whose prefix means something: zip codes, ICD and ATC codes, phone numbers (their
suffix: mask from the left). Codes of unequal length are filled up with the mask on the masked
side, so that ``E11`` and ``E11.9`` become the same node ``E11**``. Labels are as long as most codes
are: a longer one loses more characters at once, and its length shows nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from indistinct.errors import PolicyError, Problem, refuse
from indistinct.hierarchies.domain import texts
from indistinct.hierarchies.settings import one_of, unknown, whole_number, wrong
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

Side = Literal["right", "left"]

MOST_MASKED = 255
"""Levels of masks, at most: each is a text as long as a code, for every code."""

KEYS = ("keep", "char", "from", "step", "levels", "length")


def masking_taxonomy(  # noqa: PLR0913, the keys of the builder in a policy
    attribute: str,
    values: Iterable[Label],
    *,
    keep: int = 0,
    char: str = SUPPRESSED,
    side: Side = "right",
    step: int = 1,
    levels: int | None = None,
    length: int | None = None,
) -> Taxonomy:
    """Level 0 the values, each further level with ``step`` more characters masked, then a root.

    When codes of one length are masked whole, that mask (``*****``) is the root. Otherwise
    (unequal lengths, or a part is kept) the root is ``*``.

    Arguments:
        attribute: the attribute's name.
        values: the texts in the data.
        keep: number of characters that only the root masks.
        char: the mask, one character.
        side: which end is masked first (the policy calls it ``from``).
        step: characters masked per level.
        levels: number of masked levels; by default until all but ``keep`` characters are masked.
        length: number of characters of masked labels; by default the most frequent
            length of the different codes, the greatest if several are equally frequent.

    Raises:
        PolicyError: for settings that make no sense, or that make more than 255 masks.
        HierarchyError: when there are no values.

    >>> masking_taxonomy("zip", ["81667", "81931"], step=2).rows()[0]
    ('81667', '816**', '8****', '*****')
    >>> masking_taxonomy("code", ["E11", "E11.9"], keep=3).rows()
    [('E11', 'E11**', 'E11**', '*'), ('E11.9', 'E11.*', 'E11**', '*')]
    """
    settings = {
        "keep": keep, "char": char, "from": side, "step": step, "levels": levels, "length": length,
    }  # fmt: skip
    refuse(
        PolicyError, check({name: value for name, value in settings.items() if value is not None})
    )
    found = texts(values)
    often = Counter(map(len, found))
    width = length or max(often, key=lambda size: (often[size], size), default=0)
    equal = all(len(text) == width for text in found)
    most = max(0, -(-(width - keep) // step))
    steps = most if levels is None else min(levels, most)
    if steps > MOST_MASKED:
        message = f"these texts would make more than {MOST_MASKED} levels of masks"
        remedy = "write length = 20, say, or a larger step; free text is better left out"
        raise PolicyError(
            "bad-hierarchy-setting",
            f"hierarchy 'mask': {message}",
            attribute=attribute,
            remedy=remedy,
        )
    hidden = [min((level + 1) * step, width - keep) for level in range(steps)]
    whole_root = equal and bool(hidden) and hidden[-1] == width

    columns = [found]
    right = side == "right"
    filled = [
        text.ljust(width, char)[:width] if right else text.rjust(width, char)[-width:]
        for text in found
    ]
    for count in hidden:
        mask = char * count
        left = width - count
        columns.append(
            [text[:left] + mask for text in filled]
            if right
            else [mask + text[count:] for text in filled]
        )
    if not whole_root:
        # A mask of everything says no more than the root does.
        if hidden and hidden[-1] == width:
            columns.pop()
        columns.append([SUPPRESSED] * len(found))
    return Taxonomy(attribute, list(zip(*columns, strict=True)))


def check(settings: Mapping[str, object]) -> list[Problem]:
    """What is wrong with the settings, without looking at data."""
    name = "mask"
    problems = unknown(name, settings, KEYS)
    problems += whole_number(name, settings, "keep", 0)
    problems += whole_number(name, settings, "step", 1)
    problems += whole_number(name, settings, "levels", 1)
    problems += whole_number(name, settings, "length", 1)
    problems += one_of(name, settings, "from", ("right", "left"))
    char = settings.get("char", SUPPRESSED)
    if not isinstance(char, str) or len(char) != 1 or not char.isprintable() or char.isspace():
        problems.append(wrong(name, f"char must be one visible character, not {char!r}"))
    return problems
