"""The verb *workbench*: a table read once, and policies held against it as they are written."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import polars as pl

from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.described import Profile
from indistinct.analytics.profile.first_policy import first_policy, health_policy
from indistinct.analytics.profile.hierarchy_draft import draft_hierarchy, type_of
from indistinct.analytics.profile.one_column import values_of
from indistinct.document import not_toml
from indistinct.errors import PolicyError, Problem, did_you_mean
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.dates import formats as date_formats
from indistinct.hierarchies.domain import texts
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.intake.first_look import FirstLook, first_look
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.opening import (
    Progress,
    completed,
    no_progress,
    reading,
    refuse_record,
)
from indistinct.intake.private_table import PrivateTable, counted_attributes
from indistinct.intake.run import Run
from indistinct.policy import DraftPolicy
from indistinct.policy.edits import edit_policy
from indistinct.policy.methods import heeded
from indistinct.privacy.parameters import whole
from indistinct.privacy.promise import Promise, models
from indistinct.recoding.full_domain import allowed_units
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.judge import Judge
from indistinct.release.audit import checks
from indistinct.release.audit.check import Check
from indistinct.sources.convert import to_polars
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table
from indistinct.sources.format import format_named, format_of
from indistinct.sources.table import Table, count_column
from indistinct.sources.titles import notes_of_file, titles_of_file
from indistinct.sources.unchanged import states
from indistinct.types import Frame, Ints, Plain
from indistinct.warning_kinds import WarningText

_GENERALIZING: Final = (
    "hierarchy",
    "uncovered",
    "type",
    "min_level",
    "max_level",
    "weight",
    "level",
)
"""Keys of an attribute that only quasi-identifiers have."""

_OF_VALUES: Final = ("categories", "ranks", "order", "values")
"""Keys of an attribute that only sensitive ones have."""

MOST_K: Final = 100
"""The largest k of which a curve of class sizes tells."""

MANY_LABELS: Final = 300
"""Labels of a level that are told with their counts, at most."""


def workbench(
    data: Frame,
    policy: str | None = None,
    *,
    directory: str | Path = ".",
    progress: Progress | None = None,
) -> Workbench:
    """Read a table once, to look at it and to write a policy for it step by step.

    Arguments:
        data: the path of a file, or of a folder in a health format; or a frame.
        policy: the text of a policy (TOML), which may say how the file is read.
        directory: where the files that the policy names are looked for.
        progress: a function that gets the stage and the share done.

    Raises:
        DataError: the table cannot be read.
        PolicyError: the policy cannot be read, or its ``[source]`` is wrong.
    """
    tell = progress or no_progress
    framed = not isinstance(data, str | Path)
    path = Path("table" if framed else data)
    files = {} if framed else states(path)
    tell(f"reading {path.name}", None)
    form = None if framed else format_of(path)
    keys: Plain = {"source": {"format": form}} if form else {}
    asked = _draft(_keys_of(policy) if policy is not None else keys, Path(directory))
    notes: tuple[str, ...] = ()
    titles: dict[str, str] = {}
    look: FirstLook | None = None
    if framed:
        refuse_record(open_table(data), asked.source.header)  # or refused in words
        native = to_polars(data)
    elif asked.source.format is not None:
        records = format_named(asked.source.format).records(path)
        native, notes = records.frame, records.notes
    else:
        frames: dict[str, Frame] = {}

        def read(said: Plain) -> Table:
            frame = frames[repr(said)] = read_table(path, **said)
            table = open_table(frame, path.name)
            table.titles = titles_of_file(path, **said)
            return table

        said = reading(asked)
        if asked.attributes or asked.source.completed:
            read(said)
        else:
            look = first_look(path, said, read)
            said = look.source
            asked = _draft({"source": asked.source.to_dict() | said}, Path(directory))
        native = frames[repr(said)]
        found = () if look is None else look.why.values()
        notes = (*found, *notes_of_file(path, native, **said))
        titles = titles_of_file(path, **said)
    if asked.source.completed:
        native = completed(to_polars(native), asked, path.name)
    tell("looking at the columns", None)
    form = asked.source.format
    return Workbench(
        path, native, notes, _read_by(asked), form, reading(asked), look, titles, files
    )


@dataclass(frozen=True, eq=False)
class Workbench:
    """A private table in memory, and what helps to write a policy for it.

    Arguments:
        path: the file or folder it was read from.
        frame: its rows.
        notes: what is not in it, as sentences for a custodian.
        read_by: how the policy says that it is read.
        format: the health format of a folder.
        source: how a file was read, keys of ``[source]``.
        look: what was seen of a file for which no policy names columns.
        titles: what the file calls its columns in words.
        files: which files were read, and how they stood then.
        encoded: the table as codes, by what these depend on; the last two.
        encoding: held while these are made.
    """

    path: Path
    frame: Frame = field(repr=False)
    notes: tuple[str, ...]
    read_by: str
    format: str | None = None
    source: Plain = field(default_factory=dict)
    look: FirstLook | None = field(default=None, repr=False)
    titles: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: Mapping[Path, tuple[int, ...]] = field(default_factory=dict, repr=False)
    encoded: dict[str, PrivateTable] = field(default_factory=dict, repr=False)
    encoding: Lock = field(default_factory=Lock, repr=False)

    @cached_property
    def table(self) -> Table:
        """The table, with no text taken for missing."""
        table = open_table(self.frame, self.path.name)
        table.titles = self.titles
        return table

    @cached_property
    def profile(self) -> Profile:
        """What its columns look like, and what is suggested for each."""
        return profile(self.table).closed() if self.look is None else self.look.profile

    def head(self, rows: int = 5) -> list[dict[str, str | None]]:
        """The first rows as text, by column; private."""
        return to_polars(open_table(self.frame[:rows], "table").text(self.table.columns)).to_dicts()

    def draft(self, k: int = 5) -> str:
        """The text of a first policy, with its reasons, for a person to correct."""
        if self.format is not None:
            return health_policy(self.format, k)
        why = {} if self.look is None else self.look.why
        return first_policy(self.profile, k=k, source=self.source, reasons=why)

    def offered(self) -> list[Plain]:
        """Every promise that a policy may make, those of plugins among them, as plain data.

        Of each its ``model``, what it ``says``, whether it is about a ``sensitive`` attribute,
        ``people`` with many records or a ``population``, and its ``settings``: a ``value`` to begin
        with, and of numbers the ``least`` and the ``most``.
        """
        found = checks()
        return [_offer(name, kind, found[name]) for name, kind in models().items() if name in found]

    def reads(self, policy: str, directory: str | Path = ".") -> bool:
        """Whether a policy reads the table as it was read, and its file is no other by now."""
        if self.files and states(self.path) not in ({}, self.files):
            return False
        try:
            return _read_by(_draft(_keys_of(policy), Path(directory))) == self.read_by
        except PolicyError:
            return True

    def keys_for(self, attribute: str, role: str) -> Plain:
        """The drafted keys of an attribute in a role.

        A quasi-identifier gets the hierarchy that suits its values; texts that stand for a missing
        value are named.
        """
        keys: Plain = {"role": role}
        values, content = values_of(self.table, attribute)
        if role == "quasi-identifier":
            kind = type_of(attribute, values, content=content)
            draft = draft_hierarchy(attribute, values, kind, content)
            keys["hierarchy"] = draft.spec or "suppress"
            if draft.uncovered:
                keys["uncovered"] = draft.uncovered
        if values.missing_tokens and role != "identifier":
            keys["missing"] = {"tokens": list(values.missing_tokens)}
        return keys

    def with_role(self, policy: str, attribute: str, role: str) -> str:
        """The text of a policy with another role for an attribute.

        What only the old role has is taken out, and what the new one needs is drafted.

        Arguments:
            policy: the text as it stands.
            attribute: a column of the table.
            role: its role from now on.

        Raises:
            PolicyError: the text is not TOML, or the table has no such column.
        """
        if attribute not in self.table.columns:
            known = did_you_mean(attribute, self.table.columns)
            message = f"the table has no column '{attribute}': {known}"
            raise PolicyError("unknown-attribute", message)
        listed = _keys_of(policy).get("attributes", {})
        held = dict(listed.get(attribute) or {}) if isinstance(listed, Mapping) else {}
        drafted = self.keys_for(attribute, role)
        fit = {"quasi-identifier": _GENERALIZING, "sensitive": _OF_VALUES}.get(role, ())
        unfit = {*_GENERALIZING, *_OF_VALUES} - {*fit}
        text = policy
        for key in [key for key in held if key in unfit]:
            text = edit_policy(text, ("attributes", attribute, key))
        if attribute not in listed:
            return edit_policy(text, ("attributes", attribute), drafted)
        for key, value in drafted.items():
            if key == "role" or key not in held:
                text = edit_policy(text, ("attributes", attribute, key), value)
        return text

    def hold(self, policy: str, directory: str | Path = ".") -> Held:
        """A policy checked against the table: what is wrong with it, and what follows.

        Arguments:
            policy: its text, which may lack quasi-identifiers and promises.
            directory: where the files that it names are looked for.
        """
        try:
            draft = _draft(_keys_of(policy), Path(directory)).with_rest()
        except PolicyError as error:
            return Held(self, None, error.problems)
        bench = self
        added = {n: one for n, one in draft.source.constant.items() if n not in self.table.columns}
        if added:  # a draft adds one, where others know visits alone
            frame = to_polars(self.frame).with_columns(
                pl.lit(one).alias(n) for n, one in added.items()
            )
            bench = replace(self, frame=frame, read_by=_read_by(draft), look=None)
        draft.adopt(bench.table.columns)
        problems: tuple[Problem, ...] = ()
        try:
            draft.check(bench.table.columns, self.path.name)
        except PolicyError as error:
            problems = error.problems
        return Held(bench, draft, problems)


@dataclass(frozen=True, eq=False)
class Held:
    """A policy checked against a table.

    Arguments:
        bench: the table.
        policy: the policy; none where it cannot be read.
        problems: what is wrong with it.
    """

    bench: Workbench
    policy: DraftPolicy | None
    problems: tuple[Problem, ...]

    @property
    def warnings(self) -> tuple[WarningText, ...]:
        """What is allowed but deserves a second look."""
        return () if self.policy is None else self.policy.warnings

    @property
    def heeded(self) -> tuple[str, ...]:
        """The keys of quasi-identifiers that the method heeds, of weights and bounds of levels."""
        return () if self.policy is None else heeded(self.policy.method)

    @property
    def lacks(self) -> tuple[str, ...]:
        """What this policy still lacks."""
        return () if self.policy is None else self.policy.lacks

    def require(self) -> DraftPolicy:
        """The policy.

        Raises:
            PolicyError: it cannot be read, or does not fit the table.
        """
        if self.policy is None or self.problems:
            raise PolicyError(self.problems)
        return self.policy

    def hierarchy(self, attribute: str) -> HeldHierarchy:
        """The hierarchy of a quasi-identifier, with how many records every label would have.

        Raises:
            PolicyError: the policy cannot be read, or the attribute is no quasi-identifier.
            HierarchyError: the hierarchy does not cover the values, or is no tree.
        """
        policy, table = self._of(attribute)
        found = table.distinct([attribute])
        found = found[_in_order(found[attribute]).arg_sort()]
        values, counts = found[attribute].to_list(), found[count_column([attribute])].to_list()
        return HeldHierarchy(taxonomy_of(policy, table, attribute, values, counts), values, counts)

    def date_formats(self, attribute: str) -> dict[str, tuple[str, str]]:
        """The formats that read a quasi-identifier as dates, each with a value and its date.

        Raises:
            PolicyError: the policy cannot be read, or the attribute is no quasi-identifier.
        """
        found = self._of(attribute)[1].distinct([attribute])[attribute]
        return date_formats(texts(found.sort().to_list()))

    def _of(self, attribute: str) -> tuple[DraftPolicy, Table]:
        policy = self.policy
        if policy is None:
            raise PolicyError(self.problems)
        named = policy.named("quasi-identifier")
        if attribute not in named:
            why = f"'{attribute}' is not a quasi-identifier: {did_you_mean(attribute, named)}"
            raise PolicyError("unknown-attribute", why)
        return policy, self._table(policy)

    def class_sizes(self, levels: Mapping[str, int] | None = None) -> ClassSizes:
        """How many records, or people, share the same quasi-identifiers.

        Arguments:
            levels: the level of every quasi-identifier at which they are compared, 0 where not
                named.

        Raises:
            InputError: the policy does not fit the table, or has no quasi-identifier.
        """
        policy = self.require()
        if not policy.quasi_identifiers:
            message = "there is no quasi-identifier: no class can be made"
            raise PolicyError("no-quasi-identifier", message, remedy="name one")
        data = self._private(policy, ()).data
        heights = dict(zip(data.attributes, data.heights.tolist(), strict=True))
        asked = levels or {}
        wrong = [
            name for name, level in asked.items() if level not in range(heights.get(name, -1) + 1)
        ]
        if wrong:
            message = f"{', '.join(wrong)}: there is no such level"
            raise PolicyError("no-such-level", message)
        # Grouped on level 0 too: some methods have a combination for every person.
        weight = Grouper(data).classes([asked.get(name, 0) for name in data.attributes])[1]
        return ClassSizes(data.table.unit, weight[weight > 0], heights)

    def infeasible(self) -> tuple[Problem, ...]:
        """Why no release at all could keep the promises; None if some may.

        Every promise is held against the table itself, and against the one class that is left where
        every quasi-identifier is published as ``*``. That promises hold there does not say that a
        method finds more.

        Raises:
            InputError: the policy does not fit the table.
        """
        policy = self.require()
        if not policy.quasi_identifiers:
            return ()
        asked = [part for part in policy.privacy_models if not part.is_open]
        private = self._private(policy, counted_attributes(asked)).promising(asked)
        data = private.data
        allowed = allowed_units(policy.method.suppression_limit, data.table.records)
        found = []
        everybody = np.zeros(data.table.combinations, dtype=np.int32)
        size = np.array([data.table.records])
        for part in asked:
            problem = part.infeasible(data.table, None if part.counts_made_up else allowed)
            if problem is None and part.subject == "classes" and not part.counts_made_up:
                broken = Judge(data, [part]).breaks(part, everybody, size)
                problem = part.broken_by_all() if broken.any() else None
            if problem is not None:
                found.append(problem)
        return tuple(found)

    def _table(self, policy: DraftPolicy) -> Table:
        """The table, with the texts that the policy takes for missing."""
        tokens = policy.missing_tokens(self.bench.table.columns)
        if not tokens:
            return self.bench.table
        return open_table(self.bench.frame, self.bench.path.name, missing_tokens=tokens)

    def _private(self, policy: DraftPolicy, sensitive: Sequence[str]) -> PrivateTable:
        """The table as codes, kept for as long as nothing changes on which they depend."""
        attributes = {name: item.to_dict() for name, item in policy.attributes.items()}
        key = repr((policy.directory, policy.source.to_dict(), attributes, sorted(sensitive)))
        kept = self.bench.encoded
        with self.bench.encoding:  # who asks for the same meanwhile waits for it
            if key not in kept:
                promises = policy.privacy_models if sensitive else ()
                made = PrivateTable.of(
                    self._table(policy), Run(policy, 0), sensitive=sensitive, promises=promises
                )
                made.data  # noqa: B018 - encoded here
                while len(kept) > 1:
                    kept.pop(next(iter(kept)))
                kept[key] = made
            return kept[key]


@dataclass(frozen=True, eq=False)
class HeldHierarchy:
    """A hierarchy and how often every value occurs.

    Arguments:
        taxonomy: the hierarchy.
        values: the values of the table, missing ones as None.
        counts: the records of each of them.
    """

    taxonomy: Taxonomy
    values: Sequence[Label]
    counts: Sequence[int]

    def level(self, level: int) -> dict[Label, int]:
        """The labels of a level with their records, in the order of the values."""
        found: dict[Label, int] = {}
        for value, count in zip(self.values, self.counts, strict=True):
            label = self.taxonomy.generalize(value, level)
            found[label] = found.get(label, 0) + count
        return found

    def to_dict(self) -> Plain:
        """Every level with its labels and their records; of many labels those of most records."""
        levels = []
        for at in range(self.taxonomy.levels):
            found = self.level(at)
            kept = list(found.items())
            if len(kept) > MANY_LABELS:
                most = sorted(found.values(), reverse=True)[MANY_LABELS]
                kept = [item for item in kept if item[1] > most][:MANY_LABELS]
            levels.append(
                {
                    "level": at,
                    "labels": len(found),
                    "smallest": min(found.values()),
                    "shown": [[label, count] for label, count in kept],
                }
            )
        rows = self.taxonomy.rows()
        return {
            "attribute": self.taxonomy.attribute,
            "values": len(self.values),
            "records": sum(self.counts),
            "levels": levels,
            "rows": [list(row) for row in rows[:MANY_LABELS]],
        }


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """Who shares their quasi-identifiers with how many.

    Arguments:
        unit: ``record`` or ``person``.
        size: the units of every class, [G].
        heights: the highest level of every quasi-identifier.
    """

    unit: str
    size: Ints
    heights: Mapping[str, int]

    def below(self, k: int) -> int:
        """The units in classes of fewer than ``k``, which k-anonymity has to protect."""
        return int(self.size[self.size < k].sum())

    def to_dict(self) -> Plain:
        """The figures, with those below every k up to a hundred; the first is that of k = 0."""
        capped = np.minimum(self.size, MOST_K)
        held = np.bincount(capped, minlength=MOST_K + 1) * np.arange(MOST_K + 1)
        return {
            "unit": self.unit,
            "heights": dict(self.heights),
            "units": int(self.size.sum()),
            "classes": len(self.size),
            "smallest": int(self.size.min()) if len(self.size) else 0,
            "below": [0, *np.cumsum(held)[:MOST_K].tolist()],
        }


def _in_order(values: pl.Series) -> pl.Series:
    """What values are put in order by: numbers by their size, all else as text."""
    numbers = values.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == values.null_count() else values


def _keys_of(policy: object) -> Plain:
    if not isinstance(policy, str):
        message = f"an object of type {type(policy).__name__} is not the text of a policy"
        remedy = 'give its TOML text; that of a file is Path("policy.toml").read_text("utf-8")'
        raise PolicyError("no-policy", message, remedy=remedy)
    try:
        return tomllib.loads(policy)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        named = policy.endswith(".toml") and "\n" not in policy
        text = f'of a file, give the text: Path("{policy}").read_text("utf-8")' if named else None
        raise PolicyError("bad-toml", not_toml(error), remedy=text) from None


def _draft(keys: Plain, directory: Path) -> DraftPolicy:
    return DraftPolicy.from_dict(keys, directory=directory)


def _read_by(policy: DraftPolicy) -> str:
    """What a policy says on which depends what is read."""
    source = policy.source.to_dict()
    people = sorted(policy.attributes) if "people" in source else []
    added = [source.get(key) for key in ("format", "people", "constant")]
    return repr((reading(policy), added, people))


def _offer(model: str, kind: type[Promise], check: Check) -> Plain:
    """A promise, with what it needs."""
    bounds = {item.name: item.metadata.get("must") for item in fields(kind)}
    held = check.check.settings
    needed = [name for name, one in held.items() if one.default is None and not one.optional]
    begun = needed or [name for name in held if _is_number(held[name].example)][:1]
    settings = []
    for name, one in held.items():
        value = one.example if one.default is None else one.default
        if name in begun or (_is_number(value) and not one.optional):
            must = bounds.get(name)
            within = {} if must is None else must.keywords
            settings.append(
                {
                    "name": name,
                    "value": value,
                    "whole": must is not None and must.func is whole,
                    "least": within.get("least"),
                    "most": within.get("most"),
                }
            )
    return {
        "model": model,
        "says": inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("``", ""),
        "sensitive": kind.needs_sensitive,
        "people": kind.subject in ("linked", "items"),
        "population": kind.needs_population,
        "settings": settings,
    }


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
