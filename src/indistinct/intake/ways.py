"""Every way to change values, as a policy asks for it: a function of a table's columns each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from indistinct.analytics.leakage.computed import (
    computed,
    told_better,
    told_by_groups,
    told_by_scale,
)
from indistinct.analytics.leakage.dependence import SAMPLE, giving_away
from indistinct.analytics.leakage.derivations import following, on_scales
from indistinct.analytics.profile.record_numbers import FEW_RECORDS
from indistinct.analytics.utility.kept import Kept, kept
from indistinct.document import in_quotes, many, some_of
from indistinct.errors import InputError
from indistinct.hierarchies.code_systems import groups_of
from indistinct.intake.run import Run
from indistinct.intake.transform_facts import (
    EXCHANGED,
    FOLLOWED,
    IDENTIFIER,
)
from indistinct.intake.undone import (
    FEWEST_MOVED,
    few_moved,
    few_to_draw_from,
    found_by_time,
    found_by_value,
    found_in_many,
    shown_elsewhere,
    told_by_frequency,
    undone_by_groups,
)
from indistinct.microdata.microdata import row_numbers
from indistinct.randomness import Stream
from indistinct.release.transforms.aggregate import (
    MOVED_END,
    by_name,
    by_thresholds,
    code_ends,
    shared_ends,
)
from indistinct.release.transforms.aggregate import told as aggregate_told
from indistinct.release.transforms.mask import mask
from indistinct.release.transforms.mask import told as mask_told
from indistinct.release.transforms.measured import (
    ISO,
    SHARE_OF_SUM,
    Least,
    Measured,
    as_measured,
    dominated_sums,
    measured,
)
from indistinct.release.transforms.microaggregate import microaggregate
from indistinct.release.transforms.microaggregate import told as microaggregate_told
from indistinct.release.transforms.network import Given, merged
from indistinct.release.transforms.noise import FEW, hidden, noise
from indistinct.release.transforms.noise import told as noise_told
from indistinct.release.transforms.pram import pram
from indistinct.release.transforms.pram import told as pram_told
from indistinct.release.transforms.pseudonymize import derived, pseudonyms, read_key
from indistinct.release.transforms.pseudonymize import told as pseudonymize_told
from indistinct.release.transforms.replace import rare_forms, replace
from indistinct.release.transforms.replace import told as replace_told
from indistinct.release.transforms.round import base_of, round_to
from indistinct.release.transforms.round import told as round_told
from indistinct.release.transforms.shift import offsets, possible, shift
from indistinct.release.transforms.shift import told as shift_told
from indistinct.release.transforms.swap import swap
from indistinct.release.transforms.swap import told as swap_told
from indistinct.release.transforms.synthesize import DRAWN_GIVEN_BINS, GIVEN_BINS, Part, synthesize
from indistinct.release.transforms.synthesize import told as synthesize_told
from indistinct.release.transforms.texts import mapped
from indistinct.sources.eager import EagerTable
from indistinct.sources.table import Table
from indistinct.sources.text import canonical, with_whole_numbers
from indistinct.types import Ints, Plain, PlainMapping
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.policy.sections import (
        Aggregation,
        Mask,
        Microaggregate,
        Noise,
        Pram,
        Pseudonymize,
        Replace,
        Round,
        Shift,
        Swap,
        Synthesize,
    )


FEW_SHIFTS = 30
"""Dates that can have been moved by no more different numbers of days than these are near known."""

ALIKE = 0.05
"""The share of dates that are moved alike, and are no person's, from which on it is said."""

MOST_BESIDE = 20
"""Columns of which two at a time are looked at, for what they tell of a transformed one."""


def each_by_itself(table: Table) -> Table:
    """The same table, where one cell decides nothing about how others of its column are written."""
    if not isinstance(table, EagerTable):
        return table
    texts = table.text([name for name in table.columns if table.kinds[name] == "text"])
    spelt = with_whole_numbers(texts, each=True).get_columns()
    found = table.with_columns({values.name: values for values in spelt})
    found.notes, found.titles = table.notes, table.titles
    return found


