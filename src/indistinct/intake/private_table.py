"""The private table, understood: whose its rows are, codes and hierarchies, settled promises.

Made once, the same way for every verb that looks at a private table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from indistinct.analytics.profile.values import MISSING_AMONG_WORDS, MISSING_BESIDE_OTHERS
from indistinct.document import toml_key
from indistinct.errors import PolicyError, Problems
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.intake.asked import sight_of
from indistinct.intake.hierarchies import taxonomies_of
from indistinct.intake.population import population_of
from indistinct.intake.ranking import told_of_outcomes, warn_about_outcomes
from indistinct.intake.run import Run
from indistinct.intake.value_metadata import (
    require_metadata,
    value_metadata_of,
    with_references,
)
from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata, sorted_values
from indistinct.microdata.subjects import Subjects
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import Promise
from indistinct.privacy.values import AboutValues
from indistinct.sources.table import Table
from indistinct.sources.text import held_as_few_codes
from indistinct.types import Ints32
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.policy import Policy
    from indistinct.recoding.method import Sight


@dataclass(frozen=True)
class PrivateTable:
    """A table as searches, audits and attackers of it see it.

    Arguments:
        table: the table, its values transformed.
        policy: roles, hierarchies, promises and method.
        subjects: whose its rows are.
        sensitive: the sensitive attributes whose values are counted.
        taxonomies: the hierarchy of every quasi-identifier.
        metadata: what is known of the sensitive values.
        population: the quasi-identifiers of the people of a population, one row each.
        promises: what is promised; :func:`indistinct.intake.chosen_promises.settled` chooses what
            they leave open.
        file: the name of the table's file, for messages.
    """

    table: Table
    policy: Policy
    subjects: Subjects
    sensitive: tuple[str, ...]
    taxonomies: Mapping[str, Taxonomy]
    metadata: Mapping[str, ValueMetadata]
    population: pl.DataFrame | None
    promises: tuple[Promise, ...]
    file: str | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        run: Run,
        *,
        sensitive: Sequence[str] | None = None,
        file: str | None = None,
        promises: Sequence[Promise] | None = None,
        subjects: Subjects | None = None,
    ) -> Self:
        """Whose the rows of a table are, what their values mean, and what is promised.

        Arguments:
            table: the table, its values transformed.
            run: says the policy; is given warnings and private documents.
            sensitive: the sensitive attributes whose values are counted; those that promises name
                where not given.
            file: the name of the table's file, for messages.
            promises: what is held against it; the policy's promises where not given.
            subjects: whose its rows are, where that is known already.

        Raises:
            DataError: the people of the table cannot be told, or values have no category or rank.
            HierarchyError: a hierarchy does not cover the table's values.
            PolicyError: a promise needs what the policy does not say.
        """
        policy = run.policy
        asked = tuple(policy.privacy_models if promises is None else promises)
        if sensitive is None:
            sensitive = counted_attributes(asked)
            if not sensitive and sight_of(policy).linked:
                sensitive = published_in_buckets(policy)
        if subjects is None:
            subjects = subjects_of(table, policy, sensitive, file)
        needed = any(part.needs_population for part in asked)
        population = population_of(policy) if needed else None
        taxonomies = taxonomies_of(table, policy, subjects.texts, subjects.weight, file, population)
        metadata = value_metadata_of(policy, table, subjects.records, sensitive, file)
        found = cls(
            table=table,
            policy=policy,
            subjects=subjects,
            sensitive=tuple(sensitive),
            taxonomies=taxonomies,
            metadata=with_references(metadata, asked, subjects),
            population=population,
            promises=asked,
            file=file,
        )
        warn_about_named_values(found, run)
        return found

    @cached_property
    def microdata(self) -> Microdata:
        """The table as codes.

        Raises:
            PolicyError: a promise needs to know more of values than the policy says.
        """
        found = self.encode(self.subjects)
        require_metadata(found.data.table, self.promises_of_classes)
        return found

    @property
    def data(self) -> LeveledTable:
        """The distinct combinations of the table, at all levels."""
        return self.microdata.data

    @cached_property
    def sight(self) -> Sight:
        """What the policy's method has to see of the table."""
        return sight_of(self.policy)

    def promising(self, promises: Sequence[Promise]) -> PrivateTable:
        """The same table, its codes too, with other promises."""
        found = replace(self, promises=tuple(promises))
        found.__dict__["microdata"] = self.microdata
        return found

    @property
    def promises_of_classes(self) -> list[Promise]:
        """The promises that are searched for: those about classes and linked tables.

        And that classes are as large as those about items ask for, where no other says so.
        """
        found = [part for part in self.promises if part.subject != "items"]
        for part in self.promises:
            if part.subject != "items" or part.class_size == 1:
                continue
            on = (None, part.on)
            if all(one.on not in on or one.class_size < part.class_size for one in found):
                found.append(KAnonymity(k=part.class_size, on=part.on, unit=part.unit))
        return found

    def encode(
        self,
        subjects: Subjects,
        *,
        unchanged: Mapping[str, Ints32] | None = None,
        by_record: bool | None = None,
        population: bool = True,
    ) -> Microdata:
        """Some of the subjects as codes, by the hierarchies of the whole table.

        Arguments:
            subjects: who they are.
            unchanged: codes of further columns, which are published as they are.
            by_record: whether every subject is a combination of its own; as the policy's method
                needs it where not given.
            population: whether the people of the population are counted beside.
        """
        return Microdata.encode(
            subjects,
            self.taxonomies,
            self.sensitive,
            unchanged=unchanged,
            population=self.population if population else None,
            by_record=self.sight.by_record if by_record is None else by_record,
        ).knowing(self.metadata)

    @property
    def present(self) -> Subjects:
        """The subjects whom no earlier release suppressed; all where it suppressed everybody."""
        before = self.data.suppressed_before
        if not before.any() or before.all():
            return self.subjects
        return self.subjects.among(~before[self.microdata.combination_of])


