"""What somebody might hand to the program: tables, policies, releases, each made to be refused.

Everything is drawn from one ``random.Random``, so that a case is its number. Cells of tables that
no message may show contain :data:`SECRET`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import random
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from indistinct.policy import sections

SECRET = "Zq7secret"

NAMES = ["age", "sex", "zip", "diagnosis", "patient"]
ODD_NAMES = [
    *("len", "count", "literal", "index", "rows", "people", "size", "value", "class", "*", "^a.*$"),
    *(
        "",
        " ",
        "a b",
        'a"b',
        "=1+1",
        "\u200b",
        "Größe",
        "年齢",
        "a\nb",
        "a,b",
        "\x00",
        "age",
        "x" * 300,
    ),
]
ODD_CELLS = [
    *("", " ", "*", "?", "NA", "nan", "-0.0", "1e308", "1e-400", "9" * 40, "0x1F", "1,5", "٣", "½"),
    *("=1+1", "'x", '"', '""', "{a, b}", "[1, 2)", "2020-02-30", "1/1/1", "true", "\ufeff", "\x00"),
    *("\u202e", "𐍈", "a\tb", "null", "\\N", "-", "x" * 2000),
]
_OPEN = "http://schemas.openxmlformats.org"
PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def cells(draw: random.Random, kind: str, rows: int, odd: float) -> list[str]:
    """A column of a kind, some of its cells odd."""
    plain: Mapping[str, Callable[[], str]] = {
        "age": lambda: str(draw.randint(0, 99)),
        "sex": lambda: draw.choice("fm"),
        "zip": lambda: str(draw.randint(81660, 81680)),
        "diagnosis": lambda: draw.choice([SECRET, f"{SECRET}2", "flu"]),
        "patient": lambda: f"{SECRET}{draw.randint(0, rows // 2)}",
    }
    ordinary = plain.get(kind, lambda: f"{SECRET}{draw.randint(0, 3)}")
    return [draw.choice(ODD_CELLS) if draw.random() < odd else ordinary() for _ in range(rows)]


def columns(draw: random.Random) -> list[str]:
    """The names of a table's columns."""
    names = draw.sample(NAMES, draw.randint(1, len(NAMES)))
    if draw.random() < 0.2:
        names[draw.randrange(len(names))] = draw.choice(ODD_NAMES)
    return names


def csv(draw: random.Random, names: list[str]) -> bytes:
    """A CSV file: most of them plain, some ragged, quoted, encoded or damaged."""
    odd = draw.choice([0.0, 0.0, 0.0, 0.02, 0.3])
    rows = draw.choice([0, 1, 2, 10, 30, 30, 30])
    table = [cells(draw, name, rows, odd) for name in names]
    separator = draw.choice([",", ",", ";", "\t", "|"])
    quoted = draw.random() < 0.5
    lines = [list(names)] * (draw.random() < 0.95) + [list(row) for row in zip(*table, strict=True)]
    if lines[1:] and draw.random() < 0.1:
        draw.choice(lines[1:]).append(SECRET)
    text = draw.choice(["\n", "\n", "\r\n", "\r"]).join(
        separator.join(_quoted(cell) if quoted else cell for cell in line) for line in lines
    )
    encoding = draw.choice(["utf-8"] * 12 + ["utf-8-sig", "utf-16", "latin-1", "utf-32", "cp037"])
    return damaged(draw, text.encode(encoding, "replace"), 0.15)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def damaged(draw: random.Random, data: bytes, share: float) -> bytes:
    """The same bytes, in some cases cut, doubled, or with others in the place of a few."""
    if draw.random() >= share or not data:
        return data
    at, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    return draw.choice(
        [
            data[:at],
            data[:at] + data[end:],
            data[:end] + data[at:],
            data[:at] + draw.randbytes(draw.randint(1, 4)) + data[at + 1 :],
            data[:at]
            + draw.choice([b"\x00", b"\xff\xfe", b'"', b"\n\n", b"\xef\xbb\xbf"])
            + data[at:],
        ]
    )


def packed(draw: random.Random, data: bytes) -> tuple[str, bytes]:
    """A packed file, whole or damaged, and its ending."""
    ending = draw.choice(list(PACKERS))
    return ending, damaged(draw, PACKERS[ending](data), 0.7)