class Work:
    """A table's columns as transformations want them."""

    def __init__(self, table: Table, run: Run) -> None:
        self.table = table
        self.run = run
        self.policy = run.policy
        self.documents: dict[str, Plain] = {}
        self.warnings: list[WarningText] = []
        self.drawn_under: dict[str, list[str]] = {}
        self.ends: dict[str, list[float]] = {}
        self._moved: dict[str | None, Ints] = {}

    def random(self, name: str) -> Stream:
        """The stream that the values of an attribute are drawn from."""
        return self.run.random(f"transform.values {name}")

    def with_columns(self, made: Mapping[str, pl.Series]) -> Table:
        """The table with some columns in place of its own; one in memory, where there are any."""
        if not made:
            return self.table
        assert isinstance(self.table, EagerTable)
        return self.table.with_columns(made)

    def texts(self, name: str) -> pl.Series:
        """The canonical texts of a column."""
        return self.table.text([name])[name]

    def values(self, name: str) -> pl.Series:
        """A column as it is stored; null for all that stands for a missing value."""
        assert isinstance(self.table, EagerTable)
        return self.table.values(name).set(self.texts(name).is_null(), None)

    def measured(self, name: str, form: str = ISO) -> Measured:
        """A column as numbers or dates."""
        return measured(self.values(name), self.texts(name), form)

    def moved(self, by: str | None, days: int) -> Ints:
        """How many days the dates of every record are moved by."""
        if by not in self._moved:
            purpose = "transform.shift" if by is None else f"transform.shift {by}"
            self._moved[by] = offsets(
                None if by is None else self.texts(by),
                self.table.height(),
                days=days,
                random=self.run.random(purpose),
            )
        return self._moved[by]

    def groups(self, within: Sequence[str]) -> Ints | None:
        """The group of every record: those that are equal in these columns."""
        if not within:
            return None
        return row_numbers(self.table.text(within), within).astype(np.int64)

    def least(self, k: int) -> Least:
        """That a group needs k records, or k people where these have many."""
        person = self.policy.person
        return Least(k, None if person is None else self.groups([person]))

    def warn_of_dominated(self, column: Measured, made: pl.Series, least: Least) -> None:
        """Warn of means that one value, or one person's, makes up by far the most of.

        Arguments:
            column: the numbers, before they were grouped.
            made: the means that are published in their place, record by record, [n].
            least: how many a group needs, and whose the records are.
        """
        found = dominated_sums(column, made, least.owners)
        whose = "value" if least.owners is None else "person's values"
        self.warnings += [
            Kind.RISK(
                f"'{column.name}': in {many(found, 'mean')}, one {whose} is more than "
                f"{SHARE_OF_SUM:.0%} of the sum and can be estimated from it: group such values "
                "first (aggregate, top or bottom), or publish medians"
            )
        ] * bool(found)

    def synthetic(self, made: Mapping[str, pl.Series]) -> dict[str, pl.Series]:
        """The columns that are drawn from a model."""
        drawn = self._drawn()
        parts = {name: self._part(name, made) for name in drawn}
        found: dict[str, pl.Series] = {}
        joint = [name for name, rule in drawn.items() if rule.joint]
        if joint:
            random = self.run.random("transform.joint_model")
            columns, network = synthesize([parts[name] for name in joint], random)
            found |= dict(zip(joint, columns, strict=True))
            for name, parents in zip(joint, network.parents, strict=False):
                self.drawn_under[name] = [joint[at] for at in parents]
        for name, rule in drawn.items():
            if not rule.joint:
                found[name] = synthesize([parts[name]], self.random(name))[0][0]
        return found

    def said_of_model(self, name: str) -> str:
        """What the certificate says of a column that is drawn from a model."""
        drawn = self._drawn()
        rule = drawn[name]
        joint = rule.joint and sum(other.joint for other in drawn.values()) > 1
        return synthesize_told(joint=joint, given=rule.given, k=rule.k)

    def _drawn(self) -> dict[str, Synthesize]:
        return {
            name: item.transform.synthesize
            for name, item in self.policy.attributes.items()
            if item.transform is not None and item.transform.synthesize is not None
        }

    def _part(self, name: str, made: Mapping[str, pl.Series]) -> Part:
        part = _part_of(self.values(name), self.texts(name))
        rule = self._drawn()[name]
        if not rule.given:
            return part
        owners = self.least(rule.k).owners
        columns = []
        for other in rule.given:
            values = made.get(other)
            texts = self.texts(other)
            if values is None:
                values = self.values(other)
            else:
                texts = canonical(values.alias(other).to_frame()).to_series()
            codes = replaced(_part_of(values, texts), bins=GIVEN_BINS).codes
            columns.append(merged(codes, rule.k, owners))
        return replaced(part, bins=DRAWN_GIVEN_BINS, given=Given(columns, rule.k, owners))

    def kept(self, after: Table, made: Mapping[str, pl.Series]) -> Kept:
        """What is left of the transformed columns that are published, and are no identifiers."""
        names = [
            name for name in self.table.columns if self.policy.attributes[name].role != IDENTIFIER
        ]
        chosen = [name for name in names if name in made or self.table.kinds[name] != "other"]
        if not made:
            return Kept()
        return kept(self.table.text(chosen), after.text(chosen), made)

    def told_by_others(self, made: Mapping[str, pl.Series], after: Table) -> list[WarningText]:
        """Warnings about columns that tell what a transformed one was before."""
        policy, table = self.policy, self.table
        plain = [
            name
            for name, item in policy.attributes.items()
            if item.role in ("insensitive", "sensitive")
            and name not in made
            and name != policy.person
            and table.kinds.get(name, "other") != "other"
        ]
        if not made:
            return []
        settled = giving_away(table, plain, list(made))
        seen, asked = table.sample([*plain, *made], SAMPLE), {}
        for name in [one for one in made if one not in {name for _, name in settled}]:
            rule = policy.attributes[name].transform
            coarse = made[name].n_unique() if rule and rule.name in FOLLOWED else 0
            asked[name] = [one for one in plain if seen[one].n_unique() > coarse]
        following_it = following(seen, table.kinds, asked, plain[:MOST_BESIDE])
        found = [(name, [one], "") for one, name in settled]
        rest = [name for name in asked if name not in {name for name, *_ in following_it}]
        following_it += computed(seen, table.kinds, rest, plain)
        found += [(name, those, ", roughly at least") for name, *those in following_it]
        changed = self._told_by_changed(
            [name for name in made if name not in {name for name, *_ in found}], plain, after
        )
        return [
            Kind.RISK(
                f"{' and '.join(map(repr, those))}: published as in the table, and so telling "
                f"what '{name}' was before its transformation{roughly}: leave out, or change too"
            )
            for name, those, roughly in found
        ] + [
            Kind.RISK(
                f"{in_quotes(those, ' and ')}: what is published tells what '{name}' was before "
                "its transformation, more closely than its own values do: leave out, or change more"
            )
            for name, those in changed
        ]

    def _told_by_changed(
        self, names: Sequence[str], plain: Sequence[str], after: Table
    ) -> list[tuple[str, tuple[str, ...]]]:
        """Transformed columns and one or two others, maybe transformed, that tell them better."""
        attributes, table = self.policy.attributes, self.table
        rules = {name: rule for name in names if (rule := attributes[name].transform) is not None}
        shown = [
            name
            for name, item in attributes.items()
            if item.role in ("insensitive", "sensitive")
            and item.transform is not None
            and item.transform.name not in ("replace", "pseudonymize")
        ]
        asked = [name for name in names if attributes[name].role != IDENTIFIER]
        if not asked or not shown or len(shown) + len(plain) < 2 or table.height() < FEW_RECORDS:
            return []
        rows = np.linspace(0, table.height() - 1, min(table.height(), SAMPLE)).astype(np.int64)
        readable = [*shown, *plain][:MOST_BESIDE]
        published = after.text(list(dict.fromkeys([*asked, *readable])))[rows]
        scales, found = on_scales(published, after.kinds, published.columns), []
        for name, values in on_scales(table.text(asked)[rows], table.kinds, asked).items():
            if rules[name].name in FOLLOWED:
                told = told_by_groups(values, published[name])
            else:
                told = told_by_scale(values, scales[name]) if name in scales else 0.0
            others = {one: by for one, by in scales.items() if one in readable and one != name}
            those = told_better(values, told, others)
            if {*those} & {*shown}:
                found.append((name, those))
        return found

    def account(self, made: Mapping[str, pl.Series]) -> tuple[Plain, list[WarningText]]:
        """How many values each transformation changed, for the custodian; and warnings."""
        account: Plain = {}
        warnings = list(self.warnings)
        for name, values in made.items():
            item = self.policy.attributes[name]
            assert item.transform is not None
            way = item.transform.name
            if not isinstance(self.table, EagerTable):
                continue  # an identifier's texts, all of them replaced
            before = self.texts(name)
            after = canonical(values.alias(name).to_frame()).to_series()
            changed = int(before.ne_missing(after).sum())
            there = len(before) - before.null_count()
            account[name] = {"transform": way, "values": there, "changed": changed}
            if name in self.drawn_under:
                account[name]["drawn_under"] = self.drawn_under[name]
            if way in (*EXCHANGED, "noise") and there and not changed:
                warnings.append(Kind.RISK(f"'{name}': the transformation '{way}' changed no value"))
            elif item.transform.swap is not None:
                warnings += few_moved(item.transform.swap, before, changed)
            elif way == "noise" and changed < FEWEST_MOVED * there:
                warnings.append(
                    Kind.RISK(
                        f"'{name}': the noise left {there - changed} of {there} values "
                        "unchanged: use a larger scale; multiplied noise never changes 0"
                    )
                )
            if item.role in ("sensitive", "insensitive"):
                warnings += found_by_value(item.transform, before, after)
                warnings += shown_elsewhere(item.transform, before, after)
            if self.policy.person is not None and item.role != IDENTIFIER:
                person = self.texts(self.policy.person)
                warnings += found_in_many(name, item.transform, before, person)
        return ({"attributes": account} if account else {}), warnings


