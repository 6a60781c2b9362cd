"""The first policy for a table: a draft with its reasons, for a person to correct.

It is a policy like any other: it loads as it stands, and gives a release. Comments tell what each
suggestion rests on. Values of identifiers and of free text never come into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from indistinct.analytics.profile.by_the_table import set_of_items
from indistinct.analytics.profile.concepts import Role
from indistinct.analytics.profile.described import AttributeProfile, Profile
from indistinct.document import many, toml_key, toml_string
from indistinct.errors import OutputError
from indistinct.sources.format import format_named
from indistinct.sources.writing import write_text
from indistinct.types import Plain, PlainMapping

WIDTH = 100
"""Comments and lists are broken into lines of about this many characters."""

_HEADINGS: Mapping[Role, str] = {
    "identifier": "Identifiers: left out of the release",
    "quasi-identifier": "Quasi-identifiers: what others could know; generalized",
    "sensitive": "Sensitive: what would harm a person who is found; published as it is",
    "insensitive": "Insensitive: published as it is",
}


def first_policy(
    profile: Profile,
    *,
    source: PlainMapping | None = None,
    reasons: Mapping[str, str] | None = None,
    k: int = 5,
    min_levels: Mapping[str, tuple[int, str]] | None = None,
) -> str:
    """The text of a first policy (TOML).

    Arguments:
        profile: What the columns look like.
        source: How the file is read (``separator``, ``encoding``, ``sheet`` …), where the policy
            has to say so.
        reasons: Why a key of ``source`` was set where nobody said it.
        k: The size of the smallest class that the release may have.
        min_levels: For quasi-identifiers that are to be generalized in any case, the level from
            which on they may be published, and why.
    """
    profile = profile.closed()
    lines = [
        *_comment(f"A first policy for {profile.table}: {profile.records:,} records,"
                  f" {len(profile.attributes)} attributes."),
        "#",
        *_comment("Every role and hierarchy below is a suggestion with its reasons, made from names"
                  " and values. You know the data: read it, correct it, and only then release."),
        *_comment("This file tells values and counts of the table: keep it like the table, and take"
                  " the comments out before you show it to others."),
        *_comment("Roles: identifier (left out), quasi-identifier (others could know it:"
                  " generalized), sensitive (would harm a person who is found: kept), insensitive"
                  " (kept)."),
    ]  # fmt: skip
    lines += _look_first(profile)
    lines.append("")
    keys = []
    for key, value in (source or {}).items():
        keys += _comment(reasons[key]) if reasons and key in reasons else []
        keys.append(f"{toml_key(key)} = {toml_value(value)}")
    person = _person(profile)
    if keys or person:
        lines += ["[source]", *keys, *person, ""]
    visits = of_visits(profile)
    for role, heading in _HEADINGS.items():
        items = profile.with_role(role)
        if items:
            lines += [f"# {'-' * 8} {heading} {'-' * 8}", ""]
        if role == "quasi-identifier" and (everybody := one_class(profile)):
            lines += [f"[attributes.{everybody}]", f"role = {toml_string(role)}", ""]
        for item in items:
            lines += [*_attribute(item, (min_levels or {}).get(item.attribute), visits), ""]
    lines += _promises(profile, k, levels=bool(min_levels))
    return "\n".join(lines)


def health_policy(form: str, k: int = 5) -> str:
    """The text of a first policy for a health format, which says what is special (TOML).

    Arguments:
        form: ``fhir`` or ``omop``.
        k: The number of people in the smallest class that the release may have.
    """
    known = format_named(form)
    own = known.preset()
    roles: dict[str, list[str]] = {}
    for name, keys in own["attributes"].items():
        roles.setdefault(keys["role"], []).append(name)
    items = roles["sensitive"][0]
    change = next(iter(roles["quasi-identifier"]))
    lines = [
        *_comment(f"A first policy for {known.title}: a row for every {items} of a person."),
        "#",
        *_comment("The columns of the format have roles and hierarchies of their own. An attribute"
                  " listed under [attributes] with a role replaces them, without one it adds to"
                  " them. A column not known to be harmless is left out."),
    ]  # fmt: skip
    for role, names in roles.items():
        told = "left out" if role == "identifier" else role
        lines += _comment(f"{told}: {', '.join(names)}", "#  * ", "#    ")
    lines += [
        "",
        "[source]",
        f"format = {toml_string(form)}",
        *_comment(f"Promises count people, identified by '{own['source']['person']}'."),
        "",
        *_comment("To change a column, say so, for example:"),
        f"# [attributes.{toml_key(change)}]",
        '# role = "identifier"',
        "",
        *_comment(f"Rare values of {items} are left out, with their records; with a code system "
                  "or a tree instead they are generalized."),
        f"[attributes.{toml_key(items)}]",
        'hierarchy = "suppress"',
        "",
        "[[promises]]",
        'model = "k-anonymity"',
        f"k = {k}",
        "",
        *_BESIDE_CLASSES,
        *_item_promise([items], k, 1),
        *_comment("Two linked tables disclose less about people: with a category for every"
                  f" value under [attributes.{toml_key(items)}], choose theta-star."),
        *_method(0.05, "items of people"),
    ]  # fmt: skip
    return "\n".join(lines)


def _person(profile: Profile) -> list[str]:
    """The keys that say whose a record is, and which quasi-identifiers of people count."""
    found = profile.person
    if found is None:
        return []
    if not found.sure:
        return [
            *_comment(
                f"Does {found.column} say whose a record is? It has {found.people:,} values in"
                f" {found.records:,} records, but {found.doubt}. If it does, take the sign away,"
                " and promises count people:"
            ),
            f"# person = {toml_string(found.column)}",
        ]
    lines = _comment(
        f"{many(found.people, 'person has')} {many(found.records, 'record')}: every promise "
        "counts people, and this column gets a pseudonym made for the release."
    )
    lines.append(f"person = {toml_string(found.column)}")
    if rest := overwritten(profile):
        differing = ", ".join(rest)
        lines += _comment(
            f"A person has one set of quasi-identifiers, and {differing} differ between records:"
            ' those of the first record are published for all. Write level = "event" for what'
            " belongs to the record (a hospital, a ward), give it another role, or choose another"
            " record."
        )
        lines.append('conflicts = "first"')
    if everybody := one_class(profile):
        lines += _comment(
            f"Others know nothing but dates and stays. '{everybody}' is a column that is added,"
            " with one value for all records: all people are one class."
        )
        lines.append(f'constant = {{ {everybody} = "all" }}')
    return lines


def overwritten(profile: Profile) -> tuple[str, ...]:
    """Quasi-identifiers that differ between records of a person, and are drafted as one value."""
    if profile.counted is None:
        return ()
    visits = of_visits(profile)
    return tuple(name for name in profile.counted.differing if name not in visits)


MOST_OF_VISITS = 6
"""Of more attributes there are too many choices of levels to compare."""


def of_visits(profile: Profile) -> tuple[str, ...]:
    """The quasi-identifiers that are about a record, and not about its person: dates and stays.

    Classes are made of people: where all are about records, all people are :func:`one_class`.
    """
    found = profile.person
    if found is None or not found.sure:
        return ()
    about = [
        item
        for item in profile.with_role("quasi-identifier")
        if item.attribute in found.differing
        and item.about not in ("birth", "death")
        and (item.about in ("stay", "time", "travel") or item.kind in ("date", "datetime"))
    ]
    return tuple(item.attribute for item in about[:MOST_OF_VISITS])


def one_class(profile: Profile) -> str | None:
    """The name of a column to add, with one value, where others know visits alone; else None."""
    visits = of_visits(profile)
    if not visits or len(visits) < len(profile.with_role("quasi-identifier")):
        return None
    taken = {item.attribute for item in profile.attributes}
    return next(name for name in ("everybody", "all_people", "one_class") if name not in taken)


def _look_first(profile: Profile) -> Iterator[str]:
    """What is doubtful, in one place."""
    messages = [warned.message for warned in profile.warnings]
    messages += [f"{what}: {', '.join(names)}" for what, names in profile.doubts]
    if messages:
        yield from ("#", "# Look at these first:")
    for message in messages:
        yield from _comment(message, "#  * ", "#    ")


def write_first_policy(text: str, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the text of a policy, whole or not at all.

    Arguments:
        text: The policy.
        path: The file to write.
        overwrite: Whether a file that is there already is replaced.

    Raises:
        OutputError: When the file exists and ``overwrite`` is false, or cannot be written.
    """
    target = Path(path)
    if target.exists() and not overwrite:
        raise OutputError(
            "file-exists",
            "a file of that name is there already",
            file=str(path),
            remedy="choose another name, or move the file away",
        )
    write_text(target, text)


