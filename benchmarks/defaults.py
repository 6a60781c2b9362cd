"""Which method serves best where a policy names none: what analysts keep of ten real tables.

Every table has a yes or no that an analyst wants to explain by the quasi-identifiers. Each method
makes a release with k = 5, read as a sensible analyst would: a range as its middle, a set or a node
as a category, ``*`` as unknown. Of each are told:

* ``auc``: what a classifier (boosted trees, five folds) keeps of the original's area under the ROC
  curve above one half;
* ``overlap``: the confidence intervals of a logistic regression, release against original, as the
  mean overlap over coefficients (Karr et al. 2006); 0 for one that cannot be had any more;
* ``counts``: 1 - the median relative error of 1,000 counting queries, at least 0;
* ``kept``: 1 - NCP, over quasi-identifiers and records, suppressed ones too.
"""

from __future__ import annotations

import lzma
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import statsmodels.api as sm
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

import indistinct as ind
from common import describe_machine, parser, show

K = 5
MOST = 5_000  # records of a table
COMMON = 0.02  # the share of records that a category has for a coefficient of its own


@dataclass(frozen=True)
class Case:
    """A table, the columns others know, and what an analyst wants to explain.

    Arguments:
        file: below the folder of the data.
        quasi: expressions of the quasi-identifiers.
        target: what is explained, true or false.
    """

    file: str
    quasi: tuple[pl.Expr, ...]
    target: pl.Expr

    def read(self, data: Path) -> pl.DataFrame:
        """The columns of the case, at most ``MOST`` records."""
        place = data / self.file
        options: dict[str, Any] = {
            "infer_schema_length": None,
            "null_values": ["NA", "N/A", "?", ""],
        }
        if place.name.startswith("adult"):
            names = (
                "age workclass fnlwgt education education-num marital-status occupation "
                "relationship race sex capital-gain capital-loss hours country income"
            )
            options |= {"has_header": False, "new_columns": names.split()}
        read = lzma.decompress if place.suffix == ".xz" else bytes
        table = pl.read_csv(read(place.read_bytes()), **options)
        text = [name for name, kind in table.schema.items() if kind == pl.String]
        table = table.with_columns(pl.col(text).str.strip_chars().replace("?", None))
        wanted = table.select(*self.quasi, self.target.alias("target")).drop_nulls()
        return wanted.sample(min(MOST, len(wanted)), seed=1)


def years(name: str) -> pl.Expr:
    """Whole years of an age in days."""
    return (pl.col(name) / 365.25).floor().cast(pl.Int64).alias("age")


def of(*names: str) -> tuple[pl.Expr, ...]:
    """Columns as they are."""
    return tuple(pl.col(name) for name in names)


HEALTH = "health_tables"
CASES: Mapping[str, Case] = {
    "adult": Case(
        "adult_uci/adult.data.xz",
        of("age", "sex", "race", "marital-status", "education", "workclass", "occupation"),
        pl.col("income") == ">50K",
    ),
    "stroke": Case(
        "stroke/healthcare-dataset-stroke-data.csv",
        (
            pl.col("age").round().cast(pl.Int64),
            *of("gender", "ever_married", "work_type", "Residence_type"),
        ),
        pl.col("hypertension") == 1,
    ),
    "nhanes": Case(
        "nhanes/nhanes.csv.xz",
        of("Age", "Gender", "Race1", "Education", "MaritalStatus"),
        pl.col("Diabetes") == "Yes",
    ),
    "encounters": Case(
        f"{HEALTH}/diabetic_data.csv",
        of("age", "gender", "race", "admission_type_id", "discharge_disposition_id"),
        pl.col("readmitted") != "NO",
    ),
    "covid": Case(
        f"{HEALTH}/covid_mexico.csv",
        of("AGE", "SEX", "MEDICAL_UNIT", "PATIENT_TYPE"),
        pl.col("DATE_DIED") != "9999-99-99",
    ),
    "cardio": Case(
        f"{HEALTH}/cardio_train.csv",
        (years("age"), *of("gender", "height", "weight")),
        pl.col("cardio") == 1,
    ),
    "brfss": Case(
        f"{HEALTH}/brfss_diabetes.csv",
        of("Age", "Sex", "Education", "Income", "BMI"),
        pl.col("Diabetes_binary") == 1,
    ),
    "framingham": Case(
        f"{HEALTH}/us_heart_patients.csv",
        of("age", "male", "education", "BMI"),
        pl.col("TenYearCHD") == 1,
    ),
    "cirrhosis": Case(
        f"{HEALTH}/cirrhosis.csv", (years("Age"), *of("Sex", "Stage")), pl.col("Status") == "D"
    ),
    "mental health": Case(
        f"{HEALTH}/mental_health_tech.csv",
        (pl.col("Age").clip(15, 80), *of("Gender", "Country", "no_employees")),
        pl.col("treatment") == "Yes",
    ),
}

