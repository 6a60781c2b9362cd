"""FHIR R4: the conditions of patients, from a bulk export or a bundle, as one table.

A bulk export is a folder of NDJSON files, each with resources of one type, one in a line; a bundle
is one JSON document with many resources. Read are ``Patient`` and ``Condition``: the table has a
row for every condition, with what is known of its patient beside it.

What names a patient is left where it is: names, addresses beyond city, state and postal code,
telephone numbers, identifiers such as record and insurance numbers, photographs, contacts, and the
narrative text never enter the table.

    HL7: FHIR Release 4 (4.0.1), resources Patient and Condition; Bulk Data Access, export;
    US Core, extensions for race and ethnicity.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from indistinct.document import many
from indistinct.errors import ROWS_SHOWN, DataError, Problem, Problems, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.sources.file_kind import ending_of
from indistinct.sources.format import CODE, DROPPED, SENSITIVE, WHOLE, Format, HealthRecords
from indistinct.sources.packed import BROKEN, broken, bytes_of, opened
from indistinct.types import Frame, PlainMapping

PERSON = "patient"
"""The column that names the person."""

LINES = (".ndjson", ".jsonl")
BUNDLES = (".json",)
KINDS = ("Patient", "Condition")

_RACE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race"
_ETHNICITY = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-ethnicity"
_TYPE = re.compile(rb'"resourceType"\s*:\s*"(\w+)"')
_SINGLE = (b"Bundle", b"Patient", b"Condition")
"""What a single file is that can be read, by the first type in it."""
_NOT_HAD = ("refuted", "entered-in-error")
_PAST = ("old", "temp", "billing")
_FILE, _ROW, _ID, _CHOSEN = "__file", "__row", "__id", "__chosen"
_OWN = (_FILE, _ROW, _ID, _CHOSEN)

_TEXT = pl.String()
_CODING = pl.Struct(
    {"system": _TEXT, "code": _TEXT, "display": _TEXT, "userSelected": pl.Boolean()}
)
_CONCEPT = pl.Struct({"coding": pl.List(_CODING), "text": _TEXT})
_PERIOD = pl.Struct({"start": _TEXT, "end": _TEXT})
_REFERENCE = pl.Struct({"reference": _TEXT})
_PART = pl.Struct({"url": _TEXT, "valueString": _TEXT, "valueCoding": _CODING})
_SCHEMAS: Mapping[str, Mapping[str, pl.DataType]] = {
    "Patient": {
        "resourceType": _TEXT,
        "id": _TEXT,
        "birthDate": _TEXT,
        "gender": _TEXT,
        "extension": pl.List(pl.Struct({"url": _TEXT, "extension": pl.List(_PART)})),
        "address": pl.List(
            pl.Struct(
                {
                    "use": _TEXT,
                    "city": _TEXT,
                    "state": _TEXT,
                    "postalCode": _TEXT,
                    "period": _PERIOD,
                }
            )
        ),
        "maritalStatus": _CONCEPT,
        "communication": pl.List(pl.Struct({"language": _CONCEPT, "preferred": pl.Boolean()})),
        "deceasedBoolean": pl.Boolean(),
        "deceasedDateTime": _TEXT,
    },
    "Condition": {
        "resourceType": _TEXT,
        "id": _TEXT,
        "subject": _REFERENCE,
        "encounter": _REFERENCE,
        "code": _CONCEPT,
        "clinicalStatus": _CONCEPT,
        "verificationStatus": _CONCEPT,
        "onsetDateTime": _TEXT,
        "onsetPeriod": _PERIOD,
        "abatementDateTime": _TEXT,
        "abatementPeriod": _PERIOD,
        "recordedDate": _TEXT,
    },
}
"""Of each resource what is read, and how it is nested; everything else in it is passed over."""


def fhir_records(path: str | Path) -> HealthRecords:
    """The conditions of a FHIR R4 export, each with what is known of its patient.

    With notes on what is not in the table, and the files that were read.

    Every column is text. ``patient`` (the logical id), ``birth_date``, ``gender``, ``race``,
    ``ethnicity`` (extensions of US Core), ``city``, ``state``, ``postal_code`` (of the current home
    address, else of another current one), ``marital_status``, ``language`` (the preferred one),
    ``deceased`` (yes or no), ``deceased_date``; of the condition ``code`` and ``system`` of the
    coding a user chose, else of the first one, ``condition`` (its display, else the code),
    ``condition_text`` (what somebody wrote beside or instead of a coding), ``clinical_status``,
    ``verification_status``, ``onset_date``, ``recorded_date``, ``abatement_date`` (days, without
    the time), ``encounter``.

    Conditions that were refuted or entered in error are left out, as are patients without any;
    the notes say how many.

    Arguments:
        path: a folder of NDJSON files or bundles (also packed: ``Condition.000.ndjson.xz``), or one
            such file.

    Raises:
        DataError: with everything that is wrong: no file with patients or with conditions, broken
            JSON, a resource of another form than that of R4, several versions of a resource,
            patients without an id, conditions of nobody or of unknown patients.
    """
    path = Path(path)
    parts, problems = _parts(path)
    refuse(DataError, problems)
    sources = {kind: [part for part in parts if part.kind == kind] for kind in KINDS}
    for kind, found in sources.items():
        if not found:
            problems.append(
                Problem(
                    "missing-resource",
                    f"there are no {kind} resources",
                    file=str(path),
                    remedy="export patients and their conditions: _type=Patient,Condition",
                )
            )
    refuse(DataError, problems)
    patients = _stacked(sources["Patient"]).select(_FILE, _ROW, *_patient_columns())
    conditions = _stacked(sources["Condition"]).select(
        _FILE, _ROW, pl.col("id").alias(_ID), *_condition_columns()
    )
    problems += _sound(patients, PERSON, sources["Patient"], required=True)
    problems += _sound(conditions, _ID, sources["Condition"], required=False)
    problems += _placed(conditions, patients, sources["Condition"])
    refuse(DataError, problems)
    had = conditions.filter(~pl.col("verification_status").is_in(_NOT_HAD).fill_null(False))
    frame = had.join(patients.drop(_FILE, _ROW), on=PERSON, how="left", maintain_order="left")
    if not frame.height:
        raise DataError(
            "no-records", "no condition is left: all were refuted or in error", file=str(path)
        )
    without = patients.height - frame[PERSON].n_unique()
    own = [name for name in patients.columns if name not in (_FILE, _ROW)]
    theirs = [name for name in conditions.columns if name not in (*_OWN, PERSON)]
    return HealthRecords(
        frame.select(*own, *theirs),
        tuple(_notes(without, conditions.height - had.height, frame)),
        tuple(dict.fromkeys(part.path for part in parts)),
    )


def _own_words(frame: pl.DataFrame) -> int:
    """The conditions with a display that may be somebody's own words: one patient alone has it.

    And a user chose it, or it stands for no code, or for one that others call otherwise.
    """
    of = ["system", "code"]
    alone = pl.col(PERSON).n_unique().over(*of, "condition") == 1
    unlike = pl.col("condition").n_unique().over(*of) > 1
    own = pl.col(_CHOSEN) | pl.col("code").is_null() | unlike
    named = pl.col("condition").is_not_null() & pl.col("condition").ne_missing(pl.col("code"))
    return frame.filter(named & alone & own).height


def _notes(without: int, not_had: int, frame: pl.DataFrame) -> Iterator[str]:
    bare = pl.col("condition").is_null() & pl.col("condition_text").is_not_null()
    uncoded, own_words = frame.filter(bare).height, _own_words(frame)
    if without:
        yield many(without, "patient has", "patients have") + (
            " no condition, and no record in the table"
        )
    if not_had:
        yield many(not_had, "condition was", "conditions were") + (
            " refuted or entered in error, and left out"
        )
    if uncoded:
        yield many(uncoded, "condition has", "conditions have") + (
            " a free text and no coding, and no value in 'condition': the texts are in "
            "'condition_text', which is published only if the policy gives it another role; read "
            "them before, they may name people"
        )
    if own_words:
        yield many(own_words, "condition has", "conditions have") + (
            " a display of one patient alone, which a user chose or which its code does not have "
            "elsewhere: 'condition' publishes it as written; read these texts, or give 'code' a "
            "role in its place"
        )


# -------- From files to resources --------


@dataclass(frozen=True)
class _Part:
    """The resources of one kind in one file."""

    path: Path
    kind: str
    frame: pl.DataFrame
    unit: str
    """What resources are counted in, for messages: lines, or entries of a bundle."""

    numbers: Callable[[], Sequence[int]]
    """The number of each resource's line or entry."""


