"""The private documents of a run, some of which are made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import polars as pl

from indistinct.types import PlainMapping

Content = PlainMapping | pl.DataFrame
"""What a document is: plain data, or a long table."""


class Documents(Mapping[str, Content]):
    """Documents by the names of their files.

    Arguments:
        made: each document, or the function that makes it when it is first asked for.

    >>> found = Documents({"a.json": {"k": 5}, "b.json": lambda: {"k": 7}})
    >>> list(found), found["b.json"], {**found.beside({"c.json": {}})}["a.json"]
    (['a.json', 'b.json'], {'k': 7}, {'k': 5})
    """

    def __init__(self, made: Mapping[str, Content | Callable[[], Content]]) -> None:
        self._made = dict(made)

    def __getitem__(self, name: str) -> Content:
        """The document of this name."""
        found = self._made[name]
        if callable(found):
            self._made[name] = found = found()
        return found

    def __contains__(self, name: object) -> bool:
        """Whether there is a document of this name, made or not."""
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        """All names."""
        return iter(self._made)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._made)

    def __reduce__(self) -> tuple[type[Documents], tuple[dict[str, Content]]]:
        """Kept in a file with every document made."""
        return Documents, (dict(self),)

    def __repr__(self) -> str:
        return f"<Documents: {', '.join(self)}>"

    def beside(self, more: Mapping[str, Content]) -> Documents:
        """These, none of them made for it, and others."""
        return Documents({**self._made, **more})
