"""k^m-anonymity of people's sets of items (Terrovitis, Mamoulis and Kalnis 2008).

    M. Terrovitis, N. Mamoulis, P. Kalnis: "Privacy-preserving Anonymization of Set-valued Data".
    PVLDB 1(1), 2008.

For any m items of a person, at least k people have them all: every combination of
at most m published items that occurs is held by k people or more.

What it does not promise: anything about who knows more than m items, or the quasi-identifiers
(promise ``k-anonymity`` beside it), nor that the rest of a person's items is uncertain.
"""

from __future__ import annotations

from typing import ClassVar

from indistinct.errors import PolicyError
from indistinct.frozen import dataclass, field
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import BeyondClasses, Closure, Subject
from indistinct.types import Plain


@dataclass(frozen=True, kw_only=True)
class KMAnonymity(BeyondClasses):
    """Every combination of up to m items of a person is shared by k people.

    The items are generalized to keep it, independently of the quasi-identifiers. The audit checks
    it in a release with a pseudonym for every person.
    """

    model: ClassVar[str] = "km-anonymity"
    closure: ClassVar[Closure] = "none"
    subject: ClassVar[Subject] = "items"
    of_items_alone: ClassVar[bool] = True
    applies_to: ClassVar[str] = "people's sets of items, not to classes"
    way_out: ClassVar[str] = 'name the person: [source] person = "patient_id", say'
    needs_sensitive: ClassVar[bool] = True

    k: int = field(metadata=must(whole, least=1, remedy="choose k = 5, say"))
    """People who have every combination of items at least."""
    m: int = field(default=2, metadata=must(whole, least=1, remedy="choose m = 2, say"))
    """Items that an attacker knows of a person at most."""
    together: tuple[str, ...] = ()
    """Further columns whose values are items of the same set, such as the second and third
    diagnosis. Missing values are no items then."""

    def __post_init__(self) -> None:
        super().__post_init__()
        others = self.together
        good = isinstance(others, list | tuple) and all(isinstance(name, str) for name in others)
        if not good or self.sensitive in others or len(set(others)) < len(others):
            raise PolicyError(
                "bad-parameter",
                f"together of {self.model} must be a list of further columns, not {others!r}",
                remedy='write sensitive = "diag_1" and together = ["diag_2", "diag_3"], say',
            )
        object.__setattr__(self, "together", tuple(others))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values are the items."""
        return (str(self.sensitive), *self.together)

    @property
    def parameters(self) -> Plain:
        """The parameters; further columns where there are any."""
        found = super().parameters
        return {name: value for name, value in found.items() if name != "together" or value}