def parquet(draw: random.Random, names: list[str]) -> bytes:
    """A Parquet file with columns of any type."""
    rows = draw.choice([0, 1, 20])
    made: Mapping[str, Callable[[], pl.Series]] = {
        "text": lambda: pl.Series(cells(draw, "age", rows, 0.1)),
        "float": lambda: pl.Series(
            [draw.choice([1.5, math.nan, math.inf, -0.0, None]) for _ in range(rows)],
            dtype=pl.Float64,
        ),
        "list": lambda: pl.Series([[1]] * rows, dtype=pl.List(pl.Int64)),
        "bytes": lambda: pl.Series([SECRET.encode()] * rows, dtype=pl.Binary),
        "date": lambda: pl.Series([draw.randint(-(10**6), 10**6) for _ in range(rows)]).cast(
            pl.Date
        ),
        "bool": lambda: pl.Series([True, None] * rows, dtype=pl.Boolean)[:rows],
        "decimal": lambda: pl.Series(["1.50"] * rows, dtype=pl.String).cast(pl.Decimal(10, 2)),
        "null": lambda: pl.Series([None] * rows, dtype=pl.Null),
    }
    held = {name: made[draw.choice(list(made))]() for name in dict.fromkeys(names)}
    file = io.BytesIO()
    pl.DataFrame(held).write_parquet(file)
    return damaged(draw, file.getvalue(), 0.4)


def workbook(draw: random.Random) -> bytes:
    """A workbook of one sheet, written by hand: cells may lie anywhere, parts may be damaged."""
    far = draw.choice(["B2", "C3", "XFD1048576", "ZZ9", "A0", "AAAA1"])
    row = far.lstrip("ABCDFXZ") or 2
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_OPEN}/package/2006/content-types"/>',
        "xl/workbook.xml": f'<workbook xmlns="{_OPEN}/spreadsheetml/2006/main" '
        f'xmlns:r="{_OPEN}/officeDocument/2006/relationships">'
        '<sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_OPEN}/package/2006/relationships">'
        '<Relationship Id="a" Target="worksheets/sheet1.xml" '
        f'Type="{_OPEN}/officeDocument/2006/relationships/worksheet"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_OPEN}/spreadsheetml/2006/main">'
        '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>age</t></is></c></row>'
        f'<row r="{row}"><c r="{far}"><v>1</v></c></row></sheetData></worksheet>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as held:
        for name, text in parts.items():
            if draw.random() < 0.95:
                held.writestr(name, damaged(draw, text.encode(), 0.1))
    return damaged(draw, file.getvalue(), 0.2)


# Policies ---------------------------------------------------------------------------------------


def anything(draw: random.Random, depth: int = 0) -> Any:
    """A value that a key of a policy may or may not take."""
    odd = [
        *(
            0,
            1,
            -1,
            2,
            5,
            0.5,
            1e308,
            -0.0,
            10**30,
            True,
            False,
            "",
            "a",
            "*",
            "age",
            "sex",
            "diagnosis",
        ),
        *(
            "suppress",
            "2020-01-01",
            "=1",
            "x" * 500,
            math.inf,
            math.nan,
            [],
            {},
            None,
            "k-anonymity",
        ),
    ]
    if depth < 3 and draw.random() < 0.25:
        parts = range(draw.randint(0, 3))
        if draw.random() < 0.5:
            return [anything(draw, depth + 1) for _ in parts]
        return {draw.choice([*NAMES, *KEYS]): anything(draw, depth + 1) for _ in parts}
    return draw.choice(odd)


KEYS = sorted(
    {
        item.alias or name
        for kind in vars(sections).values()
        if isinstance(kind, type) and hasattr(kind, "model_fields")
        for name, item in kind.model_fields.items()
    }
)
"""All keys of all sections of a policy."""


PROMISES: Mapping[str, Mapping[str, Any]] = {
    "distinct-l-diversity": {"l": 2},
    "entropy-l-diversity": {"l": 1.2},
    "recursive-cl-diversity": {"c": 4, "l": 2},
    "alpha-k-anonymity": {"alpha": 0.9, "k": 2},
    "t-closeness": {"t": 0.5},
    "p-sensitive": {"p": 2},
    "max-posterior": {"bound": 0.9},
    "enhanced-beta-likeness": {"beta": 3},
    "delta-disclosure": {"delta": 2},
    "theta-sensitive": {"k": 2},
    "kl-diversity": {"k": 2, "l": 2},
}
"""Promises about sensitive values, and parameters that small tables can keep."""


