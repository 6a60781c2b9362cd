"""Run one case and take down everything it says, part by part."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from tests.golden.cases import Case
from tests.golden.tables import FILES, FOLDERS, FRAMES
from typer.testing import CliRunner

import indistinct as ind

DROPPED = {"created", "seconds", "version", "policy_sha256", "seed", "indistinct"}
"""Keys that say when, how fast and by which version; the policy is a part of its own."""

STEPS = {"checked", "generated", "distinct", "expanded"}
"""How far a search went: the last bit of a geometric mean, which machines round differently, can
make it look at one node more."""

REPORTS = ("report.html", "evidence.json", "policy.toml")
"""Files that say again what the others say; their own tests hold them against these."""

DIGITS = 12
"""Significant digits of a figure that count."""


def parts_of(case: Case, shift: int = 0) -> dict[str, Any]:
    """The parts of what a case says, plain and comparable; ``shift`` is added to every seed.

    Sentences stand in the part ``words``, so that rewording one moves nothing else.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = _VERBS[case.verb](case, folder, shift)
            except ind.IndistinctError as error:
                found = {"error": _error(error)}
        words: list[str] = []
        plain = {part: _plain(item, str(folder), words) for part, item in found.items()}
        return plain | ({"words": words} if words else {})


def digest(part: Any) -> str:
    """Six hexadecimal digits that tell two parts apart."""
    text = json.dumps(part, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _error(error: ind.IndistinctError) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "exit": error.exit_code,
        "codes": [item.code for item in error.problems],
        "attributes": [item.attribute for item in error.problems],
        "message": f"message: {error}",
    }


def _plain(item: Any, folder: str, words: list[str]) -> Any:
    """The item with figures rounded, paths and clocks left out, and sentences moved to words."""
    if item is None or isinstance(item, bool | int):
        return item
    if isinstance(item, float):
        return float(f"{item:.{DIGITS}g}") if math.isfinite(item) else str(item)
    if isinstance(item, str):
        text = item.replace(folder, "DIR")
        if text.count(" ") < 3:
            return text
        words.append(text)
        return "(words)"
    if isinstance(item, list | tuple):
        return [_plain(value, folder, words) for value in item]
    if isinstance(item, pl.DataFrame):
        item = {"columns": item.columns, "rows": [list(row) for row in item.rows()]}
    if isinstance(item, Mapping):
        goal = item.get("objective")
        by_roots = isinstance(goal, Mapping) and goal.get("aggregate") == "geometric"
        left_out = DROPPED | STEPS if by_roots else DROPPED
        kept = {str(key): value for key, value in item.items() if key not in left_out}
        return {key: _plain(value, folder, words) for key, value in kept.items()}
    return str(item)


# What a case reads


def _frame(case: Case) -> pl.DataFrame:
    made, *arguments = case.table
    return FRAMES[str(made)](*arguments)


def _data(case: Case, folder: Path) -> Any:
    """The table of the case as the kind of source that it asks for."""
    made, *arguments = case.table
    if made in FOLDERS:
        place = folder / "export"
        place.mkdir(exist_ok=True)
        FOLDERS[str(made)](place, *arguments)
        return place
    frame = _frame(case)
    if case.source == "polars":
        return frame
    if case.source == "lazy":
        return frame.lazy()
    if case.source == "pandas":
        return frame.to_pandas()
    if case.source == "pyarrow":
        return frame.to_arrow()
    if case.source == "duckdb":
        import duckdb

        return duckdb.connect().from_arrow(frame.to_arrow())
    path = folder / f"table.{case.source}"
    if case.source == "parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if case.source == "tsv" else ",")
    return path


def _policy(case: Case, folder: Path, shift: int) -> ind.Policy:
    for name, file in case.files.items():
        if isinstance(file, str):
            text = file
        else:
            made, *arguments = file
            text = FILES[str(made)](*arguments)
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o600)
    keys = json.loads(json.dumps(case.policy))
    if "seed" in keys.get("method", {}):
        keys["method"]["seed"] += shift
    return ind.Policy.from_dict(keys, directory=folder)


