"""A frozen dataclass of ours is what the standard library's is."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from dataclasses import FrozenInstanceError, field, fields, replace
from functools import cached_property
from typing import Any

import pytest

from indistinct.frozen import dataclass


@dataclass(frozen=True)
class Ours:
    """One."""

    name: str
    size: int = 1
    parts: tuple[object, ...] = field(default=(), repr=False)
    note: list[int] = field(default_factory=list, compare=False)

    @cached_property
    def twice(self) -> int:
        """What is kept once it is known."""
        return 2 * self.size


@dataclasses.dataclass(frozen=True)
class Theirs:
    """The same, by the standard library."""

    name: str
    size: int = 1
    parts: tuple[object, ...] = field(default=(), repr=False)
    note: list[int] = field(default_factory=list, compare=False)


ARGUMENTS: tuple[tuple[object, ...], ...] = (
    ("a",), ("a", 1, ()), ("a", 1, (), [3]), ("a", 2), ("b", 1, ("x",)), ("a", 1, ([],)),
)  # fmt: skip


def _hash_or_type(thing: object) -> object:
    try:
        return hash(thing)
    except TypeError:
        return TypeError


def test_shown_compared_and_hashed_as_the_standard_librarys() -> None:
    made: list[tuple[Any, Any]] = [(Ours(*a), Theirs(*a)) for a in ARGUMENTS]  # type: ignore[arg-type]
    for ours, theirs in made:
        assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
        assert _hash_or_type(ours) == _hash_or_type(theirs)
        assert ours != theirs
        for ours_too, theirs_too in made:
            assert (ours == ours_too) is (theirs == theirs_too)
    assert Ours.__match_args__ == Theirs.__match_args__


def test_nothing_is_set_or_deleted_once_it_is_made() -> None:
    ours: Any = Ours("a")
    for name in ("name", "note", "else"):
        with pytest.raises(FrozenInstanceError, match=name):
            setattr(ours, name, "x")
        with pytest.raises(FrozenInstanceError, match=name):
            delattr(ours, name)
    assert (ours.name, ours.twice, ours.twice) == ("a", 2, 2)
    assert "else" not in vars(ours)


def test_replaced_copied_and_pickled() -> None:
    ours = Ours("a", 2, ("x",), [1])
    assert replace(ours, name="b") == Ours("b", 2, ("x",))
    assert copy.copy(ours) == copy.deepcopy(ours) == ours
    again = pickle.loads(pickle.dumps(ours))  # noqa: S301 - our own bytes
    assert again == ours
    assert again.note == [1]
    assert [one.name for one in fields(ours)] == ["name", "size", "parts", "note"]


def test_what_a_class_writes_itself_is_kept() -> None:
    @dataclass(frozen=True)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 7

    assert Own("a") == Own("b")
    assert (repr(Own("a")), hash(Own("a"))) == ("own", 7)


def test_itself_among_its_fields() -> None:
    ours = Ours("a", note=[])
    ours.note.append(ours)  # type: ignore[arg-type]
    assert repr(ours) == "Ours(name='a', size=1, note=[...])"


def test_by_name_alone_and_compared_by_identity() -> None:
    @dataclass(frozen=True, kw_only=True, eq=False)
    class Named:
        name: str

    with pytest.raises(TypeError, match="positional"):
        Named("a")  # type: ignore[call-arg]
    one = Named(name="a")
    assert one != Named(name="a")
    assert len({one, one, Named(name="a")}) == 2


def test_either_decorator_inherits_from_the_other() -> None:
    @dataclass(frozen=True)
    class More(Ours):
        more: int = 0

    @dataclasses.dataclass(frozen=True)
    class Other(Ours):
        more: int = 0

    @dataclass(frozen=True)
    class Last(Theirs):
        more: int = 0

    for cls in (More, Other, Last):
        made: Any = cls("a", more=3)
        assert made == cls("a", more=3) != cls("a", more=4)
        assert repr(made).endswith("(name='a', size=1, note=[], more=3)")
        assert len({made, cls("a", more=3)}) == 1
        for name in ("name", "more"):
            with pytest.raises(FrozenInstanceError, match=name):
                setattr(made, name, "b")


def test_one_that_may_change_is_refused() -> None:
    with pytest.raises(TypeError, match="frozen"):
        dataclass(frozen=False)


def test_defined_when_it_is_first_asked_for() -> None:
    @dataclass(frozen=True)
    class Base:
        name: str
        size: int = field(default=1, repr=False)
        note: list[int] = field(default_factory=list)

    @dataclass(frozen=True)
    class More(Base):
        size: int
        more: int = 0

    def defined(cls: type) -> bool:
        return isinstance(vars(cls)["__dataclass_fields__"], dict)

    assert not defined(Base)
    assert not defined(More)
    assert (More.size, More.more, hasattr(More, "note")) == (1, 0, False)
    assert dataclasses.is_dataclass(More)
    assert defined(Base)
    assert defined(More)
    assert repr(More("a")).endswith("(name='a', size=1, note=[], more=0)")


def test_its_signature_names_its_fields() -> None:
    @dataclass(frozen=True)
    class Fresh:
        name: str
        size: int = 1

    class Child(Fresh):
        """What is no dataclass itself."""

    expected = "(name: 'str', size: 'int' = 1) -> None"
    assert [str(inspect.signature(cls)) for cls in (Child, Fresh, Fresh)] == [expected] * 3


def test_its_own_init_is_kept() -> None:
    @dataclass(frozen=True)
    class Own:
        name: str

        def __init__(self, first: str, last: str) -> None:
            object.__setattr__(self, "name", first + last)

    assert (Own("a", "b").name, [one.name for one in fields(Own)]) == ("ab", ["name"])


def test_threads_that_make_the_first_ones_together() -> None:
    for _ in range(20):

        @dataclass(frozen=True)
        class Fresh:
            name: str
            size: int = 1

            def __post_init__(self) -> None:
                object.__setattr__(self, "size", self.size + 1)

        together = threading.Barrier(4)
        made: list[Fresh] = []

        def make(kind: type[Fresh] = Fresh, wait: Any = together.wait, into: Any = made) -> None:
            wait()
            into.append(kind("a"))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [Fresh("a")] * 4
        assert Fresh("a").size == 2