def warn_about_named_values(private: PrivateTable, run: Run) -> None:
    """Say where promises name values that no record has, or count one as several.

    Raises:
        PolicyError: a promise is about values none of which occurs: it would promise nothing.
    """
    run.warnings += told_as_several(private)
    for name in counted_attributes(private.promises):
        run.warnings += told_apart(name, sorted_values(private.subjects.values_of(name)))
    for name in dict.fromkeys(
        str(part.sensitive) for part in private.promises if isinstance(part, KNMAnonymity)
    ):
        run.told += told_of_outcomes(private.policy, name)
        run.warnings += warn_about_outcomes(private.policy, private.table, name)
    problems = Problems()
    for part in private.promises:
        name = str(part.sensitive)
        if not isinstance(part, AboutValues):
            if part.needs_sensitive and not private.metadata[name].categories:
                run.warnings += _counted_missing(part, private)
            continue
        if part.about_all:
            run.warnings += _counted_missing(part, private)
            continue
        values = sorted_values(private.subjects.values_of(name))
        spelt = private.policy.missing_tokens([name]).get(name, ()) if None in values else ()
        domain = SensitiveDomain((*values, *spelt))
        if not part.harmful(domain).any():
            problems.add(
                "no-such-value",
                f"promise '{part.model}' is about values of '{name}' that no record has, and "
                "promises nothing",
                attribute=name,
                remedy="write the values as in the table",
            )
        elif vain := part.named_in_vain(domain):
            run.warnings.append(
                Kind.SETTING(
                    f"promise '{part.model}' of '{name}' names {vain} "
                    f"{'value that no record has' if vain == 1 else 'values that no record has'}"
                )
            )
    if problems:
        raise PolicyError(list(dict.fromkeys(problems)))


_NUMBER = r"^([+-]?[0-9]{1,12}(?:[.,][0-9]{0,12})?)$"
"""A number, which zeros, a sign and a comma write in several ways: 1.5, 01.50 and 1,5."""


def told_apart(name: str, values: Sequence[str | None]) -> list[WarningText]:
    """The warning that one value counts as several, as it is written in several ways."""
    texts = pl.Series(values, dtype=pl.String).drop_nulls()
    numbers = texts.str.normalize("NFKC").str.strip_chars().str.extract(_NUMBER)
    numbers = numbers.str.replace(",", ".", literal=True)
    numbers = numbers.cast(pl.Float64, strict=False).cast(pl.String)
    plain = numbers.zip_with(numbers.is_not_null(), _plain(texts))
    several = int(plain.is_duplicated().sum())
    if not several:
        return []
    return [
        Kind.RISK(
            f"{several} values of '{name}' differ from another value only in case, accents, "
            "blanks, hyphens, zeros of a number, or letters that look alike or are invisible, and "
            "promises count them as different: write them alike in the table"
        )
    ]


def told_as_several(private: PrivateTable) -> list[WarningText]:
    """The warning that one person counts as several, as the key is written in several ways."""
    key = private.subjects.key
    if key is None:
        return []
    plain = _plain(private.table.text([key])[key].unique()).str.replace(r"^0+([0-9])", "${1}")
    several = int(plain.str.replace(r"^([0-9]+)\.0+$", "${1}").is_duplicated().sum())
    if not several:
        return []
    return [
        Kind.RISK(
            f"{several} values of '{key}' differ from another value only in case, accents, blanks, "
            "hyphens, leading zeros, or letters that look alike or are invisible, and count as "
            "different people: if they are the same people, write them alike in the table"
        )
    ]


