"""The policy: what a custodian says about a table, its release, and what the release promises.

A policy is a TOML file (:meth:`Policy.load`), the same keys in a mapping (:meth:`Policy.from_dict`)
or built in Python with the same names:

>>> policy = Policy(
...     attributes={
...         "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
...         "diagnosis": {"role": "sensitive"},
...     },
...     promises=[{"model": "k-anonymity", "k": 5}],
...     method={"suppression_limit": 0.05},
... )
>>> policy.quasi_identifiers
('age',)

All that is wrong with a policy is told at once, in one :class:`~indistinct.errors.PolicyError`. Its
problems name the file and the dotted place of the key; promises are counted from 1.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from pydantic import PrivateAttr, ValidationError

from indistinct import _toml
from indistinct._sections import Place, Section, place_of, told, unknown, wrong
from indistinct.document import in_quotes, not_toml
from indistinct.errors import (
    PolicyError,
    Problem,
    Problems,
    UncertainNames,
    did_you_mean,
    refuse,
    shown_names,
)
from indistinct.hierarchies.files import find_hierarchy
from indistinct.policy.checks import attribute_checks, cautions, cross_checks, link_checks
from indistinct.policy.people import ledger_checks, people_checks, with_format
from indistinct.policy.promises import promise_keys, promises_of
from indistinct.policy.sections import (
    Analysis,
    Attribute,
    Bookkeeping,
    Link,
    Method,
    Output,
    Risk,
    Role,
    Source,
)
from indistinct.policy.stated import Stated
from indistinct.types import Plain, PlainMapping
from indistinct.warning_kinds import Kind, WarningText

_Kind = TypeVar("_Kind", bound=Section)


class Policy(Stated):  # noqa: PLW1641 - it holds mappings
    """Roles, hierarchies, promises, method and output: everything a release depends on.

    Arguments:
        source: how the file is read, a :class:`Source` or a mapping of its keys.
        attributes: an :class:`Attribute`, or a mapping of its keys, by column name.
        promises: mappings (``{"model": "k-anonymity", "k": 5}``), requirements or promises such as
            ``KAnonymity(k=5)``.
        method: a :class:`Method`, or a mapping of its keys.
        output: an :class:`Output`, or a mapping of its keys.
        risk: a :class:`Risk`, or a mapping of its keys.
        ledger: a :class:`Bookkeeping`, or a mapping of its keys; None where none is kept.
        analyses: mappings (``{"kind": "linear", "outcome": "cost", "predictors": ["age"]}``) of
            what will be done with the release; it is tried on the table and on the release.
        links: mappings (``{"from": "name", "to": "postcode", "source": "register"}``) of what can
            be linked to what, for :func:`~indistinct.quasi`.
        rest: what becomes of columns that ``attributes`` does not list: ``drop`` leaves them out,
            ``keep`` publishes them as they are. By default there must be none.

    Raises:
        PolicyError: with every problem that was found.
    """

    left_open: ClassVar[tuple[str, ...]] = ()

    _warnings: tuple[WarningText, ...] = PrivateAttr(default=())
    _adopted: frozenset[str] = PrivateAttr(default=frozenset())
    _directory: Path = PrivateAttr(default=Path())
    _file: str | None = PrivateAttr(default=None)
    _as_read: tuple[bytes, Plain] | None = PrivateAttr(default=None)

    def __init__(self, **keys: Any) -> None:
        problems = [unknown(type(self), (key,)) for key in keys if key not in _SECTIONS]
        keys = with_format(keys)
        parts: Plain = {}
        for name, kind in _KINDS.items():
            if name in keys:
                parts[name] = _section(kind, keys[name], (name,), problems)
        parts["attributes"] = _attributes(keys.get("attributes", {}), problems)
        source: Source | None = parts.get("source")
        before = len(problems)
        parts["promises"] = promises_of(
            keys.get("promises", ()),
            parts["attributes"],
            parts.get("method"),
            problems,
            None if source is None else source.person,
        )
        unread = any(item.code != "no-promise" for item in problems[before:])
        parts["links"] = _listed(Link, keys, "links", problems)
        parts["analyses"] = _listed(Analysis, keys, "analyses", problems)
        parts["rest"] = rest = keys.get("rest")
        if rest not in (None, *_ROLE_OF_REST):
            problems.append(wrong(("rest",), "'drop' or 'keep'", rest))
        problems += cross_checks(parts)
        problems += people_checks(parts)
        problems += ledger_checks(parts)
        problems += link_checks(parts["attributes"], parts["links"])
        passed_over = {*type(self).left_open, *(_OF_ABSENT_PROMISES if unread else ())}
        problems = [item for item in problems if item.code not in passed_over]
        refuse(PolicyError, problems)
        super().__init__(**parts)
        self._warnings = tuple(cautions(self))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The policy in a TOML file; the files it names are looked for in its folder.

        Raises:
            PolicyError: the file cannot be read, is no TOML, or has keys or values that are wrong.
        """
        path = Path(path)
        try:
            content = path.read_bytes()
            keys = tomllib.loads(content.decode("utf-8-sig"))
        except OSError as error:
            remedy = f"indistinct init DATA --policy {path} writes a first policy"
            raise PolicyError(
                "unreadable-policy",
                f"cannot be read: {(error.strerror or 'unknown reason').lower()}",
                file=str(path),
                remedy=remedy if isinstance(error, FileNotFoundError) else None,
            ) from None
        except UnicodeDecodeError:
            problem = Problem(
                "bad-encoding",
                "is not encoded in UTF-8",
                file=str(path),
                remedy="save it as UTF-8",
            )
            raise PolicyError(problem) from None
        except RecursionError:
            problem = Problem(
                "bad-toml",
                "is nested too deeply",
                file=str(path),
                remedy="take out the brackets: no value of a policy nests more than a few levels",
            )
            raise PolicyError(problem) from None
        except tomllib.TOMLDecodeError as error:
            problem = Problem("bad-toml", not_toml(error), file=str(path))
            raise PolicyError(problem) from None
        policy = cls.from_dict(keys, directory=path.parent, file=str(path))
        policy._as_read = content, policy.to_dict()  # noqa: SLF001 - its own
        return policy

    @classmethod
    def from_dict(
        cls, keys: PlainMapping, *, directory: str | Path = ".", file: str | None = None
    ) -> Self:
        """The policy with these keys, named as in the file.

        Arguments:
            keys: the sections, ``{"attributes": {...}, "promises": [...], ...}``.
            directory: where the hierarchy files it names are looked for.
            file: the name that problems are told under.

        Raises:
            PolicyError: with every problem that was found.
        """
        try:
            policy = cls(**{str(key): value for key, value in keys.items()})
        except PolicyError as error:
            raise PolicyError([replace(item, file=file) for item in error.problems]) from None
        policy._directory = Path(directory)
        policy._file = file
        return policy

    @classmethod
    def from_options(  # noqa: PLR0913, the options of the command line
        cls,
        columns: Sequence[str],
        *,
        quasi: Sequence[str],
        sensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        keep: Sequence[str] = (),
        rest: Literal["drop", "keep"] | None = None,
        k: int,
        table: str = "",
        hierarchies: str | Path | None = None,
        defaults: Mapping[str, PlainMapping] | None = None,
        source: PlainMapping | None = None,
        method: PlainMapping | None = None,
        output: PlainMapping | None = None,
    ) -> Self:
        """The policy of command-line options, for a table with those columns.

        Arguments:
            columns: the columns of the table.
            quasi: its quasi-identifiers.
            sensitive: its sensitive attributes.
            drop: identifiers, which the release leaves out.
            keep: insensitive attributes, which are published as they are.
            rest: the role of the columns not named: ``drop`` or ``keep``; none: that is an error.
            k: the k of k-anonymity.
            table: the name of its file, for messages.
            hierarchies: a folder with a hierarchy file for some quasi-identifiers.
            defaults: keys of the quasi-identifiers that have no file, by name; a warning says that
                they are used. Not named: plain suppression.
            source: keys of the section of that name.
            method: keys of the section of that name.
            output: keys of the section of that name.

        Raises:
            PolicyError: a column without a role or with two, a name that is no column, and
                whatever else is wrong.
        """
        named = {
            "quasi-identifier": quasi,
            "sensitive": sensitive,
            "identifier": drop,
            "insensitive": keep,
        }
        columns = shown_names(columns, (name for names in named.values() for name in names))
        roles: dict[str, str] = {}
        problems = Problems()
        for role, names in named.items():
            for name in names:
                if name not in columns:
                    problems.add(
                        "unknown-attribute",
                        f"the table has no column '{name}': {did_you_mean(name, columns)}",
                        file=table or None,
                    )
                elif roles.setdefault(name, role) != role:
                    problems.add(
                        "two-roles",
                        f"column '{name}' is both {roles[name]} and {role}",
                        file=table or None,
                        remedy="name it once",
                    )
        left: Sequence[str] = [name for name in columns if name not in roles]
        if left and rest is None:
            left = columns if isinstance(columns, UncertainNames) else left
            remedy = (
                "name them with --drop (left out) or --keep (published as they are), "
                "or say --rest drop"
            )
            problems.append(replace(_roleless(left, remedy), file=table or None))
        refuse(PolicyError, problems)
        roles |= dict.fromkeys(left, "identifier" if rest is None else _ROLE_OF_REST[rest])
        attributes: dict[str, Plain] = {name: {"role": roles[name]} for name in columns}
        defaults, warnings = defaults or {}, []
        for name in quasi:
            file = _hierarchy_file(hierarchies, name)
            if file is not None:
                attributes[name]["hierarchy"] = {"file": str(file)}
                continue
            keys = {"hierarchy": "suppress"} | dict(defaults.get(name, {}))
            attributes[name] |= keys
            warnings.append(
                Kind.SETTING(
                    f"no hierarchy was given for '{name}': it gets "
                    + ", ".join(f"{key} = {_toml.value(value)}" for key, value in keys.items())
                )
            )
        policy = cls(
            source=dict(source or {}),
            attributes=attributes,
            promises=[{"model": "k-anonymity", "k": k}],
            method=dict(method or {}),
            output=dict(output or {}),
        )
        policy._warnings = (*warnings, *policy.warnings)
        return policy

    @property
    def warnings(self) -> tuple[WarningText, ...]:
        """What is allowed but deserves a second look."""
        return self._warnings

    @property
    def directory(self) -> Path:
        """The folder in which the files that the policy names are looked for."""
        return self._directory

    @property
    def file(self) -> str | None:
        """The file the policy was read from, if it was."""
        return self._file

    @property
    def content(self) -> bytes | None:
        """The bytes of its file as they were read; None where they do not say what it says."""
        if self._as_read is None:
            return None
        content, keys = self._as_read
        listed = {name: self.attributes[name] for name in self.attributes.keys() - self._adopted}
        same = self.model_copy(update={"attributes": listed}).to_dict() == keys
        return content if same else None

    def with_rest(self) -> Self:
        """A policy that may :meth:`adopt` columns: itself, or a copy where it says what of them."""
        if self.rest is None:
            return self
        return self.model_copy(update={"attributes": dict(self.attributes)})

    def adopt(self, columns: Iterable[str]) -> None:
        """Give the columns that are not listed the role that ``rest`` says."""
        if self.rest is not None:
            role = Attribute(role=_ROLE_OF_REST[self.rest])
            rest = [name for name in columns if name not in self.attributes]
            self.attributes.update(dict.fromkeys(rest, role))
            self._adopted |= set(rest)

    def check(self, columns: Iterable[str], table: str = "the table") -> None:
        """Check the policy against the columns of a table; messages use that name.

        Raises:
            PolicyError: columns that the policy gives no role, attributes the table does not have.
        """
        columns = shown_names(columns, self.attributes.keys() - self._adopted)
        problems = [
            Problem(
                "unknown-attribute",
                f"{place_of(('attributes', name))}: {table} has no such column: "
                f"{did_you_mean(name, columns)}",
                file=self.file,
                remedy="correct the name, or take the attribute out of the policy",
            )
            for name in self.attributes
            if name not in columns
        ]
        left: Sequence[str] = [name for name in columns if name not in self.attributes]
        if left:
            shown = not isinstance(columns, UncertainNames)
            left = left if shown else columns
            first = f"add [{place_of(('attributes', left[0] if shown else 'NAME'))}] with a role"
            remedy = (
                f"{first}, let indistinct init DATA suggest one for every column, or write "
                'rest = "drop" (or "keep") above the first table to leave out (or publish) them all'
            )
            problems.append(replace(_roleless(left, remedy, table), file=self.file))
        refuse(PolicyError, problems)

    def to_dict(self) -> Plain:
        """The keys that were set, as :meth:`from_dict` takes them."""
        plain: Plain = {
            "rest": self.rest,
            "source": self.source.to_dict(),
            "attributes": {name: item.to_dict() for name, item in self.attributes.items()},
            "promises": [promise_keys(item) for item in self.promises],
            "method": self.method.to_dict(),
            "output": self.output.to_dict(),
            "risk": self.risk.to_dict(),
            "ledger": {} if self.ledger is None else self.ledger.to_dict(),
            "links": [item.to_dict() for item in self.links],
            "analyses": [item.to_dict() for item in self.analyses],
        }
        return {key: value for key, value in plain.items() if value}

    def to_toml(self) -> str:
        """The policy as the text of a file that :meth:`load` reads.

        Raises:
            PolicyError: a hierarchy was given as an object, which a file cannot hold.
        """
        problems = [
            Problem(
                "hierarchy-object",
                f"{place_of(('attributes', name, 'hierarchy'))}: was given as an object",
                remedy="write it with write_hierarchy and name the file: "
                'hierarchy = { file = "..." }',
            )
            for name, item in self.attributes.items()
            if not isinstance(item.hierarchy, str | Mapping | None)
        ]
        refuse(PolicyError, problems)
        return _toml.document(self.to_dict())

    def __eq__(self, other: object) -> bool:
        """Whether both say the same, wherever they were read from."""
        return isinstance(other, Policy) and self.__dict__ == other.__dict__

    def __str__(self) -> str:
        asked = ", ".join(str(item) for item in self.promises)
        return f"Policy({len(self.attributes)} attributes, {asked})"

    __repr__ = __str__