def policy(draw: random.Random, names: list[str]) -> dict[str, Any]:
    """A policy that fits most tables, but for what is changed at random in many cases."""
    roles = ["quasi-identifier", "quasi-identifier", "insensitive", "identifier"]
    transforms = [
        "swap",
        {"pram": 0.5},
        "synthesize",
        "replace",
        {"noise": 5},
        {"round": 10},
        {"mask": {}},
    ]
    hierarchies: list[Any] = [
        *("suppress", "suppress", "suppress", {"mask": {}}, {"equal_frequency": 2}),
        *({"intervals": {"width": 10}}, {"order": {"values": ["f", "m"]}}, {"date": {}}),
        *({"tree": {"a": ["f", "m"]}}, {"file": "hierarchy.csv"}, {"code_system": "icd-10"}),
    ]
    attributes: dict[str, Any] = {name: {"role": draw.choice(roles)} for name in names}
    attributes[names[0]] = {"role": "quasi-identifier"}
    if len(names) > 1:
        attributes[names[-1]] = {"role": "sensitive"}
    for item in attributes.values():
        if item["role"] == "quasi-identifier" and draw.random() < 0.3:
            item["hierarchy"] = draw.choice(hierarchies)
        if item["role"] != "quasi-identifier" and draw.random() < 0.1:
            item["transform"] = draw.choice(transforms)
    promises: list[dict[str, Any]] = [{"model": "k-anonymity", "k": 2}]
    if len(names) > 1 and draw.random() < 0.5:
        model = draw.choice(list(PROMISES))
        promises.append({"model": model, **PROMISES[model], "sensitive": names[-1]})
    keys: dict[str, Any] = {"attributes": attributes, "promises": promises}
    keys["method"] = {"suppression_limit": draw.choice([0, 0.5, 1, 1])}
    if draw.random() < 0.5:
        keys["method"]["algorithm"] = draw.choice(ALGORITHMS)
    if draw.random() < 0.15:
        keys["source"] = {"person": draw.choice(names)}
    return changed_keys(draw, keys)


def changed_keys(draw: random.Random, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a policy, in half of the cases with other values in some places."""
    made: dict[str, Any] = json.loads(json.dumps(keys))
    for _ in range(draw.choice([0, 0, 1, 1, 3])):
        place: Any = made
        while isinstance(place, dict) and draw.random() < 0.7:
            inner = [one for one in place.values() if isinstance(one, dict) and one]
            if not inner:
                break
            place = draw.choice(inner)
        own = [*place] if draw.random() < 0.6 and place else KEYS
        place[draw.choice(own)] = anything(draw)
    return made


ALGORITHMS = [
    *("optimal", "heuristic", "exhaustive", "greedy", "iab", "mondrian", "k-member", "mdav"),
    *("theta", "knm", "theta-star", "k-l-diversity", "p-l-angelization", "anatomy", "m-invariant"),
]


def toml(draw: random.Random, keys: Mapping[str, Any]) -> bytes:
    """A policy as a file: written as JSON is, which TOML nearly takes; in some cases damaged."""
    lines = [f"{json.dumps(str(key))} = {_inline(item)}" for key, item in keys.items()]
    return damaged(draw, "\n".join(lines).encode("utf-8", "replace"), 0.1)


def _inline(item: Any) -> str:
    if isinstance(item, dict):
        return (
            "{" + ", ".join(f"{json.dumps(str(k))} = {_inline(v)}" for k, v in item.items()) + "}"
        )
    if isinstance(item, list):
        return "[" + ", ".join(map(_inline, item)) + "]"
    if isinstance(item, float) and not math.isfinite(item):
        return "nan" if math.isnan(item) else "inf"
    return '""' if item is None else json.dumps(item, ensure_ascii=False)


def hierarchy(draw: random.Random) -> bytes:
    """A file of a hierarchy: a tree, or nearly one."""
    lines = [[draw.choice(["f", "m", "20", "30", "x"]), draw.choice("ab"), "*"] for _ in range(4)]
    if draw.random() < 0.5:
        lines[0] = lines[0][: draw.randint(0, 2)]
    return damaged(draw, "\n".join(";".join(line) for line in lines).encode(), 0.3)


# Releases ---------------------------------------------------------------------------------------


def changed(draw: random.Random, document: Any) -> Any:
    """A JSON document in which one thing is another, is gone, or stands twice."""
    if isinstance(document, dict) and document and draw.random() < 0.9:
        key = draw.choice(list(document))
        if draw.random() < 0.2:
            return {name: item for name, item in document.items() if name != key}
        return {**document, key: changed(draw, document[key])}
    if isinstance(document, list) and document and draw.random() < 0.9:
        at = draw.randrange(len(document))
        return [*document[:at], changed(draw, document[at]), *document[at:][draw.randint(0, 1) :]]
    return anything(draw)
