"""Health formats: what is known of their columns before anybody has written a policy.

A policy with ``source.format`` needs to say only what is special: the columns of the format have
the roles and hierarchies given here, and an attribute that the policy has replaces the one here.
The rule is that of a careful custodian. What others may know of a person is a quasi-identifier,
what the person has is sensitive, and everything that is not known to be harmless is dropped.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from indistinct.errors import PolicyError, Problem, did_you_mean

FORMATS = ("fhir", "omop")
"""The formats there are: a FHIR R4 bulk export, and the tables of the OMOP Common Data Model."""


@dataclass(frozen=True, eq=False)
class HealthRecords:
    """What was read from a health format: one row per condition of a person.

    Arguments:
        frame: the rows, with the same columns whatever was in the files.
        notes: what is not in the table, with counts, as sentences for a custodian.
        files: the files that were read.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]
    files: tuple[Path, ...]


_DROPPED = {"role": "identifier"}
_WHOLE = {"role": "quasi-identifier", "hierarchy": "suppress"}
_CODE = {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}}
_SENSITIVE = {"role": "sensitive"}

_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "fhir": {
        "source": {"person": "patient"},
        "attributes": {
            "patient": _DROPPED,
            "birth_date": {
                "role": "quasi-identifier",
                "hierarchy": {"date": {"levels": ["month", "year", "decade"]}},
            },
            "gender": _WHOLE,
            "race": _WHOLE,
            "ethnicity": _WHOLE,
            "city": _DROPPED,
            "state": _WHOLE,
            "postal_code": _CODE,
            "marital_status": _DROPPED,
            "language": _DROPPED,
            "deceased": _DROPPED,
            "deceased_date": _DROPPED,
            "code": _DROPPED,
            "system": _DROPPED,
            "condition": _SENSITIVE,
            "clinical_status": _DROPPED,
            "verification_status": _DROPPED,
            "onset_date": _DROPPED,
            "recorded_date": _DROPPED,
            "abatement_date": _DROPPED,
            "encounter": _DROPPED,
        },
    },
    "omop": {
        "source": {"person": "person_id"},
        "attributes": {
            "person_id": _DROPPED,
            "year_of_birth": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "birth_date": _DROPPED,
            "gender": _WHOLE,
            "race": _WHOLE,
            "ethnicity": _WHOLE,
            "city": _DROPPED,
            "county": _DROPPED,
            "state": _WHOLE,
            "zip": _CODE,
            "gender_source_value": _DROPPED,
            "race_source_value": _DROPPED,
            "ethnicity_source_value": _DROPPED,
            "condition_concept_id": _DROPPED,
            "condition": _SENSITIVE,
            "condition_source_value": _DROPPED,
            "condition_type": _DROPPED,
            "condition_start_date": _DROPPED,
            "condition_end_date": _DROPPED,
        },
    },
}


def preset(format: str) -> dict[str, Any]:  # noqa: A002, the policy's word
    """What a policy starts from for a format: ``source`` and ``attributes``, as a policy has them.

    The attributes are all columns that the format's reader gives, in their order. The caller may
    change what it gets.

    Raises:
        PolicyError: when there is no such format.

    >>> preset("omop")["source"]
    {'person': 'person_id'}
    >>> preset("fhir")["attributes"]["condition"]
    {'role': 'sensitive'}
    """
    return copy.deepcopy(dict(_PRESETS[_known(format)]))


def read_format(format: str, path: str | Path) -> HealthRecords:  # noqa: A002
    """The records of a format, with notes on what is not among them.

    Arguments:
        format: one of :data:`FORMATS`.
        path: the folder of the export; for ``fhir`` a single file as well.

    Raises:
        PolicyError: when there is no such format.
        DataError: with everything that is wrong with the files, and no value in them.
    """
    if _known(format) == "fhir":
        from indistinct.sources.fhir import fhir_records

        return fhir_records(path)
    from indistinct.sources.omop import omop_records

    return omop_records(path)


def _known(name: str) -> str:
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS)
        raise PolicyError(Problem("unknown-format", f"no health format '{name}': {hint}"))
    return name
