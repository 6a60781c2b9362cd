"""What a policy forgets of a table: codes for missing, dates, code systems, people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from indistinct._toml import value
from indistinct.analytics.profile.described import AttributeProfile, Profile
from indistinct.document import PlainData, many
from indistinct.frozen import dataclass
from indistinct.policy import Policy
from indistinct.policy.sections import Attribute


@dataclass(frozen=True)
class Forgotten(PlainData):
    """Something that a policy might say: of which attribute, what to write, and why."""

    attribute: str
    write: str
    why: str


def forgotten(seen: Profile, policy: Policy) -> Iterator[Forgotten]:
    """What the policy does not say, and the values of the table suggest."""
    for item in seen.attributes:
        own = policy.attributes.get(item.attribute)
        if own is None or own.transform is not None:
            continue
        if own.role in ("quasi-identifier", "sensitive"):
            yield from _missing(item, own)
        if own.role == "quasi-identifier":
            yield from _hierarchy(item, own)
    found = seen.person
    if found is not None and policy.person is None:
        why = f"{many(found.people, 'person has')} {many(found.records, 'record')}"
        why += ": promises count people"
        if not found.sure:
            why = f"if it says whose a record is: {found.doubt}"
        yield Forgotten(found.column, f"[source] person = {value(found.column)}", why)


def _missing(item: AttributeProfile, own: Attribute) -> Iterator[Forgotten]:
    more = [token for token in item.missing_tokens if token not in own.missing.tokens]
    if more:
        tokens = {"tokens": [*own.missing.tokens, *more], "as": own.missing.as_}
        records = sum(item.missing_tokens[token] for token in more)
        why = f"{', '.join(more)} seems to mean missing in {many(records, 'record')}"
        yield Forgotten(item.attribute, f"missing = {value(tokens)}", why)


def _hierarchy(item: AttributeProfile, own: Attribute) -> Iterator[Forgotten]:
    spec, drafted = own.hierarchy, item.draft.spec
    named = set(spec) if isinstance(spec, Mapping) else set()
    write: list[str] = []
    if item.type == "date" and own.type is None and not named & {"date", "file", "tree", "order"}:
        write, why = ['type = "date"'], "its values are dates"
    elif (
        item.type == "category"
        and item.kind == "integer"
        and own.type is None
        and (not named or named & {"intervals", "equal_frequency"})
    ):
        write, why = ['type = "category"'], "its numbers name categories"
    if isinstance(drafted, Mapping) and not named:
        write.append(f"hierarchy = {value(drafted)}")
        why = item.draft.why
    if write:
        yield Forgotten(item.attribute, "; ".join(write), why)
