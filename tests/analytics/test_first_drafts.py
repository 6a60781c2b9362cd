"""Roles and people of first drafts, on tables like those of which a draft was wrong."""

from datetime import date, timedelta

import polars as pl
import pytest

from indistinct.analytics.profile.codebooks import titles_of
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.described import Profile

N = 600
AGES = [str(20 + at * 7 % 60) for at in range(N)]
ILL = [("asthma", "gout", "flu")[at % 3] for at in range(N)]
FIRST = ("Anna", "Peter", "Maria", "John", "Sarah", "David", "Laura", "Thomas", "Julia", "Paul")
LAST = ("Smith", "Miller", "Brown", "Garcia", "Jones", "Wilson", "Martin", "Clark")


def draft(**columns: list[str]) -> Profile:
    """The draft of a table."""
    return profile(pl.DataFrame(columns), "t").closed()


def role_of(name: str, values: list[str], **others: list[str]) -> str:
    """The role of one column beside others."""
    return draft(**{name: values}, **others)[name].role


def test_names_of_people_with_several_records_are_asked_for() -> None:
    names = [f"{LAST[at % 8]}, {FIRST[at // 8 % 10]}" for at in range(N)]
    person = draft(name=names, diagnosis=ILL).person
    assert person is not None
    assert (person.column, person.sure) == ("name", False)
    assert draft(doctor_name=names, diagnosis=ILL).person is None
    assert draft(name=names, age=AGES, diagnosis=ILL).person is None  # they are namesakes
    own = {name: str(20 + at) for at, name in enumerate(sorted({*names}))}
    person = draft(name=names, age=[own[name] for name in names], diagnosis=ILL).person
    assert person is not None


def test_an_id_of_things_is_asked_for_and_not_stated() -> None:
    packs = [str(100 + at * 13 % 97) for at in range(N)]
    person = draft(packid=packs, age=AGES, diagnosis=ILL).person
    assert person is not None
    assert (person.column, person.sure) == ("packid", False)


def test_a_number_of_somebody_goes_before_an_id_of_things() -> None:
    packs = [str(100 + at * 13 % 97) for at in range(N)]
    people = [str(1000 + at * 31 % 199) for at in range(N)]
    columns = {"p1_lopnr_personnr": people, "packid": packs, "age": AGES, "diagnosis": ILL}
    person = draft(**columns).person
    assert person is not None
    assert (person.column, person.sure) == ("p1_lopnr_personnr", True)


def test_a_school_with_many_pupils_is_asked_for_and_not_stated() -> None:
    schools = [f"{at % 60:05d}" for at in range(N)]
    person = draft(SCHOOLID=schools, STIDSTD=[f"{at:05d}" for at in range(N)], age=AGES).person
    assert person is None or not person.sure


def test_repeated_numbers_that_end_with_a_word_for_a_number_are_asked_for() -> None:
    numbers = [str(1000 + at * 37 % 211 * 4) for at in range(N)]
    person = draft(LopNr=numbers, diagnosis=ILL).person
    assert person is not None
    assert (person.column, person.sure) == ("LopNr", False)


