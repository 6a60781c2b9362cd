"""What a release promises, and how any algorithm asks whether it is kept.

A promise looks at equivalence classes and says which of them break it, what was achieved, and how
it behaves when classes grow or merge. It knows nothing of the algorithm that made the classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from typing import Any, ClassVar, Literal, NoReturn

from indistinct import plugins
from indistinct.errors import PluginError, PolicyError, Problem, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import wanted
from indistinct.requirement import ABOUT_VALUES, Requirement, in_words
from indistinct.types import Bools, Plain

Closure = Literal["superset", "union", "none"]
"""How a promise behaves when classes change.

``superset``: a class that keeps it still keeps it after any records are added (k-anonymity,
distinct l-diversity). ``union``: merging two classes that keep it gives one that keeps it
(entropy l-diversity, t-closeness with a fixed reference). ``none``: neither.
"""

Subject = Literal["classes", "together", "linked", "items"]
"""What a promise speaks of, and can be judged by: the equivalence ``classes`` of a table each by
itself or all ``together``, two ``linked`` tables, or people's sets of ``items``."""

REFERENCES = ("original", "published")

SHARED = ("on", "sensitive", "unit", "reference")
"""Fields every promise has beside its own parameters."""


@dataclass(frozen=True, kw_only=True)
class Promise(ABC):
    """A privacy model with its parameters and the attributes it applies to.

    ``on`` are the quasi-identifiers whose classes it looks at (none named: all of them);
    ``sensitive`` the attribute it protects, if any. ``reference`` is the distribution that a
    promise compares with: that of the ``published`` records, or of the ``original`` table.
    """

    model: ClassVar[str]
    closure: ClassVar[Closure]
    subject: ClassVar[Subject] = "classes"
    needs_sensitive: ClassVar[bool] = False
    compares: ClassVar[bool] = False
    """Whether classes are compared with a distribution of the sensitive values."""
    needs_population: ClassVar[bool] = False
    """Whether classes are compared with a table of the population."""
    about_population: ClassVar[bool] = False
    """Whether it is about the people of a population, counted or estimated."""
    counts_made_up: ClassVar[bool] = False
    """Whether made-up records and people may be what keeps it: no bound on what others learn."""

    nothing_at: ClassVar[Mapping[str, float]] = {}
    """Parameters that, all together, allow a class any values; none where no parameters do."""

    kept_by: ClassVar[str | None] = None
    """The one method that keeps it, where classes alone do not; None where any may."""

    by_policy_alone: ClassVar[bool] = False
    """Whether levels and spellings have to follow from the policy and each value by itself."""

    of_items_alone: ClassVar[bool] = False
    """Whether it is about people's items, not their quasi-identifiers."""

    on: tuple[str, ...] | None = None
    """Quasi-identifiers whose classes are looked at; None for all of them."""
    sensitive: str | None = None
    """The attribute that is protected, where one is."""
    unit: str = "record"
    """What is counted: each ``record``, or each ``person``."""
    reference: str = "published"
    """The distribution compared with: that of the ``published`` records or the ``original`` one."""

    def __post_init__(self) -> None:
        if self.reference not in REFERENCES:
            raise PolicyError(
                "bad-promise",
                f"'reference' of promise '{self.model}' cannot be {self.reference!r}: "
                f"{did_you_mean(str(self.reference), REFERENCES)}",
            )
        if self.reference != "published" and not self.compares:
            raise PolicyError(
                "unknown-setting",
                f"promise '{self.model}' compares with no distribution, and a reference is named",
                remedy="leave reference out",
            )
        if self.needs_sensitive and self.sensitive is None:
            raise PolicyError(
                "promise-without-sensitive",
                f"promise '{self.model}' protects a sensitive attribute, and none is named",
                remedy='add sensitive = "..." to the promise; among the keys of a policy it may be '
                'left out: then it is asked of every attribute with role = "sensitive"',
            )
        for item in fields(self):
            check, given = item.metadata.get("must"), getattr(self, item.name)
            if check is not None and given is not item.default:
                check(self.model, item.name, given)

    @property
    def parameters(self) -> Plain:
        """The model's own parameters, by the names the policy uses."""
        return {
            item.name: getattr(self, item.name) for item in fields(self) if item.name not in SHARED
        }

    @property
    def spec(self) -> Requirement:
        """The promise as a policy writes it, with every parameter of its model.

        >>> promise("theta-sensitive", k=4, sensitive="diagnosis").spec.parameters
        {'k': 4, 'mu': 0.6, 'theta': 'k'}
        """
        return Requirement(
            self.model, self.parameters, self.on, self.sensitive, self.unit, self.reference
        )

    @property
    def class_size(self) -> int:
        """Units of the smallest class (or bucket) that can keep the promise; 1 if any size can.

        A lower bound: every smaller class that holds somebody breaks the promise, whatever values
        it has. People of a population are no units of a class, and combinations of items are none.
        """
        return 1

    @property
    def sufficient_size(self) -> int:
        """Units from which on no class breaks the promise, with any people in it."""
        return self.class_size

    @property
    def is_open(self) -> bool:
        """Whether a parameter is left to be chosen from the table."""
        return False

    @property
    def caution(self) -> str | None:
        """What deserves a second look in these settings, if anything does.

        >>> promise("k-anonymity", k=1).caution
        'k = 1 promises nothing: everybody stands out'
        """
        found = []
        if self.allows_one_value:
            said = " and ".join(f"{name} = {getattr(self, name)}" for name in self.nothing_at)
            found.append(f"{said} bounds nothing: all people of a class may have the same value")
        if getattr(self, "k", None) == 1 and (not self.nothing_at or self.allows_one_value):
            found.append("k = 1 promises nothing: everybody stands out")
        return "; ".join(found) or None

    @property
    def allows_one_value(self) -> bool:
        """Whether it says nothing about values, with these parameters."""
        weakest = self.nothing_at.items()
        return bool(weakest) and all(getattr(self, name) == value for name, value in weakest)

    @property
    def effective_closure(self) -> Closure:
        """The closure under these settings.

        A promise that compares with the published records promises nothing about a part of them:
        whatever is added or left out changes what all classes are compared with.
        """
        return "none" if self.compares and self.reference == "published" else self.closure

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """What the promise must know about the sensitive values and does not, if anything."""
        return None

    @property
    def largest_violating_size(self) -> int | None:
        """Units of the largest class that can break the promise; None where no size is safe."""
        return None

    @property
    def keeps_everybody(self) -> bool:
        """Whether the promise is broken as soon as anybody is left out of the release."""
        return False

    @property
    def relaxation_hint(self) -> str | None:
        """What to write in the policy to ask for less if no release is found.

        Other than smaller parameters: a setting that says of whom the promise speaks.
        """
        return None

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Why no release of this table except an empty one can keep the promise, if so.

        ``allowed`` is how many units may be left out, where that is known: fewer may make the
        promise impossible that more would rescue. None says nothing of it.

        A promise that survives merging is kept by everybody together, or by no release of all. A
        model that can say what the table lacks says so in place of this.
        """
        closure = self.effective_closure
        rescued = self.counts_made_up or (allowed != 0 and closure != "superset")
        if self.subject != "classes" or closure == "none" or rescued:
            return None
        cells = table.sensitive.get(str(self.sensitive))
        if self.needs_sensitive and (cells is None or not cells.exclusive):
            return None
        if self.needs_population and table.population is None:
            return None
        return self.broken_by_all() if self.breaks(table.together()).any() else None

    def broken_by_all(self) -> Problem:
        """That the promise is broken by everybody in one class."""
        message = f"promise '{self.model}' is broken even where everybody is published alike"
        return Problem("broken-by-all", message, remedy=self.relaxation_hint)

    @abstractmethod
    def breaks(self, classes: ClassTable) -> Bools:
        """Which classes break the promise: a mask of length G.

        Classes of size 0 do not, with one exception: those of a population may, and then no record
        left out mends it. Of many classes some may be asked about at a time, and where nothing is
        compared with a distribution they then have counts of the values that occur in them alone.
        """

    @abstractmethod
    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The strictest parameters that the classes would still keep."""

    def __str__(self) -> str:
        own = ", ".join(f"{name}={in_words(value)}" for name, value in self.parameters.items())
        on = f" on {', '.join(self.on)}" if self.on else ""
        of = f" of {self.sensitive}" if self.sensitive else ""
        return f"{self.model}({own}){of}{on}"


