"""Does what was published keep what was promised?

The audit reads published tables as a stranger would and recomputes every promise with plain
group-bys. It shares no code and no state with the program that made the release, and works on
releases made by others. Each privacy model has one small check in this folder, in a file of its
own; it is found by being here. Plugins bring the checks of their promises.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, TypeGuard

import polars as pl

from indistinct import plugins
from indistinct.document import Document, Grid, Part, PlainData, many
from indistinct.errors import DataError, PolicyError, Problem, Problems, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.metadata import ValueMetadata
from indistinct.release.audit.check import Check, ClassCheck
from indistinct.release.audit.linking import Seen, audited_link, link_between, verdicts_of
from indistinct.release.audit.reading import (
    SUPPRESSED,
    Claims,
    Published,
    PublishedTable,
    missing_columns,
    read_release,
    tampered,
)
from indistinct.release.audit.suppressed import verdicts_on_suppressed
from indistinct.release.audit.verdict import (
    ClassSizes,
    Context,
    Verdict,
    people_not_told,
    summarize,
    times,
)
from indistinct.requirement import Requirement
from indistinct.types import Frame, Plain, PlainMapping

__all__ = ["Audit", "Check", "ClassSizes", "Context", "Verdict", "audit", "checks"]


@dataclass(frozen=True)
class Audit(PlainData, Document):
    """What a reader can verify in a release.

    Arguments:
        quasi: The quasi-identifiers.
        records: Number of records of the release, suppressed ones too.
        suppressed: Records with ``*`` in every quasi-identifier. They are in no class.
        suppressed_group: The verdict on each promise for these records as one group: everyone who
            fits no class is in it. Where they break it as a part of the published records that
            classes are compared with, the verdict on these classes.
        classes: Count and sizes of the equivalence classes over all quasi-identifiers.
        promises: The verdict on each promise; on suppressed records, if there are no others.
        tables: Whether each table matches its certificate; empty without one.
        agrees: Whether the figures of the certificate, if there is one, match the release.
        notes: What else a reader should know, in sentences.
        beside: Columns that were not checked, because they are not quasi-identifiers and no promise
            names them.
        people: Where people have many records, how many people the classes hold.
        suppressed_people: And of how many people the suppressed records are.
    """

    told_keys: ClassVar = (
        "holds records suppressed people? quasi_identifiers=quasi not_looked_at=beside classes "
        "promises"
    )

    quasi: tuple[str, ...]
    records: int
    suppressed: int
    classes: ClassSizes
    promises: tuple[Verdict, ...]
    tables: tuple[tuple[str, bool], ...] = ()
    agrees: bool = True
    notes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    people: int | None = None
    suppressed_group: tuple[Verdict, ...] = ()
    suppressed_people: int | None = None

    @property
    def few_suppressed(self) -> bool:
        """Whether some are suppressed, and fewer than the smallest class holds."""
        units = self.suppressed if self.suppressed_people is None else self.suppressed_people
        smallest = self.classes.smallest
        return smallest is not None and 0 < units < smallest

    @property
    def holds(self) -> bool:
        """Whether every promise holds, and the release matches its certificate.

        No promise holds that suppressed records break as a group.
        """
        return (
            all(verdict.holds for verdict in self.kept_by_all)
            and all(matches for _, matches in self.tables)
            and self.agrees
        )

    @property
    def kept_by_all(self) -> tuple[Verdict, ...]:
        """The verdicts, with every promise broken that the suppressed records break as a group."""
        if not self.suppressed_break:
            return self.promises
        return tuple(
            replace(verdict, holds=False) if group.holds is False else verdict
            for verdict, group in zip(self.promises, self.suppressed_group, strict=True)
        )

    @property
    def suppressed_break(self) -> bool:
        """Whether the suppressed records break a promise, as a group or beside the classes."""
        return any(verdict.holds is False for verdict in self.suppressed_group)

    def to_dict(self) -> Plain:
        """The audit as plain data; ``tables`` is there only if a certificate speaks of them.

        ``suppressed_group`` is there only where records are suppressed.
        """
        document = super().to_dict()
        if self.suppressed_group:
            document["suppressed_group"] = {
                "records": self.suppressed,
                **({} if self.suppressed_people is None else {"people": self.suppressed_people}),
                "promises": [verdict.to_dict() for verdict in self.suppressed_group],
            }
        if self.tables:
            document["tables"] = [
                {"path": path, "matches": matches} for path, matches in self.tables
            ]
        document["notes"] = list(self.notes)
        return document

    def frame(self) -> pl.DataFrame:
        """A table with one row for each promise."""
        schema = {
            "promise": pl.String,
            "on": pl.String,
            "holds": pl.Boolean,
            "achieved": pl.String,
            "breaking_classes": pl.Int64,
            "breaking_records": pl.Int64,
        }
        rows = [
            (
                _name(verdict),
                ", ".join(verdict.on),
                verdict.holds,
                verdict.in_words,
                verdict.breaking_classes,
                verdict.breaking_records,
            )
            for verdict in self.promises
        ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def summary_rows(self) -> list[tuple[str, str]]:
        """The audit in pairs of a label and a text, for a terminal to lay out."""
        rows = [
            ("verdict", "holds" if self.holds else "broken"),
            ("records", str(self.records)),
            ("suppressed", str(self.suppressed)),
            *([] if self.people is None else [("people", str(self.people))]),
            ("classes", str(self.classes.count)),
        ]
        if self.beside:
            rows.append(("not looked at", ", ".join(self.beside)))
        if self.classes.mean is not None:
            rows.append(
                (
                    "class sizes",
                    f"{self.classes.smallest} to {self.classes.largest}, "
                    f"{self.classes.mean:.4g} on average",
                )
            )
        rows += [(_name(verdict), _outcome(verdict)) for verdict in self.promises]
        if self.classes.count:
            rows += [
                (f"{_name(verdict)}, suppressed records", _outcome(verdict))
                for verdict in self.suppressed_group
            ]
        rows += [
            (path, "as certified" if matches else "not as certified")
            for path, matches in self.tables
        ]
        rows += [("note", note) for note in self.notes]
        return rows

    def __repr__(self) -> str:
        promises = "; ".join(f"{_name(verdict)} {_outcome(verdict)}" for verdict in self.promises)
        if self.suppressed_break and self.classes.count:
            broken = [_name(item) for item in self.suppressed_group if item.holds is False]
            promises += f"; suppressed records break {', '.join(broken)}"
        word = "holds" if self.holds else "broken"
        return f"<Audit: {word}, {self.records} records{': ' if promises else ''}{promises}>"

    def parts(self) -> Iterator[Part]:
        """The verdict on every promise, in two columns."""
        yield Grid((), self.summary_rows())


def audit(  # noqa: PLR0913, what its user may say
    release: Frame,
    promises: Iterable[Requirement | PlainMapping] = (),
    quasi: Iterable[str] = (),
    *,
    source: PlainMapping | None = None,
    known: Mapping[str, ValueMetadata] | None = None,
    population: pl.DataFrame | None = None,
    covers: Mapping[str, Mapping[str | None, frozenset[str | None]]] | None = None,
    person: str | None = None,
    linked: Mapping[str, str] | None = None,
) -> Audit:
    """Recompute from a release alone whether it keeps its promises.

    Every combination of values of the quasi-identifiers that occurs is an equivalence class; a
    missing cell is a value of its own. Records with ``*`` in every quasi-identifier are suppressed:
    they are counted, and are in no class; each promise is held against them as one group. A release
    without records keeps every promise, and achieves nothing (None).

    If a certificate lies beside the file, or in the folder, the files are held against it: another
    digest, another number of rows or other figures than the release shows, and the audit does not
    hold.

    Arguments:
        release: A frame that Narwhals knows (Polars, pandas, PyArrow, DuckDB and others), the path
            of a file or of a folder, or a mapping of names to these.
        promises: What is to be checked, as :class:`~indistinct.requirement.Requirement` s or as
            mappings like a policy's. None: those of the certificate.
        quasi: The quasi-identifiers. None: those of the certificate; without a certificate, those
            that the promises name.
        source: Settings for reading files: ``separator``, ``encoding``, ``sheet`` and the like.
        known: What is known of the values of sensitive attributes, for promises that need it.
            None: what the certificate says of them.
        population: The people of a population table, for promises that compare with one.
        covers: For each quasi-identifier the exact values behind each published label, to count
            the population by.
        person: The column that tells the people apart, where they have many records. None: that
            of the certificate, if it names one.
        linked: How two linked tables belong together: the names of the tables ``quasi`` and
            ``sensitive``, the column ``by`` that both have, and how the rows of a bucket belong to
            its people, ``holding``. None: as the certificate says; without one, tables of these
            names that have a column ``bucket`` are linked by it.

    Raises:
        DataError: If the release cannot be read, or lacks a column that is spoken of.
        PolicyError: If a promise cannot be understood, or needs to know something of the values or
            of the population that is not known; or if no quasi-identifier is known.

    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["20-29", "20-29", "30-39"], "ward": ["A", "B", "A"]})
    >>> audit(table, [{"model": "k-anonymity", "k": 2}], ["age"])
    <Audit: broken, 3 records: k-anonymity(k=2) broken by 1 class with 1 record, achieved k=1>
    """
    published = read_release(release, source)
    asked = [
        part if isinstance(part, Requirement) else Requirement.from_dict(part) for part in promises
    ]
    names = (quasi,) if isinstance(quasi, str) else tuple(dict.fromkeys(quasi))
    claims = published.claims
    certified = claims is not None and not asked
    if claims is not None and certified:
        asked = list(claims.promises)
    names = _quasi(names, asked, claims)
    link = linked or (None if claims is None else claims.linked) or link_between(published)
    if link is not None:
        # A promise about sensitive values is held against the buckets, and says so when it is told.
        asked = [replace(part, on=None) if part.on == (link["by"],) else part for part in asked]
    _refuse_unknown(asked, names)
    if known is None:
        known = {} if claims is None else claims.known
    context = Context(names, known, population, covers or {})
    if link is not None:
        seen = audited_link(published, link, asked, context, checks())
    else:
        if person is None and claims is not None:
            person = claims.person
        seen = _audited(published, asked, replace(context, person=person))
    table = seen.table
    number = seen.texts.select(times(seen.texts)).item()
    found = Audit(
        names,
        number,
        number - seen.records.select(times(seen.records)).item(),
        summarize(seen.context.sizes(seen.records, names)),
        seen.verdicts,
        people=seen.people,
        suppressed_group=seen.suppressed,
        suppressed_people=seen.suppressed_people,
    )
    differing = _differing(found, claims, certified) if claims is not None else []
    return replace(
        found,
        tables=tuple(
            (part.name, part.matches) for part in published.tables if part.matches is not None
        ),
        agrees=not differing and not seen.torn,
        notes=(
            *published.notes,
            *_notes(found, published, certified),
            *dict.fromkeys(one.note for one in found.promises if one.note),
            *_written_otherwise(seen.texts, asked),
            *(() if link is not None else _elsewhere(published, table, names)),
            *seen.notes,
            *seen.torn,
            *differing,
        ),
        beside=seen.beside,
    )


def _audited(published: Published, promises: Sequence[Requirement], context: Context) -> Seen:
    """One table, held against what was promised of it."""
    names, person = context.quasi, context.person
    _refuse_people_untold(promises, person)
    needed = list(dict.fromkeys([*names, *(name for part in promises for name in part.looked_at)]))
    if person is not None:
        needed = [person, *(name for name in needed if name != person)]
    table = _table_of(published, needed)
    values = [part.sensitive for part in promises if part.sensitive not in (None, *names)]
    read = table.counted if person is None else table.texts
    texts = read(needed, [*dict.fromkeys(map(str, values))])
    looked_at = {table.find(name) for name in needed}
    hidden = _hidden(texts, names)
    records = texts if hidden is None else texts.filter(~hidden)
    if records.height or hidden is None:
        verdicts = verdicts_of(records, promises, context, checks())
        group = verdicts_on_suppressed(texts, hidden, promises, context, checks())
    else:
        alone = replace(context, _sizes={}, _counts={})
        verdicts = group = verdicts_of(texts, promises, alone, checks())
    return Seen(
        table=table,
        texts=texts,
        records=records,
        context=context,
        verdicts=verdicts,
        suppressed=group,
        people=None if person is None else records[person].n_unique(),
        suppressed_people=None if person is None else _people_of(texts, hidden, person),
        torn=() if person is None else tuple(_torn(records, person, names)),
        beside=tuple(name for name in table.columns if name not in looked_at),
    )


def _hidden(texts: pl.DataFrame, names: Sequence[str]) -> pl.Series | None:
    """Which records are ``*`` in all of these columns; None where none is."""
    found: pl.Series | None = None
    for name in names:
        own = texts[name].eq_missing(SUPPRESSED)
        found = own if found is None else found & own
        if not found.any():
            return None
    return found


def _people_of(texts: pl.DataFrame, chosen: pl.Series | None, person: str) -> int:
    """Of how many people some records are; none are where nothing is chosen."""
    return 0 if chosen is None else texts.filter(chosen)[person].n_unique()


def _refuse_people_untold(promises: Sequence[Requirement], person: str | None) -> None:
    """Raise where promises count people and nobody says whose the records are, or the reverse."""
    problems = Problems()
    for part in promises:
        if part.unit == "person" and person is None:
            problems.append(people_not_told(part.model))
        elif part.unit != "person" and person is not None:
            problems.add(
                "records-of-people",
                f"promise '{part.model}' counts records, and '{person}' says that people have "
                "many: a class of many records may be one person's",
                remedy='count people: unit = "person"',
            )
    refuse(PolicyError, problems)


def _torn(records: pl.DataFrame, person: str, names: tuple[str, ...]) -> Iterable[str]:
    """What is wrong with the people of a release, in sentences."""
    nobody = records[person].null_count()
    if nobody:
        yield f"{many(nobody, 'record names')} no person in '{person}': they count as one person's"
    several = records.select(person, *names).unique().group_by(person).len("\0rows")
    torn = several.filter(pl.col("\0rows") > 1).height
    if torn:
        yield (
            f"the quasi-identifiers differ between the records of {many(torn, 'person')}: "
            "several known records of a person leave a class smaller than any of these"
        )


def _is_check(loaded: object, name: str) -> TypeGuard[Check]:
    check = getattr(loaded, "check", None)
    return getattr(loaded, "MODEL", None) == name and isinstance(check, ClassCheck)


_CHECKS = plugins.Files("checks", _is_check, __name__)


def checks() -> Mapping[str, Check]:
    """The check of every privacy model, by the model's name: our own, and those of plugins.

    One that is asked for by name is imported alone.
    """
    return _CHECKS


def _quasi(
    names: tuple[str, ...], promises: Sequence[Requirement], claims: Claims | None
) -> tuple[str, ...]:
    if not names and claims is not None:
        names = claims.quasi
    if not names:
        names = tuple(dict.fromkeys(name for part in promises for name in part.on or ()))
    if not names:
        raise PolicyError(
            "no-quasi-identifier",
            "the audit does not know the release's quasi-identifiers",
            remedy="name them, or audit a folder with a certificate",
        )
    return names


def _refuse_unknown(promises: Sequence[Requirement], quasi: tuple[str, ...]) -> None:
    for part in promises:
        if part.model not in checks():
            plugins.find("checks", part.model, _is_check)
    problems = [
        Problem(
            "unknown-model",
            f"no audit of a privacy model '{part.model}': {did_you_mean(part.model, checks())}",
        )
        for part in promises
        if part.model not in checks()
    ]
    problems += [
        Problem(
            "not-a-quasi-identifier",
            f"promise '{part.model}' applies to '{name}', which is not a quasi-identifier: "
            f"{did_you_mean(name, quasi)}",
            remedy="add it to the quasi-identifiers, or take it out of the promise",
        )
        for part in promises
        for name in part.on or ()
        if name not in quasi
    ]
    refuse(PolicyError, problems)


def _table_of(published: Published, needed: Sequence[str]) -> PublishedTable:
    """The table that has all these columns."""
    lacking = [missing_columns(table, needed) for table in published.tables]
    whole = [table for table, lacks in zip(published.tables, lacking, strict=True) if not lacks]
    if len(whole) == 1:
        return whole.pop()
    if whole:
        raise DataError(
            "several-tables",
            "more than one table of the release has all quasi-identifiers: "
            + ", ".join(table.name for table in whole),
            remedy="audit them one by one",
        )
    problems = min(lacking, key=len)
    problems += [tampered(table.name) for table in published.tables if table.matches is False]
    raise DataError(problems)


def _notes(found: Audit, published: Published, certified: bool) -> Iterable[str]:
    if not found.promises:
        yield "no promise was named: nothing was checked, the classes are only described"
    if certified:
        yield "promises and quasi-identifiers are those that the certificate names"
    if published.claims is not None and any(published.claims.as_asked):
        yield (
            "the release may contain made-up records, which figures here include: rely on what "
            "each promise asked, not on what it seems to achieve"
        )
    for table in published.tables:
        if table.matches is False:
            yield f"{table.name} is not the file that the certificate was written for"
    if not found.records:
        yield "the release has no records: promises hold for nobody"
    elif found.suppressed == found.records:
        yield (
            "every record has '*' for every quasi-identifier: there is no class, and promises "
            "are checked on all records as one group"
        )
    elif found.few_suppressed:
        yield (
            "there are fewer suppressed records than records in the smallest class: a person "
            "in the table who fits no class is one of these few"
            if found.suppressed_people is None
            else "suppressed records are of fewer people than the smallest class: a person in the "
            "table who fits no class is one of these few"
        )


def _written_otherwise(texts: pl.DataFrame, promises: Sequence[Requirement]) -> Iterable[str]:
    """Which sensitive values are written in several ways: a reader takes them for one."""
    for name in dict.fromkeys(part.sensitive for part in promises):
        if name not in texts.columns:
            continue
        values = texts[name].cast(pl.String).drop_nulls().unique()
        plain = values.str.strip_chars().str.to_lowercase().str.replace(r"^\+?(-?\d+)\.0+$", "${1}")
        if several := int(plain.is_duplicated().sum()):
            yield (
                f"{several} values of '{name}' differ from another one only in case, blanks or "
                "zeros behind the point, and promises count them as different"
            )


def _elsewhere(
    published: Published, table: PublishedTable, names: tuple[str, ...]
) -> Iterable[str]:
    """What else was published, and what else was claimed, than what was looked at."""
    others = [f"'{part.name}'" for part in published.tables if part is not table]
    if others:
        yield "not looked at, for it lacks a quasi-identifier: " + ", ".join(others)
    if published.claims is not None and set(published.claims.quasi) != set(names):
        claimed = ", ".join(published.claims.quasi)
        yield f"the certificate names other quasi-identifiers: {claimed}"


def _differing(found: Audit, claims: Claims, certified: bool) -> list[str]:
    """What the certificate says of the release that the release does not show."""
    said: list[tuple[str, object, object]] = []
    if len(claims.tables) == 1 or claims.linked is not None:
        said.append(("records", claims.records, found.records))
    if set(found.quasi) == set(claims.quasi) and claims.classes is not None:
        own = found.classes.to_dict()
        said += [(f"classes, {key}", claims.classes.get(key), own[key]) for key in own]
    if certified:
        said += [
            (_name(verdict), dict(achieved), _achieved(verdict, as_asked))
            for verdict, achieved, as_asked in zip(
                found.promises, claims.achieved, claims.as_asked, strict=True
            )
            if achieved is not None
        ]
    return [
        f"the certificate's figures are not the release's own: {what}"
        for what, claimed, computed in said
        if claimed is not None and not _same(claimed, computed)
    ]


def _achieved(verdict: Verdict, as_asked: bool) -> dict[str, object]:
    """What the certificate ought to say was achieved."""
    if not as_asked:
        return dict(verdict.achieved)
    asked = verdict.requirement.parameters
    return {
        name: None if value is None else asked.get(name) for name, value in verdict.achieved.items()
    }


def _same(claimed: object, computed: object) -> bool:
    if isinstance(claimed, Mapping) and isinstance(computed, Mapping):
        return claimed.keys() == computed.keys() and all(
            _same(claimed[key], computed[key]) for key in claimed
        )
    if isinstance(claimed, (int, float)) and isinstance(computed, (int, float)):
        return math.isclose(claimed, computed, rel_tol=1e-9, abs_tol=1e-9)
    return claimed == computed


def _name(verdict: Verdict) -> str:
    return str(verdict.requirement)


def _outcome(verdict: Verdict) -> str:
    if verdict.holds is None:
        return "not verifiable"
    if verdict.holds:
        return f"holds, achieved {verdict.in_words}"
    classes, records = verdict.breaking_classes, verdict.breaking_records
    broken = f"broken by {many(classes, 'class')} with {many(records, 'record')}"
    return f"{broken}, achieved {verdict.in_words}"