_KINDS: Mapping[str, type[Section]] = {
    "source": Source,
    "method": Method,
    "output": Output,
    "risk": Risk,
    "ledger": Bookkeeping,
}
_SECTIONS = (*_KINDS, "attributes", "promises", "links", "analyses", "rest")

_OF_ABSENT_PROMISES = ("method-without-promise", "classes-too-small", "idle-key")
"""What cannot be told while a promise cannot be read: it may be the one that is missed."""

_ROLE_OF_REST: Mapping[str, Role] = {"drop": "identifier", "keep": "insensitive"}


class DraftPolicy(Policy):
    """A policy whose quasi-identifiers are still to be found: it needs none, and no promise."""

    left_open = ("no-promise", "no-quasi-identifier", "no-weight")

    @property
    def lacks(self) -> tuple[str, ...]:
        """What this policy still lacks."""
        parts = {"quasi-identifier": self.quasi_identifiers, "promise": self.promises}
        return tuple(name for name, held in parts.items() if not held)


def _section(
    kind: type[_Kind], keys: object, place: Place, problems: list[Problem]
) -> _Kind | None:
    if isinstance(keys, kind):
        return keys
    try:
        return kind.model_validate(keys)
    except ValidationError as error:
        problems += told(error, kind, place)
    return None


def _attributes(given: object, problems: list[Problem]) -> dict[str, Attribute | None]:
    if not isinstance(given, Mapping):
        problems.append(wrong(("attributes",), "a table of attributes", given))
        return {}
    found: dict[str, Attribute | None] = {}
    for name, keys in given.items():
        place = ("attributes", str(name))
        found[str(name)] = attribute = _section(Attribute, keys, place, problems)
        if attribute is not None:
            problems += attribute_checks(attribute, place)
    return found