@dataclass(frozen=True, kw_only=True)
class BeyondClasses(Promise):
    """A promise that speaks of something else than the classes of one table.

    Algorithms that know of it keep it, and the audit of what they publish sees it.
    """

    applies_to: ClassVar[str]
    """What it speaks of, in words."""
    way_out: ClassVar[str]
    """What makes it one that can be kept."""

    unit: str = "person"

    def breaks(self, classes: ClassTable) -> Bools:
        """Not to be told from classes.

        Raises:
            PolicyError: always.
        """
        self._refuse()

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """Not to be told from classes.

        Raises:
            PolicyError: always.
        """
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise PolicyError(
            "not-of-classes",
            f"promise '{self.model}' applies to {self.applies_to}",
            remedy=self.way_out,
        )


_MODELS = plugins.Files(
    "promises",
    plugins.subclass_named(Promise, "model"),  # type: ignore[type-abstract]
    __name__.rpartition(".")[0],
    lambda: plugins.subclasses_by(Promise, "model"),  # type: ignore[type-abstract]
)


def models() -> Mapping[str, type[Promise]]:
    """Every privacy model, by the name the policy uses.

    Those of this package, those of plugins, and any other that was imported and takes no name of
    these. One that is asked for by name is imported alone.
    """
    return _MODELS


