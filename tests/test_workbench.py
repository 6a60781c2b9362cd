"""A table that is read once, and policies held against it while they are written."""

import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.privacy import models, promise
from indistinct.verbs.workbench import ClassSizes

POLICY = """\
# ours
[attributes.age]
role = "quasi-identifier"  # neighbours know it
hierarchy = { intervals = { width = 10 } }

[attributes.sex]
role = "quasi-identifier"

[attributes.illness]
role = "sensitive"

# the first promise
[[promises]]
model = "k-anonymity"
k = 3

[method]
algorithm = "mondrian"
"""


@pytest.fixture
def bench(tmp_path: Path) -> ind.Workbench:
    path = tmp_path / "table.csv"
    rows = [("31", "f", "flu"), ("31", "f", "flu"), ("35", "m", "cold"), ("52", "m", "flu")]
    pl.DataFrame(rows, ["age", "sex", "illness"], orient="row").write_csv(path)
    return ind.workbench(path)


def test_a_drafted_policy_fits_the_table(bench: ind.Workbench):
    held = bench.hold(bench.draft())
    assert held.problems == ()
    assert held.require().attributes.keys() == {"age", "sex", "illness"}


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_a_policy_is_drafted_of_a_frame(bench: ind.Workbench, kind: str):
    rows = pl.DataFrame(bench.frame)
    frame = rows if kind == "polars" else rows.to_pandas()
    drafted = ind.workbench(frame)
    assert drafted.hold(drafted.draft(k=3)).problems == ()
    assert drafted.draft().splitlines()[1:] == bench.draft().splitlines()[1:]


def test_what_is_no_table_is_refused_in_words():
    with pytest.raises(ind.DataError, match="not a supported table type"):
        ind.workbench(3)


@pytest.mark.parametrize("policy", [{"rest": "drop"}, Path("p.toml"), b"", 3])
def test_what_is_not_the_text_of_a_policy_is_refused_in_words(bench: ind.Workbench, policy: object):
    with pytest.raises(ind.PolicyError, match="is not the text of a policy"):
        ind.workbench(bench.frame, policy)
    [problem] = bench.hold(policy).problems
    assert "read_text" in str(problem.remedy)


def test_the_path_of_a_policy_is_not_its_text(bench: ind.Workbench):
    [problem] = bench.hold("release.toml").problems
    assert 'Path("release.toml").read_text' in str(problem.remedy)


def test_classes_are_counted_at_any_level(bench: ind.Workbench):
    held = bench.hold(POLICY)
    assert held.class_sizes().to_dict()["smallest"] == 1
    assert held.class_sizes().below(2) == 2
    assert set(held.class_sizes().heights) == {"age", "sex"}
    assert held.class_sizes({"age": 1, "sex": 1}).to_dict()["below"][:5] == [0, 0, 1, 1, 4]
    with pytest.raises(ind.PolicyError, match="no such level"):
        held.class_sizes({"age": 9})


def test_people_who_look_alike_are_one_class_whatever_is_promised(tmp_path: Path):
    path = tmp_path / "visits.csv"
    rows = "".join(f"p{at // 2},{20 + at // 4},{'ab'[at % 2]}\n" for at in range(12))
    path.write_text("who,age,ill\n" + rows, encoding="utf-8")
    policy = """
    [source]
    person = "who"
    [attributes]
    who = {role = "identifier"}
    age = {role = "quasi-identifier", hierarchy = "suppress"}
    ill = {role = "sensitive"}
    [[promises]]
    model = "km-anonymity"
    sensitive = "ill"
    k = 2
    m = 1
    [method]
    algorithm = "mondrian"
    """
    found = ind.workbench(path, policy).hold(policy).class_sizes()
    assert found.size.tolist() == [2, 2, 2]


@given(st.lists(st.integers(1, 120), max_size=30))
def test_the_curve_of_classes_is_counted_class_by_class(sizes: list[int]):
    found = ClassSizes("record", np.array(sizes, dtype=np.int64), {})
    assert found.to_dict()["below"] == [found.below(k) for k in range(101)]


def test_levels_have_counts(bench: ind.Workbench):
    found = bench.hold(POLICY).hierarchy("age")
    assert found.level(1) == {"[30, 40)": 3, "[50, 60)": 1}
    assert found.to_dict()["levels"][0]["labels"] == 3
    assert bench.hold(POLICY).date_formats("age") == {}
    with pytest.raises(ind.PolicyError, match="not a quasi-identifier"):
        bench.hold(POLICY).hierarchy("illness")


def test_what_no_release_can_keep_is_told_with_a_remedy(bench: ind.Workbench):
    assert bench.hold(POLICY).infeasible() == ()
    (problem,) = bench.hold(POLICY.replace("k = 3", "k = 5")).infeasible()
    assert problem.remedy
    many = '\n[[promises]]\nmodel = "distinct-l-diversity"\nl = 3\nsensitive = "illness"\n'
    (problem,) = bench.hold(POLICY + many).infeasible()
    assert problem.attribute == "illness"
    bound = '\n[[promises]]\nmodel = "max-posterior"\nbound = 0.5\nsensitive = "illness"\n'
    assert bench.hold(POLICY + bound).infeasible()