def _parts(path: Path) -> tuple[list[_Part], list[Problem]]:
    """The patients and conditions of all files, and what is wrong with the files."""
    files, problems = _files(path)
    parts: list[_Part] = []
    for file in files:
        try:
            parts += _read(file, alone=file == path)
        except DataError as error:
            problems += error.problems
    return parts, problems


def _files(path: Path) -> tuple[list[Path], list[Problem]]:
    known = LINES + BUNDLES
    if path.is_dir():
        inside = [one for one in path.iterdir() if one.is_file() and one.name[0] != "."]
        found = sorted(one for one in inside if ending_of(one) in known)
        if found:
            return found, []
        problem = Problem(
            "no-resources",
            f"no file in the folder ends with {', '.join(known)}",
            file=str(path),
            remedy="name the folder of the export, with files such as Patient.000.ndjson",
        )
    elif not path.exists():
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        near = did_you_mean(path.name, [one.name for one in beside])
        hint = f": {near}" if near.startswith("did") else ""
        problem = Problem("missing-file", f"there is no such file or folder{hint}", file=str(path))
    elif ending_of(path) in known:
        return [path], []
    else:
        problem = Problem(
            "unknown-ending",
            f"the ending '{path.suffix}' does not say what is in the file",
            file=path.name,
            remedy=f"use one of {', '.join(known)}, also packed",
        )
    return [], [problem]


