from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.profile import safe_harbor
from indistinct.analytics.profile.safe_harbor import KINDS, Column, names_a_doorstep, recognise


def column(
    name: str, values: list[str], kind: str = "text", largest: float | None = None
) -> Column:
    texts = pl.Series(sorted(set(values)), dtype=pl.String)
    return Column(name, kind, len(values), texts.len(), texts, largest)


def kinds(name: str, values: list[str], kind: str = "text") -> list[str]:
    return [tag.kind.name for tag in recognise(column(name, values, kind))]


LETTERS = [f"{one}{two}x" for one in "abcdefgh" for two in "abcdefgh"]


def test_the_eighteen_kinds() -> None:
    assert "".join(kind.letter for kind in KINDS) == "ABCDEFGHIJKLMNOPQR"
    assert len({kind.name for kind in KINDS}) == 18
    assert [kind.name for kind in KINDS if not kind.direct] == ["places", "dates"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("last_name", "names"),
        ("Vorname", "names"),
        ("apellidos", "names"),
        ("nom", "names"),
        ("ZIP", "places"),
        ("Postleitzahl", "places"),
        ("code postal", "places"),
        ("City", "places"),
        ("DateOfBirth", "dates"),
        ("Geburtsdatum", "dates"),
        ("fecha_nacimiento", "dates"),
        ("home phone", "telephone"),
        ("Telefon", "telephone"),
        ("FAX", "fax"),
        ("e-mail", "email"),
        ("SSN", "social-security"),
        ("MRN", "medical-record"),
        ("patient_id", "medical-record"),
        ("Fallnummer", "medical-record"),
        ("beneficiary_no", "health-plan"),
        ("Versichertennummer", "health-plan"),
        ("IBAN", "account"),
        ("passport", "licence"),
        ("Führerschein", "licence"),
        ("license_plate", "vehicle"),
        ("Kennzeichen", "vehicle"),
        ("device serial", "device"),
        ("homepage", "url"),
        ("ip_address", "ip"),
        ("fingerprint", "biometric"),
        ("photo", "photograph"),
        ("id", "other"),
        ("subject_id", "other"),
    ],
)
def test_by_name(name: str, expected: str) -> None:
    tags = recognise(column(name, LETTERS))
    assert tags[0].kind.name == expected
    assert "name" in tags[0].by


@pytest.mark.parametrize(
    ("expected", "values"),
    [
        ("email", ["a@b.org", "cc.d@e-f.com", "x+y@mail.de"]),
        ("url", ["https://a.org/1", "www.b.de", "http://c.fr"]),
        ("ip", ["10.0.0.1", "192.168.1.17", "8.8.8.8"]),
        ("ip", ["2001:db8::1", "fe80::2:3", "2001:0db8:0:0:0:0:0:3"]),
        ("social-security", ["900-11-0001", "900-12-0002", "900-13-0003"]),
        ("telephone", ["(555) 010-0199", "+1 555 010 0100", "555-010-0123"]),
        ("telephone", ["+49 30 1234567", "030 / 123 45 67", "0171-5550123"]),
        ("device", ["00:1b:44:11:3a:b7", "00-1B-44-11-3A-B8", "00:1b:44:11:3a:b9"]),
        ("places", ["12 Long Street", "7a Short Ave. Apt 3", "610 Wide Road"]),
        ("places", ["Lange Straße 5", "Am Ring-Platz 17b", "Hauptstr. 1"]),
        ("places", ["12345-0001", "12345-0002", "54321-0003"]),
        ("photograph", ["a/1.jpg", "b/2.png", "3.jpeg"]),
        ("names", ["Mrs. Aba", "Mr Bcb", "Dr. Cdc"]),
        ("names", ["Abner, Zoe", "Bell, Yan X.", "O'Cory, Xi"]),
        ("account", ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000",
                     "FR1420041010050500013M02606"]),
        ("account", ["4111 1111 1111 1111", "5555555555554444", "378282246310005"]),
        ("vehicle", ["1HGCM82633A004352", "WVWZZZ1JZXW000001", "JH4KA7561PC008269"]),
    ],
)  # fmt: skip
def test_by_pattern(expected: str, values: list[str]) -> None:
    tags = recognise(column("xyz", values))
    assert [tag.kind.name for tag in tags] == [expected]
    assert tags[0].by == ("pattern",)