def test_problems_of_a_policy_are_told(bench: ind.Workbench):
    assert bench.hold("[").problems[0].code == "bad-toml"
    assert bench.hold(POLICY.replace(".sex]", ".six]")).problems
    assert "promise" in bench.hold(POLICY.split("# the first", maxsplit=1)[0]).lacks


def test_a_role_brings_what_it_needs_and_leaves_the_rest(bench: ind.Workbench):
    text = bench.with_role(POLICY, "age", "sensitive")
    assert tomllib.loads(text)["attributes"]["age"] == {"role": "sensitive"}
    assert 'role = "sensitive"  # neighbours know it' in text
    back = bench.with_role(text, "age", "quasi-identifier")
    assert "hierarchy" in tomllib.loads(back)["attributes"]["age"]
    assert bench.hold(back).problems == ()
    with pytest.raises(ind.PolicyError, match="did you mean"):
        bench.with_role(POLICY, "agee", "sensitive")


def test_a_column_without_a_role_is_added(bench: ind.Workbench):
    less = POLICY.replace('[attributes.sex]\nrole = "quasi-identifier"\n', "")
    assert bench.hold(less).problems
    assert bench.hold(bench.with_role(less, "sex", "identifier")).problems == ()


def test_another_way_of_reading_is_noticed(bench: ind.Workbench):
    assert bench.reads(POLICY)
    assert not bench.reads('[source]\nseparator = ";"\n' + POLICY)


def test_promises_are_added_changed_and_taken_out():
    new = {"model": "t-closeness", "t": 0.3, "sensitive": "illness"}
    text = ind.edit_policy(POLICY, ("promises", 1), new)
    assert tomllib.loads(text)["promises"][1] == new
    text = ind.edit_policy(text, ("promises", 0, "k"), 7)
    assert tomllib.loads(text)["promises"][0]["k"] == 7
    text = ind.edit_policy(text, ("promises", 1))
    assert text.startswith("# ours\n")
    assert tomllib.loads(text)["promises"] == [{"model": "k-anonymity", "k": 7}]
    assert tomllib.loads(ind.edit_policy("", ("promises", 0), new))["promises"] == [new]


@pytest.mark.parametrize("place", [("promises", 5), ("promises", 3, "k"), ("promises", "k", 1)])
def test_places_that_are_not_there_are_refused(place: tuple[str | int, ...]):
    with pytest.raises(ind.PolicyError, match="no place"):
        ind.edit_policy(POLICY, place, 1)


values = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text("ab'\"\\ #\n.é", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("a. '", min_size=1), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    section=st.sampled_from(["method", "output", "attributes"]),
    key=st.text("a. é", min_size=1, max_size=3),
    value=values,
)
def test_any_value_stands_where_it_was_put(section: str, key: str, value: object):
    if section == "attributes":
        value = {"hierarchy": value}
    text = ind.edit_policy(POLICY, (section, key), value)
    asked = tomllib.loads(POLICY)
    asked.setdefault(section, {})[key] = value
    assert tomllib.loads(text) == asked
    assert tomllib.loads(ind.edit_policy(text, (section, key))).get(section, {}) == (
        tomllib.loads(POLICY).get(section, {})
    )


def test_what_nobody_said_of_a_file_is_found_and_drafted_as_init_does(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    rows = "\n".join(f"{20 + i},5;{'fm'[i % 2]};C50.{i % 9}" for i in range(60))
    path.write_text(f"Registry of tumours;;\nalter;sex;code\n{rows}\n", encoding="utf-8")
    bench = ind.workbench(path)
    drafted = tomllib.loads(bench.draft())
    assert drafted["source"] == {"skip_rows": 1, "decimal": ","}
    assert bench.notes[0] == "1 row stands above the names of the columns: skip_rows = 1"
    assert bench.notes[1].startswith("a comma is the decimal mark in ")
    assert bench.table.columns == ("alter", "sex", "code")
    assert bench.head(1)[0]["alter"] == "20.5"
    assert bench.reads(bench.draft())
    # A policy that names columns says itself how its file is read.
    mine = '[source]\nskip_rows = 1\n[attributes.alter]\nrole = "sensitive"\n'
    assert ind.workbench(path, mine).head(1)[0]["alter"] == "20,5"


def test_whatever_may_be_promised_is_offered_with_what_it_can_begin_with(
    bench: ind.Workbench,
) -> None:
    offered = {item["model"]: item for item in bench.offered()}
    own = {name for name, kind in models().items() if kind.__module__.startswith("indistinct.")}
    assert own <= offered.keys()
    for model, item in offered.items():
        begun = {one["name"]: one["value"] for one in item["settings"]}
        made = promise(model, **begun, sensitive="illness" if item["sensitive"] else None)
        assert made.parameters.items() >= begun.items() or model == "known-visit"
        assert item["says"]
        assert "`" not in item["says"]
        for one in item["settings"]:
            assert one["least"] is None or one["least"] <= one["value"], item
            assert one["most"] is None or one["value"] <= one["most"], item
    assert offered["k-anonymity"]["settings"] == [
        {"name": "k", "value": 5, "whole": True, "least": 1, "most": None}
    ]
    assert [one["name"] for one in offered["known-records"]["settings"]] == ["k", "m"]
    assert {name for name, item in offered.items() if item["population"]} >= {"k-map"}
    assert {name for name, item in offered.items() if item["people"]} >= {"km-anonymity"}