def _read(path: Path, *, alone: bool) -> list[_Part]:
    """The patients and conditions in a file; nothing if it is one of other resources."""
    if ending_of(path) in BUNDLES:
        return _read_bundle(path)
    first = _first_kind(path)
    if first in KINDS:
        data = _data(path)
        frame = _read_fast(data, str(first))
        if frame is not None:
            return [_Part(path, str(first), frame, "line", lambda: _lines(_data(path)))]
        return _read_carefully(path, data)
    return _read_carefully(path, _data(path)) if first is None or alone else []


def _first_kind(path: Path) -> str | None:
    """The type of the first resource of a file; None if it cannot be told."""
    try:
        with opened(path) as file:
            line = next((line for line in file if line.strip()), b"")
        found = json.loads(line.removeprefix(codecs.BOM_UTF8))["resourceType"]
    except BROKEN as error:
        raise broken(path.name, "the file cannot be read", error) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return str(found)


def _data(path: Path) -> bytes:
    return bytes_of(path).removeprefix(codecs.BOM_UTF8)


def _lines(data: bytes) -> list[int]:
    """The numbers of the lines that are not blank."""
    return [at for at, line in enumerate(data.split(b"\n"), start=1) if line.strip()]


def _read_fast(data: bytes, kind: str) -> pl.DataFrame | None:
    """The resources by Polars; None if one is broken, of another type or of another form."""
    try:
        frame = pl.read_ndjson(data, schema=_SCHEMAS[kind])
    except pl.exceptions.PolarsError:
        return None
    return frame if (frame["resourceType"] == kind).fill_null(False).all() else None


def _read_carefully(path: Path, data: bytes) -> list[_Part]:
    """The resources line by line; raises with all lines that are wrong."""
    broken: list[int] = []
    found: list[tuple[int, Any]] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            resource = json.loads(line)
            if not isinstance(resource, dict):
                raise TypeError
        except (ValueError, TypeError, RecursionError):
            broken.append(number)
        else:
            found.append((number, resource))
    problems = Problems()
    if broken:
        problems.add(
            "broken-json",
            f"{_places('line', broken)} {'is' if len(broken) == 1 else 'are'} no JSON object",
            file=path.name,
            remedy="export again; each line must hold one whole resource",
        )
    return _sorted_out(path, "line", found, problems)