def toml_value(value: Any) -> str:
    """A value as TOML writes it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _attribute(
    item: AttributeProfile, min_level: tuple[int, str] | None, visits: Sequence[str]
) -> Iterator[str]:
    if item.title:
        yield from _comment(f'"{item.title}"')
    for reason in item.reasons:
        yield from _comment(reason)
    yield from _comment(_figures(item))
    for tag in item.tags:
        if str(tag) not in item.reasons:
            yield from _comment(str(tag))
    for note in item.notes:
        yield from _comment(f"note: {note}")
    for warning in item.warnings:
        yield from _comment(f"WARNING: {warning.message}")
    yield f"[attributes.{toml_key(item.attribute)}]"
    yield f"role = {toml_string(item.role)}"
    if item.attribute in visits:
        yield from _comment(
            "It differs between the records of a person: everybody looks like enough others of the"
            " class in any one record."
        )
        yield 'level = "event"'
    yield from _hierarchy(item)
    if min_level is not None:
        yield from _comment(min_level[1])
        yield f"min_level = {min_level[0]}"
    if item.draft.uncovered:
        yield f"uncovered = {toml_string(item.draft.uncovered)}"
    if item.missing_tokens and item.role in ("quasi-identifier", "sensitive"):
        tokens = {"tokens": list(item.missing_tokens), "as": "value"}
        yield f"missing = {toml_value(tokens)}"


def _hierarchy(item: AttributeProfile) -> Iterator[str]:
    """How an attribute is generalized, and what its values are."""
    draft = item.draft
    if draft.spec is None:
        return
    if draft.why:
        yield from _comment(draft.why)
    yield f"hierarchy = {_in_lines(draft.spec)}"
    if item.role == "quasi-identifier" and (
        item.type == "date" or (item.type == "category" and item.kind == "integer")
    ):
        yield f"type = {toml_string(item.type)}"
    if len(draft.categories) > 2:
        yield from _comment("or group the categories as you think fit:")
        yield f"# hierarchy = {toml_value(_tree(draft.categories))}"


def _in_lines(spec: Any) -> str:
    """A hierarchy as TOML writes it; where that is too long for a line, lists have lines alone."""
    whole = toml_value(spec)
    return whole if len(whole) <= WIDTH else _with_lists_apart(spec)


def _with_lists_apart(spec: Any) -> str:
    if isinstance(spec, Mapping):
        inside = (f"{toml_key(key)} = {_with_lists_apart(item)}" for key, item in spec.items())
        return f"{{ {', '.join(inside)} }}"
    if not isinstance(spec, list) or not spec:
        return toml_value(spec)
    lines = [""]
    for item in map(toml_value, spec):
        if len(lines[-1]) + len(item) > WIDTH:
            lines.append("")
        lines[-1] += f"{item}, "
    return "[\n" + "".join(f"  {line.rstrip()}\n" for line in lines) + "]"


def _tree(categories: Sequence[str]) -> Plain:
    """A tree to start from: two groups, in the order of the alphabet."""
    half = (len(categories) + 1) // 2
    groups = {"group 1": list(categories[:half]), "group 2": list(categories[half:])}
    return {"tree": {"*": groups}}


_KINDS = {
    "integer": "whole numbers",
    "float": "numbers",
    "boolean": "true or false",
    "date": "dates",
    "datetime": "dates with times",
    "other": "durations or times of day",
}


def _figures(item: AttributeProfile) -> str:
    filled = item.records - item.missing
    if not filled:
        return "no values"
    values = "value" if item.distinct == 1 else "values"
    parts = [
        _KINDS.get(item.kind, item.kind),
        f"{item.distinct:,} distinct {values} in {filled:,} records",
        f"{_percent(item.unique_share)} unique",
    ]
    if item.missing:
        tokens = ", ".join(toml_string(token) for token in item.missing_tokens)
        written = f", written {tokens}" if tokens else ""
        parts.append(f"{item.missing:,} missing ({_percent(item.missing / item.records)}{written})")
    return "; ".join(parts)


def _percent(share: float) -> str:
    if share == 0:
        return "none"
    if share == 1:
        return "all"
    return "less than 0.1%" if share < 0.001 else f"{min(share, 0.999):.1%}"


def _promises(profile: Profile, k: int, *, levels: bool) -> list[str]:
    quasi = profile.with_role("quasi-identifier")
    people = profile.records if profile.counted is None else profile.counted.people
    size = max(1, min(k, people))
    items = _items(profile, size)
    limit = round(0.05 / max(items.count("[[promises]]"), 1), 3)
    lines = [
        *_comment(f"Everybody in the release looks like at least {size - 1} others in what others"
                  " could know."),
        "[[promises]]",
        'model = "k-anonymity"',
        f"k = {size}",
        "",
        *items,
        *_method(limit, _left_out(quasi, items=bool(items)), levels=levels),
        "[output]",
        'format = "csv"',
        "",
    ]  # fmt: skip
    if not quasi:
        remark = "No quasi-identifier was recognised: name one above before you run this."
        return [*_comment(remark), *lines]
    return lines


def _left_out(quasi: Sequence[AttributeProfile], *, items: bool) -> str:
    """What a release leaves out that has classes of its own; empty where that is nothing.

    A record that is ``*`` in all that others could know counts as left out.
    """
    if items:
        return "items of people"
    return "records" if any(item.draft.uncovered for item in quasi) else ""


def _method(limit: float, left_out: str, *, levels: bool = False) -> list[str]:
    """The section of the method: what kept most of ten real tables (benchmarks/defaults.py).

    Arguments:
        limit: the share that may be left out.
        left_out: what is left out where classes have ranges of their own.
        levels: whether quasi-identifiers have a level from which on they are published.
    """
    share = [
        *_comment(f"At most this share of the {left_out or 'records'} may be"
                  " left out, so that the others stay more exact."),
        f"suppression_limit = {limit:g}",
    ]  # fmt: skip
    if levels:
        return [
            "[method]",
            *_comment("Every record is published at the lowest levels at which enough others are"
                      " equal to it."),
            'algorithm = "optimal"',
            "local_recoding = true",
            *share,
            "",
        ]  # fmt: skip
    return [
        "[method]",
        *_comment("Similar records form a class, which is published with ranges of its own: this"
                  " keeps most of a table. Where every record has to have the same ranges, take"
                  ' algorithm = "optimal", with suppression_limit = 0.05; anonymize --alternatives'
                  " tells what each keeps."),
        'algorithm = "mondrian"',
        *(share if left_out else []),
        "",
    ]  # fmt: skip


def _items(profile: Profile, k: int) -> list[str]:
    """Promises about what people have over all their records; none where they have one each."""
    if profile.counted is None:
        return []
    alike: dict[str, list[str]] = {}
    for item in profile.with_role("sensitive"):
        if item.draft.spec is not None:
            alike.setdefault(set_of_items(item), []).append(item.attribute)
    spec = {item.attribute: item.draft.spec for item in profile.attributes}
    promises = [
        line
        for names in alike.values()
        for line in _item_promise(names, k, 1 if spec[names[0]] == "suppress" else 2)
    ]
    return [*_BESIDE_CLASSES, *promises] if promises else []


def _item_promise(attributes: Sequence[str], k: int, m: int) -> list[str]:
    known = "one value" if m == 1 else "two values"
    attribute, *others = attributes
    return [
        *_comment(
            f"An attacker who knows {known} of {', '.join(attributes)} in a person's records "
            f"finds {k} people with that."
        ),
        "[[promises]]",
        'model = "km-anonymity"',
        f"sensitive = {toml_string(attribute)}",
        *([f"together = {toml_value(others)}"] if others else []),
        f"k = {k}",
        f"m = {m}",
        "",
    ]


_BESIDE_CLASSES = (
    "# km-anonymity bounds an attacker who does not know the quasi-identifiers. One who does may",
    "# find fewer people: a run says how many, and known-records in its place bounds that.",
    "",
)


def _comment(text: str, first: str = "# ", rest: str = "# ") -> list[str]:
    """A comment in lines of readable length; no sign in the text can end it early."""
    plain = "".join(sign if sign.isprintable() else "�" for sign in text)
    lines: list[str] = []
    line = first
    for word in plain.split(" "):
        start = line in (first, rest)
        if not start and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, start = rest, True
        line += word if start else f" {word}"
    return [*lines, line]
