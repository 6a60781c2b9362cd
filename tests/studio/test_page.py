"""The page in a real Chromium: the whole way by mouse and by keyboard, in light and dark."""

import re
import shutil
import signal
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indistinct.hierarchies.moments import LEVELS

from .conftest import Start, Studio, start

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

LONG = 600_000.0
PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=LONG)
        yield made
        made.close()


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for all tables, with the promise of a plugin."""
    folder = tmp_path_factory.mktemp("studio")
    shutil.copytree(PLUGIN / "src" / "indistinct_simpson", folder / "indistinct_simpson")
    about = folder / "indistinct_simpson-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: simpson\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[indistinct.promises]\nsimpson-diversity = indistinct_simpson.promise:SimpsonDiversity\n"
        "[indistinct.checks]\nsimpson-diversity = indistinct_simpson.check\n"
    )
    made = start.__wrapped__(folder)  # type: ignore[attr-defined]
    yield next(made)()
    next(made, None)


@pytest.fixture(scope="module")
def context(browser: Any, studio: Studio) -> Any:
    """A browser that has been let in, and remembers what it asked for."""
    # Colours change at once, so that contrasts are those that stay.
    made = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    made.set_default_timeout(LONG)
    made.asked = []
    made.on("request", lambda request: made.asked.append(request.url))
    page = made.new_page()
    page.goto(studio.address)
    page.wait_for_selector("h1")
    page.close()
    return made


Enter = Callable[[Path | None], Any]


@pytest.fixture
def enter(context: Any, studio: Studio) -> Iterator[Enter]:
    """A page of the studio with this table in it; none but the studio is ever asked."""
    own, pages = f"http://127.0.0.1:{studio.port}/", []

    def opened(table: Path | None) -> Any:
        if table is not None:
            asked = {"data": {"path": str(table)}, "headers": {"Origin": own[:-1]}, "timeout": LONG}
            assert context.request.post(f"{own}api/open", **asked).ok
        page = context.new_page()
        pages.append(page)
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda told: told.type == "error" and page.complaints.append(told.text))
        page.own = own
        page.goto(own)
        if table is not None:
            page.wait_for_selector(f"#source >> text={table.name}")
        return page

    yield opened
    for page in pages:
        page.close()
    assert all(url.startswith(own) for url in context.asked)


class Keyboard:
    """Somebody without a mouse."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def to(self, wanted: str, key: str = "Tab") -> None:
        """Go on until that has the focus."""
        for _ in range(MOST_STEPS):
            if self.page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"the keyboard does not reach {wanted}")

    def press(self, wanted: str, *keys: str) -> None:
        """Go there, and press these keys."""
        self.page.wait_for_selector(wanted)
        self.to(wanted)
        for key in keys or ("Enter",):
            self.page.keyboard.press(key)

    def type(self, wanted: str, text: str) -> None:
        """Go to a field, which selects what is in it, and write something else."""
        self.press(wanted, "Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def room(self, name: str) -> None:
        """Go back to the list of rooms, and into one."""
        self.to(f"#to-{name}", "Shift+Tab")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(f"#to-{name}[aria-current=page]")
        assert self.page.evaluate("document.activeElement.id") == "room"


MOST_STEPS = 250


def barriers(page: Any) -> list[Any]:
    """What axe finds serious, in light and dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    told = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for item in axe.Axe().run(page).response["violations"]:
            if item["impact"] in {"serious", "critical"}:
                told.append((scheme, item["id"], [node["html"][:200] for node in item["nodes"]]))
    return told


def seed(policy: Path) -> None:
    """The same draws every time, for the studio and the command line."""
    text = policy.read_text(encoding="utf-8")
    policy.write_text(text.replace("[method]\n", "[method]\nseed = 7\n"), encoding="utf-8")


def files(folder: Path) -> dict[str, bytes]:
    """The bytes of the published files, but for when they were made."""
    made = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
    return {p.name: made.sub(b"", p.read_bytes()) for p in folder.iterdir() if p.is_file()}


def test_the_whole_way_by_keyboard_is_that_of_the_command_line(
    enter: Enter, studio: Studio, table: Path, tmp_path: Path
):
    from typer.testing import CliRunner

    import indistinct
    from indistinct.cli import app

    policy = table.with_suffix(".toml")
    policy.write_text(indistinct.workbench(table).draft(), encoding="utf-8")
    seed(policy)
    page = enter(None)
    keys = Keyboard(page)
    page.wait_for_selector("h1")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    if page.query_selector("#path") is None:
        keys.press("#show-open")
    keys.type("#path", str(table))

    page.wait_for_selector("text=As good as a name")
    keys.press("#role-cost", "ArrowDown")
    page.wait_for_selector("#role-cost[data-role=insensitive]")
    page.wait_for_selector("#undo:not([disabled])")
    assert page.evaluate("document.activeElement.id") == "role-cost"
    assert barriers(page) == []

    keys.room("hierarchies")
    keys.press("#hierarchy-ward")
    keys.press("#level-0")
    keys.press("[aria-label='Choose Cardiology']", "Space")
    keys.press("[aria-label='Choose Surgery']", "Space")
    keys.press("#group-name")
    page.keyboard.type("Operations")
    keys.press("#put")
    page.wait_for_selector("[aria-label='Choose Operations']")
    keys.to("#hierarchy-age", "Shift+Tab")
    page.keyboard.press("Enter")
    keys.type("#set-width", "10")
    page.wait_for_selector("[aria-label='Choose [20, 30)']")
    assert barriers(page) == []

    keys.room("promises")
    page.wait_for_selector("text=No problem found in these promises")
    keys.press("#k", "ArrowRight")
    assert page.text_content("#k-value") == "k = 6"
    page.wait_for_selector("#promise-0-k[value='6']")
    assert page.evaluate("document.activeElement.id") == "k"
    keys.press("#add-max-posterior")
    page.wait_for_selector("#promise-1-bound:focus")
    keys.to("#promise-1-of")
    while page.input_value("#promise-1-of") != "diagnosis":
        page.keyboard.press("ArrowDown")
    keys.to("#promise-1-bound", "Shift+Tab")
    keys.type("#promise-1-bound", "0.6")
    page.wait_for_selector("#promise-1-bound[value='0.6']")
    assert barriers(page) == []

    keys.room("explore")
    page.wait_for_selector("#try-k")
    assert barriers(page) == []

    keys.room("publish")
    out = tmp_path / "by-hand"
    keys.press("#out", "Control+A")
    page.keyboard.type(str(out))
    keys.press("#publish")
    page.wait_for_selector("text=Every promise holds in the published files")
    page.wait_for_selector("text=Those who learn most", state="attached")
    assert barriers(page) == []
    page.reload()  # what was made and tried is still there
    page.wait_for_selector("text=Every promise holds in the published files")
    page.wait_for_selector("text=Those who learn most", state="attached")
    assert page.query_selector("text=The policy has changed since") is None
    told = page.text_content("#command")
    with page.context.expect_page() as shown:
        keys.press("#report-public")
    shown.value.wait_for_selector("h1")
    assert shown.value.evaluate("getComputedStyle(document.body).fontFamily") != ""
    shown.value.close()

    asked = indistinct.Policy.load(policy)
    assert asked.attributes["cost"].role == "insensitive"
    assert asked.promises[0].parameters == {"k": 6}
    assert asked.attributes["age"].hierarchy["intervals"]["width"] == 10
    assert asked.attributes["ward"].hierarchy["file"].startswith("discharges-hierarchies/ward-")
    other = tmp_path / "by-command"
    verb, *arguments = told.split()[1:-1]
    result = CliRunner().invoke(app, [verb, *arguments, str(other)])
    assert result.exit_code == 0, result.stderr
    assert files(out) == files(other)
    assert files(out / "private").keys() == files(other / "private").keys()
    assert page.complaints == []


def test_the_promise_of_a_plugin_is_made_like_ours(enter: Enter, table: Path):
    page = enter(table)
    page.click("#to-promises")
    page.wait_for_selector("#add-max-posterior")
    page.click("#more-promises > summary")
    page.click("#add-simpson-diversity")
    page.wait_for_selector("#promise-1-bound[value='0.5']")
    page.fill("#promise-1-bound", "7")
    page.press("#promise-1-bound", "Enter")
    page.wait_for_selector("text=bound of simpson-diversity must be a number")
    page.fill("#promise-1-bound", "0.7")
    page.press("#promise-1-bound", "Enter")
    page.wait_for_selector("#promise-1-bound[value='0.7']")
    assert barriers(page) == []
    made = tomllib.loads(table.with_suffix(".toml").read_text())["promises"][1]
    assert (made["model"], made["bound"]) == ("simpson-diversity", 0.7)
    assert [one for one in page.complaints if "422" not in one] == []


def test_steps_are_seen_undone_and_kept_over_a_reload(enter: Enter, table: Path):
    page = enter(table)
    page.wait_for_selector("#role-ward")
    page.click("#show-policy")
    page.select_option("#role-ward", "sensitive")
    page.wait_for_selector("#role-ward[data-role=sensitive]")
    text = page.input_value("#policy-text")
    assert '[attributes.ward]\nrole = "sensitive"' in text
    page.reload()
    page.wait_for_selector("#role-ward[data-role=sensitive]")
    assert page.input_value("#policy-text") == text
    page.click("#undo")
    page.wait_for_selector("#role-ward[data-role=quasi-identifier]")
    page.click("#redo")
    page.wait_for_selector("#role-ward[data-role=sensitive]")
    page.fill("#policy-text", text.replace("k = 5", "k = zero"))
    page.click("#take-policy")
    page.wait_for_selector("#policy-told >> text=is not valid TOML")
    page.click("#undo")
    page.wait_for_selector("#policy-told .note:not(.bad)")


def test_another_sheet_of_a_workbook_is_read(enter: Enter, tmp_path: Path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    book.active.title = "About"
    book.active.append(["as of", None])
    book.active.append(["May", 2024])
    people = book.create_sheet("The people")
    for row in (["age", "sex", "ill"], *[[20 + at % 9, "fm"[at % 2], "flu"] for at in range(90)]):
        people.append(row)
    path = tmp_path / "ward.xlsx"
    book.save(path)
    page = enter(None)
    page.wait_for_selector("h1")
    if page.query_selector("#show-open:visible"):
        page.click("#show-open")
    page.wait_for_selector("#path")
    page.fill("#path", str(path))
    page.click("#open-path")
    page.wait_for_selector("text=the header has no name for column 2")
    page.click("text=Read the sheet “The people”")
    page.wait_for_selector("#role-age")
    policy = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))
    assert policy["source"]["sheet"] == "The people"


def test_two_windows_show_the_same(enter: Enter, table: Path):
    page = enter(table)
    page.wait_for_selector("#role-ward")
    other = page.context.new_page()
    other.goto(page.own)
    other.wait_for_selector("#role-ward")
    page.select_option("#role-ward", "sensitive")
    other.wait_for_selector("#role-ward[data-role=sensitive]")
    other.select_option("#role-ward", "identifier")
    page.wait_for_selector("#role-ward[data-role=identifier]")


def test_a_file_is_dropped_and_a_bad_one_explained(enter: Enter, table: Path):
    page = enter(None)
    page.wait_for_selector("h1")
    if page.query_selector("#show-open:visible"):
        page.click("#show-open")
    page.wait_for_selector("text=Which table do you want to release?")
    bad = table.with_name("bad.csv")
    bad.write_text("a,b\n1\n2,3,4\n", encoding="utf-8")
    page.set_input_files("#file", bad)
    page.wait_for_selector("[role=alert] >> text=What helps")
    page.set_input_files("#file", table)
    page.wait_for_selector("#role-ward")


def test_what_no_release_can_keep_is_told_at_once(enter: Enter, table: Path):
    page = enter(table)
    page.wait_for_selector("#role-ward")
    page.click("#to-promises")
    page.wait_for_selector("#promise-0-k")
    page.fill("#promise-0-k", "601")
    page.press("#promise-0-k", "Enter")
    page.wait_for_selector("text=No release can keep this")
    page.wait_for_selector("text=What helps")


def test_other_k_are_tried_and_one_is_taken(enter: Enter, table: Path):
    page = enter(table)
    page.wait_for_selector("#role-ward")
    page.click("#to-explore")
    page.click("#try-k")
    page.wait_for_selector("text=Recommended")
    page.click("#take-k-10")
    page.wait_for_selector("#take-k-5")
    page.click("#try")
    page.click("#take-optimal-")
    page.wait_for_selector("text=Taken: the policy now asks for")
    page.click("#take-asked")
    page.wait_for_selector("#take-optimal-")
    page.click("#to-promises")
    page.wait_for_selector("#promise-0-k[value='10']")
    page.click("#to-explore")
    page.check("#beside-5")
    page.click("#compare")
    page.wait_for_selector("#beside-rows")
    # The groups of the release are boxes; the arrow keys lead from one to the next.
    page.focus("#box-0")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#box-1.chosen")
    assert page.evaluate("document.activeElement.id") == "box-1"
    records = page.text_content("#box h3").partition(": ")[2]
    assert page.get_attribute("#box-1", "aria-label").endswith(records)
    page.wait_for_selector("#try-ward")
    page.click("#around")
    page.click("#step-ward-1")
    page.wait_for_selector("#try-ward[value='1']")
    for level in page.query_selector_all("input[id^='try-'][type=range]"):
        level.focus()
        page.keyboard.press("End")
    page.wait_for_selector("#tried-groups:text-is('1')")
    assert page.query_selector("#max_level-ward") is None
    page.click("#show-policy")
    text = page.input_value("#policy-text")
    page.fill("#policy-text", text.replace('algorithm = "mondrian"', 'algorithm = "optimal"'))
    page.click("#take-policy")
    page.wait_for_selector("#max_level-ward")
    page.focus("#max_level-ward")
    page.keyboard.press("Home")
    page.wait_for_selector("#max_level-ward[value='0']")
    assert "max_level = 0" in page.input_value("#policy-text")
    page.keyboard.press("End")
    page.wait_for_selector("#max_level-ward + span:text-is('any')")
    assert "max_level" not in page.input_value("#policy-text")
    page.focus("#weight-age")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#weight-age[value='1.5']")
    assert page.complaints == []


def test_what_speaks_against_a_number_of_people_is_told(enter: Enter, tmp_path: Path):
    path = tmp_path / "deaths.csv"
    lines = [f"{at % 200 + 1},{40 + at % 7},{'fm'[at // 200 % 2]},E1{at % 7}" for at in range(600)]
    path.write_text("patient_id,age,sex,diagnosis\n" + "\n".join(lines), encoding="utf-8")
    page = enter(path)
    page.wait_for_selector("text=but people of several sexes or births share a number")
    page.wait_for_selector("#count-people")


def test_what_is_to_be_seen_of_the_whole_table_is_told_until_it_is_done(
    enter: Enter, tmp_path: Path
):
    path = tmp_path / "laboratory.csv"
    lines = [f"{at * 7919 % 1000},{at % 13}.5,{at % 29}.1,{at % 3}" for at in range(300)]
    path.write_text("sample,hb,crp,culture\n" + "\n".join(lines), encoding="utf-8")
    page = enter(path)
    page.wait_for_selector("text=no quasi-identifier was recognised: name at least one")
    page.select_option("#role-hb", "quasi-identifier")
    page.wait_for_selector("text=no quasi-identifier was recognised", state="detached")
    assert page.complaints == []


def test_a_table_of_visits_alone_tells_of_what_is_added_and_what_visits_tell(
    enter: Enter, tmp_path: Path
):
    path = tmp_path / "stays.csv"
    lines = [
        f"P{at % 120:03d},2024-{at % 12 + 1:02d}-{at % 28 + 1:02d},E1{at % 7}" for at in range(360)
    ]
    path.write_text("patient_id,seen,diagnosis\n" + "\n".join(lines), encoding="utf-8")
    page = enter(path)
    page.wait_for_selector("text=Not in your table: added with one value for all.")
    page.wait_for_selector("text=bits in one record")
    page.wait_for_selector("text=of the people are unique")
    found = page.wait_for_selector(
        "text=of the people are found by an attacker who knows three cells"
    )
    assert found.evaluate("node => node.previousSibling.textContent") != "0 %"
    assert page.complaints == []


def test_people_with_many_records_are_counted(enter: Enter, tmp_path: Path):
    path = tmp_path / "visits.csv"
    lines = [
        f"P{at % 200:05d},{20 + at % 200 % 5},{'fm'[at % 2]},2024-0{at % 9 + 1}-01,E1{at % 7}"
        for at in range(600)
    ]
    path.write_text("patient_id,age,sex,seen,diagnosis\n" + "\n".join(lines), encoding="utf-8")
    page = enter(path)
    page.wait_for_selector("#role-age")
    if page.query_selector("#count-people"):
        page.click("#count-people")
    page.wait_for_selector("text=Every promise counts people, by patient_id")
    page.wait_for_selector("text=A release has a pseudonym in that column")
    page.click("#to-promises")
    page.wait_for_selector("text=of 200 people")
    page.wait_for_selector(
        "[aria-label='Comes with it: known-visit'] >> text=knows seen of one visit"
    )
    # They are alike in age and sex, twenty and twenty: nobody is alone.
    assert page.text_content("#smallest") == "20"
    page.press(".skip", "Enter")
    assert page.url.endswith("#promises")
    page.click("#to-hierarchies")
    page.click("#hierarchy-age")
    page.fill("#set-breaks", "eighteen")
    page.press("#set-breaks", "Enter")
    page.wait_for_selector("[role=alert] >> text='eighteen' is no row of numbers")
    page.click("#hierarchy-seen")
    page.fill("#set-format", "%Y-%m-%d")
    page.press("#set-format", "Enter")
    page.wait_for_selector("#set-format[value='%Y-%m-%d']")
    page.select_option("#written", label="2024-01-01 is 2024-01-01")
    page.wait_for_selector("#set-format[value='iso']")
    page.click("#to-publish")
    page.fill("#out", "elsewhere")
    page.wait_for_selector(f"text=It will be {path.with_name('elsewhere')}.")
    page.click("#publish")
    page.wait_for_selector("[aria-label='Audit'] >> text=km-anonymity of diagnosis")
    page.wait_for_selector("[aria-label='Audit'] >> text=visit = seen")
    assert page.complaints == []


def test_a_phone_shows_every_room_whole_and_dates_have_the_levels_there_are(
    enter: Enter, tmp_path: Path
):
    path = tmp_path / "births.csv"
    lines = [f"{1990 + at % 20}-{at % 12 + 1:02d}-{at % 27 + 1:02d},{at % 2}" for at in range(300)]
    path.write_text("birth_date,sex\n" + "\n".join(lines), encoding="utf-8")
    page = enter(path)
    page.set_viewport_size({"width": 390, "height": 844})
    for room in ("table", "promises", "explore", "publish", "hierarchies"):
        page.click(f"#to-{room}")
        page.wait_for_selector(f"#to-{room}[aria-current]")
        page.wait_for_selector("main h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, room
    page.click("#hierarchy-birth_date")
    page.wait_for_selector("[aria-label^='Choose ']")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shown = [box.get_attribute("id") for box in page.query_selector_all("[id^=set-levels-]")]
    assert shown == [f"set-levels-{level}" for level in LEVELS]
    for level in LEVELS:
        if not page.is_checked(f"#set-levels-{level}"):
            page.click(f"#set-levels-{level}")  # what came before may still be drawn meanwhile
        page.wait_for_selector(f"#set-levels-{level}:checked")
    assert page.query_selector("[role=alert] >> text=level") is None
    assert page.complaints == []


def test_a_run_is_stopped_with_nothing_half_written(enter: Enter, tmp_path: Path, long_table: Path):
    page = enter(long_table)
    page.wait_for_selector("#role-ward")
    before = {path.name for path in tmp_path.iterdir()}
    page.click("#to-publish")
    page.fill("#out", str(tmp_path / "out"))
    page.click("#publish")
    page.click("#stop-release")
    page.wait_for_selector("text=Nothing was written")
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.fixture
def long_table(tmp_path: Path) -> Path:
    import polars as pl

    from indistinct.demo import discharges

    path = tmp_path / "long.csv"
    pl.concat([discharges()] * 20).write_csv(path)
    return path


def test_a_killed_server_leaves_nothing_half_written(
    start: Start, tmp_path: Path, long_table: Path
):
    studio = start(long_table)
    cookie = studio.enter()
    while (state := studio.call(cookie, "GET", "/api/state"))["table"] is None:
        time.sleep(0.05)
    before = {path.name for path in tmp_path.iterdir()}
    asked = {"version": state["version"], "kind": "release", "out": str(tmp_path / "out")}
    job = studio.call(cookie, "POST", "/api/run", asked)["job"]
    while studio.call(cookie, "GET", f"/api/job?job={job}")["what"] == "starting":
        time.sleep(0.01)
    studio.end(signal.SIGKILL)
    for _ in range(200):
        time.sleep(0.05)
        if "out" in {path.name for path in tmp_path.iterdir()}:
            break
    assert {path.name for path in tmp_path.iterdir()} == before


REAL = {
    "adult/adult.csv": ("native-country", "sensitive", "race", ("Black", "Other")),
    "stroke/healthcare-dataset-stroke-data.csv": (
        *("smoking_status", "quasi-identifier", "work_type"),
        ("children", "Never_worked"),
    ),
    "synthea/patients.csv": ("BIRTHPLACE", "identifier", "RACE", ("asian", "native")),
}
"""Of each table a column with another role, and one of which two values become a group."""


def test_three_real_tables_go_the_way_of_the_command_line(
    enter: Enter, shared: Path, tmp_path: Path
):
    import polars as pl
    from typer.testing import CliRunner

    import indistinct
    from indistinct.cli import app

    page = enter(None)
    page.set_viewport_size({"width": 820, "height": 1180})
    page.wait_for_selector("h1")
    for place, (column, role, grouped, values) in REAL.items():
        separator = ";" if place.startswith("adult") else ","
        rows = pl.read_csv(shared / "data" / place, separator=separator, infer_schema=False)
        table = tmp_path / f"{place.partition('/')[0]}.csv"
        rows.head(300).write_csv(table)
        policy, out = table.with_suffix(".toml"), table.with_suffix("")
        policy.write_text(indistinct.workbench(table).draft(), encoding="utf-8")
        seed(policy)
        if page.query_selector("#path") is None:
            page.click("#show-open")
        page.fill("#path", str(table))
        page.click("#open-path")
        page.wait_for_selector(f"#source >> text={table.name}")
        page.click("#to-table")
        page.select_option(f"#role-{column}", role)
        page.wait_for_selector(f"#role-{column}[data-role={role}]")
        page.click("#to-hierarchies")
        page.click(f"#hierarchy-{grouped}")
        page.click("#level-0")
        for value in values:
            page.check(f"[aria-label='Choose {value}']")
        page.fill("#group-name", "Few")
        page.click("#put")
        page.wait_for_selector("[aria-label='Choose Few']")
        page.click("#to-promises")
        page.fill("#promise-0-k", "4")
        page.press("#promise-0-k", "Enter")
        page.wait_for_selector("#promise-0-k[value='4']")
        page.click("#to-explore")
        page.click("#try-k")
        page.click("#take-k-3")
        page.click("#to-publish")
        page.fill("#out", str(out))
        page.click("#publish")
        page.wait_for_selector(f"code:text-is('{out}')")
        assert page.evaluate("document.documentElement.scrollWidth") == 820
        asked = indistinct.Policy.load(policy)
        assert asked.attributes[column].role == role
        assert asked.promises[0].parameters == {"k": 3}
        assert "Few" in (policy.parent / asked.attributes[grouped].hierarchy["file"]).read_text()
        verb, *arguments = page.text_content("#command").split()[1:-1]
        other = tmp_path / f"{out.name}-by-command"
        result = CliRunner().invoke(app, [verb, *arguments, str(other)])
        assert result.exit_code == 0, result.stderr
        assert files(out) == files(other)
    assert page.complaints == []
