"""Three real tables of people with many records, and policies for them."""

from __future__ import annotations

import io
import lzma
from pathlib import Path
from typing import Any

import polars as pl


def _read(path: Path, **more: Any) -> pl.DataFrame:
    held = path.read_bytes()
    text = lzma.decompress(held) if path.suffix == ".xz" else held
    return pl.read_csv(io.BytesIO(text), infer_schema=False, **more)


def informs(shared: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Diagnoses of a household survey (INFORMS 2008): 98,703 of 26,854 people."""
    folder = shared / "data" / "informs"
    people = _read(folder / "demographics05test.csv.xz").select(
        "DUPERSID", born="DOBYY", sex="SEX", race="RACEX", schooling="EDUCYEAR"
    )
    rows = _read(folder / "conditions05.csv.xz").filter(~pl.col("ICD9CODX").str.starts_with("-"))
    table = rows.select("DUPERSID", diagnosis="ICD9CODX").join(people, on="DUPERSID", how="inner")
    return table, _policy(
        "DUPERSID",
        {"born": {"intervals": 10}, "sex": "suppress", "race": "suppress",
         "schooling": {"intervals": {"width": 4, "bottom": 0}}},
        {"diagnosis": {"hierarchy": {"code_system": "icd-9-cm"}}},
    )  # fmt: skip


def nhanes(shared: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Answers of a health survey (NHANES), 10,000 rows of 6,779 people."""
    table = _read(shared / "data" / "nhanes" / "nhanes.csv.xz", null_values="NA").select(
        "ID", "SurveyYr", age="AgeDecade", sex="Gender", race="Race1", marital="MaritalStatus",
        health="HealthGen", depressed="Depressed", diabetes="Diabetes", drugs="HardDrugs",
    )  # fmt: skip
    return table, _policy(
        "ID",
        dict.fromkeys(("age", "sex", "race", "marital"), "suppress"),
        {name: {} for name in ("health", "depressed", "diabetes", "drugs")},
        SurveyYr={"role": "insensitive"},
    )


def synthea(shared: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Conditions of invented patients (Synthea), with the day each began."""
    folder = shared / "data" / "synthea"
    people = _read(folder / "patients.csv").select(
        PATIENT="Id", born=pl.col("BIRTHDATE").str.head(4), sex="GENDER", race="RACE"
    )
    rows = _read(folder / "conditions.csv.xz").select("PATIENT", "START", condition="DESCRIPTION")
    return rows.join(people, on="PATIENT", how="inner"), _policy(
        "PATIENT",
        {"born": {"intervals": 10}, "sex": "suppress", "race": "suppress"},
        {"condition": {}},
        START={"role": "insensitive"},
    )


def _policy(
    person: str, quasi: dict[str, Any], sensitive: dict[str, Any], **beside: Any
) -> dict[str, Any]:
    return {
        "source": {"person": person, "conflicts": "first"},
        "attributes": {
            **{
                name: {"role": "quasi-identifier", "hierarchy": how, "missing": {"as": "value"}}
                for name, how in quasi.items()
            },
            **{name: {"role": "sensitive", **more} for name, more in sensitive.items()},
            **beside,
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"suppression_limit": 0.05, "seed": 1},
    }