# What a case says


def _tables(tables: Any) -> dict[str, Any]:
    """The rows of published tables: as they stand, and in order, whatever the shuffle."""
    frames = tables if isinstance(tables, dict) else {"release": tables}
    found: dict[str, Any] = {"kind": {}, "rows": {}, "multiset": {}}
    for name, frame in frames.items():
        held = _to_polars(frame)
        rows = [[None if value is None else str(value) for value in row] for row in held.rows()]
        types = [str(kind) for kind in held.dtypes]
        found["kind"][name] = [type(frame).__module__.split(".")[0], *held.columns, *types]
        found["rows"][name] = rows
        found["multiset"][name] = sorted(rows, key=lambda row: [value or "" for value in row])
    return found


def _to_polars(frame: Any) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    kind = type(frame).__module__.split(".")[0].lstrip("_")
    if kind == "pandas":
        return pl.from_pandas(frame)
    held = frame if kind == "pyarrow" else frame.to_arrow_table()
    read = pl.from_arrow(held)
    assert isinstance(read, pl.DataFrame)
    return read


def _anonymize(case: Case, folder: Path, shift: int) -> dict[str, Any]:
    policy = _policy(case, folder, shift)
    release = ind.anonymize(_data(case, folder), policy)
    found: dict[str, Any] = _tables(release.tables)
    found["certificate"] = release.certificate.to_dict()
    own = {key: value for key, value in release.run.to_dict().items()
           if key not in found["certificate"]}  # fmt: skip
    found["run"] = own
    found |= {
        f"private {name}": _decided(document)
        for name, document in release.private.items()
        if name not in REPORTS
    }
    found["policy"] = {"keys": _without_seed(policy.to_dict()), "warnings": policy.warnings}
    if case.options.get("write"):
        release.write(folder / "out")
        found["files"] = _files(folder / "out")
    return found


def _decided(document: Any) -> Any:
    """A private document without what repeats hierarchies and classes for :func:`ind.apply`."""
    repeated = {"hierarchies", "class_cells", "members", "member_class", "node_classes"}
    if not isinstance(document, dict):
        return document
    return {key: value for key, value in document.items() if key not in repeated}


def _without_seed(keys: dict[str, Any]) -> dict[str, Any]:
    method = {key: value for key, value in keys.get("method", {}).items() if key != "seed"}
    return {**keys, "method": method}


