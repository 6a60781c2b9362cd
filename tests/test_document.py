"""Documents in a notebook: whatever a cell holds is text, and what is long is folded."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from typing import Any, ClassVar

import polars as pl

import indistinct as ind
from indistinct.document import (
    MOST_ROWS,
    MOST_SECTIONS,
    Bar,
    Document,
    Grid,
    Line,
    PlainData,
    as_html,
    shown,
)
from indistinct.document import share as per_cent
from indistinct.frozen import dataclass

HOSTILE = '<script>alert("1")</script> & co'


class Tags(HTMLParser):
    """The tags of a page, each of which is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.met.append(tag)
        self.open += [] if tag == "br" else [tag]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def tags(page: str) -> Tags:
    found = Tags()
    found.feed(page)
    assert not found.open
    return found


def test_whatever_a_cell_holds_is_text() -> None:
    rows = [(HOSTILE, Bar(0.25), HOSTILE)]
    titles = [Line(HOSTILE, "title")] * (MOST_SECTIONS + 1)
    page = as_html([*titles, Grid((HOSTILE, "share", "n"), rows, right=("n",)), Line(HOSTILE)])
    found = tags(page)
    assert "script" not in found.met
    assert found.text.count(HOSTILE) == len(titles) + 4
    assert 'class="num"' in page
    assert "width:25.0%" in page


def test_what_is_long_is_folded_and_nothing_is_lost() -> None:
    rows = [(f"row {at}",) for at in range(3 * MOST_ROWS)]
    page = as_html([Grid(("name",), rows), Line("alarming", "bad")])
    assert f"{2 * MOST_ROWS} more rows" in page
    assert tags(page).met.count("th") == len(rows) + 2
    assert page.startswith('<div class="indistinct bad">')
    short = as_html([Grid(("name",), rows[: MOST_ROWS + 1])])
    assert "details" not in tags(short).met
    sections = [Line(f"title {at}\nits second line", "title") for at in range(MOST_SECTIONS + 2)]
    assert (
        tags(as_html([part for one in sections for part in (one, Line("text"))])).met.count(
            "details"
        )
        == 2
    )


def test_what_verbs_give_shows_itself_in_one_frame() -> None:
    names = "Assessment Release Audit AttackReport RiskReport Comparison Exploration"
    assert all(issubclass(getattr(ind, name), Document) for name in names.split())


def test_no_figure_is_less_than_nothing_by_rounding() -> None:
    small = -1e-9
    assert Line(f"by {small:.2f} of {small:.1%}; -0.05 to -0.0.1").text == (
        "by 0.00 of 0.0%; -0.05 to -0.0.1"
    )
    assert Grid(("a",), [(f"{small:.2f}", Bar(0.5)), ("x-0.0",)]).rows[0][0] == "0.00"
    assert (shown(-0.0), shown([-0.0, -1.0]), per_cent(-0.0)) == ("0", "0, -1", "0%")


@dataclass(frozen=True)
class Inner(PlainData):
    title: str = "a"


@dataclass(frozen=True)
class Told(PlainData):
    told_keys: ClassVar = "heading=inner.title *inner level? words? pairs? known? sets note?"

    inner: Inner = Inner()
    level: int = 0
    words: str = ""
    pairs: tuple[Inner, ...] = ()
    known: bool = False
    sets: tuple[str, ...] = ("x",)
    note: str | None = None


def test_keys_are_told_in_their_order_and_nothing_is_told_as_nothing() -> None:
    assert list(Told().to_dict().items()) == [
        ("heading", "a"),
        ("title", "a"),
        ("level", 0),
        ("pairs", []),
        ("sets", ["x"]),
    ]
    assert Told(words="w", known=True, note="n").to_dict().keys() >= {"words", "known", "note"}


def below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from below(one)


def test_what_keys_name_is_there() -> None:
    for found in pkgutil.walk_packages(ind.__path__, "indistinct."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    listed = {kind: kind.told_keys.split() for kind in below(PlainData)}
    assert sum(map(bool, listed.values())) > 10
    for kind, keys in listed.items():
        own = {item.name for item in fields(kind)} | {*dir(kind)}
        named = {key.strip("*?").rpartition("=")[2].split(".")[0] for key in keys}
        assert named <= own, kind


def test_whatever_a_verb_returns_is_compared_copied_and_sent_to_another_process() -> None:
    rows = [(20 + at % 30, "fm"[at % 2], ("flu", "gout", "hiv")[at % 3]) for at in range(90)]
    table = pl.DataFrame(rows, ["age", "sex", "ill"], orient="row")
    policy: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"seed": 1},
    }
    grouped = {**policy, "method": {"algorithm": "mondrian", "seed": 1}}
    release, other = (ind.anonymize(table, keys) for keys in (policy, grouped))
    found = [
        *(release, release.plan, release.certificate, release.run, other, other.plan),
        ind.assess(table),
        ind.attack(table, release, policy),
        ind.audit(release),
        ind.compare(table, release, policy=policy),
        ind.explore(table, policy, k=[2, 50_000]),
        ind.Policy.from_dict(policy),
        ind.risk(table, policy, special_uniques=1),
    ]
    for one in found:
        for again in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):  # noqa: S301 - our own
            assert isinstance(again == one, bool)
            assert one == one  # noqa: PLR0124 - also where it holds arrays
            if hasattr(one, "to_dict"):
                assert again.to_dict() == one.to_dict()
    assert release != other
    assert release.plan != other.plan