def _mask(work: Work, name: str, rule: Mask) -> tuple[pl.Series, str]:
    made = mask(work.texts(name), keep=rule.keep, char=rule.char, end=rule.from_)
    return made, mask_told(rule.keep)


def _pseudonymize(work: Work, name: str, rule: Pseudonymize) -> tuple[pl.Series, str]:
    directory = work.policy.directory
    key = read_key(name, env=rule.key_env, file=rule.key_file, directory=directory)
    texts = work.texts(name)
    work.warnings += told_by_frequency(texts)
    own = derived(key, rule.domain or name)
    known = pseudonyms(texts, key=own, length=rule.length)
    if rule.table:
        document = {"attribute": name, "pseudonyms": {made: text for text, made in known.items()}}
        work.documents[_file_of(name, work.documents)] = document
    return mapped(texts, known), pseudonymize_told()


def _replace(work: Work, name: str, rule: Replace) -> tuple[pl.Series, str]:
    dtype = work.values(name).dtype
    texts = work.texts(name)
    work.warnings += told_by_frequency(texts)
    made = replace(texts, dtype, style=rule.style, random=work.random(name))
    known = texts.drop_nulls().unique().to_list()
    rare = rare_forms(known, style="code" if dtype.is_integer() else rule.style)
    if rare:
        work.warnings.append(
            Kind.RISK(
                f"'{name}': made-up values keep the form of the true ones (length, pattern, "
                f"number of words), and {some_of(rare, len(known), 'value has')} a rare form "
                "that tells which it is: pseudonymize the column, or leave it out"
            )
        )
    return made, replace_told()


