"""What a run says of itself: in public a certificate, in private the full record.

The certificate goes out with the release, so an attacker reads all of it. It holds what
was promised, what a reader could compute from the published files, warnings, and nothing else;
:meth:`Certificate.from_audit` fills it from an audit of the published files, so that figures which
only the custodian can know have no way in. The record of the run holds everything, and stays with
the custodian. The reasons for each line are in ``docs/topics/what-is-public.md``.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import polars as pl

from indistinct.document import Document, Grid, Part, PlainData, many
from indistinct.frozen import dataclass, field
from indistinct.metadata import ValueMetadata
from indistinct.release.audit import Audit
from indistinct.release.audit.verdict import words
from indistinct.types import Plain, PlainMapping
from indistinct.warning_kinds import Kind, WarningText, kinds_of, ranked

MAY_CONTAIN = ("noise", "decoys", "perturbed values")
"""What a release can hold that was not in the table; said without saying how much."""

MADE_UP = ("noise", "decoys")
"""What of it stands for people who do not exist."""

COUNTS_MADE_UP = "counts_made_up"
"""Of a promise of a release that may hold made-up records: whether these may be what keeps it."""

RELY_ON = (
    "the release may contain made-up records, which are not marked: figures counted from it, "
    "also class sizes, include them; promises hold for its people without them"
)

RESTS_ON_MADE_UP = (
    "counts made-up records, and does not bound the belief of an attacker who recognizes them"
)

NOT_BOUNDED = "no promise bounds what a "
"""How the warning begins that names sensitive attributes of which nothing is promised."""

WITH_OTHERS = "knowing "
"""How the warning begins that says what follows for somebody who knows others' values."""

_SCALAR = (str, int, type(None))


