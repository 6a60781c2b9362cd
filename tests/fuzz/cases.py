"""One hostile case by its number: the files it stands on, and the command that reads them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fuzz import hostile

DATA, POLICY, RELEASE, OUT = "data", "policy.toml", "release", "out"

SOUND = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier"},
        "diagnosis": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 2}],
    "method": {"suppression_limit": 1},
}
"""A policy for the table of :func:`sound`, whose release is tampered with."""


@dataclass(frozen=True)
class Case:
    """Files by their names, and the words of a command that names them.

    Arguments:
        files: what is there.
        words: the command.
        tampered: whether the files are a release that was changed after it was certified.
    """

    files: Mapping[str, bytes]
    words: tuple[str, ...]
    tampered: bool = False


def case(seed: int, number: int, release: Mapping[str, bytes]) -> Case:
    """The case of a number; ``release`` are the files of a sound release, with its table."""
    draw = random.Random(f"{seed} {number}")
    ways: list[tuple[Callable[..., Case], int]] = [(_read, 50), (_asked, 30), (_tampered, 20)]
    way = draw.choices([one for one, _ in ways], [times for _, times in ways])[0]
    return way(draw, release)


def _table(draw: random.Random) -> tuple[str, bytes, list[str]]:
    names = hostile.columns(draw)
    form = draw.choices(["csv", "packed", "parquet", "xlsx", "other"], [60, 10, 15, 5, 10])[0]
    if form == "parquet":
        return f"{DATA}.parquet", hostile.parquet(draw, names), names
    if form == "xlsx":
        return f"{DATA}.xlsx", hostile.workbook(draw), names
    text = hostile.csv(draw, names)
    if form == "packed":
        ending, text = hostile.packed(draw, text)
        return f"{DATA}.csv{ending}", text, names
    other = draw.choice([".tsv", ".txt", ".parquet", ".xlsx", ".db", ""])
    return DATA + (other if form == "other" else ".csv"), text, names


def _read(draw: random.Random, release: Mapping[str, bytes]) -> Case:
    """A hostile table under any verb."""
    del release
    name, data, names = _table(draw)
    files = {name: data, POLICY: hostile.toml(draw, hostile.policy(draw, names))}
    quasi = ",".join(draw.sample(names, draw.randint(1, len(names))))
    verbs: list[tuple[str, ...]] = [
        ("assess", name),
        ("assess", name, "--attributes", quasi, "--exposed", "3"),
        ("quasi", name, "--identifiers", names[0], "--sensitive", names[-1]),
        ("risk", name, "--quasi", quasi),
        ("init", name),
        ("init", name, "--check", POLICY),
        (
            "hierarchy",
            name,
            names[0],
            *draw.choice([("--intervals", "5"), ("--date", "iso"), ("--mask", "right")]),
        ),
        ("anonymize", name, "--quasi", quasi, "--k", "2", "--rest", "drop", "--out", OUT),
        ("anonymize", name, "--policy", POLICY, "--out", OUT),
        ("audit", name, "--quasi", quasi, "--k", "2"),
    ]
    words = draw.choice(verbs)
    if draw.random() < 0.15:
        words += draw.choice(
            [
                ("--separator", draw.choice([";", "", "ab", "\n", '"', "\t"])),
                ("--encoding", draw.choice(["latin-1", "utf-16", "base64", "idna", "", "x"])),
                ("--max-memory", draw.choice(["1KB", "1GB", "x"])),
                ("--sheet", "S"),
                ("--json",),
            ]
        )
    return Case(files, words)


def _asked(draw: random.Random, release: Mapping[str, bytes]) -> Case:
    """A hostile policy for a sound table."""
    keys = hostile.policy(draw, ["age", "sex", "diagnosis"])
    known = hostile.changed_keys(draw, SOUND)
    read = draw.random() < 0.4
    files = {
        f"{DATA}.csv": release[f"{DATA}.csv"],
        POLICY: hostile.toml(draw, known if read else keys),
        "hierarchy.csv": hostile.hierarchy(draw),
        "release.csv": release["release.csv"],
    }
    data, policy = f"{DATA}.csv", ("--policy", POLICY)
    verbs: list[tuple[str, ...]] = [
        ("anonymize", data, *policy, "--out", OUT),
        ("anonymize", data, *policy, "--out", OUT, "--json"),
        ("assess", data, *policy),
        ("quasi", data, *policy),
        ("risk", data, *policy, "--curve", "2-4"),
    ]
    if read:
        verbs = [
            ("attack", data, "release.csv", *policy),
            ("compare", data, "release.csv", *policy),
            ("audit", "release.csv", *policy),
        ]
    return Case(files, draw.choice(verbs))


def _tampered(draw: random.Random, release: Mapping[str, bytes]) -> Case:
    """A certified release of which the table or the certificate is another than it was."""
    files = {f"{RELEASE}/{name}": release[name] for name in ("release.csv", "certificate.json")}
    files |= {f"{DATA}.csv": release[f"{DATA}.csv"], POLICY: hostile.toml(random.Random(0), SOUND)}
    tampered = draw.random() < 0.5
    if tampered:
        name = f"{RELEASE}/release.csv"
        files[name] = hostile.damaged(draw, files[name], 1)
        tampered = files[name] != release["release.csv"]
    else:
        name = f"{RELEASE}/certificate.json"
        document = hostile.changed(draw, json.loads(files[name]))
        files[name] = hostile.damaged(draw, json.dumps(document).encode(), 0.1)
    verbs: list[tuple[str, ...]] = [
        ("audit", RELEASE),
        ("audit", RELEASE),
        ("risk", RELEASE),
        ("attack", f"{DATA}.csv", RELEASE, "--policy", POLICY),
        ("compare", f"{DATA}.csv", RELEASE, "--policy", POLICY),
        ("assess", f"{DATA}.csv", "--policy", POLICY, "--release", RELEASE),
    ]
    words = draw.choice(verbs)
    return Case(files, words, tampered and words[0] == "audit")