def _shift(work: Work, name: str, rule: Shift) -> tuple[pl.Series, str]:
    moved, column = work.moved(rule.by, rule.days), work.measured(name, rule.format)
    made = shift(column, moved)
    own = np.arange(len(moved)) if rule.by is None else work.groups([rule.by])
    assert own is not None
    work.warnings += _moved_alike(work, name, rule.by, own[column.there])
    found = possible(
        column.days[column.there], moved[column.there], own[column.there], most=rule.days
    )
    few = int((found <= FEW_SHIFTS).sum())
    work.warnings += [
        Kind.RISK(
            f"'{name}': the first and last day of the column tell within {FEW_SHIFTS} days how "
            f"far the dates of {few} of {len(found)} {'people' if rule.by else 'records'} were "
            "moved: leave out such long courses, and dates near the ends"
        )
    ] * bool(few)
    work.warnings += found_by_time(column)
    return made, shift_told(by_person=rule.by is not None, times=bool(len(column.times)))


def _moved_alike(work: Work, name: str, by: str | None, groups: Ints) -> list[WarningText]:
    """The warning that dates of many people are moved alike: a date of one tells those of all."""
    if by is None or by == work.policy.person or work.policy.attributes[by].role == IDENTIFIER:
        return []
    sizes = np.bincount(groups)
    largest, values = int(sizes.max(initial=0)), int((sizes > 0).sum())
    return [
        Kind.RISK(
            f"'{name}': dates are moved alike by '{by}', which has {many(values, 'value')}: one "
            f"true date tells how far {largest} of {len(groups)} were moved; name the column of "
            "the person instead",
            largest / len(groups),
        )
    ] * (len(groups) >= FEW_RECORDS and largest >= ALIKE * len(groups))