NUMBER = r"-?[0-9.]+"


def number(cell: str) -> float | None:
    """The number of a cell: its own, or the middle of its range; none of a category or ``*``.

    >>> number("[20, 30)"), number("34"), number("*")
    (25.0, 34.0, None)
    """
    found = [float(item) for item in re.findall(NUMBER, cell)]
    if not found or not re.fullmatch(rf"[\[(<>=]*{NUMBER}(, *[<>=]*{NUMBER})?[\])]?", cell):
        return None
    return sum(found) / len(found)


def read_as_analyst(table: pl.DataFrame, original: pl.DataFrame) -> pl.DataFrame:
    """Numbers as numbers, everything else as categories; ``*`` as unknown."""
    columns = []
    for name, kind in original.drop("target").schema.items():
        cells = (
            table[name].cast(pl.String)
            if name in table.columns
            else pl.Series([None] * len(table), dtype=pl.String)
        )
        if kind.is_numeric() and original[name].n_unique() > 10:
            each = {cell: number(cell) for cell in cells.unique().drop_nulls()}
            columns.append(
                cells.replace_strict(each, default=None, return_dtype=pl.Float64).alias(name)
            )
        else:
            columns.append(cells.replace({"*": None}).alias(name))
    return pl.DataFrame(columns)


def auc(columns: pl.DataFrame, target: NDArray[np.bool_]) -> float:
    """The area under the ROC curve of boosted trees, each fold predicted by the others."""
    columns = columns.select(item for item in columns if item.drop_nulls().n_unique() > 1)
    if not columns.width:
        return 0.5
    coded = columns.with_columns(
        pl.col(pl.String).cast(pl.Categorical).to_physical().cast(pl.Float64)
    ).to_numpy()
    kinds = [kind == pl.String for kind in columns.schema.values()]
    model = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=15, categorical_features=kinds, random_state=0
    )
    coded = np.column_stack(
        [np.minimum(c, 250) if k else c for c, k in zip(coded.T, kinds, strict=True)]
    )
    found = cross_val_predict(model, coded, target, cv=5, method="predict_proba")[:, 1]
    return float(roc_auc_score(target, found))


def intervals(
    columns: pl.DataFrame, target: NDArray[np.bool_], terms: list[tuple[str, str | None]]
) -> dict[Any, tuple[float, float]]:
    """The 95 % confidence interval of each term of a logistic regression that can be had."""
    made, names = [], []
    for name, value in terms:
        column = columns[name]
        if value is None:
            if column.dtype != pl.Float64 or column.drop_nulls().n_unique() < 2:
                continue
            filled = column.fill_null(column.mean()).to_numpy()
        else:
            filled = (column == value).fill_null(value=False).to_numpy().astype(float)
        if filled.std() > 0:
            made.append(filled)
            names.append((name, value))
    if not made:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = sm.Logit(
                target.astype(float), sm.add_constant(np.column_stack(made), has_constant="add")
            ).fit(disp=0)
        bounds = fit.conf_int()[1:]
    except np.linalg.LinAlgError:
        return {}
    return {
        name: tuple(pair)
        for name, pair in zip(names, bounds, strict=True)
        if np.isfinite(pair).all()
    }


def terms_of(columns: pl.DataFrame) -> list[tuple[str, str | None]]:
    """Numbers, and every common category but the most common."""
    found: list[tuple[str, str | None]] = []
    for name, kind in columns.schema.items():
        if kind == pl.Float64:
            found.append((name, None))
            continue
        counts = columns[name].drop_nulls().value_counts(sort=True)
        common = counts.filter(pl.col("count") > COMMON * len(columns))[name].to_list()
        found += [(name, value) for value in common[1:]]
    return found


def overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The mean share of each interval that both cover (Karr et al. 2006, eq. 8), at least 0."""
    both = min(one[1], other[1]) - max(one[0], other[0])
    return max(0.0, both / 2 * (1 / (one[1] - one[0]) + 1 / (other[1] - other[0])))


def policy(table: pl.DataFrame, method: Mapping[str, Any]) -> dict[str, Any]:
    """Five of each for all columns but the target; hierarchies as a first draft has them."""
    attributes: dict[str, Any] = {"target": {"role": "insensitive"}}
    for name, kind in table.drop("target").schema.items():
        number = kind.is_numeric() and table[name].n_unique() > 10
        attributes[name] = {
            "role": "quasi-identifier",
            "hierarchy": {"intervals": {"width": 5}} if number else "suppress",
        }
        if not number:
            attributes[name]["type"] = "category"
    return {
        "attributes": attributes,
        "promises": [{"model": "k-anonymity", "k": K}],
        "method": dict(method) | {"seed": 1},
    }


def optimal(limit: float, *, local: bool = False, **objective: Any) -> dict[str, Any]:
    """The method of full-domain generalization."""
    found: dict[str, Any] = {"algorithm": "optimal", "suppression_limit": limit}
    if objective:
        found["objective"] = {"measure": "loss"} | objective
    return found | ({"local_recoding": True} if local else {})


METHODS: dict[str, dict[str, Any]] = {
    **{
        f"optimal geometric {limit:g}": optimal(limit, aggregate="geometric")
        for limit in (0.0, 0.05)
    },
    **{
        f"optimal arithmetic {limit:g}": optimal(limit, aggregate="arithmetic")
        for limit in (0.0, 0.02, 0.05, 0.1)
    },
    "optimal max 0.05": optimal(0.05, aggregate="max"),
    **{
        f"optimal arithmetic {limit:g}, local": optimal(limit, aggregate="arithmetic", local=True)
        for limit in (0.0, 0.05)
    },
    **{
        f"optimal {measure} 0.05": optimal(0.05) | {"objective": measure}
        for measure in ("non-uniform-entropy", "discernibility", "precision")
    },
    "mondrian": {"algorithm": "mondrian"},
    "mondrian, sets": {"algorithm": "mondrian", "cells": "set"},
    "mondrian, entropy": {"algorithm": "mondrian", "partition": {"dimension": "entropy"}},
    "k-member": {"algorithm": "k-member"},
    "mdav": {"algorithm": "mdav"},
}


def figures(
    table: pl.DataFrame,
    method: Mapping[str, Any],
    baseline: tuple[float, dict[Any, Any], list[Any]],
) -> dict[str, float]:
    """What a release keeps."""
    asked = policy(table, method)
    release = ind.anonymize(table, asked)
    compared = ind.compare(table, release, policy=asked).to_dict()["releases"][0]
    columns = read_as_analyst(release.tables, table)
    target = release.tables["target"].cast(pl.String).str.to_lowercase().to_numpy() == "true"
    best, bounds, terms = baseline
    found = intervals(columns, target, terms)
    stars = sum(1 for name in columns.columns if columns[name].null_count() == len(columns))
    return {
        "auc": max(0.0, (auc(columns, target) - 0.5) / (best - 0.5)),
        "overlap": float(
            np.mean([overlap(bounds[t], found[t]) if t in found else 0.0 for t in bounds])
        ),
        "counts": max(0.0, 1 - compared["query_error"]["median"]),
        "kept": 1 - compared["ncp"]["normalized"],
        "stars": stars,
        "dropped": 1 - len(columns) / len(table),
    }


def lost_with_diversity(table: pl.DataFrame, method: Mapping[str, Any]) -> float:
    """The share of cells that is lost where every class also has both answers."""
    asked = policy(table, method)
    asked["attributes"]["target"] = {"role": "sensitive"}
    asked["promises"].append({"model": "distinct-l-diversity", "l": 2})
    return float(ind.anonymize(table, asked).measures["loss-arithmetic"])


def main() -> None:
    """Run the benchmark."""
    options = parser(__doc__).parse_args()
    print(describe_machine())
    kept: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
    diverse: dict[str, list[float]] = {name: [] for name in METHODS}
    for name, case in CASES.items():
        table = case.read(Path(options.shared) / "data")
        target = table["target"].to_numpy()
        columns = read_as_analyst(table, table)
        terms = terms_of(columns)
        baseline = auc(columns, target), intervals(columns, target, terms), terms
        print(
            f"{name}: {len(table):,} records, area {baseline[0]:.3f}, "
            f"{len(baseline[1])} coefficients",
            flush=True,
        )
        for label, method in METHODS.items():
            try:
                kept[label].append(figures(table, method, baseline))
                diverse[label].append(lost_with_diversity(table, method))
            except ind.IndistinctError as error:
                print(f"  {label}: {error}")
    rows = [
        [
            label,
            len(found),
            *(f"{np.mean([item[key] for item in found]):.3f}" for key in found[0]),
            f"{np.median(diverse[label]):.3f}" if diverse[label] else "",
        ]
        for label, found in kept.items()
        if found
    ]
    show(
        "Means over the tables",
        ["method", "tables", *kept["mondrian"][0], "lost with diversity"],
        rows,
    )


if __name__ == "__main__":
    main()
