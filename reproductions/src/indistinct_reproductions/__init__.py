"""The papers behind the methods, computed again and held against what they print.

One file per paper. :func:`reproduce` runs one and returns a :class:`Reproduction`: every figure and
claim beside what comes out here, with a verdict and the reason where the two differ.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct import PolicyError
from indistinct.errors import did_you_mean

if TYPE_CHECKING:
    from indistinct_reproductions.reproduction import Progress, Reproduction

__all__ = ["PAPERS", "Paper", "reproduce"]


@dataclass(frozen=True)
class Paper:
    """A paper that can be reproduced: what it is, its module, and the files it can be given."""

    title: str
    module: str
    files: tuple[str, ...] = ()


PAPERS: Mapping[str, Paper] = {
    "arca-hewett": Paper(
        "Arca and Hewett (2021): Analytics on Anonymity for Privacy Retention in Smart Health Data",
        "arca_hewett",
        ("processed.cleveland.data", "processed.hungarian.data", "processed.va.data"),
    ),
    "khan": Paper(
        "Khan and others (2020): theta-Sensitive k-Anonymity: An Anonymization Model for IoT based "
        "Electronic Health Records",
        "khan",
        ("adult.data",),
    ),
    "fazal": Paper(
        "Fazal and others (2023): Improved angelization technique against background knowledge "
        "attack for 1:M microdata",
        "fazal",
        ("adult.data", "demographics05test.csv", "conditions05.csv"),
    ),
    "victor-lopez": Paper(
        "Victor and Lopez (2020): Privacy Preserving Sensitive Data Publishing Using (k,n,m) "
        "Anonymity Approach",
        "victor_lopez",
        (
            "adult.csv",
            *(
                f"adult_hierarchy_{name}.csv"
                for name in (
                    "sex",
                    "age",
                    "race",
                    "marital-status",
                    "education",
                    "native-country",
                    "workclass",
                    "occupation",
                    "salary-class",
                )
            ),
        ),
    ),
}
"""The papers, by the name that the command line uses."""


def reproduce(
    name: str,
    data: str | Path | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Reproduction:
    """Compute what a paper prints, and hold the two against each other.

    Arguments:
        name: one of :data:`PAPERS`.
        data: the folder of the public files that the paper works on; what needs them is left out
            where it is not given.
        seed: of whatever the paper draws at random.
        progress: is told what is going on.

    Raises:
        PolicyError: for a paper that is not there.
        DataError: for files that are missing or cannot be understood.
    """
    if name not in PAPERS:
        raise PolicyError("unknown-paper", f"no paper '{name}': {did_you_mean(name, PAPERS)}")
    module = importlib.import_module(f"indistinct_reproductions.{PAPERS[name].module}")
    found: Reproduction = module.reproduce(
        None if data is None else Path(data), seed=seed, progress=progress
    )
    return found