def _swap(work: Work, name: str, rule: Swap) -> tuple[pl.Series, str]:
    there, groups = work.texts(name).is_not_null().to_numpy(), work.groups(rule.within)
    if groups is not None:
        work.warnings += undone_by_groups(name, groups[there])
    made = swap(
        work.values(name),
        there,
        share=rule.share,
        groups=groups,
        random=work.random(name),
        near=None if rule.window is None else (work.measured(name, rule.format), rule.window),
    )
    quasi = {*work.policy.quasi_identifiers}
    if quasi and quasi <= {*rule.within} and name not in quasi:
        work.warnings.append(
            Kind.RISK(
                f"'{name}': values are exchanged only between records with the same "
                "quasi-identifiers, so every class lists what it listed before: this hides "
                "nothing that classes tell"
            )
        )
    said = swap_told(share=rule.share, within=bool(rule.within), window=rule.window is not None)
    return made, said


def _pram(work: Work, name: str, rule: Pram) -> tuple[pl.Series, str]:
    there, groups = work.texts(name).is_not_null().to_numpy(), work.groups(rule.within)
    if groups is not None:
        work.warnings += few_to_draw_from(name, groups[there])
    made = pram(work.values(name), there, keep=rule.keep, groups=groups, random=work.random(name))
    return made, pram_told(keep=rule.keep, within=bool(rule.within))


def _noise(work: Work, name: str, rule: Noise) -> tuple[pl.Series, str]:
    column = work.measured(name, rule.format)
    made = noise(
        column,
        scale=rule.scale,
        distribution=rule.distribution,
        multiplicative=rule.multiplicative,
        random=work.random(name),
        ends=(rule.bottom, rule.top),
    )
    if not hidden(
        column,
        scale=rule.scale,
        distribution=rule.distribution,
        multiplicative=rule.multiplicative,
    ):
        work.warnings.append(_apart(name, "the noise"))
    said = noise_told(
        scale=rule.scale,
        distribution=rule.distribution,
        multiplicative=rule.multiplicative,
        dates=column.kind != "number",
        ends=(rule.bottom, rule.top),
        step=10.0**-column.places if column.kind == "number" else 1.0,
    )
    work.warnings += found_by_time(column)
    return made, said + "; the time of day stays" * bool(len(column.times))


