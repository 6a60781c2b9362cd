"""What is said of a table or a release is heeded, or refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind

TABLE = pl.DataFrame({"age": [20, 20, 30, 30] * 10, "ill": ["flu", "gout"] * 20})
POLICY: dict[str, Any] = {
    "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
    "promises": [{"model": "k-anonymity", "k": 5}],
}


@pytest.mark.parametrize("verb", [ind.risk, ind.assess, ind.quasi])
def test_how_a_file_is_read_is_said_once_and_in_known_words(tmp_path: Path, verb: Any) -> None:
    """What was said beside a policy was heeded by nobody."""
    TABLE.write_csv(tmp_path / "t.csv")
    for key in ("separator", "seperator"):
        with pytest.raises(ind.PolicyError) as caught:
            verb(tmp_path / "t.csv", POLICY, source={key: ","})
        codes = [one.code for one in caught.value.problems]
        assert codes == ["unknown-key"] * (key == "seperator") + ["policy-and-options"]


def test_how_files_of_a_certificate_are_read_is_not_asked(tmp_path: Path) -> None:
    out = ind.anonymize(TABLE, POLICY).write(tmp_path / "out")
    for verb in (ind.risk, ind.audit):
        for release in (out, out / "release.csv"):
            with pytest.raises(ind.PolicyError) as caught:
                verb(release, source={"separator": ";"})
            assert caught.value.problems[0].code == "certified-files"
    with pytest.raises(ind.PolicyError, match=r"source\.seperator: did you mean 'separator'"):
        ind.audit([out, out], source={"seperator": ";"})
    shutil.copy(out / "release.csv", out / "other.csv")
    assert ind.audit(out / "other.csv", POLICY, source={"separator": ","}).holds