def _listed(
    kind: type[_Kind], keys: PlainMapping, name: str, problems: list[Problem]
) -> tuple[_Kind, ...]:
    given = keys.get(name, ())
    if isinstance(given, Mapping | str) or not isinstance(given, Sequence):
        problems.append(wrong((name,), f"a list of tables: [[{name}]]", given))
        return ()
    found = (_section(kind, item, (name, at), problems) for at, item in enumerate(given, 1))
    return tuple(item for item in found if item is not None)


def links_of(given: Iterable[Link | PlainMapping] | PlainMapping | str) -> tuple[Link, ...]:
    """Links that are given in Python, as those of a policy.

    Raises:
        PolicyError: they are no list of links, or their keys are wrong.
    """
    problems: list[Problem] = []
    if not isinstance(given, Mapping | str):
        given = [item.to_dict() if isinstance(item, Link) else item for item in given]
    found = _listed(Link, {"links": given}, "links", problems)
    refuse(PolicyError, problems)
    return found


def _roleless(columns: Sequence[str], remedy: str, table: str = "") -> Problem:
    listed = in_quotes(columns)
    listed = str(columns) if isinstance(columns, UncertainNames) else listed
    which, has = ("this column", "has") if len(columns) == 1 else ("these columns", "have")
    of = f" of {table}" if table else ""
    return Problem("attribute-without-role", f"{which}{of} {has} no role: {listed}", remedy=remedy)


def _hierarchy_file(directory: str | Path | None, attribute: str) -> Path | None:
    if directory is None:
        return None
    return find_hierarchy(Path(directory), attribute)