def _round(work: Work, name: str, rule: Round) -> tuple[pl.Series, str]:
    to = base_of(rule.digits) if rule.digits is not None else rule.to
    column = work.measured(name, rule.format)
    made = round_to(column, to)
    if column.kind == "number" and not hidden(
        column, scale=float(to), distribution="gaussian", multiplicative=False
    ):
        work.warnings.append(_apart(name, "rounding"))
    return made, round_told(to)


def _apart(name: str, mover: str) -> WarningText:
    return Kind.RISK(
        f"'{name}': fewer than {FEW} values lie far from all others, farther than {mover} moves "
        "them: group such values (aggregate, top or bottom), or leave them out"
    )


def _microaggregate(work: Work, name: str, rule: Microaggregate) -> tuple[pl.Series, str]:
    column = work.measured(name, rule.format)
    least = work.least(rule.k)
    made = microaggregate(column, least, centre=rule.centre)
    if rule.centre == "mean":
        work.warn_of_dominated(column, made, least)
    of_people = work.policy.person is not None
    return made, microaggregate_told(k=rule.k, centre=rule.centre, of_people=of_people)


def _aggregate(work: Work, name: str, rule: Aggregation) -> tuple[pl.Series, str]:
    bottom, top, moved = rule.bottom, rule.top, False
    if rule.groups is not None:
        made = by_name(work.texts(name), rule.groups, rule.other)
    elif rule.code_system is not None:
        texts = work.texts(name)
        groups = groups_of(texts.unique().to_list(), rule.code_system, rule.level)
        made = by_name(texts, groups, rule.other)
    elif rule.thresholds:
        least, column = work.least(rule.k), work.measured(name)
        item = work.policy.attributes[name]
        # What is said of ranges is said of those that the thresholds make.
        fixed = item.role == "quasi-identifier" or bool(item.hierarchy or item.categories)
        made = by_thresholds(column, rule.thresholds, rule.show, least, fixed=fixed)
        if rule.show == "mean":
            work.warn_of_dominated(column, made, least)
    else:
        column = work.measured(name)
        if work.policy.attributes[name].role != "quasi-identifier":
            ends = shared_ends(column, bottom=bottom, top=top, least=work.least(rule.k))
            moved = ends != (bottom, top)
            if moved:
                work.warnings.append(
                    Kind.SETTING(
                        f"'{name}': fewer than {rule.k} are at or beyond an end: the end was "
                        "moved to the value of a record, as the certificate says"
                    )
                )
            bottom, top = ends
        made = code_ends(column, bottom=bottom, top=top)
        work.ends[name] = [end for end in (bottom, top) if end is not None]
    said = aggregate_told(
        bottom=bottom,
        top=top,
        thresholds=rule.thresholds,
        show=rule.show,
        k=rule.k,
        of_people=work.policy.person is not None,
    )
    return made, said + MOVED_END * moved


WAYS: Mapping[str, Callable[[Work, str, Any], tuple[pl.Series, str]]] = {
    "mask": _mask,
    "pseudonymize": _pseudonymize,
    "replace": _replace,
    "shift": _shift,
    "swap": _swap,
    "pram": _pram,
    "noise": _noise,
    "round": _round,
    "microaggregate": _microaggregate,
    "aggregate": _aggregate,
}


def _part_of(values: pl.Series, texts: pl.Series) -> Part:
    """A column for the model that columns are drawn from."""
    try:
        scale = as_measured(values, texts)
    except InputError:  # codes of many digits
        scale = None
    return Part(values, texts, scale)


def _file_of(name: str, taken: PlainMapping) -> str:
    """The name of the file with an attribute's pseudonyms."""
    stem = f"pseudonyms_{re.sub(r'[^0-9A-Za-z_-]+', '_', name)}"
    file, number = f"{stem}.json", 2
    while file in taken:
        file, number = f"{stem}_{number}.json", number + 1
    return file
