"""Values of people who are attacked, that were moved, exchanged or drawn at random in a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import Perturbed
from indistinct.analytics.release_view import ReleaseView
from indistinct.intake.attacked import Attacked
from indistinct.intake.transform_facts import is_linked
from indistinct.release.transforms.measured import DAY, Measured, as_measured
from indistinct.types import Floats

if TYPE_CHECKING:
    from indistinct.policy import Policy
    from indistinct.policy.sections import Noise, Pram, Swap, Transform


def perturbed_columns(policy: Policy, view: ReleaseView) -> list[str]:
    """The published columns whose true values may be linked, though they were changed.

    Arguments:
        policy: the policy, in which columns that cannot be followed are insensitive.
        view: the release.
    """
    rules = {name: policy.attributes[name].transform for name in policy.published_beside}
    perturbed = [name for name, rule in rules.items() if rule is not None and is_linked(rule)]
    return [name for name in perturbed if view.table.find(name) is not None]


def perturbed_values(view: ReleaseView, attacked: Attacked) -> dict[str, Perturbed]:
    """The true and the published values of such columns; none where people have many records.

    Arguments:
        view: the release.
        attacked: the people.
    """
    policy = attacked.private.policy
    if attacked.private.subjects.unit != "record":
        return {}
    found = {}
    for name in perturbed_columns(policy, view):
        rule = policy.attributes[name].transform
        given = attacked.texts.get_column(name, default=None)
        if rule is None or given is None:
            continue
        made = _perturbed(given.cast(pl.String), view.cells([name])[name].cast(pl.String), rule)
        if made is not None:
            found[name] = made
    return found


def _perturbed(true: pl.Series, shown: pl.Series, rule: Transform) -> Perturbed | None:
    """The values of a column by how it was changed; None where they are no numbers or dates."""
    if rule.pram is not None:
        return _kept(true, shown, rule.pram)
    if rule.swap is not None and rule.swap.window is None:
        return _exchanged(*_coded(true, shown), rule.swap)
    form = next(one.format for one in (rule.noise, rule.shift, rule.swap) if one is not None)
    own, other = (as_measured(part, part, form) for part in (true, shown))
    if own is None or other is None or own.kind != other.kind:
        return None
    if rule.swap is not None:
        return _exchanged(_amounts(own), _amounts(other), rule.swap)
    if rule.noise is None:
        days = 0 if rule.shift is None else rule.shift.days
        return Perturbed(
            _amounts(own), _amounts(other), np.full(len(own.there), float(days)), "uniform"
        )
    held = _held(_amounts(own), rule.noise)
    spread = _spread(held, rule.noise, _step(other))
    return Perturbed(held, _amounts(other), spread, str(rule.noise.distribution))


def _exchanged(own: Floats, shown: Floats, how: Swap) -> Perturbed:
    """Values of other records: near in rank where there is a window, and some that stayed."""
    ordered = np.sort(shown[~np.isnan(shown)])
    many = max(len(ordered), 1)
    reach = many if how.window is None else how.window * many + 1
    ranks = [
        np.where(
            np.isnan(part),
            np.nan,
            (np.searchsorted(ordered, part) + np.searchsorted(ordered, part, side="right")) / 2,
        )
        for part in (own, shown)
    ]
    stays = (1 - how.share) * min(2 * reach, many) / how.share
    same = np.full(len(shown), np.log1p(stays))
    return Perturbed(ranks[0], ranks[1], np.full(len(own), reach), "uniform", same=same)


def _kept(true: pl.Series, shown: pl.Series, how: Pram) -> Perturbed:
    """Values that stayed with a probability, and were drawn by their shares otherwise."""
    own, other = _coded(true, shown)
    there = ~np.isnan(other)
    codes = np.where(there, other, 0).astype(np.int64)
    share = np.bincount(codes[there], minlength=int(codes.max(initial=0)) + 1) / max(there.sum(), 1)
    drawn = np.where(there, (1 - how.keep) * share[codes], 1.0)
    same = np.log1p(how.keep / drawn)
    spread = np.full(len(own), np.inf)
    return Perturbed(own, other, spread, "uniform", np.log(drawn), same)


def _coded(true: pl.Series, shown: pl.Series) -> tuple[Floats, Floats]:
    """Equal numbers for equal values of both, NaN for missing ones."""
    both = pl.concat([true, shown.alias(true.name)])
    codes = both.rank("dense").cast(pl.Float64).fill_null(np.nan).to_numpy()
    return codes[: len(true)] - 1, codes[len(true) :] - 1


def _amounts(column: Measured) -> Floats:
    """Numbers, or days, NaN where there is none, [n]."""
    unit = {"number": 10.0**column.digits, "date": 1.0, "datetime": float(DAY)}[column.kind]
    return np.where(column.there, column.steps / unit, np.nan)


def _step(column: Measured) -> float:
    """What published values are multiples of."""
    return 10.0**-column.places if column.kind == "number" else 1.0


def _held(own: Floats, how: Noise) -> Floats:
    """True values between the ends of what is published, where these are numbers."""
    for end, pick in ((how.bottom, np.maximum), (how.top, np.minimum)):
        if isinstance(end, int | float):
            own = pick(own, float(end))
    return own


def _spread(own: Floats, how: Noise, step: float) -> Floats:
    """How far noise and rounding move everybody's value, [n]."""
    scale = np.full(len(own), how.scale)
    if how.multiplicative:
        scale *= np.abs(np.nan_to_num(own))
    rounding = step**2 / (12 if how.distribution == "gaussian" else 24)
    found: Floats = np.sqrt(scale**2 + rounding)
    return found
