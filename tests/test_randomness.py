"""What is drawn for one purpose tells nothing of what is drawn for another."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.golden.tables import fhir_folder, omop_folder

import indistinct as ind
from indistinct.randomness import Stream, order_of_words, stream

SOURCE = Path(ind.__file__).parent
PEOPLE = 2000
ILLS = {f"ill {at:02}": share for at, share in enumerate([17, 15, 13, 11, 9, 8, 7, 6, 5, 4, 3, 2])}
ORDER = [f"{ill}!" for ill in ILLS]


def test_no_generator_of_one_seed_for_several_purposes() -> None:
    bare = re.compile(r"default_rng|np\.random\.(seed|rand|permutation)\b|^import random", re.M)
    found = [
        path.name
        for path in SOURCE.rglob("*.py")
        if path.name != "randomness.py" and bare.search(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("below", [1, 5, 2**10, 2**64 - 1])
@pytest.mark.parametrize("many", [0, 1, 2, 257, 2000])
def test_words_are_in_order_where_their_first_bits_are_alike(many: int, below: int) -> None:
    words = np.random.default_rng(many).integers(0, below, many, dtype=np.uint64)
    order = order_of_words(words)
    assert sorted(order.tolist()) == list(range(many))
    assert words[order].tolist() == sorted(words.tolist())


def test_searches_simulate_with_a_constant_seed_alone() -> None:
    """What is published depends on a seed only through streams, which nobody can guess."""
    calls = [
        (path.name, ast.unparse(node))
        for path in (SOURCE / "recoding").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("simulation")
    ]
    assert calls
    assert {call for _, call in calls} == {"simulation(0)"}, calls


def test_the_same_purpose_of_the_same_run_draws_the_same() -> None:
    one, other = stream(7, "publication.shuffle"), stream(7, "publication.shuffle")
    assert one.permutation(50).tolist() == other.permutation(50).tolist()
    assert one.bytes(9) == other.bytes(9)
    assert stream(7, "publication.shuffle").bytes(9) != stream(7, "publication.noise").bytes(9)
    assert stream(7, "publication.shuffle").bytes(9) != stream(8, "publication.shuffle").bytes(9)


def test_numbers_are_as_likely_as_they_should_be() -> None:
    drawn = stream(1, "test")
    counts = np.bincount(drawn.integers(3, 10, size=70_000), minlength=10)
    assert counts[:3].sum() == 0
    assert np.abs(counts[3:] - 10_000).max() < 500
    assert sorted(drawn.permutation(1000).tolist()) == list(range(1000))
    firsts = np.bincount([int(drawn.permutation(4)[0]) for _ in range(4000)])
    assert np.abs(firsts - 1000).max() < 150
    normal, laplace = drawn.normal(2.0, 3.0, 50_000), drawn.laplace(2.0, 3.0, 50_000)
    assert normal.mean() == pytest.approx(2, abs=0.1)
    assert normal.std() == pytest.approx(3, abs=0.1)
    assert laplace.mean() == pytest.approx(2, abs=0.1)
    assert laplace.std() == pytest.approx(3 * 2**0.5, abs=0.2)
    assert 0 <= drawn.random(1000).min() < drawn.random(1000).max() < 1


def test_bounds_of_every_number_by_itself() -> None:
    drawn = stream(1, "test")
    low = np.array([0, 10, -3])
    for _ in range(50):
        found = drawn.integers(low, low + np.array([1, 2, 3]))
        assert ((found >= low) & (found < low + np.array([1, 2, 3]))).all()
    with pytest.raises(ValueError, match="no number"):
        drawn.integers(0)
    assert sorted(drawn.choice(6, size=6, replace=False).tolist()) == list(range(6))
    assert drawn.choice(["a"]) == "a"
    with pytest.raises(ValueError, match="fewer entries"):
        drawn.choice(3, size=4, replace=False)


def test_words_that_are_too_large_are_drawn_again() -> None:
    class Large(Stream):
        """Draws the largest word first."""

        def bytes(self, length: int) -> bytes:
            drawn = super().bytes(length)
            return b"\xff" * length if self._draws == 1 else drawn

    assert Large(b"key").integers(3, size=5).max() < 3


# Somebody who knows the program, the order of the source, and who each published row is ---------


def drawn_by(order: Sequence[int]) -> list[int]:
    """The numbers that Fisher and Yates' shuffle drew to make an order of ``range(n)``."""
    held = list(range(len(order)))
    place = list(held)
    found = []
    for i in range(len(order) - 1, 0, -1):
        j = place[order[i]]
        found.append(j)
        held[i], held[j] = held[j], held[i]
        place[held[i]], place[held[j]] = i, j
    return found


