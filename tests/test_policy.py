from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct._sections import Section
from indistinct.errors import PolicyError
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.policy import (
    Attribute,
    DraftPolicy,
    Method,
    Missing,
    Objective,
    Policy,
    Source,
)
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.requirement import Requirement

FULL = """
[source]
separator = ";"
encoding = "latin-1"

[attributes.name]
role = "identifier"
transform = { pseudonymize = { key_env = "KEY", length = 20 } }

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = { width = 5, top = 90 } }
weight = 2
min_level = 1
max_level = 3
missing = { tokens = ["?", "unknown"], as = "suppress" }

[attributes."zip code"]
role = "quasi-identifier"
hierarchy = { mask = { from = "right" } }
missing = "suppress"
uncovered = "suppress"

[attributes.sex]
role = "quasi-identifier"
hierarchy = "suppress"

[attributes.diagnosis]
role = "sensitive"

[attributes.note]
role = "insensitive"

[[promises]]
model = "k-anonymity"
k = 5

[[promises]]
model = "k-anonymity"
k = 20
on = ["age", "sex"]

[method]
algorithm = "heuristic"
objective = { measure = "loss", aggregate = "geometric", gs_factor = 0.25, weights = { sex = 3 } }
suppression_limit = 0.05
time_limit = 5
node_limit = 1000
local_recoding = true

[output]
format = "parquet"
suppressed = "keep"
shuffle = false
spreadsheet_safe = true
"""


def smallest(**sections: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "diagnosis": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    } | sections


def with_age(**keys: Any) -> dict[str, Any]:
    return {
        "attributes": {"age": {"role": "quasi-identifier"} | keys},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }


def refused(keys: dict[str, Any], **settings: Any) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict(keys, **settings)
    return caught.value