def promise(model: str, **settings: Any) -> Promise:
    """The promise of that model with those settings.

    Raises :class:`PolicyError` for an unknown model, a setting it does not have or one it lacks,
    and :class:`PluginError` for a model of a plugin that cannot be used.

    >>> promise("k-anonymity", k=5)
    KAnonymity(on=None, sensitive=None, unit='record', reference='published', k=5)
    """
    kind = _MODELS.get(model) or _MODELS.named(model)
    if kind is None:
        raise PolicyError("unknown-model", f"no privacy model '{model}': {_meant(model)}")
    names = {item.name: item for item in fields(kind)}
    problems = [
        Problem(
            "unknown-setting",
            f"promise '{model}' has no setting '{name}': {did_you_mean(name, names)}",
            remedy=_about_values(models()) if name in ABOUT_VALUES else None,
        )
        for name in settings
        if name not in names
    ]
    problems += [
        Problem(
            "missing-setting",
            f"promise '{model}' needs '{name}'",
            remedy=", ".join(filter(None, [f"add {name} = ...", wanted(item.metadata)])),
        )
        for name, item in names.items()
        if name not in settings and item.default is MISSING and item.default_factory is MISSING
    ]
    refuse(PolicyError, problems)
    if settings.get("on") is not None:
        settings["on"] = tuple(settings["on"])
    made = kind(**settings)
    other = [name for name, value in settings.items() if not _alike(getattr(made, name), value)]
    if other:  # what is audited is what the promise says of itself
        raise PluginError(
            "plugin-not-usable",
            f"the promise '{model}' ({kind.__module__}.{kind.__qualname__}) says other than it is "
            f"asked: {', '.join(other)}",
            remedy="install a version that works, or uninstall it",
        )
    return made


def _alike(said: object, asked: object) -> bool:
    """Whether a setting is as somebody asked: a list may be a tuple, and keys may be texts."""
    if isinstance(asked, Mapping) and isinstance(said, Mapping):
        return {str(key): value for key, value in asked.items()} == dict(said)
    if isinstance(asked, list | tuple) and isinstance(said, list | tuple):
        return tuple(said) == tuple(asked)
    return bool(said == asked)


def _meant(model: str) -> str:
    """Which models an unknown name may stand for: all of a family, such as "l-diversity"."""
    ending = model.lower().replace("_", "-").replace("ldiv", "l-div")
    family = sorted(name for name in models() if name.endswith(ending))
    if len(family) < 2:
        return did_you_mean(model, models())
    *others, last = map(repr, family)
    return f"did you mean {', '.join(others)} or {last}?"


def _about_values(known: Mapping[str, type[Promise]]) -> str:
    """Which models can be about some values alone."""
    able = [
        name for name, kind in known.items() if ABOUT_VALUES[0] in {f.name for f in fields(kind)}
    ]
    return f"about some values alone can be {', '.join(sorted(able))}"


def promise_of(requirement: Requirement) -> Promise:
    """The promise that a requirement writes down.

    Raises:
        PolicyError: for an unknown model, a setting it does not have or one it lacks.
    """
    return promise(requirement.model, **requirement.settings)


def known_promise(requirement: Requirement) -> Promise | None:
    """The promise that a requirement writes down; None where it is no promise of a known model."""
    try:
        return promise_of(requirement)
    except PolicyError:
        return None


def promised_class_size(promises: Iterable[Requirement], quasi: Sequence[str]) -> int | None:
    """The largest class size that is promised over all of these quasi-identifiers, if one is.

    Arguments:
        promises: what is promised; those of unknown models say nothing.
        quasi: the quasi-identifiers, m names.

    >>> asked = [Requirement("k-anonymity", {"k": 5}), Requirement("k-map", {"k": 50})]
    >>> promised_class_size(asked, ["age", "sex"])
    5
    """
    found = [
        one.class_size
        for item in promises
        if (one := known_promise(item)) is not None
        and (one.class_size > 1 or one.largest_violating_size is not None)
        and (one.on is None or set(one.on) >= set(quasi))
    ]
    return max(found, default=None)


def effective(requirement: Requirement) -> Requirement:
    """The requirement with every parameter of its model, those left out by their defaults.

    One of an unknown model, or that is no promise of it, is given back as it is.

    >>> effective(Requirement("theta-sensitive", {"k": 4}, sensitive="diagnosis")).parameters
    {'k': 4, 'mu': 0.6, 'theta': 'k'}
    """
    known = known_promise(requirement)
    return requirement if known is None else known.spec


def in_short(requirement: Requirement) -> Requirement:
    """The requirement without those parameters that are the defaults of its model, if others are.

    >>> str(in_short(Requirement("theta-sensitive", {"k": 4, "mu": 0.6, "theta": "size"})))
    'theta-sensitive(k=4, theta=size)'
    """
    kind = models().get(requirement.model)
    usual = {} if kind is None else {item.name: item.default for item in fields(kind)}
    own = {
        name: value
        for name, value in requirement.parameters.items()
        if name not in usual or (type(usual[name]), usual[name]) != (type(value), value)
    }
    return replace(requirement, parameters=own or requirement.parameters)
