from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.profile.contents import Content, content_of
from indistinct.analytics.profile.values import read_values


def content(name: str, values: list[str], times: int = 5) -> Content | None:
    counted = pl.DataFrame({"value": values, "count": [times] * len(values)}, strict=False)
    return content_of(
        name, read_values(counted.group_by("value").agg(pl.col("count").sum()), "text")
    )


ICD9 = [str(number) for number in range(401, 430)]
ICD10 = [f"{letter}{number}" for letter in "ACEFGIJKLM" for number in (10, 23, 45)]


@pytest.mark.parametrize(
    ("name", "values", "system"),
    [
        ("diag_1", [*ICD9, "V57", "250.83"], "icd-9-cm"),
        ("diag_3", [*ICD9, "V57", "?"], "icd-9-cm"),
        ("ICD9CODX", [*ICD9, "-9"], "icd-9-cm"),
        ("x", [*ICD9, "V57", "V58", "E885"], "icd-9-cm"),
        ("glucose", ICD9, None),
        ("x", ICD9, None),
        ("Diagnosis_Code", ["K21", "J45", "E11"], "icd-10"),
        ("x", ["K21.0", "J45.9", "E11.65"], "icd-10"),
        ("x", ICD10, "icd-10"),
        ("cabin", ICD10, None),
        ("x", ["A10", "B12", "C13"], None),
        ("x", ["A10BA02", "N02BE01", "C09AA05"], "atc"),
        ("drug_class", ["A10BA", "N02BE", "C09AA"], "atc"),
        ("zip", ["02139", "02140", "10001"], "us-zip"),
        ("x", ["12139", "12140", "10001"], None),
        ("state", ["ME", "TX", "NA"], "us-state"),
        ("x", ["ME", "TX", "OH", "CA", "NY"], "us-state"),
        ("state", ["Bayern", "Hessen", "Berlin"], None),
        ("native-country", ["United-States", "Mexico", "?"], "country"),
        ("x", ["Germany", "France", "Mali", "Peru", "Chad"], "country"),
        ("language", ["en", "de", "fr"], None),
        ("age_at_diagnosis", [*ICD9, "V57"], None),
        ("country", ["S701x1015", "S702x1023", "S703x1057"], None),
    ],
)
def test_code_systems(name: str, values: list[str], system: str | None) -> None:
    found = content(name, values)
    assert (found.code_system if found else None) == system


def test_what_is_no_code_is_missing_or_stray() -> None:
    found = content("diag", [*ICD9, "V57", "?", "-9", "ill"])
    assert found is not None
    assert (found.missing, found.stray) == (("-9",), True)


@pytest.mark.parametrize(
    ("values", "concept"),
    [
        (["m", "f"], "sex"),
        (["Male", "Female", "Other"], "sex"),
        (["1_female", "2_male"], "sex"),
        (["M", "S"], None),
        (["F", "Y"], None),
        (["unknown", "other"], None),
        (["White", "Black or African American", "Asian"], "ethnicity"),
        (["Married-civ-spouse", "Never-married", "Divorced"], "family"),
        (["HS-grad", "Bachelors", "Masters"], "education"),
        (["CATHOLIC", "JEWISH", "UNOBTAINABLE"], "religion"),
        (["english", "spanish"], "language"),
        (["released", "isolated", "deceased"], "health"),
        (["Viral sinusitis (disorder)", "Acute bronchitis", "Fever"], "health"),
        (["0-9", "10-19", "20-29", "80+"], "age"),
        (["1960", "1972", "1999"], "time"),
        (["[1973,1975]", "(1975,1977]", "(1977,1980]"], "time"),
        (["March", "April", "December"], "time"),
        (["Segunda-feira", "Terça-feira", "Sexta-feira"], "time"),
        (["high", "may", "low"], None),
        (["RETIRED", "PUPIL OR STUDENT", "EMPLOYED IN TRADE"], "occupation"),
        (["URBAN BELOW 20,000", "RURAL AREAS"], "place"),
        (["Adult", "Child", "Infant"], "age"),
        (["0-50", "50-100", "100-500"], None),
        (["Yes", "No"], None),
        (["red", "green"], None),
        (["Very proud", "Somewhat proud", "Not very proud", "I don't know"], "opinion"),
        (["1. Favor a great deal", "2. Favor moderately", "7. Oppose a little"], "opinion"),
        (["Stimme eher zu", "Stimme gar nicht zu", "Weder noch", "Stimme voll zu"], "opinion"),
        (["Totalmente de acuerdo", "Ni de acuerdo ni en desacuerdo", "En desacuerdo"], "opinion"),
        (["A lot", "A little", "Hardly at all"], "opinion"),
        (["Very good", "Good", "Fair", "Poor"], None),
        (["None", "Some", "Not at all"], None),
        (["In paid work", "Domestic work", "Permanently disabled", "Other"], "occupation"),
        (["Private employer", "Public employer", "NAP"], "occupation"),
        (["Own outright", "Renting from private landlord", "Other"], "place"),
        (["Yes, have partner; live in same household", "No partner"], "family"),
        (["No children", "1 child", "2 children"], "family"),
        (["Lived in another country", "Not lived outside"], "place"),
        (["High School completed", "Primary completed", "None"], "education"),
        (["Turk", "Kurd", "No answer"], "ethnicity"),
    ],
)
def test_words(values: list[str], concept: str | None) -> None:
    found = content("x", values)
    assert (found.concept if found else None) == concept


@given(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=20))
def test_anything_can_be_looked_at(name: str, values: list[str]) -> None:
    content(name, values)


@pytest.mark.parametrize(
    ("name", "values", "concept"),
    [
        ("LINHAA", [f"*{one}*I10X" for one in ICD10], "health"),
        ("x", ["GT-SA", "GT-GU", "ZA-KZN"], "place"),
        ("x", ["202051", "202053", "202101"], "time"),
        ("x", ["202051", "202099", "202101"], None),
        ("x", ["202051", "202053", "1e400"], None),
        ("dodm", [f"{1990 + at / 9:.4f}" for at in range(120)], "time"),
        ("x", ["positif", "negatif"], "health"),
        ("A5", ["1 Married, Spouse There", "3 Divorced or Away for Work", "5 Widowed"], "family"),
        ("A3", ["northeast", "central", "southern"], "place"),
        ("A2", ["primary", "lowersec", "vocational"], "education"),
        ("safe_area", ["Very safe", "Quite safe", "Unsafe"], "opinion"),
        ("age", ["Very close", "Close", "Not close"], None),
        ("depression", ["Very likely", "Likely", "Not likely"], None),
    ],
)
def test_what_values_speak_of(name: str, values: list[str], concept: str | None) -> None:
    found = content(name, values)
    assert (found.concept if found else None) == concept