def test_a_case_and_a_family_are_numbers_of_somebody() -> None:
    cases = [str(2 + at * 5 % 331 * 3) for at in range(N)]
    codes = [("C34.1", "J43.9", "I25.1", "I21.9")[at % 4] for at in range(N)]
    assert role_of("case", cases, icd10=codes) == "identifier"
    assert role_of("case", ["0", "1"] * (N // 2), age=AGES) != "identifier"
    assert role_of("famid", [str(at % 97) for at in range(N)], diagnosis=ILL) == "identifier"
    assert role_of("covid", ["0", "1"] * (N // 2), age=AGES) == "sensitive"


def test_sentences_are_no_last_names() -> None:
    said = ["I ate some in the last year", "I ate some in the last week", "I am eating some now"]
    last = [said[at % 3] for at in range(30)]
    assert role_of("last", last, sick=["0", "1", "1"] * 10) != "identifier"
    assert role_of("last", [LAST[at % 8] for at in range(N)], diagnosis=ILL) == "identifier"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("studwgt", [f"{4 + at % 40 / 7:.10f}" for at in range(N)], "identifier"),
        ("ponderation", [f"{1 + at % 4 / 70:.10f}" for at in range(N)], "identifier"),
        ("lbwght", [f"{4 + at % 40 / 70:.10f}" for at in range(N)], "sensitive"),
        ("INCOM", [str((7 + at * 3 % 20) * 5000) for at in range(N)], "sensitive"),
        ("nhood", [str(1 + at % 7) for at in range(N)], "quasi-identifier"),
        ("agepa", [str(20 + at * 3 % 41) for at in range(N)], "quasi-identifier"),
        ("geographie", [f"{40 + at * 7 % 599 / 10}" for at in range(N)], "sensitive"),
    ],
)
def test_names_are_read_with_their_values(name: str, values: list[str], role: str) -> None:
    assert role_of(name, values, diagnosis=ILL, age=AGES, smoker=["0", "1"] * (N // 2)) == role


def test_columns_of_a_study_of_schools_are_known_by_its_codebook() -> None:
    pupils = draft(
        SCHOOLID=[f"{at % 60:05d}" for at in range(N)],
        STRATIO=[f"{10 + at % 60 / 7:.2f}" for at in range(N)],
        ST01Q01=[str(7 + at % 5) for at in range(N)],
        ST03Q01=[str(1 + at * 7 % 12) for at in range(N)],
        ST04Q01=[str(1 + at % 2) for at in range(N)],
        ST23Q01=[str(1 + at * 7 // 11 % 2) for at in range(N)],
    )
    known = [one.attribute for one in pupils.attributes if one.role == "quasi-identifier"]
    assert {"ST01Q01", "ST03Q01", "ST04Q01"} <= {*known}
    assert "ST23Q01" not in known


def test_a_dummy_follows_from_a_few_groups_with_many_records() -> None:
    schooling = [str(at * 7 // 3 % 4) for at in range(N)]
    others = {"momeducation": schooling, "diagnosis": ILL, "smoker": ["0", "1"] * (N // 2)}
    dummy = [str(int(group == "1")) for group in schooling]
    assert role_of("lths", dummy, **others) == "quasi-identifier"
    dummy[-1] = "0"  # it does not follow any more
    assert role_of("lths", dummy, **others) == "sensitive"


def test_replicates_of_weights_are_left_out() -> None:
    weights = [10 + at % 37 / 7 for at in range(N)]
    columns = {"W_FSTUWT": [f"{weight:.4f}" for weight in weights], "diagnosis": ILL}
    for number in range(1, 13):
        half = [1.5 if at * (2 * number + 1) // 5 % 2 else 0.5 for at in range(N)]
        columns[f"W_FSTR{number}"] = [f"{a * b:.4f}" for a, b in zip(weights, half, strict=True)]
        columns[f"score{number}"] = [f"{a * b * 9:.4f}" for a, b in zip(weights, half, strict=True)]
    seen = draft(**columns)
    assert {seen[f"W_FSTR{number}"].role for number in range(1, 13)} == {"identifier"}
    assert {seen[f"score{number}"].role for number in range(1, 13)} == {"sensitive"}


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("over65", ["0", "1", "0"] * (N // 3), "quasi-identifier"),
        ("camp", [("IFO", "DAG", "HAG")[at % 3] for at in range(N)], "quasi-identifier"),
        ("b.marr", ["0", "1", "0"] * (N // 3), "quasi-identifier"),
        ("tract", [str(1 + at * 7 % 331) for at in range(N)], "quasi-identifier"),
        ("rwt_llcp", [f"{100 + at * 7 % 599 / 7:.10f}" for at in range(N)], "identifier"),
        ("nohouse_encr", [str(500_000 + at // 2 * 37) for at in range(N)], "identifier"),
        ("self", [str(1 + at % 5) for at in range(N)], "sensitive"),
    ],
)
def test_short_names_of_surveys(name: str, values: list[str], role: str) -> None:
    assert role_of(name, values, diagnosis=ILL, smoker=["0", "1"] * (N // 2)) == role


def test_a_case_with_several_events_is_stated() -> None:
    cases = [str(1000 + at // 3) for at in range(N)]
    person = draft(case_id=cases, activity=ILL, resource=["a", "b"] * (N // 2)).person
    assert person is not None
    assert (person.column, person.sure) == ("case_id", True)


@pytest.mark.parametrize(
    ("name", "values", "token"),
    [
        ("prolactin", [f"{4 + at * 7 % 301 / 4}" for at in range(N)], "99.99"),
        ("height_cm", [f"{140 + at * 7 % 301 / 8}" for at in range(N)], "999.9"),
        ("age", [str(20 + at * 7 % 60) for at in range(N)], "99"),
    ],
)
def test_nines_that_stand_for_missing(name: str, values: list[str], token: str) -> None:
    values = [token if at % 12 == 0 else value for at, value in enumerate(values)]
    assert draft(**{name: values}, diagnosis=ILL)[name].codes == (token,)
    values[::12] = values[1::12]
    assert draft(**{name: values}, diagnosis=ILL)[name].codes == ()


def test_no_nines_that_most_records_have_and_none_that_are_as_frequent_as_others() -> None:
    hours = [str(99 if at % 3 else 20 + at * 7 % 60) for at in range(N)]
    assert draft(hours=hours, diagnosis=ILL)["hours"].codes == ()
    percentiles = [f"{at * 7 % 1000 / 10}" for at in range(1000)]
    assert draft(percentile=percentiles)["percentile"].codes == ()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("agec", [str(1 + at * 7 % 26) for at in range(N)]),
        ("ageblood", [str(44 + at * 7 % 25) for at in range(N)]),
        ("sexc", [str(1 + at % 2) for at in range(N)]),
        ("nm_chld", [str(1 + at * 7 % 5) for at in range(N)]),
        ("datanas", [str(-15_000 + at * 7) for at in range(N)]),
    ],
)
def test_short_names_of_somebody_s_age_sex_children_and_birth(name: str, values: list[str]) -> None:
    assert role_of(name, values, diagnosis=ILL) == "quasi-identifier"


def test_answers_in_people_s_own_words_are_left_out() -> None:
    parts = ("el trato", "el sueldo", "la limpieza", "el horario", "la gente", "el clima")
    answers = [f"{parts[at % 6]} y {parts[at // 6 % 6]} de {FIRST[at % 10]}" for at in range(N)]
    asked = "¿Qué destacas de la empresa como un buen lugar para trabajar?"
    assert role_of(asked, answers, age=AGES) == "identifier"
    assert role_of(asked, [parts[at % 6] for at in range(N)], age=AGES) == "sensitive"


@pytest.mark.parametrize(
    "name",
    [
        "Do you always deposit these data in dedicated community repositories?",
        "Are you aware that there is a repository of the community?",
        "Vorherige_Behandlung_Deutschland",
    ],
)
def test_yes_and_no_to_a_question_with_a_word_for_a_place(name: str) -> None:
    values = ["Ja" if at * 7 // 11 % 3 else "Nein" for at in range(N)]
    assert role_of(name, values, diagnosis=ILL, age=AGES) == "sensitive"


def test_a_word_that_stands_for_missing_among_ages() -> None:
    ages = [AGES[at] if at % 20 else "x" for at in range(N)]
    edad = draft(edad=ages, diagnosis=ILL)["edad"]
    assert (edad.type, [*edad.missing_tokens]) == ("number", ["x"])
    wards = [AGES[at] if at % 20 else "ICU" for at in range(N)]
    assert draft(ward=wards, diagnosis=ILL)["ward"].type != "number"
    groups = ["adult" if at % 2 else AGES[at] for at in range(N)]
    assert "adult" not in draft(edad=groups, diagnosis=ILL)["edad"].missing_tokens


def test_a_web_address_that_repeats_is_no_person() -> None:
    pages = [f"https://example.org/news/{at * 7 % 33}" for at in range(N)]
    assert draft(fuente=pages, edad=AGES, diagnosis=ILL).person is None


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("age", ["(0,15]", "(15,29]", "(29,39]", "(39,49]", "(49,120]"]),
        ("age", ["-18", "18-30", "31-50", "51-65", "65+"]),
        ("age", ["(-Inf,20]", "(20,40]", "(40,60]", "(60, Inf]"]),
    ],
)
def test_groups_of_ages_are_merged_with_their_neighbours(name: str, groups: list[str]) -> None:
    values = [groups[at * 7 % len(groups)] for at in range(N)]
    spec = draft(**{name: values}, diagnosis=ILL)[name].draft.spec
    assert spec == {"order": {"values": groups, "run": 2}}


@pytest.mark.parametrize(
    ("name", "values", "step"),
    [
        (
            "arrival_time",
            [f"{at % 24:02d}:{at * 7 % 60:02d}:{at * 11 % 60:02d}" for at in range(N)],
            3,
        ),
        ("arrival_time", [f"{at % 24:02d}:{at * 7 % 60:02d}" for at in range(N)], 3),
        ("birth", [f"{1980 + at % 3} Q{1 + at * 7 // 3 % 4}" for at in range(N)], 3),
        ("semester", [f"{2000 + at % 3}-{1 + at // 3 % 2}" for at in range(N)], 2),
    ],
)
def test_times_of_the_day_become_hours_and_parts_of_years_become_years(
    name: str, values: list[str], step: int
) -> None:
    item = draft(**{name: values}, diagnosis=ILL)[name]
    assert item.role == "quasi-identifier"
    assert item.draft.spec == {"mask": {"from": "right", "step": step}}


def test_numbers_within_a_cluster_are_asked_for_and_not_stated() -> None:
    numbers = [str(1 + at * 7 % 23) for at in range(N)]
    person = draft(id=numbers, age=[str(15 + at * 11 % 35) for at in range(N)], ill=ILL).person
    assert person is not None
    assert (person.column, person.sure) == ("id", False)
    steady = [str(15 + int(number) % 35) for number in numbers]
    person = draft(id=numbers, age=steady, ill=ILL).person
    assert person is not None
    assert person.sure


def test_codebooks_of_demographic_and_household_surveys() -> None:
    months = [str(1000 + at * 7 % 401) for at in range(N)]
    few = [str(1 + at % 2) for at in range(N)]
    women = draft(v005=months, v008=months, v011=months, v021=few, v025=few, b3_01=months)
    known = [one.attribute for one in women.attributes if one.role == "quasi-identifier"]
    assert {"v008", "v011", "v025", "b3_01"} <= {*known}
    named = {"V1022": few, "A001A": few, "A001B1": few, "A001B3": months, "A003": few, "B0011": few}
    people = draft(**named)
    known = [one.attribute for one in people.attributes if one.role == "quasi-identifier"]
    assert {"V1022", "A001A", "A003"} <= {*known}
    assert titles_of(["v101", "v102", "v106", "v107", "v5"]) == {}


@pytest.mark.parametrize(("more", "wrong", "told"), [(0, 0, True), (1, 3, True), (0, 40, False)])
def test_a_day_that_follows_from_another_and_a_number_of_days_is_told(
    more: int, wrong: int, told: bool
) -> None:
    """One of admission, discharge and length of stay is too much; some mistakes do not matter."""
    stays = [at * 7 % 19 for at in range(N)]
    came = [date(2024, 1, 1) + timedelta(days=at * 11 % 330) for at in range(N)]
    went = [day + timedelta(days=stay) for day, stay in zip(came, stays, strict=True)]
    found = draft(
        admission=[f"{day:%d.%m.%Y}" for day in came],
        discharge=["" if at % 9 == 0 else f"{day:%d.%m.%Y}" for at, day in enumerate(went)],
        length_of_stay=[str(stay + more + 5 * (at < wrong)) for at, stay in enumerate(stays)],
        diagnosis=ILL,
    )
    assert {found[one].role for one in ("admission", "discharge", "length_of_stay")} == {
        "quasi-identifier"
    }
    notes = [note for note in found["discharge"].notes if "one of the three" in note]
    assert [note.startswith("follows from 'admission' and 'length_of_stay'") for note in notes] == (
        [True] * told
    )
    assert not any("three" in note for note in found["admission"].notes)
    doubt = ("tell what other quasi-identifiers tell: leave one of them out", ("discharge",))
    assert (doubt in found.doubts) == told


def test_what_is_counted_for_some_alone_numbers_nobody() -> None:
    """All who have a day of death are dead, and by no chance."""
    places = [f"center {at * 7 // 11 % 4}" for at in range(N)]
    columns = {"record_id": [str(10_000 + at) for at in range(N)], "center": places}
    for name, ends in (("exitus", (0,)), ("discharge", (1, 2, 3))):
        columns[name] = ["yes" if at % 5 in ends else "no" for at in range(N)]
        columns[f"{name}_days"] = [
            str(1 + at * 7 % 60) if at % 5 in ends else "" for at in range(N)
        ]
    seen = draft(**columns)
    assert seen.person is None
    assert {seen[name].role for name in ("exitus_days", "discharge_days")} == {"sensitive"}
