"""What other distributions bring: the template of a plugin, installed and used; and bad ones."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeGuard

import polars as pl
import pytest
import typer
from typer.testing import Result

import indistinct as ind
from indistinct import plugins
from indistinct.analytics import attacks
from indistinct.analytics.attacks import attackers, is_attacker
from indistinct.errors import PluginError, PolicyError
from indistinct.measures import measures, objective
from indistinct.privacy import models, promise

ROOT = Path(__file__).resolve().parents[1]
Run = Callable[..., Result]

VERB = '''
def greet() -> None:
    """Say hello."""
    print("hello")
'''

FORMAT = """
import polars as pl
from indistinct.sources.format import DROPPED, SENSITIVE, WHOLE, Format, HealthRecords

class Tapes(Format):
    name = "tapes"
    title = "a tape of visits"
    person = "who"
    attributes = {"who": DROPPED, "sex": WHOLE, "age": WHOLE, "ill": SENSITIVE}

    def read(self, path):
        ills = ["flu", "gout"] * 8
        frame = pl.DataFrame({"who": range(16), "sex": ["f"] * 16, "age": ["40"] * 16, "ill": ills})
        return HealthRecords(CHANGED, (), (path,))

    def recognizes(self, names):
        return any(name.endswith(".tape") for name in names)
"""

PROMISE = """
from indistinct.privacy.k_anonymity import KAnonymity
class Twin(KAnonymity):
    model = "{model}"