def test_load_understands_every_key(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    path.write_text(FULL, encoding="utf-8")
    policy = Policy.load(path)
    assert policy.source == Source(separator=";", encoding="latin-1")
    assert policy.quasi_identifiers == ("age", "zip code", "sex")
    assert policy.sensitive == ("diagnosis",)
    assert policy.named("identifier") == ("name",)
    name, age = policy.attributes["name"], policy.attributes["age"]
    assert name.transform is not None
    assert name.transform.pseudonymize is not None
    assert (name.transform.pseudonymize.key_env, name.transform.pseudonymize.length) == ("KEY", 20)
    assert (age.weight, age.min_level, age.max_level) == (2, 1, 3)
    assert (age.missing.tokens, age.missing.as_) == (("?", "unknown"), "suppress")
    assert policy.attributes["zip code"].missing == Missing(as_="suppress")
    assert policy.requirements == (
        Requirement("k-anonymity", {"k": 5}),
        Requirement("k-anonymity", {"k": 20}, on=("age", "sex")),
    )
    assert policy.method.objective == Objective(
        measure="loss", aggregate="geometric", gs_factor=0.25, weights={"sex": 3}
    )
    assert policy.weights == {"age": 2, "zip code": 1, "sex": 3}
    assert (policy.method.suppression_limit, policy.method.time_limit) == (0.05, 5)
    assert (policy.output.format, policy.output.suppressed) == ("parquet", "keep")
    assert not policy.output.shuffle
    assert policy.output.spreadsheet_safe
    assert policy.directory == tmp_path
    assert policy.file == str(path)
    assert len(policy.warnings) == 1
    assert "releases under the same key can be joined" in policy.warnings[0]


def test_defaults_are_the_safe_ones() -> None:
    policy = Policy.from_dict(smallest())
    assert policy.method == Method()
    assert policy.method.objective.measure == "loss"
    assert policy.method.suppression_limit == 0
    assert policy.output.shuffle
    assert policy.output.suppressed == "drop"
    assert policy.attributes["age"].uncovered == "error"
    assert policy.attributes["age"].missing == Missing(as_="value")
    assert policy.directory == Path()


def test_toml_and_dict_give_the_same_policy_back(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(FULL, encoding="utf-8")
    policy = Policy.load(tmp_path / "one.toml")
    (tmp_path / "two.toml").write_text(policy.to_toml(), encoding="utf-8")
    assert Policy.load(tmp_path / "two.toml") == policy
    assert Policy.from_dict(policy.to_dict()) == policy


def test_toml_is_laid_out_by_attribute() -> None:
    text = Policy.from_dict(smallest(method={"objective": "height"})).to_toml()
    assert text.startswith('[attributes.age]\nrole = "quasi-identifier"\n\n[attributes.sex]\n')
    assert '[[promises]]\nmodel = "k-anonymity"\nk = 2\n' in text
    assert text.endswith('[method]\nobjective = "height"\n')


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(names, names, st.floats(0, 1), st.integers(2, 9))
def test_any_name_survives_the_file(one: str, token: str, limit: float, k: int) -> None:
    tokens = [token] if token.strip() else ["?"]
    policy = Policy(
        attributes={one: {"role": "quasi-identifier", "missing": {"tokens": tokens}}},
        promises=[KAnonymity(k=k, on=(one,))],
        method={"suppression_limit": limit},
    )
    import tomllib

    assert Policy.from_dict(tomllib.loads(policy.to_toml())) == policy


def test_python_objects_stand_for_their_keys() -> None:
    built = Policy(
        attributes={
            "age": Attribute(role="quasi-identifier"),
            "sex": Attribute(role="quasi-identifier"),
            "diagnosis": Attribute(role="sensitive"),
        },
        promises=[KAnonymity(k=2)],
        method=Method(objective=Objective(measure="precision")),
    )
    same = Policy.from_dict(smallest(method={"objective": "precision"}))
    assert built == same
    requirement = Requirement("k-anonymity", {"k": 2})
    assert Policy(**smallest(promises=[requirement])).requirements == (requirement,)


def test_repr_is_short() -> None:
    assert repr(Policy.from_dict(smallest())) == "Policy(3 attributes, k-anonymity(k=2))"


def test_a_file_may_have_no_quotes() -> None:
    assert Policy.from_dict(smallest(source={"quote": ""})).source.quote == ""


def test_a_policy_is_frozen() -> None:
    policy = Policy.from_dict(smallest())
    with pytest.raises(ValueError, match="frozen"):
        policy.method = Method()  # type: ignore[misc]


PROBLEMS = [
    (smallest(promises=3), "promises: must be a list of tables: [[promises]], not 3"),
    (
        smallest(
            analyses=[{"kind": "linear", "outcome": "age", "predictors": ["sex"], "by": ["sex"]}]
        ),
        "linear has no by",
    ),
    (smallest(attribute={}), "attribute: unknown key: did you mean 'attributes'?"),
    (with_age(hierarchi="suppress"), "attributes.age.hierarchi: unknown key: did you mean 'hi"),
    (smallest(method={"supression_limit": 1}), "did you mean 'suppression_limit'?"),
    (with_age(missing={"token": []}), "attributes.age.missing.token: unknown key"),
    (smallest(method={"objective": {"agregate": 1}}), "method.objective.agregate: unknown key"),
    ({"attributes": {"a": {}}, "promises": []}, "attributes.a.role: is missing"),
    ({"attributes": {"a": 3}}, "attributes.a: must be a table of keys, not 3"),
    ({"attributes": ["a"]}, "attributes: must be a table of attributes, not a list"),
    ({"attributes": {"a b": {"role": 1}}}, "attributes.\"a b\".role: must be one of 'identifier'"),
    (with_age(role="quasi"), "attributes.age.role: unknown value 'quasi': "),
    (with_age(weight=-1), "attributes.age.weight: must be at least 0, not -1"),
    (with_age(weight="2"), "attributes.age.weight: must be a number, not '2'"),
    (with_age(weight=float("nan")), "attributes.age.weight: must be a finite number, not nan"),
    (with_age(min_level=1.5), "attributes.age.min_level: must be a whole number, not 1.5"),
    (with_age(min_level=True), "attributes.age.min_level: must be a whole number, not true"),
    (with_age(min_level=2, max_level=1), "attributes.age: min_level (2) is above max_level (1)"),
    (with_age(missing="supress"), "attributes.age.missing.as: unknown value 'supress': did you"),
    (with_age(missing={"tokens": "?"}), "missing.tokens: must be a list, not '?'"),
    (with_age(missing={"tokens": ["?", 9]}), "missing.tokens[2]: must be text in quotes, not 9"),
    (with_age(missing={"tokens": [" "]}), "missing.tokens: an empty text is missing already"),
    (with_age(uncovered="drop"), "attributes.age.uncovered: unknown value 'drop'"),
    (with_age(hierarchy=5), "attributes.age.hierarchy: must be a builder"),
    (with_age(transform={"mask": {}}), "transform.mask: does not go with role 'quasi-identifier'"),
    (smallest(method={"suppression_limit": 5}), "method.suppression_limit: must be at most 1"),
    (smallest(method={"suppression_limit": "5 %"}), "must be a number, not '5 %'"),
    (smallest(method={"time_limit": 0}), "method.time_limit: must be more than 0, not 0"),
    (smallest(method={"node_limit": 0}), "method.node_limit: must be at least 1, not 0"),
    (smallest(method={"local_recoding": "yes"}), "local_recoding: must be true or false"),
    (smallest(method={"algorithm": "best"}), "unknown value 'best': known are 'anatomy', 'exh"),
    (smallest(method={"objective": "los"}), "objective.measure: unknown value 'los': did you"),
    (smallest(method={"objective": 3}), "method.objective: must be a table of keys, not 3"),
    (
        smallest(method={"objective": {"measure": "discernibility", "aggregate": "sum"}}),
        "method.objective.aggregate: measure 'discernibility' has no such setting",
    ),
    (
        smallest(method={"objective": {"weights": {"ag": 1}}}),
        "method.objective.weights: no attribute 'ag': did you mean 'age'?",
    ),
    (
        smallest(method={"objective": {"weights": {"diagnosis": 1}}}),
        "'diagnosis' must have role 'quasi-identifier', and has 'sensitive'",
    ),
    (with_age(weight=0), "attributes: every quasi-identifier has weight 0"),
    (smallest(output={"format": "xlsx"}), "output.format: unknown value 'xlsx'"),
    (smallest(source={"separator": "||"}), "source.separator: must be one character, not 2"),
    (smallest(source={"quote": "''"}), "source.quote: must be one character, not 2"),
    (smallest(source={"encoding": "utf9"}), "source.encoding: no encoding of files 'utf9'"),
    (smallest(source=[]), "source: must be a table of keys, not a list"),
    (smallest(promises=[]), "promises: a policy needs at least one promise"),
    ({"attributes": {}}, "attributes: no attribute is a quasi-identifier"),
    (smallest(promises={"k": 2}), "promises: must be a list of tables: [[promises]], not a table"),
    (smallest(promises=["k"]), "promises[1]: must be a table, not 'k'"),
    (smallest(promises=[{"k": 2}]), "promises[1].model: is missing"),
    (smallest(promises=[{"model": 2}]), "promises[1].model: must be the name of a privacy model"),
    (smallest(promises=[{"model": "k-anonimity", "k": 2}]), "did you mean 'k-anonymity'?"),
    (smallest(promises=[{"model": "k-anonymity", "k": 0}]), "promises[1]: k of k-anonymity must"),
    (smallest(promises=[{"model": "k-anonymity"}]), "promises[1]: promise 'k-anonymity' needs 'k'"),
    (
        smallest(promises=[{"model": "k-anonymity", "k": 2, "l": 3}]),
        "promises[1]: promise 'k-anonymity' has no setting 'l'",
    ),
    (
        smallest(promises=[{"model": "k-anonymity", "k": 2, "on": ["aeg"]}]),
        "promises[1].on: no attribute 'aeg': did you mean 'age'?",
    ),
    (
        smallest(promises=[{"model": "k-anonymity", "k": 2, "on": ["diagnosis"]}]),
        "promises[1].on: 'diagnosis' must have role 'quasi-identifier', and has 'sensitive'",
    ),
    (smallest(promises=[{"model": "k-anonymity", "k": 2, "on": "age"}]), "promises[1]: 'on' of"),
    (smallest(risk={"threshold": 2}), "risk.threshold: must be at most 1, not 2"),
    (smallest(risk={"amber": 0.3}), "risk.amber: must not be above red, 0.2"),
    (smallest(risk={"k_range": [5, 2]}), "risk.k_range: must be two whole numbers from 1 on"),
    (smallest(risk={"k_range": [2, 10**8]}), "with 1,000 k between them at most"),
    (smallest(risk={"k_range": [2]}), "risk.k_range[2]: is missing"),
    (smallest(risk={"population": {}}), "risk.population: needs one of 'file', 'size' and"),
    (
        smallest(risk={"population": {"size": 9, "fraction": 0.1}}),
        "risk.population: needs one of 'file', 'size' and 'fraction', not size and fraction",
    ),
    (
        smallest(risk={"population": {"size": 9, "separator": ";"}}),
        "risk.population.separator: there is no file",
    ),
    (
        smallest(promises=[{"model": "k-anonymity", "k": 2, "sensitive": "age"}]),
        "promises[1].sensitive: 'age' must have role 'sensitive', and has 'quasi-identifier'",
    ),
]


@pytest.mark.parametrize(("keys", "text"), PROBLEMS, ids=[text[:48] for _, text in PROBLEMS])
def test_a_wrong_key_or_value_is_told(keys: dict[str, Any], text: str) -> None:
    assert text in str(refused(keys))


def test_everything_wrong_is_told_at_once_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    path.write_text(
        '[attributes.age]\nrole = "quasi"\nwait = 3\n[[promises]]\nmodel = "k-anonymity"\nk = -1\n'
        '[method]\nseed = "x"\n[ouptut]\nformat = "csv"\n',
        encoding="utf-8",
    )
    with pytest.raises(PolicyError) as caught:
        Policy.load(path)
    places = [item.message.split(":")[0] for item in caught.value.problems]
    assert places == [
        "ouptut",
        "method.seed",
        "attributes.age.role",
        "attributes.age.wait",
        "promises[1]",
    ]
    assert {item.file for item in caught.value.problems} == {str(path)}
    assert caught.value.exit_code == 2


def test_a_section_built_alone_tells_all_its_problems() -> None:
    with pytest.raises(PolicyError) as caught:
        Attribute(role="quasi", weight=-1, missing={"as": "nothing"})
    assert [item.message.split(":")[0] for item in caught.value.problems] == [
        "role",
        "weight",
        "missing.as",
    ]
    assert issubclass(Attribute, Section)


def test_an_unreadable_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"release\.toml: cannot be read: no such file") as caught:
        Policy.load(tmp_path / "release.toml")
    assert "indistinct init DATA --policy" in str(caught.value)
    with pytest.raises(PolicyError, match="cannot be read: is a directory"):
        Policy.load(tmp_path)


def test_broken_toml_says_where(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    path.write_text("[attributes.age]\nrole = quasi-identifier\n", encoding="utf-8")
    with pytest.raises(PolicyError, match=r"is not valid TOML: .*line 2"):
        Policy.load(path)
    path.write_text("[method]\nseed = 1\nseed = 2\n", encoding="utf-8")
    with pytest.raises(PolicyError, match="is not valid TOML: a key is written twice"):
        Policy.load(path)
    path.write_text(f"a = {'[' * 5000}{']' * 5000}\n", encoding="utf-8")
    with pytest.raises(PolicyError, match="is nested too deeply"):
        Policy.load(path)
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(PolicyError, match="is not encoded in UTF-8"):
        Policy.load(path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    path.write_text("\ufeff" + FULL, encoding="utf-8")
    assert Policy.load(path).quasi_identifiers[0] == "age"


@pytest.mark.parametrize(
    ("transform", "text"),
    [
        ({}, "needs one of 'mask', 'pseudonymize', 'replace'"),
        ({"mask": {}, "pseudonymize": {"key_env": "K"}}, "'aggregate', 'synthesize', not 2"),
        ({"pseudonymize": {}}, "needs one of 'key_env' and 'key_file'"),
        ({"pseudonymize": {"key": "secret"}}, "pseudonymize.key: unknown key"),
        ({"pseudonymize": {"key_env": "K", "length": 4}}, "length: must be at least 8, not 4"),
        ({"mask": {"char": "xx"}}, "mask.char: must be one character, not 2"),
        ({"mask": {"from": "top"}}, "mask.from: unknown value 'top'"),
    ],
)
def test_transforms_of_identifiers(transform: dict[str, Any], text: str) -> None:
    keys = smallest()
    keys["attributes"]["name"] = {"role": "identifier", "transform": transform}
    assert text in str(refused(keys))


@pytest.mark.parametrize(
    ("aggregate", "text"),
    [
        ({"top": 9, "thresholds": [1, 2]}, "'groups', 'code_system', not 2"),
        ({"bottom": 2, "top": 2}, "aggregate.bottom: must be below 'top'"),
        ({"thresholds": [1, 5, 5]}, "aggregate.thresholds: must rise"),
        ({"top": 9, "show": "mean"}, "aggregate.show: there are no 'thresholds'"),
        ({"top": 9, "other": "rest"}, "aggregate.other: there are no 'groups'"),
        ({"groups": {"a": ["x"], "b": ["x"]}}, "'x' is in a and b"),
    ],
)
def test_values_are_put_together_in_one_way(aggregate: dict[str, Any], text: str) -> None:
    assert text in str(refused(with_diagnosis(transform={"aggregate": aggregate})))
    Policy.from_dict(with_diagnosis(transform={"aggregate": {"thresholds": [1, 5]}}))


def test_dates_have_levels_of_dates_where_they_are_generalized() -> None:
    quasi = {"role": "quasi-identifier", "type": "date"}
    assert Attribute(**quasi).hierarchy == {"date": {}}
    assert Attribute(**quasi, hierarchy="suppress").hierarchy == "suppress"
    assert Attribute(role="insensitive", type="date").hierarchy is None


def test_a_promise_keeps_what_its_values_are_compared_with() -> None:
    for reference, told in (("original", "original"), ("published", None)):
        asked = {"model": "t-closeness", "t": 0.2, "sensitive": "diagnosis", "reference": reference}
        keys = smallest(promises=[{"model": "k-anonymity", "k": 2}, asked])
        assert Policy.from_dict(keys).to_dict()["promises"][1].get("reference") == told


def test_a_draft_says_what_it_lacks() -> None:
    assert DraftPolicy.from_dict({}).lacks == ("quasi-identifier", "promise")
    assert DraftPolicy.from_dict(smallest()).lacks == ()


def test_warnings_do_not_stop_a_policy() -> None:
    keys = smallest(
        method={"seed": 7, "objective": "discernibility"},
        promises=[{"model": "k-anonymity", "k": 2, "on": ["age"]}],
    )
    keys["attributes"]["age"]["weight"] = 2
    keys["attributes"]["diagnosis"] |= {"min_level": 1, "missing": "suppress"}
    seed, idle, weights, bare = Policy.from_dict(keys).warnings
    assert seed.startswith("method.seed: anyone who knows the seed can undo the shuffle")
    assert idle == (
        "attributes.diagnosis: min_level, missing = \"suppress\" have no effect on role 'sensitive'"
    )
    assert (
        weights == "method.objective: measure 'discernibility' does not use the attributes' weights"
    )
    assert bare.startswith("promises: none covers quasi-identifier 'sex'")
    keys["promises"].append({"model": "k-anonymity", "k": 2, "on": ["sex"]})
    assert "none covers all quasi-identifiers together" in Policy.from_dict(keys).warnings[-1]
    keys["promises"].append({"model": "k-anonymity", "k": 2})
    assert not any("none covers" in text for text in Policy.from_dict(keys).warnings)


def test_check_names_columns_without_a_role_and_attributes_without_a_column(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    path.write_text(Policy.from_dict(smallest()).to_toml(), encoding="utf-8")
    policy = Policy.load(path)
    policy.check(["age", "sex", "diagnosis"])
    with pytest.raises(PolicyError) as caught:
        policy.check(["age", "gender", "diagnose", "note"])
    sex, diagnosis, left = caught.value.problems
    assert "attributes.sex: the table has no such column: known are 'age', 'gender'" in str(sex)
    assert "did you mean 'diagnose'?" in str(diagnosis)
    assert "these columns of the table have no role: 'gender', 'diagnose', 'note'" in str(left)
    assert "add [attributes.gender] with a role, let indistinct init DATA" in str(left)
    assert {item.file for item in caught.value.problems} == {str(path)}


COLUMNS = ("age", "sex", "diagnosis", "name", "note")


def test_from_options_says_what_a_policy_file_says() -> None:
    policy = Policy.from_options(
        COLUMNS,
        quasi=["age", "sex"],
        sensitive=["diagnosis"],
        drop=["name"],
        keep=["note"],
        k=5,
        method={"suppression_limit": 0.05},
        output={"format": "parquet"},
        source={"separator": ";"},
    )
    assert {name: item.role for name, item in policy.attributes.items()} == {
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "diagnosis": "sensitive",
        "name": "identifier",
        "note": "insensitive",
    }
    assert policy.requirements == (Requirement("k-anonymity", {"k": 5}),)
    assert policy.method.suppression_limit == 0.05
    assert policy.output.format == "parquet"
    assert policy.source.separator == ";"


def test_from_options_does_not_guess_a_role() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_options(COLUMNS, quasi=["age"], k=5)
    assert "these columns have no role: 'sex', 'diagnosis', 'name', 'note'" in str(caught.value)
    assert "--drop" in str(caught.value)
    dropped = Policy.from_options(COLUMNS, quasi=["age"], rest="drop", k=5)
    assert dropped.named("identifier") == COLUMNS[1:]
    kept = Policy.from_options(COLUMNS, quasi=["age"], rest="keep", k=5)
    assert kept.named("insensitive") == COLUMNS[1:]


def test_from_options_tells_wrong_names_and_double_roles() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_options(COLUMNS, quasi=["aeg", "sex"], sensitive=["sex"], rest="drop", k=5)
    assert [item.code for item in caught.value.problems] == ["unknown-attribute", "two-roles"]
    assert "the table has no column 'aeg': did you mean 'age'?" in str(caught.value)
    assert "column 'sex' is both quasi-identifier and sensitive" in str(caught.value)


def test_from_options_takes_hierarchy_files_and_says_what_it_built(tmp_path: Path) -> None:
    (tmp_path / "adult_hierarchy_age.csv").write_text("1;*\n2;*\n", encoding="utf-8")
    policy = Policy.from_options(
        ("age", "sex", "zip"),
        quasi=["age", "sex", "zip"],
        k=2,
        hierarchies=tmp_path,
        defaults={"zip": {"hierarchy": {"mask": {"from": "right"}}, "uncovered": "suppress"}},
    )
    file = tmp_path / "adult_hierarchy_age.csv"
    assert policy.attributes["age"].hierarchy == {"file": str(file)}
    assert policy.attributes["sex"].hierarchy == "suppress"
    sex, zip_code = policy.warnings
    assert sex == "no hierarchy was given for 'sex': it gets hierarchy = \"suppress\""
    assert zip_code.endswith('hierarchy = {mask = {from = "right"}}, uncovered = "suppress"')
    assert policy.attributes["zip"].uncovered == "suppress"


def test_hierarchy_problems_are_told_at_their_place() -> None:
    error = refused(with_age(hierarchy={"intervalls": {"width": 5}}))
    assert "attributes.age.hierarchy: " in str(error)
    assert "did you mean 'intervals'?" in str(error)


def test_a_taxonomy_may_stand_for_its_keys_but_not_in_a_file() -> None:
    taxonomy = Taxonomy("age", [("1", "*"), ("2", "*")])
    policy = Policy.from_dict(with_age(hierarchy=taxonomy))
    assert policy.attributes["age"].hierarchy is taxonomy
    with pytest.raises(PolicyError, match=r"attributes\.age\.hierarchy: was given as an object"):
        policy.to_toml()


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ({"algorithm": "iab", "suppression_limit": 0.1}, "optimal, p-l-angelization, theta"),
        ({"algorithm": "greedy", "objective": "loss"}, "'greedy' works for 'rows'"),
        ({"algorithm": "optimal", "scope": "subtree"}, "method.scope"),
        ({"algorithm": "heuristic", "tie_break": "paper"}, "method.tie_break"),
        ({"algorithm": "greedy", "tie_break": "paper"}, "a setting of iab, not of 'greedy'"),
        ({"algorithm": "optimal", "objective": "rows", "local_recoding": True}, "local_recoding"),
        ({"decoys": {"to": 1}}, "method.decoys.to"),
        ({"decoys": {"limit": 0.1}}, "method.decoys.to"),
    ],
)
def test_searches_for_rows_say_what_they_do_not_know(method: dict[str, Any], words: str) -> None:
    assert words in str(refused(smallest(method=method)))


def test_searches_for_rows_are_understood() -> None:
    method = {"algorithm": "iab", "scope": "subtree", "tie_break": "paper"}
    policy = Policy.from_dict(smallest(method=method))
    assert (policy.method.algorithm, policy.method.scope) == ("iab", "subtree")
    assert Policy.from_dict(policy.to_dict()) == policy


def with_diagnosis(**keys: Any) -> dict[str, Any]:
    document = smallest()
    document["attributes"]["diagnosis"] |= keys
    return document


CATEGORY_PROBLEMS = [
    ({}, "attributes.diagnosis.categories: needs one of 'table', 'file' and 'code_system'"),
    (
        {"table": {"low": ["flu"]}, "file": "c.csv"},
        "needs one of 'table', 'file' and 'code_system'",
    ),
    (
        {"table": {"low": ["flu"], "high": ["flu", "hiv"]}},
        "attributes.diagnosis.categories.table: 'flu' is in low and high",
    ),
    (
        {"table": {"low": ["flu"], "high": ["hiv"]}, "order": ["low", "hihg"]},
        "attributes.diagnosis.categories.order: no category 'hihg': did you mean 'high'?",
    ),
    (
        {"table": {"low": ["flu"], "high": ["hiv"]}, "order": ["low"]},
        "attributes.diagnosis.categories.order: has no place for 'high'",
    ),
    (
        {"table": {"low": ["flu"], "high": ["hiv"]}, "missing": "mid"},
        "attributes.diagnosis.categories.missing: no category 'mid'",
    ),
]


@pytest.mark.parametrize(("categories", "text"), CATEGORY_PROBLEMS)
def test_categories_that_contradict_themselves(categories: dict[str, Any], text: str) -> None:
    assert text in str(refused(with_diagnosis(categories=categories)))


def test_only_a_sensitive_attribute_has_categories() -> None:
    keys = with_age(categories={"table": {"low": ["20"]}})
    assert "only a sensitive attribute has categories" in str(refused(keys))


def test_a_promise_without_a_sensitive_attribute_is_about_all_of_them() -> None:
    keys = smallest(promises=[{"model": "distinct-l-diversity", "l": 2}])
    keys["attributes"]["drug"] = {"role": "sensitive"}
    found = Policy.from_dict(keys)
    assert [item.sensitive for item in found.promises] == ["diagnosis", "drug"]
    keys["promises"][0]["sensitive"] = ["drug"]
    assert [item.sensitive for item in Policy.from_dict(keys).promises] == ["drug"]
    assert Policy.from_dict(found.to_dict()) == found


def test_a_promise_about_sensitive_values_needs_some() -> None:
    keys = with_age()
    keys["promises"] = [{"model": "distinct-l-diversity", "l": 2}]
    assert "protects a sensitive attribute, and none is named" in str(refused(keys))


def test_theta_sensitivity_comes_with_a_bound_on_beliefs() -> None:
    asked = [{"model": "theta-sensitive", "k": 4}]
    method = {"algorithm": "theta"}
    safe = Policy.from_dict(smallest(promises=asked, method=method))
    assert [(item.model, item.parameters.get("bound")) for item in safe.promises] == [
        ("theta-sensitive", None),
        ("max-posterior", 0.5),
    ]
    assert Policy.from_dict(safe.to_dict()) == safe
    published = Policy.from_dict(smallest(promises=asked, method=method | {"variant": "paper"}))
    assert [item.model for item in published.promises] == ["theta-sensitive"]
    assert any("without its guard" in warning for warning in published.warnings)
    own = [*asked, {"model": "max-posterior", "bound": 1.0}]
    switched_off = Policy.from_dict(smallest(promises=own, method=method))
    assert [item.parameters.get("bound") for item in switched_off.promises] == [None, 1.0]
    by_size = [{"model": "theta-sensitive", "k": 4, "theta": "size"}]
    assert len(Policy.from_dict(smallest(promises=by_size, method=method)).promises) == 1


METHOD_PROBLEMS = [
    ({"cells": "set"}, "method.cells: is a setting of k-l-diversity, k-member, mdav, mondrian"),
    (
        {"algorithm": "mondrian", "variant": "paper"},
        "method.variant: is a setting of k-l-diversity, theta",
    ),
    ({"algorithm": "theta"}, "method.algorithm: 'theta' works towards 'theta-sensitive'"),
    ({"algorithm": "mondrian", "local_recoding": True}, "method.local_recoding"),
    (
        {"algorithm": "mondrian", "objective": "height"},
        "'mondrian' works for 'loss'",
    ),
    ({"algorithm": "mdav", "time_limit": 5.0}, "method.time_limit: is a setting of"),
    ({"algorithm": "mdav", "partition": {"cut": "median"}}, "method.partition.cut: is a setting"),
    (
        {"algorithm": "mondrian", "objective": {"measure": "loss", "aggregate": "max"}},
        "method.objective.aggregate: 'mondrian' does not add up",
    ),
    ({"algorithm": "mondrian", "cells": {"aeg": "set"}}, "method.cells.aeg: no attribute 'aeg'"),
    ({"algorithm": "mondrian", "cells": "sets"}, "method.cells"),
]


@pytest.mark.parametrize(("method", "text"), METHOD_PROBLEMS)
def test_settings_that_do_not_go_with_the_algorithm(method: dict[str, Any], text: str) -> None:
    assert text in str(refused(smallest(method=method)))


def linked(*links: dict[str, Any], **age: Any) -> dict[str, Any]:
    return with_age(**age) | {"links": list(links)}


LINKS = [
    (linked({"from": "name"}), "links[1].to: is missing"),
    (linked({"from": "name", "to": "age", "sauce": "x"}), "links[1].sauce: unknown key: did you"),
    (linked({"from": "age", "to": ["name", "age"]}), "links[1]: links 'age' to itself"),
    (linked({"from": [], "to": "age"}), "links[1].from: must name an attribute"),
    (with_age() | {"links": {"from": "name"}}, "links: must be a list of tables"),
    (with_age(derived_from="date_of_brith") | {"links": [{"from": "name", "to": "date_of_birth"}]},
     "attributes.age.derived_from: no attribute 'date_of_brith': did you mean 'date_of_birth'?"),
    (with_age(part_of="age"), "attributes.age.part_of: names 'age' itself"),
    (with_age(derived_from=3), "attributes.age.derived_from: must be a list"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "text"), LINKS, ids=[text[:48] for _, text in LINKS])
def test_links_and_derivations_are_held_against_names(keys: dict[str, Any], text: str) -> None:
    assert text in str(refused(keys))


def test_derivations_in_a_circle() -> None:
    keys = with_age(derived_from="diagnosis")
    keys["attributes"]["diagnosis"] = {"role": "sensitive", "part_of": ["age"]}
    found = [item for item in refused(keys).problems if item.code == "derived-in-a-circle"]
    assert len(found) == 1


def test_links_survive_a_file() -> None:
    keys = linked(
        {"from": "name", "to": ["age", "zip code"], "source": "register"},
        {"from": "birth", "to": "name"},
        derived_from="birth",
        part_of=["birth", "name"],
    )
    policy = Policy.from_dict(keys)
    assert policy.links[0].pairs() == (("name", "age"), ("name", "zip code"))
    assert policy.attributes["age"].derived_from == ("birth",)
    assert policy.to_dict()["links"] == keys["links"]
    assert Policy.from_dict(tomllib.loads(policy.to_toml())) == policy


def test_an_end_that_is_nearly_a_column_is_told() -> None:
    keys = smallest(links=[{"from": "name", "to": "diagnosys"}])
    policy = Policy.from_dict(keys)
    assert any("did you mean 'diagnosis'?" in warning for warning in policy.warnings)


def test_a_draft_needs_neither_promises_nor_quasi_identifiers() -> None:
    from indistinct.policy import DraftPolicy

    keys = {"attributes": {"age": {"role": "insensitive"}}}
    assert DraftPolicy.from_dict(keys).quasi_identifiers == ()
    assert {item.code for item in refused(keys).problems} >= {"no-promise", "no-quasi-identifier"}
    with pytest.raises(PolicyError, match="unknown key"):
        DraftPolicy.from_dict({**keys, "atributes": {}})


@pytest.mark.parametrize(("given", "told"), [("a", "unknown value 'a': "), (3, "must be one of")])
def test_a_key_that_takes_words_or_false(given: object, told: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict({"method": {"keep_history": given}})
    problem = next(one for one in caught.value.problems if "keep_history" in one.message)
    assert told in problem.message
    assert "'generalized'" in problem.message
    assert "false" in problem.message


def test_a_wrong_promise_about_every_sensitive_attribute_is_told_once() -> None:
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
            "died": {"role": "sensitive"},
        },
        "promises": [{"model": "entropy-l-diversity", "attribute": "ill", "l": 3}],
    }
    with pytest.raises(PolicyError) as refused:
        Policy.from_dict(keys)
    (problem,) = refused.value.problems
    assert "has no setting 'attribute'" in problem.message


def test_promises_have_the_numbers_that_they_are_written_with() -> None:
    """After one that cannot be read, and after one that is made for two attributes."""
    attributes = {
        "age": {"role": "quasi-identifier"},
        "dx": {"role": "sensitive"},
        "ward": {"role": "sensitive"},
    }
    for first in ({"model": "k-anonymity", "k": 0}, {"model": "distinct-l-diversity", "l": 2}):
        wrong = [first, {"model": "k-anonymity", "k": 3, "on": ["nose"]}, {"model": "km-anonymity"}]
        wrong[-1] |= {"k": 2, "sensitive": "dx"}
        with pytest.raises(PolicyError) as caught:
            Policy.from_dict({"attributes": attributes, "promises": wrong})
        told = [str(problem.message).partition(":")[0] for problem in caught.value.problems]
        assert told[-2:] == ["promises[2].on", "promises[3]"]
    weak = [first, {"model": "max-posterior", "bound": 1.0, "sensitive": "dx"}]
    warnings = Policy.from_dict({"attributes": attributes, "promises": weak}).warnings
    assert [text for text in warnings if text.startswith("promises[2]: bound = 1.0")]


@pytest.mark.parametrize(
    ("model", "method"),
    [
        ("theta-sensitiv", {"algorithm": "theta"}),
        ("theta-sensitive", {"algorithm": "theta"}),
        ("knm-anonymity", {"mode": "split"}),
        ("knm-anonymity", {"accept_unsafe": True}),
        ("km-anonymity", {"items": "local"}),
    ],
)
def test_a_promise_that_cannot_be_read_is_not_missed(model: str, method: dict[str, object]) -> None:
    attributes = {"age": {"role": "quasi-identifier"}, "dx": {"role": "sensitive"}}
    keys = {"attributes": attributes, "method": method}
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict({**keys, "promises": [{"model": model, "k": 0, "sensitive": "dx"}]})
    assert {problem.code for problem in caught.value.problems} <= {"bad-parameter", "unknown-model"}
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict({**keys, "promises": [{"model": "k-anonymity", "k": 2}]})
    codes = {problem.code for problem in caught.value.problems}
    assert codes & {"method-without-promise", "idle-key"}


def test_a_text_alone_is_the_file_of_the_population() -> None:
    policy = Policy.from_dict(smallest(risk={"population": "register.csv"}))
    assert policy.risk.population is not None
    assert policy.risk.population.file == "register.csv"
    assert Policy.from_dict(policy.to_dict()) == policy