def test_codes_that_are_different_everywhere() -> None:
    uuids = [f"0000000{at:x}-aaaa-bbbb-cccc-123456789abc" for at in range(16)]
    assert kinds("x", uuids) == ["other"]
    digests = [f"{at:032x}" for at in range(40)]
    assert kinds("x", digests) == ["other"]


@pytest.mark.parametrize(
    "values",
    [
        ["2.50", "36.61", "228.69"],
        ["25000-34999", "35000-44999", "more 99999"],
        ["2024-01-31", "2024-02-01", "2023-12-31"],
        ["12345", "23456", "34567"],
        ["Private", "Self-employed", "Government"],
        ["18.5_to_24.9", "25.0_to_29.9", "30.0_plus"],
        ["1,234", "2,345", "3,456"],
        ["E11.9", "I21.0", "J18.1"],
    ],
)
def test_what_is_no_identifier(values: list[str]) -> None:
    assert kinds("x", values) == []


def test_by_type() -> None:
    assert kinds("onset", ["2024-01-01", "2024-01-02", "2024-01-03"], "date") == ["dates"]
    old = Column("age", "integer", 100, 90, pl.Series(["1", "2", "95"]), 95.0)
    assert [(tag.kind.letter, tag.why) for tag in recognise(old)] == [("C", "ages over 89 occur")]
    young = Column("age", "integer", 100, 90, pl.Series(["1", "2", "89"]), 89.0)
    assert recognise(young) == ()


def test_evidence_adds_up() -> None:
    (tag,) = recognise(column("email", ["a@b.org", "c@d.org", "e@f.org"]))
    assert tag.by == ("name", "pattern")
    assert str(tag).startswith("Safe Harbor (F) e-mail addresses: ")
    assert tag.to_dict()["letter"] == "F"


def test_a_name_is_not_believed_of_values_that_cannot_be_meant() -> None:
    assert kinds("phone", ["true", "false"] * 20, "boolean") == []
    assert kinds("account", ["yes", "no"] * 20) == []
    assert kinds("concept_id", [str(at) for at in range(5)] * 50, "integer") == []
    assert kinds("no", [str(at) for at in range(5)] * 50, "integer") == []
    assert kinds("ip address", LETTERS) == ["ip"]
    assert kinds("license plate", LETTERS) == ["vehicle"]


def test_people_may_have_many_records() -> None:
    visits = [str(at) for at in range(50)] * 40
    assert kinds("PERSON_ID", visits, "integer") == ["other"]
    assert kinds("type_id", visits, "integer") == []


def test_places_as_small_as_a_door() -> None:
    assert names_a_doorstep("home_address")
    assert names_a_doorstep("LAT")
    assert names_a_doorstep("Straße")
    assert not names_a_doorstep("zip")
    assert not names_a_doorstep("platelets")


@settings(max_examples=60)
@given(st.from_regex(safe_harbor._SHORT_WORDS, fullmatch=True))
def test_no_pattern_fits_short_words(word: str) -> None:
    shares = pl.DataFrame({"": [word]}).select(safe_harbor._matching()).row(0)
    *patterns, capital, digit = shares[: len(safe_harbor.PATTERNS)] + shares[-5:]
    assert not any((*patterns, capital and digit and len(word) > 4))


@settings(max_examples=40)
@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=30))
def test_anything_can_be_looked_at(name: str, values: list[str]) -> None:
    tags = recognise(column(name, values))
    assert len({tag.kind.letter for tag in tags}) == len(tags)
