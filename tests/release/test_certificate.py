from __future__ import annotations

import datetime as dt
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from indistinct.release.audit import audit
from indistinct.release.certificate import Certificate, CertifiedTable, Run
from indistinct.warning_kinds import Kind

MOMENT = dt.datetime(2024, 5, 17, 11, 30, 15, 999, tzinfo=dt.timezone(dt.timedelta(hours=2)))
DAY = dt.date(2024, 1, 31)
SECRETS: dict[str, Any] = {
    "seed": 271828182845904523536,
    "suppressed": 8161,
    "records": 9973,
    "published": 1812,
    "noise": 6007,
    "decoys": 7001,
    "policy": "ab" * 32,
    "source": "cd" * 32,
    "rows": 5471,
    "generated": 5569,
    "value": 0.31737,
    "loss": 0.42961,
    "warning": "4241 records were hard to place",
}

RELEASE = pl.DataFrame(
    {
        "age": ["20-29", "20-29", "30-39", "30-39", "30-39", "*"],
        "sex": ["F", "F", "M", "M", "M", "*"],
        "ward": ["A", "B", "A", "B", "C", "A"],
    }
)


def certificate(**further: Any) -> Certificate:
    found = audit(RELEASE, [{"model": "k-anonymity", "k": 2}], ["age", "sex"])
    return Certificate.from_audit(found, version="0.1.0", created=MOMENT, **further)


def run(public: Certificate, **further: Any) -> Run:
    return Run(
        certificate=public,
        records=SECRETS["records"],
        published=SECRETS["published"],
        suppressed=SECRETS["suppressed"],
        plan={
            "algorithm": "optimal",
            "scope": "domain",
            "levels": {"age": 2, "sex": 0},
            "objective": {
                "measure": "loss",
                "aggregate": "geometric",
                "value": np.float64(SECRETS["value"]),
            },
            "optimal": np.bool_(True),
            "bound": float("inf"),
            "rows": np.int64(SECRETS["rows"]),
            "generated": SECRETS["generated"],
            "distinct": 3,
            "expanded": 2,
        },
        measures={
            "loss": SECRETS["loss"],
            "levels": np.array([1, 2]),
            "complete": True,
            "until": DAY,
        },
        seed=SECRETS["seed"],
        noise=SECRETS["noise"],
        decoys=SECRETS["decoys"],
        policy_sha256=SECRETS["policy"],
        source_sha256=SECRETS["source"],
        warnings=(Kind.SETTING(SECRETS["warning"]),),
        **further,
    )


def keys_in(document: Any) -> set[str]:
    if isinstance(document, dict):
        return set(document).union(*(keys_in(part) for part in document.values()))
    if isinstance(document, list):
        return set().union(*(keys_in(part) for part in document))
    return set()


def test_the_public_document() -> None:
    table = CertifiedTable("release.csv", "0" * 64, 6)
    assert certificate(tables=[table], warnings=[Kind.LIMIT("free text")]).to_dict() == {
        "version": "0.1.0",
        "created": "2024-05-17T09:30:15Z",
        "quasi_identifiers": ["age", "sex"],
        "records_published": 6,
        "classes": {"count": 2, "smallest": 2, "mean": 2.5, "largest": 3},
        "promises": [
            {
                "model": "k-anonymity",
                "parameters": {"k": 2},
                "on": ["age", "sex"],
                "holds": True,
                "achieved": {"k": 2},
            }
        ],
        "tables": [{"path": "release.csv", "sha256": "0" * 64, "rows": 6}],
        "may_contain": [],
        "warnings": ["free text"],
        "warning_kinds": ["limit"],
    }


def test_the_public_document_of_linked_tables() -> None:
    linked = {"quasi": "quasi.csv", "sensitive": "sensitive.csv", "by": "bucket"}
    document = certificate(linked=linked, may_contain=["noise", "decoys"]).to_dict()
    assert document["linked"] == linked
    assert document["may_contain"] == ["noise", "decoys"]


def test_nothing_private_is_public() -> None:
    public = certificate(tables=[CertifiedTable("release.csv", "0" * 64, 6)], may_contain=["noise"])
    private = run(public)
    shown = [json.dumps(private.certificate.to_dict()), repr(public), public._repr_html_()]
    shown.append(str(public.frame().to_dicts()))
    for text in shown:
        for name, secret in SECRETS.items():
            assert str(secret) not in text, name