def _read_bundle(path: Path) -> list[_Part]:
    """The resources of a bundle; nothing if the file holds something else."""
    try:
        document = json.loads(_data(path))
    except (ValueError, RecursionError) as error:
        where = f" after line {error.lineno - 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise DataError(
            "broken-json", f"the file is not a JSON document{where}", file=path.name
        ) from None
    if not isinstance(document, dict):
        return []
    if document.get("resourceType") != "Bundle":
        return _sorted_out(path, "entry", [(1, document)], [])
    entries = document.get("entry") or []
    named: dict[str, str] = {}
    found: list[tuple[int, Any]] = []
    if isinstance(entries, list):
        for number, entry in enumerate(entries, start=1):
            resource = entry.get("resource") if isinstance(entry, dict) else None
            if not isinstance(resource, dict):
                continue
            address = entry.get("fullUrl")
            if isinstance(address, str):
                resource.setdefault("id", address.rsplit(":", 1)[-1].rsplit("/", 1)[-1])
                named[address] = f"{resource.get('resourceType')}/{resource['id']}"
            found.append((number, resource))
    for _, resource in found:
        for key in ("subject", "encounter"):
            reference = resource.get(key)
            if isinstance(reference, dict) and isinstance(reference.get("reference"), str):
                given = reference["reference"]
                reference["reference"] = named.get(given, given)
    return _sorted_out(path, "entry", found, [])


def _sorted_out(
    path: Path, unit: str, found: Sequence[tuple[int, Any]], problems: list[Problem]
) -> list[_Part]:
    """Resources by their type; raises with those whose form is not that of R4."""
    parts = []
    unfit: dict[str, list[int]] = {}
    for kind in KINDS:
        schema = _SCHEMAS[kind]
        mine = [(number, one) for number, one in found if one.get("resourceType") == kind]
        for number, resource in mine:
            for message in _unfit(resource, schema, kind):
                unfit.setdefault(message, []).append(number)
        if not mine or problems or unfit:
            continue
        needed = ({key: one[key] for key in schema if key in one} for _, one in mine)
        data = "\n".join(map(json.dumps, needed))
        frame = pl.read_ndjson(data.encode(), schema=schema)
        numbers = [number for number, _ in mine]
        parts.append(_Part(path, kind, frame, unit, partial(list, numbers)))
    nameless = [number for number, one in found if "resourceType" not in one]
    if nameless and unit == "line":
        unfit["a resource has no resourceType"] = nameless
    problems += [
        Problem(
            "not-r4",
            f"{message} ({_places(unit, numbers)})",
            file=path.name,
            remedy="export in the form of FHIR R4",
        )
        for message, numbers in unfit.items()
    ]
    refuse(DataError, problems)
    return parts


def _unfit(value: Any, kind: Frame, place: str) -> Iterator[str]:
    """Where a value has another form than what is read of it, without saying what stands there."""
    if value is None:
        return
    if isinstance(kind, Mapping | pl.Struct):
        fields = kind if isinstance(kind, Mapping) else {one.name: one.dtype for one in kind.fields}
        if not isinstance(value, dict):
            yield f"{place} is not an object"
            return
        for name, inside in fields.items():
            yield from _unfit(value.get(name), inside, f"{place}.{name}")
    elif isinstance(kind, pl.List):
        if not isinstance(value, list):
            yield f"{place} is not a list"
            return
        yield from dict.fromkeys(one for item in value for one in _unfit(item, kind.inner, place))
    elif isinstance(kind, pl.Boolean):
        if not isinstance(value, bool):
            yield f"{place} is neither true nor false"
    elif isinstance(value, dict | list):
        yield f"{place} is not a text"


# -------- From resources to columns --------


def _stacked(parts: Sequence[_Part]) -> pl.DataFrame:
    return pl.concat(
        part.frame.with_row_index(_ROW).with_columns(pl.lit(at, pl.UInt32).alias(_FILE))
        for at, part in enumerate(parts)
    )