def _files(folder: Path) -> dict[str, Any]:
    """Every file of a folder but reports: text as it stands, anything else by its name."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in REPORTS:
            name = str(path.relative_to(folder))
            if path.suffix == ".json":
                found[name] = _decided(json.loads(path.read_text(encoding="utf-8")))
            elif path.suffix in (".csv", ".toml", ".html"):
                found[name] = path.read_text(encoding="utf-8").splitlines()
            else:
                found[name] = "present"
    return found


def _by_key(document: Mapping[str, Any]) -> dict[str, Any]:
    return {f"document {key}": value for key, value in document.items() if key not in DROPPED}


def _released(case: Case, folder: Path, shift: int) -> tuple[Any, ind.Policy, Any]:
    """The data, the policy, and the release as the case hands it to a verb."""
    data, policy = _data(case, folder), _policy(case, folder, shift)
    release = ind.anonymize(data, policy)
    kind = case.options.get("release", "release")
    if kind == "frame":
        return data, policy, release.tables
    if kind in ("folder", "file"):
        release.write(folder / "out")
        return data, policy, folder / "out" if kind == "folder" else folder / "out" / "release.csv"
    return data, policy, release


def _own(case: Case) -> dict[str, Any]:
    """The options of the case that the verb takes."""
    return {key: value for key, value in case.options.items() if key != "release"}


def _audit(case: Case, folder: Path, shift: int) -> dict[str, Any]:
    _, policy, release = _released(case, folder, shift)
    if spoilt := case.options.get("spoil"):
        release = release.head(release.height - spoilt)
    if "by" in case.options:
        return _by_key(ind.audit(release, **case.options["by"]).to_dict())
    asked = case.options.get("policy", policy)
    return _by_key(ind.audit(release, asked).to_dict())


def _attack(case: Case, folder: Path, shift: int) -> dict[str, Any]:
    data, policy, release = _released(case, folder, shift)
    options = _own(case)
    if "second" in options:
        keys = json.loads(json.dumps(case.policy)) | options["second"]
        options["second"] = ind.anonymize(data, ind.Policy.from_dict(keys, directory=folder))
    if "population" in options:
        options["population"] = folder / options["population"]
    document = ind.attack(data, release, policy, seed=5 + shift, **options).to_dict()
    found = _by_key({key: value for key, value in document.items() if key != "attacks"})
    for item in document["attacks"]:
        found.setdefault(f"attack {item['name']}", []).append(item)
    return found


def _compare(case: Case, folder: Path, shift: int) -> dict[str, Any]:
    data, policy = _data(case, folder), _policy(case, folder, shift)
    options = _own(case)
    releases = {}
    for name, sections in options.pop("releases").items():
        keys = json.loads(json.dumps(case.policy)) | sections
        releases[name] = ind.anonymize(data, ind.Policy.from_dict(keys, directory=folder))
    found = ind.compare(data, releases, policy=policy, seed=3 + shift, **options)
    return _by_key(found.to_dict())


def _read(case: Case, folder: Path, shift: int) -> dict[str, Any]:
    """The verbs that look at a table, or at what was published of it."""
    data = _data(case, folder)
    policy = _policy(case, folder, shift) if case.policy else None
    options = _own(case)
    for name in options.pop("paths", ()):
        options[name] = folder / options[name]
    if "release" in case.options:
        assert policy is not None
        release = ind.anonymize(data, policy)
        if case.options["release"] == "instead":
            data = release
        else:
            options["release"] = release.tables
    verb = {"assess": ind.assess, "risk": ind.risk, "quasi": ind.quasi}[case.verb]
    return _by_key(verb(data, policy, **options).to_dict())


def _cli(case: Case, folder: Path, shift: int) -> dict[str, Any]:
    """Commands one after the other; the last one's words, and the files that are there then."""
    from indistinct.cli import app

    _data(case, folder)
    if case.policy:
        policy = _policy(case, folder, shift)
        (folder / "p.toml").write_text(policy.to_toml(), encoding="utf-8")
    found: dict[str, Any] = {}
    here = Path.cwd()
    os.chdir(folder)
    try:
        runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
        for number, command in enumerate(case.options["commands"], start=1):
            result = runner.invoke(app, command)
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            found[f"exit {number}"] = result.exit_code
            if "--json" in command and result.exit_code in (0, 3) and result.stdout:
                found |= {
                    f"{key} {number}": value
                    for key, value in _by_key(json.loads(result.stdout)).items()
                }
            else:
                found[f"text {number}"] = _timeless(result.stdout)
            found[f"errors {number}"] = _timeless(result.stderr)
    finally:
        os.chdir(here)
    names = case.options.get("files", ())
    if names:
        found["files"] = {name: (folder / name).read_text("utf-8").splitlines() for name in names}
    return found


def _timeless(text: str) -> list[str]:
    """Lines of a terminal without seconds, versions and the bar of progress."""
    plain = re.sub(r"\b\d+(\.\d+)? ?(s|seconds)\b", "SECONDS", text)
    plain = plain.replace(ind.__version__, "VERSION")
    plain = re.sub(r"(seconds of search).*", r"\1 SECONDS", plain)
    plain = re.sub(r"([─ ])\1+", r"\1\1", plain)  # columns are as wide as their figures
    kept = [line.rstrip() for line in plain.splitlines() if not line.startswith("progress: ")]
    return [f"line: {line}" for line in kept if line]


_VERBS = {
    "anonymize": _anonymize,
    "audit": _audit,
    "attack": _attack,
    "compare": _compare,
    "assess": _read,
    "risk": _read,
    "quasi": _read,
    "cli": _cli,
}