def followed(order: Sequence[int], buckets: int) -> list[float]:
    """Where everybody would have stood when people were dealt, from the same words of one stream.

    The numbers of the buckets were drawn before the order of rows; how many words that took, and
    how far dealing had come by then, is known on the average. Words that are too large for a step
    are passed over in both.

    Arguments:
        order: the person of every published row, [n].
        buckets: how many buckets there are.
    """
    n = len(order)
    words = sum((1 << i.bit_length()) / (i + 1) for i in range(1, buckets))
    left = float(n - 1)
    for _ in range(round(words)):
        left -= (left + 1) / (1 << int(left).bit_length())
    i, people = round(left), list(range(n))
    for number in drawn_by(order):
        j = number & ((1 << i.bit_length()) - 1)
        if j <= i:
            people[i], people[j] = people[j], people[i]
            i -= 1
        if i < 1:
            break
    place = [0.0] * n
    for at, person in enumerate(people):
        place[person] = at / n
    return place


def dealt_by_anatomy(counts: dict[str, int], wanted: int) -> dict[str, NDArray[np.int64]]:
    """The bucket that the program gives to the first, second, ... person with each value."""
    left = dict(counts)
    found = {value: np.full(count, -1) for value, count in counts.items()}
    bucket = 0
    while sum(count > 0 for count in left.values()) >= wanted:
        for value in sorted(left, key=lambda one: -left[one])[:wanted]:
            left[value] -= 1
            found[value][left[value]] = bucket
        bucket += 1
    return found


def dealt_by_theta_star(counts: dict[str, int], buckets: int) -> dict[str, NDArray[np.int64]]:
    """The same: one value after the other is dealt, the most frequent first."""
    found, begun = {}, 0
    for value in sorted(counts, key=lambda one: -counts[one]):
        found[value] = (begun + np.arange(counts[value])) % buckets
        begun += counts[value]
    return found