def _patient_columns() -> list[pl.Expr]:
    home = _address()
    return [
        pl.col("id").alias(PERSON),
        pl.col("birthDate").alias("birth_date"),
        pl.col("gender"),
        _extension(_RACE).alias("race"),
        _extension(_ETHNICITY).alias("ethnicity"),
        home.struct.field("city"),
        home.struct.field("state"),
        home.struct.field("postalCode").alias("postal_code"),
        _concept(pl.col("maritalStatus")).alias("marital_status"),
        _concept(
            _chosen(pl.col("communication"), pl.element().struct.field("preferred")).struct.field(
                "language"
            )
        ).alias("language"),
        pl.when(pl.col("deceasedDateTime").is_not_null() | pl.col("deceasedBoolean"))
        .then(pl.lit("yes"))
        .otherwise(pl.lit("no"))
        .alias("deceased"),
        _day(pl.col("deceasedDateTime")).alias("deceased_date"),
    ]


def _condition_columns() -> list[pl.Expr]:
    code = pl.col("code").struct
    coding = _chosen(code.field("coding"), pl.element().struct.field("userSelected")).struct
    subject = pl.col("subject").struct.field("reference")
    encounter = pl.col("encounter").struct.field("reference")
    return [
        _referred(subject, "Patient").alias(PERSON),
        coding.field("code").alias("code"),
        coding.field("system").alias("system"),
        pl.coalesce(coding.field("display"), coding.field("code")).alias("condition"),
        code.field("text").alias("condition_text"),
        _status("clinicalStatus").alias("clinical_status"),
        _status("verificationStatus").alias("verification_status"),
        _day(pl.coalesce("onsetDateTime", pl.col("onsetPeriod").struct.field("start"))).alias(
            "onset_date"
        ),
        _day(pl.col("recordedDate")).alias("recorded_date"),
        _day(
            pl.coalesce(
                "abatementDateTime",
                pl.col("abatementPeriod").struct.field("end"),
                pl.col("abatementPeriod").struct.field("start"),
            )
        ).alias("abatement_date"),
        _referred(encounter, "Encounter").alias("encounter"),
        coding.field("userSelected").fill_null(False).alias(_CHOSEN),
    ]


def _first(items: pl.Expr, wanted: pl.Expr) -> pl.Expr:
    """The first item of a list of which something holds; missing if there is none."""
    return items.list.eval(pl.element().filter(wanted.fill_null(False))).list.first()


def _chosen(items: pl.Expr, wanted: pl.Expr) -> pl.Expr:
    """The first item of which something holds, or else the first one."""
    return pl.coalesce(_first(items, wanted), items.list.first())


def _concept(concept: pl.Expr) -> pl.Expr:
    coding = concept.struct.field("coding").list.first().struct
    text = concept.struct.field("text")
    return pl.coalesce(coding.field("display"), text, coding.field("code"))


def _status(name: str) -> pl.Expr:
    return pl.col(name).struct.field("coding").list.first().struct.field("code")


def _extension(url: str) -> pl.Expr:
    """The text of an extension of US Core, or else its first category."""
    found = _first(pl.col("extension"), pl.element().struct.field("url") == url)
    inside = found.struct.field("extension")
    element = pl.element().struct.field("url")
    text = _first(inside, element == "text").struct.field("valueString")
    category = _first(inside, element == "ombCategory").struct.field("valueCoding")
    return pl.coalesce(text, category.struct.field("display"), category.struct.field("code"))


def _address() -> pl.Expr:
    """The current home address, or else another current one, or else the first: one of them."""
    element = pl.element().struct
    past = element.field("use").is_in(_PAST).fill_null(False)
    current = element.field("period").struct.field("end").is_null() & ~past
    items = pl.col("address")
    return pl.coalesce(
        _first(items, (element.field("use") == "home") & current),
        _first(items, current),
        items.list.first(),
    )


def _day(moment: pl.Expr) -> pl.Expr:
    """The day of a moment, or its month or year where no more is known."""
    return moment.str.slice(0, 10)


def _referred(reference: pl.Expr, kind: str) -> pl.Expr:
    """The id in a reference: relative, absolute, to a version, or a uuid of a bundle."""
    return pl.coalesce(
        reference.str.extract(rf"(?:^|/){kind}/([A-Za-z0-9.-]{{1,64}})(?:/_history/[^/]+)?$"),
        reference.str.extract(r"^urn:(?:uuid|oid):(.+)$"),
    )