def test_the_keys_of_the_public_document_are_these_and_no_others() -> None:
    table = CertifiedTable("release.csv", "0" * 64, 6)
    linked = {"quasi": "a", "sensitive": "b", "by": "c"}
    document = certificate(tables=[table], linked=linked, may_contain=["noise"]).to_dict()
    assert set(document) == {
        "version",
        "created",
        "quasi_identifiers",
        "records_published",
        "classes",
        "promises",
        "tables",
        "linked",
        "may_contain",
        "warnings",
        "warning_kinds",
    }
    private = {
        "seed",
        "records",
        "published",
        "suppressed",
        "added",
        "noise",
        "decoys",
        "plan",
        "levels",
        "objective",
        "optimal",
        "bound",
        "generated",
        "distinct",
        "expanded",
        "measures",
        "policy_sha256",
        "source_sha256",
        "source",
        "policy",
        "violations",
    }
    assert not keys_in(document) & private


def test_a_suppressed_record_more_leaves_only_the_count_of_records_different() -> None:
    """The certificate has no count of suppressed records under another name."""
    more = pl.concat([RELEASE, RELEASE.tail(1)])
    found = audit(more, [{"model": "k-anonymity", "k": 2}], ["age", "sex"])
    one = Certificate.from_audit(found, version="0.1.0", created=MOMENT).to_dict()
    other = certificate().to_dict()
    assert {key for key in one if one[key] != other[key]} == {"records_published"}


def test_the_private_document() -> None:
    public = certificate(warnings=[Kind.LIMIT("free text")])
    document = run(public).to_dict()
    assert {key: document[key] for key in public.to_dict() if not key.startswith("warning")} == {
        key: value for key, value in public.to_dict().items() if not key.startswith("warning")
    }
    assert document["warnings"] == ["free text", SECRETS["warning"]]
    assert document["added"] == {"noise": SECRETS["noise"], "decoys": SECRETS["decoys"]}
    assert document["seed"] == SECRETS["seed"]
    assert document["plan"]["levels"] == {"age": 2, "sex": 0}
    assert document["plan"]["optimal"] is True
    assert document["plan"]["bound"] is None
    assert document["measures"] == {
        "loss": SECRETS["loss"],
        "levels": [1, 2],
        "complete": True,
        "until": "2024-01-31",
    }
    assert set(document) - set(public.to_dict()) == {
        "records",
        "published",
        "suppressed",
        "added",
        "plan",
        "measures",
        "policy_sha256",
        "source_sha256",
        "seed",
    }
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_a_run_shows_neither_seed_nor_digest() -> None:
    shown = [repr(run(certificate())), run(certificate())._repr_html_()]
    for text in shown:
        for name in ("seed", "policy", "source"):
            assert str(SECRETS[name]) not in text
    assert str(SECRETS["suppressed"]) in shown[0]


def test_a_run_s_measures_as_a_table() -> None:
    assert run(certificate()).frame().rows() == [("loss", SECRETS["loss"])]


def test_what_people_see() -> None:
    public = certificate(
        tables=[CertifiedTable("release.csv", "0" * 64, 6)], warnings=[Kind.LIMIT("a < b")]
    )
    sentence = "k-anonymity(k=2) holds, achieved k=2"
    assert repr(public) == f"<Certificate: 6 records, 2 classes; {sentence}>"
    assert "a &lt; b" in public._repr_html_()
    assert public.frame().rows() == [("k-anonymity(k=2)", "age, sex", True, "k=2")]


def test_the_audit_reads_what_the_certificate_says(tmp_path: Path) -> None:
    RELEASE.write_csv(tmp_path / "release.csv")
    digest = hashlib.sha256((tmp_path / "release.csv").read_bytes()).hexdigest()
    public = certificate(tables=[CertifiedTable("release.csv", digest, 6)])
    (tmp_path / "certificate.json").write_text(json.dumps(public.to_dict()))
    found = audit(tmp_path)
    assert found.holds
    assert (found.records, found.suppressed) == (6, 1)
    again = Certificate.from_audit(found, version="0.1.0", created=MOMENT, tables=public.tables)
    assert again == public


def test_the_moment_is_now_if_none_is_given() -> None:
    found = audit(RELEASE, quasi=["age"])
    public = Certificate.from_audit(found, version="0.1.0")
    assert dt.datetime.now(dt.UTC) - public.created < dt.timedelta(minutes=5)
    assert "no promise" in repr(public)


def test_what_a_certificate_refuses() -> None:
    with pytest.raises(ValueError, match="time zone"):
        Certificate("0.1.0", dt.datetime(2024, 1, 1), (), 0, {}, ())
    with pytest.raises(ValueError, match="may_contain"):
        certificate(may_contain=["ghosts"])