_LOOK_ALIKE = dict(
    zip(
        "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421"
        "\u0422\u0425\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0443\u0445"
        "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4"
        "\u03a5\u03a7\u03bf\u03bd",
        "ABESIJKMHOPCTXaesijopcyxABEZHIKMNOPTYXov",
        strict=True,
    )
)
"""Letters of Cyrillic and Greek that look like Latin ones."""


def _plain(texts: pl.Series) -> pl.Series:
    """Texts without what is often written in several ways, or looks alike."""
    plain = texts.str.normalize("NFKD").str.replace_all(r"[\x{300}-\x{36F}\p{Cf}]", "")
    plain = plain.str.replace_many([*_LOOK_ALIKE], [*_LOOK_ALIKE.values()]).str.to_lowercase()
    plain = plain.str.replace_all("ß", "ss", literal=True)
    return plain.str.replace_all(r"[\s_\p{Pd}]+", " ").str.strip_chars(" ")


def _counted_missing(part: Promise, private: PrivateTable) -> list[WarningText]:
    """The warning that a missing value passes for one more value."""
    name = str(part.sensitive)
    if part.unit == "person":
        return []
    tokens = {*private.policy.missing_tokens([name]).get(name, ()), ""}
    words = MISSING_AMONG_WORDS | MISSING_BESIDE_OTHERS
    held = private.subjects.values_of(name).fill_null("")
    missing = [
        label
        for label in sorted_values(held)
        if label is not None and (label in tokens or label.strip().lower() in words)
    ]
    if not missing:
        return []
    weight = private.subjects.weight
    of = held.is_in(missing).to_numpy()
    share = float(np.average(of, weights=weight))
    listed = ", ".join(f'"{label}"' for label in sorted(missing))
    left_aside = f"not_applicable = [{listed}]"
    remedy = f"{left_aside} under [attributes.{toml_key(name)}] stops counting them"
    if not isinstance(part, AboutValues):
        remedy = f"add distinct-l-diversity or max-posterior, and in it {left_aside}"
    told = f"missing values of '{name}' count as one more value in {part.model}: {remedy}"
    return [Kind.RISK(told, share)]


def counted_attributes(promises: Sequence[Promise]) -> list[str]:
    """The sensitive attributes whose values promises count."""
    return list(dict.fromkeys(part.sensitive for part in promises if part.sensitive is not None))


def published_in_buckets(policy: Policy) -> tuple[str, ...]:
    """The sensitive attributes of linked tables whose promises name none.

    Raises:
        PolicyError: there is none.
    """
    if not policy.sensitive:
        raise PolicyError(
            "no-sensitive",
            "attributes: no attribute is sensitive, and linked tables publish one",
            remedy='give role = "sensitive" to what is to be kept from others',
        )
    return tuple(policy.sensitive)


def subjects_of(
    table: Table, policy: Policy, sensitive: Sequence[str], file: str | None = None
) -> Subjects:
    """Whose the rows of a table are, with the attributes that a search looks at.

    Arguments:
        table: the table.
        policy: names the column of the person, where people have many records, and what becomes of
            quasi-identifiers that differ between them.
        sensitive: the sensitive attributes that are looked at.
        file: the name of the table's file, for messages.

    Raises:
        DataError: rows without a person, or quasi-identifiers that differ within one.
    """
    quasi = policy.quasi_identifiers
    sight = sight_of(policy)
    beside = policy.published_beside if sight.rows else ()
    columns = list(dict.fromkeys([*quasi, *sensitive, *beside]))
    if policy.person is not None:
        return subjects_in(table.text([policy.person, *columns]), policy, file, sensitive)
    texts, weight = table.rows(columns)
    if weight is not None and sight.by_record:
        return Subjects.of_records(texts[np.repeat(np.arange(len(weight)), weight)])
    return Subjects.of_records(held_as_few_codes(texts), weight)


def subjects_in(
    texts: pl.DataFrame,
    policy: Policy,
    file: str | None = None,
    sensitive: Sequence[str] = (),
    quasi: Sequence[str] | None = None,
) -> Subjects:
    """Whose these rows are, as a policy says.

    Arguments:
        texts: the rows as text, with the column of the person where the policy names it.
        policy: names that column, and what becomes of quasi-identifiers that differ within people.
        file: the name of the table's file, for messages.
        sensitive: the attributes whose values are the people's events.
        quasi: the attributes that are people's own; the policy's quasi-identifiers where not given.

    Raises:
        DataError: rows without a person, or quasi-identifiers that differ within one.
    """
    if policy.person is None:
        return Subjects.of_records(texts)
    return Subjects.of_people(
        texts,
        policy.person,
        policy.quasi_identifiers if quasi is None else quasi,
        sensitive,
        conflicts=policy.source.conflicts,
        file=file,
    )