# -------- What must hold of them --------


def _sound(
    frame: pl.DataFrame, key: str, parts: Sequence[_Part], *, required: bool
) -> Iterator[Problem]:
    """Resources without an id, and several of one id."""
    kind = parts[0].kind
    if required:
        nameless = frame.filter(pl.col(key).is_null())
        yield from _told(nameless, parts, "resource-without-id", f"{kind} without an id")
    several = frame.filter(pl.col(key).is_not_null() & pl.col(key).is_duplicated())
    yield from _told(
        several,
        parts,
        "several-versions",
        f"several resources or versions of one {kind}",
        "keep the newest version of each",
    )


def _placed(
    conditions: pl.DataFrame, patients: pl.DataFrame, parts: Sequence[_Part]
) -> Iterator[Problem]:
    """Conditions of nobody, and of patients who are not there."""
    nobody = conditions.filter(pl.col(PERSON).is_null())
    yield from _told(
        nobody,
        parts,
        "condition-without-patient",
        "conditions that name no patient as their subject",
        "take them out: the table is about people",
    )
    known = patients[PERSON].drop_nulls().implode()
    unknown = conditions.filter(~pl.col(PERSON).is_in(known))
    yield from _told(
        unknown,
        parts,
        "unknown-patient",
        "conditions of patients who are not in the export",
        "export their patients as well, or take the conditions out",
    )


def _told(
    rows: pl.DataFrame, parts: Sequence[_Part], code: str, what: str, remedy: str | None = None
) -> Iterator[Problem]:
    """A problem for every file that has such resources, with their lines."""
    for (at,), group in rows.group_by(_FILE, maintain_order=True):
        assert isinstance(at, int)
        part = parts[at]
        numbers = part.numbers()
        places = sorted(numbers[row] for row in group[_ROW])
        yield Problem(code, f"{what}: {_places(part.unit, places)}", part.path.name, remedy=remedy)


def _places(unit: str, numbers: Sequence[int]) -> str:
    """The numbers of lines or entries, no more than a screen takes."""
    shown = ", ".join(map(str, numbers[:ROWS_SHOWN]))
    more = len(numbers) - ROWS_SHOWN
    plural = {"line": "lines", "entry": "entries"}[unit]
    rest = f" and {more} more" if more > 0 else ""
    return f"{unit if len(numbers) == 1 else plural} {shown}{rest}"


class FHIR(Format):
    """A FHIR R4 bulk export, a row for every condition of a person."""

    name = "fhir"
    title = "a FHIR R4 bulk export"
    person = "patient"
    attributes: ClassVar[Mapping[str, PlainMapping]] = {
        "patient": DROPPED,
        "birth_date": {
            "role": "quasi-identifier",
            "hierarchy": {"date": {"levels": ["month", "year", "decade"]}},
        },
        "gender": WHOLE,
        "race": WHOLE,
        "ethnicity": WHOLE,
        "city": DROPPED,
        "state": WHOLE,
        "postal_code": CODE,
        "marital_status": DROPPED,
        "language": DROPPED,
        "deceased": DROPPED,
        "deceased_date": DROPPED,
        "code": DROPPED,
        "system": DROPPED,
        "condition": SENSITIVE,
        "condition_text": DROPPED,
        "clinical_status": DROPPED,
        "verification_status": DROPPED,
        "onset_date": DROPPED,
        "recorded_date": DROPPED,
        "abatement_date": DROPPED,
        "encounter": DROPPED,
    }

    def read(self, path: str | Path) -> HealthRecords:
        """The conditions, with notes on what is not among them."""
        return fhir_records(path)

    def recognizes(self, names: list[str]) -> bool:
        """Whether there is a table of people."""
        return any(name.startswith("patient") and ".ndjson" in name for name in names)

    def begins(self, start: bytes) -> bool:
        """Whether the file is a bundle, or holds patients or conditions."""
        first = _TYPE.search(start)
        braced = start.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{")
        return braced and first is not None and first[1] in _SINGLE