@dataclass(frozen=True)
class CertifiedTable(PlainData):
    """One published file: its path in the folder, its SHA-256 digest and its number of rows.

    Or one table in a server, by its name in the schema; then the digest is empty.
    """

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class Certificate(PlainData, Document):
    """The public certificate of a release.

    Arguments:
        version: Version of the program that made the release.
        created: When the certificate was written; it is kept in UTC, to the second. The files'
            own dates say as much, and no randomness is drawn from the clock.
        quasi_identifiers: The attributes that the promises apply to.
        records_published: Number of records of the release, suppressed ones too where those are
            kept.
        classes: ``count``, ``smallest``, ``mean`` and ``largest`` of the equivalence classes.
        promises: For each promise ``model``, ``parameters`` (all of the model's own, those too that
            the policy left to their defaults), ``on``, ``holds`` and ``achieved``; where a figure
            holds with others as asked, ``achieved_with``. Where records may be made up, achieved is
            what was asked, and ``counts_made_up`` says whether these may be what keeps it.
        tables: The published files; none for a release that was not written.
        linked: How linked tables belong together: the tables ``quasi`` and ``sensitive``, the
            column ``by`` that links them, and ``holding``: whether everyone of a bucket has ``one``
            of its values, ``some``, or ``all``.
        person: The column that tells people apart, if they have many records. Its values were made
            for this release. Linked tables have none: a row is a person.
        may_contain: Which of ``noise``, ``decoys`` and ``perturbed values`` may occur.
        warnings: What a reader should know, without any figure of the run.
        sensitive: What is known about the values of sensitive attributes, if a promise needs it.
        transformed: What was done to the values of which attributes, in words, without what would
            help to undo it.

    Raises:
        ValueError: If ``created`` has no time zone or ``may_contain`` an unknown word.
    """

    told_keys: ClassVar = (
        "version created=_created quasi_identifiers records_published classes promises tables "
        "person? linked? sensitive? transformed? may_contain warnings warning_kinds=_kinds"
    )

    version: str
    created: dt.datetime
    quasi_identifiers: tuple[str, ...]
    records_published: int
    classes: Mapping[str, float | int | None]
    promises: tuple[PlainMapping, ...]
    tables: tuple[CertifiedTable, ...] = ()
    linked: Mapping[str, str] | None = None
    may_contain: tuple[str, ...] = ()
    warnings: tuple[WarningText, ...] = ()
    sensitive: Mapping[str, ValueMetadata] = field(default_factory=dict)
    transformed: Mapping[str, str] = field(default_factory=dict)
    person: str | None = None

    def __post_init__(self) -> None:
        if self.created.tzinfo is None:
            raise ValueError("created needs a time zone")
        if unknown := [word for word in self.may_contain if word not in MAY_CONTAIN]:
            raise ValueError(f"may_contain knows {MAY_CONTAIN}, not {unknown}")

    @classmethod
    def from_audit(  # noqa: PLR0913, the keys of the document
        cls,
        audit: Audit,
        *,
        version: str,
        created: dt.datetime | None = None,
        tables: Iterable[CertifiedTable] = (),
        linked: Mapping[str, str] | None = None,
        may_contain: Iterable[str] = (),
        counts_made_up: Collection[str] = (),
        warnings: Iterable[WarningText] = (),
        sensitive: Mapping[str, ValueMetadata] | None = None,
        transformed: Mapping[str, str] | None = None,
        person: str | None = None,
    ) -> Certificate:
        """The certificate that says what an audit of the published tables has found.

        Arguments:
            audit: The audit. Its count of suppressed records is not taken over.
            version: Version of the program.
            created: Now, if not given.
            tables: The published files.
            linked: How linked tables belong together.
            may_contain: What the release may hold that was not in the table. Where records may be
                made up, no figure that counts them is certified: achieved is then what was asked.
            counts_made_up: The models of promises that made-up records may be what keeps.
            warnings: Public warnings.
            sensitive: What is known of the values of sensitive attributes.
            transformed: What was done to the values of which attributes.
            person: The column that tells people apart, if they have many records.
        """
        may_contain = tuple(may_contain)
        promises = [
            {key: value for key, value in verdict.to_dict().items() if key != "violations"}
            for verdict in audit.promises
        ]
        if made_up_among(may_contain):
            promises = [_as_asked(item, item["model"] in counts_made_up) for item in promises]
            warnings = [*_told_of_made_up(promises), *warnings]
        notes = [Kind.LIMIT(verdict.note) for verdict in audit.promises if verdict.note]
        if not made_up_among(may_contain):
            notes += _told_of_suppressed(audit)
        return cls(
            version=version,
            created=created or dt.datetime.now(dt.UTC),
            quasi_identifiers=audit.quasi,
            records_published=audit.records,
            classes=audit.classes.to_dict(),
            promises=tuple(promises),
            tables=tuple(tables),
            linked=linked,
            may_contain=may_contain,
            warnings=tuple(ranked([*notes, *warnings])),
            sensitive=dict(sensitive or {}),
            transformed=dict(transformed or {}),
            person=person,
        )

    def to_dict(self) -> Plain:
        """The public document; ``person``, ``linked``, ``sensitive`` and ``transformed`` only where
        they say something.
        """
        plain: Plain = _plain(super().to_dict())
        return plain

    @property
    def _created(self) -> str:
        return _moment(self.created)

    @property
    def _kinds(self) -> list[str]:
        return kinds_of(self.warnings)

    def frame(self) -> pl.DataFrame:
        """A table with one row for each promise."""
        return pl.DataFrame(
            [
                (
                    _name(promise),
                    ", ".join(promise.get("on") or ()),
                    promise["holds"],
                    words(promise["achieved"], promise.get("achieved_with")),
                )
                for promise in self.promises
            ],
            schema={
                "promise": pl.String,
                "on": pl.String,
                "holds": pl.Boolean,
                "achieved": pl.String,
            },
            orient="row",
        )

    def __repr__(self) -> str:
        return (
            f"<Certificate: {self.records_published} records, {self.classes['count']} classes; "
            f"{'; '.join(_sentence(promise) for promise in self.promises) or 'no promise'}>"
        )

    def parts(self) -> Iterator[Part]:
        """What is certified, in two columns."""
        rows = [
            ("created", _moment(self.created)),
            ("records published", str(self.records_published)),
            ("classes", _values(self.classes)),
            *(("promise", _sentence(promise)) for promise in self.promises),
            *(("table", f"{table.path}, {many(table.rows, 'row')}") for table in self.tables),
            *(("transformed", f"{name}: {what}") for name, what in self.transformed.items()),
            *(("may contain", word) for word in self.may_contain),
            *(("warning", warning) for warning in self.warnings),
        ]
        yield Grid((), rows)