def patients() -> pl.DataFrame:
    """People with illnesses of different frequency, and a column that tells who is in which row."""
    random = np.random.default_rng(5)
    ills = np.repeat(list(ILLS), [share * PEOPLE // 100 for share in ILLS.values()])
    return pl.DataFrame(
        {
            "patient": [f"P{at}" for at in range(PEOPLE)],
            "age": random.integers(20, 80, PEOPLE),
            "row": [f"row {at}" for at in range(PEOPLE)],
            "ill": random.permutation(ills),
        }
    )


def policy(algorithm: str, seed: int) -> dict[str, Any]:
    asked = (
        {"model": "distinct-l-diversity", "l": 5}
        if algorithm == "anatomy"
        else {"model": "theta-sensitive", "k": 5}
    )
    start = {"partition": {"start": "mondrian"}} if algorithm == "theta-star" else {}
    return {
        "source": {"person": "patient"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "row": {"role": "insensitive"},
            "ill": {
                "role": "sensitive",
                "categories": {"table": {f"{ill}!": [ill] for ill in ILLS}, "order": ORDER},
            },
        },
        "promises": [asked | {"sensitive": "ill"}],
        "method": {"algorithm": algorithm, "seed": seed, **start},
    }


def guesses(algorithm: str, seed: int) -> list[tuple[int, bool]]:
    """How sure the adversary is of each person's illness, and whether they are right."""
    table = patients()
    release = ind.anonymize(table, policy(algorithm, seed)).tables
    quasi, sensitive = release["quasi"], release["sensitive"]
    order = [int(name.removeprefix("row ")) for name in quasi["row"]]
    buckets = sensitive["bucket"].n_unique()
    place = followed(order, buckets)
    counts = dict(sensitive["ill"].value_counts().iter_rows())
    dealt = (
        dealt_by_anatomy(counts, 5)
        if algorithm == "anatomy"
        else dealt_by_theta_star(counts, buckets)
    )
    listed = dict(sensitive.group_by("bucket").agg("ill").iter_rows())
    members: dict[int, list[int]] = {}
    for person, bucket in zip(order, quasi["bucket"], strict=True):
        members.setdefault(bucket, []).append(person)
    found = []
    for bucket, people in members.items():
        values = listed[bucket]
        at = np.array(
            [
                [dealt[v][min(int(place[p] * counts[v]), counts[v] - 1)] for v in values]
                for p in people
            ]
        )
        far = np.abs(at[:, :, None] - np.arange(buckets)) / buckets  # [people, values, bucket]
        if algorithm == "theta-star":
            far = np.minimum(far, 1 - far)
        best = int(np.minimum(far, 0.04).min(axis=1).sum(axis=0).argmin())
        near = int((far[:, :, best].min(axis=1) < 0.012).sum())
        for row, person in zip(far[:, :, best], people, strict=True):
            first, second = np.argsort(row)[:2]
            sure = near - 3 * bool(row[first] > 0.012) - bool(row[second] < 0.05)
            found.append((sure, values[first] == table["ill"][person] + "!"))
    return found


@pytest.mark.parametrize("algorithm", ["anatomy", "theta-star"])
def test_the_order_of_rows_does_not_tell_how_people_were_dealt(algorithm: str) -> None:
    """One in five is right by chance; with one stream for both, the surest tenth was in three."""
    surest: list[bool] = []
    for seed in range(4):
        found = sorted(guesses(algorithm, seed), key=lambda one: -one[0])
        surest += [right for _, right in found[: PEOPLE // 10]]
    assert np.mean(surest) < 0.25


# Pseudonyms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", ["drop", "keep"])
def test_pseudonyms_number_only_those_who_are_published(kept: str) -> None:
    rows = pl.DataFrame(
        {
            "who": [f"P{at // 2}" for at in range(60)],
            "age": [str(20 + at // 2 // 10) if at < 50 else str(70 + at // 2) for at in range(60)],
        }
    )
    asked = {
        "source": {"person": "who"},
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}},
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"suppression_limit": 0.2},
        "output": {"suppressed": kept},
    }
    release = ind.anonymize(rows, asked)
    people = 25 if kept == "drop" else 30
    assert release.run.to_dict()["people"]["suppressed"] == 5
    assert sorted(release.tables["who"].unique().to_list()) == [
        f"{at:02}" for at in range(1, people + 1)
    ]


@pytest.mark.parametrize("format_", ["fhir", "omop"])
def test_pseudonyms_of_health_formats_number_only_those_who_are_published(
    format_: str, tmp_path: Path
) -> None:
    {"fhir": fhir_folder, "omop": omop_folder}[format_](tmp_path, 40, 2)
    asked = {
        "source": {"format": format_},
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"suppression_limit": 0.3},
    }

    release = ind.anonymize(tmp_path, asked)
    people = release.run.to_dict()["people"]
    assert people["suppressed"] > 0
    numbers = release.tables[release.certificate.person].unique().cast(pl.Int64).sort().to_list()
    assert numbers == list(range(1, people["published"] + 1))
