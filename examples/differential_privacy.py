"""Differential privacy: what is left of a table for several epsilons, and how counts are corrected.

Records are left out at random, so counts of the release are divided by the share that stays. That
share follows from epsilon, and is no secret.
"""

from __future__ import annotations

import random

import polars as pl

import indistinct as ind

SMOKERS = 0.3


def survey(people: int) -> pl.DataFrame:
    """A row for everybody: age, sex, region, whether somebody smokes."""
    draws = random.Random(3)
    rows = [
        (
            draws.randint(20, 79),
            draws.choice("fm"),
            draws.choice(["north", "south", "east", "west"]),
            "yes" if draws.random() < SMOKERS else "no",
        )
        for _ in range(people)
    ]
    return pl.DataFrame(rows, ["age", "sex", "region", "smoker"], orient="row")


def policy(epsilon: float) -> ind.Policy:
    """Levels of ages are chosen by chance; the other columns are published, or are ``*``."""
    return ind.Policy.from_dict(
        {
            "attributes": {
                "age": {
                    "role": "quasi-identifier",
                    "hierarchy": {"intervals": {"width": 10, "levels": 2}},
                    "min_level": 1,
                },
                "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
                "region": {"role": "quasi-identifier", "hierarchy": "suppress"},
                "smoker": {"role": "quasi-identifier", "hierarchy": "suppress", "max_level": 0},
            },
            "promises": [{"model": "differential-privacy", "epsilon": epsilon, "delta": 1e-6}],
            "method": {"algorithm": "safepub"},
        }
    )


if __name__ == "__main__":
    table = survey(20_000)
    print("smokers in the table:", table.filter(smoker="yes").height)
    for epsilon in (0.5, 1.0, 2.0):
        asked = policy(epsilon)
        release = ind.anonymize(table, asked)
        stays = ind.DifferentialPrivacy(epsilon=epsilon, delta=1e-6).chance
        counted = release.tables.filter(smoker="yes").height / stays
        print(
            f"epsilon {epsilon}: {release.tables.height:,} records in classes of "
            f"{release.certificate.classes['smallest']} or more, levels {release.plan.levels}; "
            f"smokers, corrected: {counted:,.0f}"
        )