@dataclass(frozen=True)
class Run(PlainData, Document):
    """The private account of a run: the certificate, and what only the custodian may know.

    Arguments:
        certificate: The public certificate.
        records: Number of records of the source.
        published: Records of the source that are published with their quasi-identifiers.
        suppressed: Records of the source that are left out, or published with ``*`` instead.
        plan: ``algorithm``, ``scope``, ``levels``, ``objective``, ``optimal``, ``bound`` and what
            else the plan says of itself.
        measures: What the release loses, by measure.
        seed: The seed of the run's randomness. With it, the shuffle can be undone.
        noise: Number of records of noise added.
        decoys: Number of decoy records added.
        policy_sha256: Digest of the policy; None if there is no file.
        source_sha256: Digest of the source; None if there is no file.
        warnings: What the custodian should know, in addition to the public warnings.
        people: Where people have many records, how many people the source has (``source``), and how
            many are ``published`` and ``suppressed``.
        singled_out: For a release of people: what someone finds who knows a few records or cells of
            a person, by attacker.
        of_people: ``classes`` and ``promises`` without invented records, if there may be some;
            instead of the certificate's.
    """

    told_keys: ClassVar = (
        "*certificate *of_people records published suppressed people? added.noise=noise "
        "added.decoys=decoys singled_out? plan measures policy_sha256 source_sha256 seed "
        "warnings=told warning_kinds=_kinds"
    )

    certificate: Certificate
    records: int
    published: int
    suppressed: int
    plan: PlainMapping
    measures: PlainMapping = field(default_factory=dict)
    seed: int | None = field(default=None, repr=False)
    noise: int = 0
    decoys: int = 0
    policy_sha256: str | None = None
    source_sha256: str | None = None
    warnings: tuple[WarningText, ...] = ()
    people: Mapping[str, int] | None = None
    singled_out: PlainMapping = field(default_factory=dict)
    of_people: PlainMapping = field(default_factory=dict)

    def to_dict(self) -> Plain:
        """The private document: the certificate's keys and the run's own."""
        plain: Plain = _plain(super().to_dict())
        return plain

    @property
    def told(self) -> list[WarningText]:
        """All warnings, the public ones too, the most urgent first."""
        return ranked([*self.certificate.warnings, *self.warnings])

    @property
    def _kinds(self) -> list[str]:
        return kinds_of(self.told)

    def frame(self) -> pl.DataFrame:
        """A table of the measures that are single numbers."""
        numbers = {
            name: float(value)
            for name, value in self.measures.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        }
        return pl.DataFrame(
            {"measure": list(numbers), "value": list(numbers.values())},
            schema={"measure": pl.String, "value": pl.Float64},
        )

    def __repr__(self) -> str:
        return (
            f"<Run: {self.records} records, {self.published} published, {self.suppressed} "
            f"suppressed, by {self.plan.get('algorithm', 'an unnamed algorithm')}>"
        )

    def parts(self) -> Iterator[Part]:
        """The run without its seed and digests, since notebooks are handed around."""
        rows = [
            ("records", str(self.records)),
            ("published", str(self.published)),
            ("suppressed", str(self.suppressed)),
            *((name, str(_plain(value))) for name, value in self.plan.items()),
            *((name, str(_plain(value))) for name, value in self.measures.items()),
            *(("warning", warning) for warning in self.told),
        ]
        yield Grid((), rows)


def made_up_among(may_contain: Iterable[str]) -> bool:
    """Whether a release that may contain this may hold records of nobody."""
    return any(word in MADE_UP for word in may_contain)


def _as_asked(promise: PlainMapping, counts_made_up: bool) -> Plain:
    """A promise of a release that may hold made-up records: no figure that counts them."""
    asked = promise["parameters"]
    achieved = {
        name: None if value is None else asked.get(name)
        for name, value in promise["achieved"].items()
    }
    plain = {key: value for key, value in promise.items() if key != "achieved_with"}
    return {**plain, "achieved": achieved, COUNTS_MADE_UP: counts_made_up}


def _told_of_made_up(promises: Iterable[PlainMapping]) -> list[WarningText]:
    """What readers of such a release are warned of."""
    resting = dict.fromkeys(item["model"] for item in promises if item[COUNTS_MADE_UP])
    about = [Kind.LIMIT(f"'{model}' {RESTS_ON_MADE_UP}") for model in resting]
    return [Kind.LIMIT(RELY_ON), *about]


def _told_of_suppressed(audit: Audit) -> list[WarningText]:
    """That suppressed records keep promises about values less strictly, as a group, than classes.

    What holds is at least as strict as asked. So a figure of classes other than asked says which
    way is stricter.
    """
    found = []
    for verdict, group in zip(audit.promises, audit.suppressed_group, strict=False):
        part, asked, own = verdict.requirement, verdict.requirement.parameters, verdict.achieved
        if not group.holds or part.sensitive is None or not audit.classes.count:
            continue
        weaker = {
            name: figure
            for name, figure in group.achieved.items()
            if isinstance(figure, (int, float))
            and isinstance(limit := asked.get(name), (int, float))
            and isinstance(kept := own.get(name), (int, float))
            and (figure - kept) * (kept - limit) < 0
        }
        if weaker:
            found.append(f"{part.model} of '{part.sensitive}' {words(weaker)}")
    return [
        Kind.LIMIT(
            "achieved figures are those of classes; the group of suppressed records, to which all "
            f"people belong who fit no class, achieves less: {'; '.join(found)}"
        )
    ] * bool(found)


def _moment(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _plain(value: Any) -> Any:
    """The value in the types that JSON has: NumPy scalars unpacked, infinity and NaN as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, _SCALAR):
        return value
    if isinstance(value, Sequence):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)


def _name(promise: PlainMapping) -> str:
    return f"{promise['model']}({_values(promise['parameters'])})"


def _sentence(promise: PlainMapping) -> str:
    word = "holds" if promise["holds"] else "broken"
    achieved = words(promise["achieved"], promise.get("achieved_with"))
    return f"{_name(promise)} {word}, achieved {achieved}"


def _values(values: PlainMapping) -> str:
    return ", ".join(
        f"{name}={format(value, '.6g') if isinstance(value, float) else value}"
        for name, value in values.items()
    )
