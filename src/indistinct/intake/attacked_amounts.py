"""Numbers and dates of people who are attacked, that were moved at random in a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import Moved
from indistinct.analytics.release_view import ReleaseView
from indistinct.intake.attacked import Attacked
from indistinct.intake.transform_facts import MOVED
from indistinct.release.transforms.measured import DAY, Measured, as_measured
from indistinct.types import Floats

if TYPE_CHECKING:
    from indistinct.policy import Policy
    from indistinct.policy.sections import Noise


def moved_columns(policy: Policy, view: ReleaseView) -> list[str]:
    """The published columns whose values were moved at random, whatever their role.

    Arguments:
        policy: the policy, in which columns that cannot be followed are insensitive.
        view: the release.
    """
    rules = {name: policy.attributes[name].transform for name in policy.named("insensitive")}
    moved = [name for name, rule in rules.items() if rule is not None and rule.name in MOVED]
    return [name for name in moved if view.table.find(name) is not None]


def moved_amounts(view: ReleaseView, attacked: Attacked) -> dict[str, Moved]:
    """The true and the published amounts of such columns; none where people have many records.

    Arguments:
        view: the release.
        attacked: the people.
    """
    policy = attacked.private.policy
    if attacked.private.subjects.unit != "record":
        return {}
    found = {}
    for name in moved_columns(policy, view):
        rule = policy.attributes[name].transform
        given = attacked.texts.get_column(name, default=None)
        if rule is None or given is None:
            continue
        how = getattr(rule, rule.name)
        texts, cells = given.cast(pl.String), view.cells([name])[name].cast(pl.String)
        true, shown = (as_measured(part, part, how.format) for part in (texts, cells))
        if true is None or shown is None or true.kind != shown.kind:
            continue
        own, kind = _amounts(true), "uniform"
        if rule.noise is not None:
            own, kind = _held(own, rule.noise), str(rule.noise.distribution)
            spread = _spread(own, rule.noise, _step(shown))
        else:
            spread = np.full(len(own), float(how.days))
        found[name] = Moved(own, _amounts(shown), spread, kind)
    return found


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