"""


@pytest.fixture(autouse=True)
def own_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the commands anew: there are those of plugins among them."""
    monkeypatch.setattr(typer.testing, "_get_command", typer.main.get_command)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the template, as pip installs it."""
    copy = tmp_path_factory.mktemp("template") / "plugin"
    ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT / "examples" / "plugin", copy, ignore=ignored)
    target = copy.parent / "installed"
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    install = ["pip", "install", *options, "--target", str(target), str(copy)]
    subprocess.run([sys.executable, "-m", *install], check=True)
    return target


@pytest.fixture
def use(installed: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run Python in a folder with the examples' table and policy, where the plugin is installed."""
    shutil.copy(ROOT / "examples" / "release.toml", tmp_path)
    shutil.copy(ROOT / "examples" / "visits.py", tmp_path)
    path = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])

    def python(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    python("visits.py", "visits.csv")
    return python


def test_the_template_is_used_from_end_to_end(
    use: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    policy = (tmp_path / "release.toml").read_text(encoding="utf-8")
    promised = '[[promises]]\nmodel = "simpson-diversity"\nbound = 0.5\n'
    policy = policy.replace("[method]", f'{promised}\n[method]\nobjective = "largest-class"')
    (tmp_path / "release.toml").write_text(policy, encoding="utf-8")
    even = policy.replace('objective = "largest-class"', 'algorithm = "even-steps"')
    (tmp_path / "even.toml").write_text(even, encoding="utf-8")
    (tmp_path / "limited.toml").write_text(f"{even}time_limit = 5\n", encoding="utf-8")
    (tmp_path / "wards").mkdir()
    for ward in ("1", "2"):
        rows = [f"P{at // 2},{40 + at // 2 % 3},{'mf'[at // 2 % 2]},flu\n" for at in range(16)]
        text = "patient,age,sex,diagnosis\n" + "".join(rows)
        (tmp_path / "wards" / f"ward-{ward}.csv").write_text(text, encoding="utf-8")
    runs = [
        "anonymize visits.csv --policy release.toml --out out",
        "audit out",
        "anonymize visits.csv --policy even.toml --out even",
        "audit even",
        "anonymize visits.csv --policy limited.toml --out no",
        "init wards --policy wards.toml",
        "anonymize wards --policy wards.toml --out of-wards",
        "attack visits.csv out --policy release.toml --only best-guess",
        "simpson visits.csv diagnosis",
        "--help",
    ]
    done = use("-c", _ALL, *runs)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    codes, said, errors = ([one[at] for one in told] for at in range(3))
    assert codes == [0, 0, 0, 0, 2, 0, 0, 0, 0, 0], errors
    assert "method.time_limit: is a setting of" in errors[4]
    assert "simpson" in said.pop()
    run, audited, other, again, _, _, of_wards, attacked, simpson = (
        json.loads(one or "null") for one in said
    )
    assert run["plan"]["objective"]["measure"] == "largest-class"
    assert 0 < run["measures"]["largest-class"] <= 1
    k, promise = audited["promises"]
    assert (k["model"], promise["model"]) == ("k-anonymity", "simpson-diversity")
    assert promise["holds"]
    assert 0 < promise["achieved"]["bound"] <= 0.5
    assert other["plan"]["algorithm"] == "even-steps"
    assert again["holds"]
    assert 'format = "wards"' in (tmp_path / "wards.toml").read_text(encoding="utf-8")
    assert of_wards["people"]["source"] == 8
    (attack,) = attacked["attacks"]
    assert attack["name"] == "best-guess"
    assert 0 < attack["figures"]["guessed"] < 1
    assert 0 < simpson["simpson"] < 1


_ALL = """
import json, sys
from typer.testing import CliRunner
from indistinct.cli import app
told = []
for words in sys.argv[1:]:
    done = CliRunner().invoke(app, [*words.split(), *(["--json"] if words != "--help" else [])])
    told.append((done.exit_code, done.stdout, done.stderr))
print(json.dumps(told))
"""


def test_a_broken_promise_of_the_template_is_found(
    use: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "release.csv").write_text("age,diagnosis\n" + "30,flu\n" * 4, encoding="utf-8")
    script = """
import indistinct as ind
promise = {"model": "simpson-diversity", "bound": 0.5, "sensitive": "diagnosis"}
print(ind.audit("release.csv", quasi=["age"], promises=[promise]).to_dict()["promises"])
"""
    done = use("-c", script)
    assert "'holds': False" in done.stdout, done.stderr
    assert "'bound': 1.0" in done.stdout


def test_a_measure_has_settings_of_its_own(
    use: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    script = """
import indistinct as ind
from indistinct.measures import objective
keys = ind.Policy.load("release.toml").to_dict()
def policy(**own):
    own = {"measure": "largest-class", **own}
    return ind.Policy.from_dict({**keys, "method": {**keys["method"], "objective": own}})
for own in ({"tolerated": 1.5}, {"tolerated": True}, {"tolerated": -1}, {"tolerate": 1},
            {"gs_factor": 0.4}):
    try:
        print("made", policy(**own))
    except ind.PolicyError as error:
        print(*error.problems)
made = policy(tolerated=90)
print(made.to_dict()["method"]["objective"], "tolerated = 90" in made.to_toml())
print(ind.Policy.from_dict(made.to_dict()) == made, policy(tolerated=0) == policy(tolerated=90))
print(objective("largest-class", tolerated=90).tolerated)
for tolerated in (0, 9):
    release = ind.anonymize("visits.csv", policy(tolerated=tolerated))
    print(release.run.to_dict()["plan"]["objective"]["value"])
"""
    done = use("-c", script)
    assert done.returncode == 0, done.stderr
    *said, plain, tolerant = done.stdout.splitlines()
    assert said == [
        "method.objective.tolerated: must be a whole number, not 1.5",
        "method.objective.tolerated: must be a whole number, not true",
        "method.objective: tolerated must be 0 or more, not -1",
        "method.objective.tolerate: unknown key: did you mean 'tolerated'?",
        "method.objective.gs_factor: measure 'largest-class' has no such setting",
        "  remedy: it has tolerated",
        "{'measure': 'largest-class', 'tolerated': 90} True",
        "True False",
        "90",
    ]
    assert float(plain) == float(tolerant) + 9 > 9


def test_the_contracts_are_held_against_the_template(
    use: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    chosen = (
        "simpson-diversity or largest-class or even-steps or everybody_finds or every_promise "
        "or wards or ltsv"
    )
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "-k", chosen]
    script = f"""
import sys
import pytest
sys.path.insert(0, {str(ROOT)!r})
sys.exit(pytest.main([*{options!r}, "-c", {str(ROOT / "pyproject.toml")!r},
                      {str(ROOT / "tests" / "contracts")!r}]))
"""
    done = use("-c", script)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 25


def test_the_tests_of_the_template_pass(
    use: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "examples" / "plugin" / "tests", tmp_path / "tests")
    done = use("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "tests")
    assert done.returncode == 0, done.stdout
    assert " 7 passed" in f" {done.stdout.splitlines()[-1]}"


# Plugins that cannot be used


@pytest.fixture
def distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Put a distribution on the path: its name, one module, and entry points by their groups."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def put(name: str, source: str, **entries: str) -> None:
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        groups = [f"[indistinct.{kind}]\n{entry}\n" for kind, entry in entries.items()]
        (about / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
        forget()

    def forget() -> None:
        for cached in (
            plugins._stated,
            plugins._entries,
            plugins._imported,
            plugins._warn,
            attacks.attackers,
        ):
            cached.cache_clear()
        for module in [name for name in sys.modules if name.startswith("plug_")]:
            del sys.modules[module]

    yield put
    monkeypatch.undo()
    forget()


def any_object(loaded: object, name: str) -> TypeGuard[object]:
    """Whatever it is."""
    del loaded, name
    return True


def test_a_verb_that_cannot_be_imported_breaks_no_other(
    distribution: Callable[..., None], run: Run
) -> None:
    distribution("plug_broken", "import no_such_module", verbs="greet = plug_broken:greet")
    with pytest.warns(plugins.PluginWarning, match="'greet'.*'plug_broken' cannot be used"):
        listed = run("--help")
    assert listed.exit_code == 0
    assert "anonymize" in listed.stdout
    called = run("greet", "--loud")
    assert called.exit_code == 2
    assert called.stdout == ""
    assert (
        "the plugin 'greet' (indistinct.verbs) of the distribution 'plug_broken'" in called.stderr
    )
    assert "ModuleNotFoundError: No module named 'no_such_module'" in called.stderr


def test_a_verb_is_found_and_suggested(distribution: Callable[..., None], run: Run) -> None:
    distribution("plug_greeting", VERB, verbs="greet = plug_greeting:greet")
    assert run("greet").stdout == "hello\n"
    assert "Say hello." in run("greet", "-h").stdout
    assert "'greet'" in run("gret").stderr


def test_a_format_that_reads_other_columns_than_it_declares_is_named(
    distribution: Callable[..., None], run: Run, tmp_path: Path
) -> None:
    tape, policy = tmp_path / "one.tape", tmp_path / "policy.toml"
    tape.write_text("any")
    policy.write_text('[source]\nformat = "tapes"\n[[promises]]\nmodel = "k-anonymity"\nk = 2\n')
    asked = ("anonymize", tape, "--policy", policy, "--out", tmp_path / "out")
    for at, (changed, why) in enumerate(
        {
            'frame.drop("age")': "declares columns that it does not read: age",
            "frame.with_columns(SECRET=1)": "reads columns that it does not declare: 1",
            'frame.rename({"age": "SECRET"})': "does not read: age, and reads columns that it does",
        }.items()
    ):
        source = FORMAT.replace("CHANGED", changed)
        distribution(f"plug_tape{at}", source, sources=f"tapes = plug_tape{at}:Tapes")
        done = run(*map(str, asked))
        assert done.exit_code == 2
        told = " ".join(done.stderr.split())
        assert f"the format 'tapes' (plug_tape{at}.Tapes)" in told
        assert why in told
        assert "take the attribute out of the policy" not in told
        assert "SECRET" not in told
        with pytest.raises(PluginError):
            ind.workbench(tape, 'source.format = "tapes"')
        shutil.rmtree(tmp_path / f"plug_tape{at}-1.0.dist-info")


def test_what_a_library_refuses_of_a_format_is_told_without_its_words(
    distribution: Callable[..., None], run: Run, tmp_path: Path
) -> None:
    tape, policy = tmp_path / "one.tape", tmp_path / "policy.toml"
    tape.write_text("any")
    policy.write_text('[source]\nformat = "tapes"\n[[promises]]\nmodel = "k-anonymity"\nk = 2\n')
    for at, (changed, kind) in enumerate(
        {
            'frame.select("SECRET")': "ColumnNotFoundError",
            'pl.Series(["SECRET"]).cast(int)': "InvalidOperationError",
            'pl.read_csv("SECRET")': "FileNotFoundError",
            r'b"\xffSECRET".decode()': "UnicodeDecodeError",
        }.items()
    ):
        source = FORMAT.replace("CHANGED", changed)
        distribution(f"plug_tape{at}", source, sources=f"tapes = plug_tape{at}:Tapes")
        done = run("anonymize", str(tape), "--policy", str(policy), "--out", str(tmp_path / "out"))
        assert done.exit_code == 2, done.output
        told = " ".join(done.stderr.split())
        assert f"this cannot be read as a tape of visits ({kind})" in told
        assert "SECRET" not in told
        shutil.rmtree(tmp_path / f"plug_tape{at}-1.0.dist-info")


def test_init_asks_formats_about_a_file_that_is_no_table(
    distribution: Callable[..., None], run: Run, tmp_path: Path
) -> None:
    source = FORMAT.replace("CHANGED", "frame")
    distribution("plug_tape", source, sources="tapes = plug_tape:Tapes")
    tape, policy, out = (tmp_path / name for name in ("one.tape", "policy.toml", "out"))
    tape.write_text("any")
    assert run("init", str(tape), "--policy", str(policy)).exit_code == 0
    assert 'format = "tapes"' in policy.read_text(encoding="utf-8")
    policy.write_text(policy.read_text(encoding="utf-8").replace("k = 5", "k = 2"))
    done = run("anonymize", str(tape), "--policy", str(policy), "--out", str(out), "--json")
    assert json.loads(done.stdout)["people"]["source"] == 16, done.output
    # A table is read as one, whatever it is called; others are refused as they were.
    for name in ("person.csv", "person.docx", "person", "other.tap"):
        (tmp_path / name).write_text("age,ill\n40,flu\n50,gout\n", encoding="utf-8")
        done = run("init", str(tmp_path / name), "--policy", str(tmp_path / f"{name}.toml"))
        assert done.exit_code == (0 if name == "person.csv" else 2), done.output
        assert name == "person.csv" or "does not say what is in the file" in done.output


def test_a_bug_of_a_plugin_is_told_as_its_own(
    distribution: Callable[..., None], run: Run, tmp_path: Path
) -> None:
    distribution("plug_bug", "", verbs="greet = plug_bugs.verb:greet")
    (tmp_path / "plug_bugs").mkdir()
    (tmp_path / "plug_bugs" / "__init__.py").touch()
    (tmp_path / "plug_bugs" / "verb.py").write_text("def greet() -> None:\n    1 / 0\n")
    called = run("greet")
    assert called.exit_code == 1
    assert "ZeroDivisionError in verb.py, line 2" in called.stderr
    assert "This is a bug in plug_bugs, not in your data" in called.stderr


def test_built_in_names_cannot_be_taken(distribution: Callable[..., None], run: Run) -> None:
    distribution(
        "plug_taking",
        VERB + PROMISE.format(model="k-anonymity"),
        verbs="demo = plug_taking:greet",
        promises="k-anonymity = plug_taking:Twin",
    )
    with pytest.warns(plugins.PluginWarning, match="'demo'.*its name is taken by a part of indis"):
        assert "Say hello" not in run("--help").stdout
    with pytest.warns(plugins.PluginWarning, match="'k-anonymity'"):
        assert models()["k-anonymity"] is ind.KAnonymity
    assert type(promise("k-anonymity", k=2)) is ind.KAnonymity


def test_a_name_that_two_distributions_bring_is_nobodys(distribution: Callable[..., None]) -> None:
    distribution("plug_one", VERB, verbs="greet = plug_one:greet")
    distribution("plug_two", VERB, verbs="greet = plug_two:greet")
    with pytest.raises(PluginError, match="'plug_one' and 'plug_two' cannot be used: several"):
        plugins.find("verbs", "greet", any_object)


@pytest.mark.filterwarnings("ignore::indistinct.plugins.PluginWarning")
@pytest.mark.parametrize(
    ("kind", "entry", "ask"),
    [
        ("promises", "odd", lambda: promise("odd")),
        ("promises", "other", lambda: promise("other")),
        ("measures", "odd", lambda: objective("odd")),
        ("checks", "odd", lambda: ind.audit("r.csv", quasi="a", promises=[{"model": "odd"}])),
        ("attackers", "odd", lambda: plugins.find("attackers", "odd", is_attacker)),
    ],
)
def test_what_is_not_what_it_should_be_is_told_when_it_is_asked_for(
    distribution: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    entry: str,
    ask: Callable[[], object],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text("a\n1\n", encoding="utf-8")
    distribution("plug_odd", PROMISE.format(model="twin"), **{kind: f"{entry} = plug_odd:Twin"})
    with pytest.raises(PluginError, match="plug_odd:Twin is not"):
        ask()


def test_a_plugin_that_is_left_out_is_told_once(distribution: Callable[..., None]) -> None:
    distribution("plug_measure", "", measures="odd = plug_measure")
    with pytest.warns(plugins.PluginWarning, match="'odd' .indistinct.measures"):
        assert "odd" not in measures()
    assert "odd" not in measures()
    assert "loss" in measures()


@pytest.mark.parametrize(
    "source",
    [
        "import sys; sys.exit(0)",
        "raise BaseException",
        "raise GeneratorExit",
        "class M(type):\n    def __getattr__(self, name): raise ZeroDivisionError\n"
        "class odd(metaclass=M): pass",
        "class M(type):\n    def __getattr__(self, name): raise BaseException\n"
        "class odd(metaclass=M): pass",
    ],
)
def test_a_plugin_that_ends_the_program_is_left_out(
    distribution: Callable[..., None], source: str
) -> None:
    """A run that ended with it would look like one that made its release: exit code 0."""
    distribution("plug_end", source, measures="odd = plug_end:odd", attackers="odd = plug_end:odd")
    with pytest.warns(plugins.PluginWarning, match="'odd' .indistinct.measures"):
        assert "odd" not in measures()
    with pytest.warns(plugins.PluginWarning, match="'odd' .indistinct.attackers"):
        assert "odd" not in attacks.attackers()


def test_an_attacker_that_cannot_be_used_is_left_out(distribution: Callable[..., None]) -> None:
    distribution("plug_attacker", "1 / 0", attackers="odd = plug_attacker")
    with pytest.warns(plugins.PluginWarning, match="'odd'.*ended with ZeroDivisionError"):
        assert "odd" not in attackers()
    table = pl.DataFrame({"age": [1, 1, 2, 2], "diagnosis": ["a", "b"] * 2})
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "diagnosis": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    assert ind.attack(table, table, policy).attacks
    with pytest.raises(PluginError, match="'odd'"):
        ind.attack(table, table, policy, only=["odd"])


def test_a_policy_that_names_no_measure_is_refused_as_before() -> None:
    with pytest.raises(PolicyError, match="unknown value 'los': did you mean 'loss'"):
        ind.Policy.from_dict({"method": {"objective": "los"}})


def test_a_verb_that_moved_says_where_to(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_entries", lambda kind: {})
    called = run("paper", "khan", "--json")
    assert called.exit_code == 2
    assert "the verb 'paper' is in a distribution of its own now" in called.stderr
    assert "pip install indistinct-reproductions" in called.stderr


@pytest.mark.parametrize(
    ("listed", "why"),
    [
        (b"[indistinct.measures]\n\xff\xfe = plug_bad:odd\n", "UnicodeDecodeError"),
        (b"[console_scripts]\nodd\n", "TypeError"),
    ],
)
def test_a_distribution_whose_list_cannot_be_read_costs_no_other(
    distribution: Callable[..., None], tmp_path: Path, listed: bytes, why: str
) -> None:
    distribution("plug_bad", "", measures="any = plug_bad:odd")
    (tmp_path / "plug_bad-1.0.dist-info" / "entry_points.txt").write_bytes(listed)
    distribution("plug_greeting", VERB, verbs="greet = plug_greeting:greet")
    with pytest.warns(plugins.PluginWarning, match=f"'plug_bad' cannot be read .{why}"):
        found = plugins.find("verbs", "greet", any_object)
    assert callable(found)
    assert "loss" in measures()
