"""Minimality: why was it generalized so far, or which values lead to these classes?

An algorithm generalizes only as far as its promises ask. So every plan that is more specific, and
scores better, breaks a promise. If its classes are large enough, it is the promise about sensitive
values. An attacker who knows everybody's quasi-identifiers knows who would be in these classes, and
rules out all assignments of values to people under which no promise is broken.

Three ways, by program:

* The program is run again and says what it tried in place of each class (the cuts of Mondrian, the
  classes of local recoding): :mod:`~indistinct.analytics.attacks.refusals`. Beliefs may be too
  small: parts that were cut in another way, and choices between several cuts, are not looked at.
  Where the values of all classes have few orders together, it is run with each, which is exact.
* k-member, MDAV and theta are run again with the values of one class in every order, and with every
  value of each suppressed person. Orders that lead to other classes are ruled out. The attacker
  knows the values of other classes, and what was drawn. Large classes and tables are passed over,
  and the finding counts their people.
* Any other release is taken for a full-domain one, with its levels read off the cells. More
  specific plans are the nodes below, the topmost of them if promises are closed under union. They
  are taken to suppress the same records.

Classes that were large enough and not published: :mod:`~indistinct.analytics.attacks.left_out`. Of
people with many records, all values of a person are exchanged with all of another.

Assignments of different classes are independent: those of each class are enumerated, or drawn if
there are too many, and q(S) is the share that keeps the promises under all plans of a set S. All
plans are broken with the probability sum over S of (-1)^|S| times the product of all q(S). A belief
changes by the factor by which this probability changes if it is true. Enumerated classes give exact
beliefs; drawn ones change a belief only if chance does not explain it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from indistinct.analytics.attacks.better_plans import DEVIATIONS, NEVER, Worlds, better_plans
from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    NOT_ONE_LEVEL,
    Figures,
    Finding,
    Skipped,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.lattice_node import node_of
from indistinct.analytics.attacks.left_out import LeftOut, beliefs_in_left_out, classes_left_out
from indistinct.analytics.attacks.promised_values import Asked, Seen, asked_about
from indistinct.analytics.attacks.refusals import Rerun, Tried, left_over
from indistinct.analytics.attacks.remedies import cut_classes
from indistinct.document import many
from indistinct.frozen import dataclass
from indistinct.types import Bools, Floats, Ints, Ints32

NAME = "minimality"
KIND = "attribute"
WHOLE_CLASSES = True
PLACE = 170
KNOWLEDGE = (
    "the exact quasi-identifiers of everybody, the algorithm, its objective and the promises"
)
SOURCE = "Wong, Fu, Wang and Pei (2007)"
REMEDY = cut_classes

ENUMERATED = 5040
"""Assignments of a class up to which all are tried."""

DRAWN = 2000
"""Assignments that are drawn of a class which has more."""

RERUN = 60
"""Orders of a class up to which the program is run again with each."""

BROKEN = "the release itself breaks a promise about values"

CHANGED = "the published values are not those of the people"

TOO_MANY = "what people of its classes may have is more than can be tried"


def run(
    context: AttackContext, sensitive: str, *, enumerated: int = ENUMERATED, drawn: int = DRAWN
) -> Finding | Skipped:
    """Strike out assignments under which a better plan would have kept the promises.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        enumerated: assignments of a class up to which all are tried.
        drawn: how many are drawn of a class which has more.
    """
    if not any(item.sensitive == sensitive for item in context.promises):
        why = "no promise is about this attribute, so none made the release less specific"
        return Skipped(NAME, why, sensitive)
    if not context.one_record_each and isinstance(context.tried, Rerun):
        return _by_runs_of_people(context, sensitive, context.tried)
    asked = asked_about(context)
    if isinstance(asked, str):
        return Skipped(NAME, asked, sensitive, leaves_open=True)
    if context.tried is not None:
        return _by_refusals(context, sensitive, asked, context.tried, enumerated)
    node = node_of(context.places)
    if node is None:
        return Skipped(NAME, NOT_ONE_LEVEL, sensitive, leaves_open=True)
    plans, left_out = better_plans(node, asked)
    worlds = Worlds(context, node, sensitive, asked, plans, (enumerated, drawn))
    if worlds.broken:
        return Skipped(NAME, BROKEN, sensitive, leaves_open=True)
    base, belief = worlds.beliefs()
    if not worlds.chance and not worlds.exact:
        # None of those drawn explains the release: all that do are to be found from the truth on.
        found = _by_refusals(context, sensitive, asked, worlds.tried_plans(), enumerated)
        if isinstance(found, Finding) and found.figures["plans"]:
            return found
    class_of = node.class_of[context.places.combination_of]
    out = beliefs_in_left_out(
        Seen(context, sensitive, asked),
        sensitive,
        classes_left_out(node, asked),
        enumerated=enumerated,
        seed=context.seed,
    )
    exact = np.full(len(belief), worlds.exact)
    changed = float((np.abs(belief - base) > NEVER).mean()) if len(belief) else 0.0
    figures = {
        "plans": len(plans),
        "plans_left_out": left_out,
        "kept": worlds.chance,
        "classes_enumerated": worlds.enumerated_classes,
        "classes_drawn": worlds.drawn_classes,
        "assignments": worlds.tried,
    }
    note = _note(len(plans), worlds.chance, changed)
    return _told(context, sensitive, _Beliefs(class_of, base, belief, exact, figures, note), out)


def _by_refusals(
    context: AttackContext, sensitive: str, asked: Asked, tried: Tried | Rerun, enumerated: int
) -> Finding | Skipped:
    """What follows from every class by itself: what was tried in its place broke a promise."""
    seen = Seen(context, sensitive, asked)
    inside = tried.class_of >= 0
    if seen.changed(tried.class_of):
        return Skipped(NAME, CHANGED, sensitive, leaves_open=True)
    size = np.bincount(tried.class_of[inside], minlength=len(context.classes))
    if seen.breaks(size[size > 0], seen.counted(tried.class_of)[size > 0]).any():
        return Skipped(NAME, BROKEN, sensitive, leaves_open=True)
    concerned = np.zeros(len(tried.class_of), np.bool_)
    same = seen.same(sensitive)
    groups: list[Ints] = []
    if isinstance(tried, Rerun):
        concerned[inside] = seen.mixed(tried.class_of)[tried.class_of[inside]]
        left = tried.left_over(seen.kind, seen.has(sensitive), RERUN, context.seed)
        plans = left.enumerated
        left_out = int((np.bincount(tried.class_of[inside & concerned & left.untried]) > 0).sum())
        concerned |= ~inside
    else:
        refused = np.zeros(0, np.bool_)
        if tried.attempts:
            part = seen.breaks(tried.parts.lengths, seen.counted_in(tried.parts))
            refused = tried.all_broken(part) & ~tried.with_others
        looked = tried.some(refused)
        groups = tried.outside(seen.asked.lasting)
        plans, left_out = looked.attempts, tried.attempts - looked.attempts - len(groups)
        concerned[inside] = np.isin(tried.class_of[inside], looked.touching[1])
        left = left_over(
            looked, seen.kind, same, seen.breaks, enumerated=enumerated, seed=context.seed
        )
    out = beliefs_in_left_out(seen, sensitive, groups, enumerated=enumerated, seed=context.seed)
    base = context.true_belief(sensitive).copy()
    base[inside] = seen.shares(sensitive, tried.class_of)[inside]
    belief = np.where(left.untried, base, left.likely)
    small = ~left.exact & (np.abs(belief - base) <= DEVIATIONS * left.noise)
    belief[small] = base[small]
    changed = np.abs(belief - base) > NEVER
    if isinstance(tried, Rerun):
        those = inside & left.exact
        share = float(changed[those].sum() / max(those.sum(), 1))
        note = _note_of_runs(plans, share, together=tried.together)
        note += _note_of_single_runs(0 if tried.together else int((~inside & left.exact).sum()))
    else:
        note = _note_of_attempts(plans, float(changed.mean()) if len(changed) else 0.0)
    figures = {
        "plans": plans,
        "plans_left_out": left_out,
        "kept": None,
        "classes_enumerated": left.enumerated,
        "classes_drawn": left.walked,
        "assignments": left.orders,
    }
    passed = int((concerned & left.untried).sum())
    found = _Beliefs(tried.class_of, base, belief, left.exact, figures, note, passed)
    return _told(context, sensitive, found, out)


def _by_runs_of_people(context: AttackContext, sensitive: str, tried: Rerun) -> Finding | Skipped:
    """What follows where the values of whole people are exchanged within the published classes."""
    people = context.people.height
    each = zip(*(context.values[name] for name in context.sensitive), strict=True)
    numbers: dict[tuple[bytes, ...], int] = {}
    kind = np.array(
        [numbers.setdefault(tuple(part.tobytes() for part in own), len(numbers)) for own in each],
        np.int64,
    )
    lists = context.values[sensitive]
    has = np.zeros((len(numbers), max(len(lists.labels), 1)), np.bool_)
    has[kind[lists.row_of], lists.index] = True
    left = tried.left_over(kind, has, RERUN, context.seed)
    inside, groups = tried.class_of >= 0, int(tried.class_of.max(initial=-1)) + 1
    held = np.zeros((groups, has.shape[1]))
    np.add.at(held, tried.class_of[inside], has[kind[inside]])
    shares = held / np.maximum(np.bincount(tried.class_of[inside], minlength=groups), 1)[:, None]
    # Of people who are in no class, nobody knows with whom they would be.
    together = context.true_belief(sensitive).copy()
    within = np.where(has[kind[inside]], shares[tried.class_of[inside]], 0.0)
    together[inside] = within.max(axis=1, initial=0)
    moved = ~left.untried & (np.abs(left.likely - together) > NEVER)
    base = np.where(moved, together, context.true_belief(sensitive))
    belief = np.where(moved, left.likely, base)
    alone = np.where(moved & inside, together, context.true_prior(sensitive))
    mixed = [len(np.unique(kind[tried.class_of == at])) > 1 for at in range(groups)]
    passed = left.untried.copy()
    passed[inside] &= np.array(mixed, np.bool_)[tried.class_of[inside]]
    figures = {
        "plans": left.enumerated,
        "plans_left_out": len(np.unique(tried.class_of[inside & passed])),
        "kept": None,
        "classes_enumerated": left.enumerated,
        "classes_drawn": 0,
        "assignments": left.orders,
    }
    note = _note_of_runs(left.enumerated, float(moved.sum() / max(left.exact.sum(), 1)))
    note += (
        " To conclude this, an attacker needs to know what the people of the class have together."
    )
    found = _Beliefs(
        tried.class_of, base, belief, left.exact, figures, note, int(passed.sum()), alone
    )
    nobody = np.zeros(people, np.bool_)
    nothing = LeftOut(np.full(people, np.nan), np.zeros(people), nobody, nobody, 0, 0)
    return _told(context, sensitive, found, nothing)


@dataclass(frozen=True)
class _Beliefs:
    """What is believed of everybody's own value, and what this comes of.

    Arguments:
        class_of: the published class of every person, [n]; -1 for who is suppressed.
        base: in random worlds, [n].
        belief: in those that are left, [n].
        exact: whether it is of all worlds, [n].
        figures: how it was found.
        note: what that means.
        passed: people of whom nothing was tried.
        alone: what is believed by who knows the same and no program, [n]; where not given, what
            overall frequencies tell.
    """

    class_of: Ints32
    base: Floats
    belief: Floats
    exact: Bools
    figures: Mapping[str, Figures]
    note: str
    passed: int = 0
    alone: Floats | None = None


def _told(
    context: AttackContext, sensitive: str, found: _Beliefs, out: LeftOut
) -> Finding | Skipped:
    """The finding, with what follows of people who were left out."""
    moved = np.abs(out.likely - found.base) > DEVIATIONS * out.noise
    base, belief = found.base, np.where(moved, out.likely, found.belief)
    exact = np.where(moved, out.noise == 0, found.exact)
    gain, inside = np.zeros(len(context.classes)), found.class_of >= 0
    np.maximum.at(gain, found.class_of[inside], (belief - base)[inside])
    changed = np.abs(belief - base) > NEVER
    passed = found.passed + int(out.passed.sum())
    rerun = isinstance(context.tried, Rerun) * (~inside & found.exact)
    left_out = int((out.people | rerun).sum())
    if passed and not found.figures["plans"] and not left_out:
        return Skipped(NAME, TOO_MANY, sensitive, leaves_open=True)
    return summarize(
        context,
        sensitive,
        belief,
        context.true_prior(sensitive),
        (belief >= 1 - NEVER) & (exact | (base >= 1)) & (context.found | (changed & ~inside)),
        figures={
            **found.figures,
            "people_passed_over": passed,
            "left_out": left_out,
            "left_out_alike": out.alike,
            "changed": float(changed.mean()) if len(changed) else 0.0,
            "gain_over_random_worlds": float((belief - base).mean()) if len(belief) else 0.0,
            "largest_gain_over_random_worlds": float((belief - base).max(initial=0.0)),
        },
        worst=worst_class(context, gain, gain_over_random_worlds=gain) if gain.any() else {},
        note=found.note + out.note + _note_of_passed(passed),
        alone=found.alone,
    )


def _note(plans: int, chance: float, changed: float) -> str:
    if not plans:
        return "No better plan has classes that are large enough: nothing follows from its absence."
    if not chance:
        return (
            "A better plan keeps the promises under every assignment tried: the release was not "
            "made minimal."
        )
    many = "one better plan was" if plans == 1 else f"{plans} better plans were"
    return (
        f"That {many} not published leaves {chance:.1%} of all assignments of values to people, "
        f"and changes what is believed of {of_people(changed)}."
    )


def _note_of_attempts(attempts: int, changed: float) -> str:
    if not attempts:
        told = "No class was kept from being made finer by its values."
    else:
        many = "One way" if attempts == 1 else f"{attempts} ways"
        told = (
            f"{many} to make classes finer {'was' if attempts == 1 else 'were'} refused because "
            f"of values. That changes what is believed of {of_people(changed)}."
        )
    return f"{told} To what other classes other values would have led was not looked at."


def _note_of_runs(classes: int, changed: float, *, together: bool = False) -> str:
    if not classes:
        return "The program was run again for no class."
    how = "all of them together" if together else "one class at a time, the others as they are"
    return (
        f"The program was run again with the values of {many(classes, 'class', 'classes')} in "
        f"every order, {how}. That it makes the published "
        f"classes changes what is believed of {of_people(changed)} in them."
    )


def _note_of_single_runs(people: int) -> str:
    if not people:
        return ""
    return f" For {people:,} suppressed people it was run again with every value, one at a time."


def _note_of_passed(people: int) -> str:
    if not people:
        return ""
    are = "person is" if people == 1 else "people are"
    return f" {people:,} {are} passed over: what they may have is more than can be tried."
