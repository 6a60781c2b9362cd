"""A release held against the ledger of what is out, and written down there."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.series.joined_rows import BESIDE, unproved
from indistinct.analytics.series.ledger_report import Broken, over_releases, reported
from indistinct.document import many
from indistinct.errors import DataError, InputError, Problem, Unsatisfiable
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.kept_values import kept_beside
from indistinct.microdata.encoding import distinct_rows
from indistinct.privacy.kl_cover import KLCover
from indistinct.privacy.m_invariance import Signatures
from indistinct.privacy.promise import known_promise
from indistinct.recoding.earlier_plan import published_labels
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Earlier
from indistinct.release.ledger import Entry, Ledger, Listed, Recording, hashes_of, numbered
from indistinct.release.other_spellings import told_otherwise
from indistinct.release.transforms.pseudonymize import derived, read_key
from indistinct.sources.convert import to_polars
from indistinct.sources.text import canonical
from indistinct.types import Ints, Ints32, Plain
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan
    from indistinct.release.publication import Publication

KEY_CHECK = "\0key"
"""A text that nobody is called: its hash tells whether two ledgers have one key."""


@dataclass(frozen=True)
class Record:
    """A release on its way into the ledger.

    Arguments:
        ledger: where it is written down.
        entry: what is written.
        seen: the number of the last entry that it was held against.
    """

    ledger: Ledger
    entry: Entry
    seen: int

    def begun(self, folder: Path) -> AbstractContextManager[Recording]:
        """The entry is written down while the folder appears; both, or neither."""
        return self.ledger.recording(self.entry, folder, self.seen)


def hold_against_ledger(
    private: PrivateTable, plan: Plan | LinkedPlan, publication: Publication, run: Run
) -> Record | None:
    """A release as it will stand in the ledger; None where the policy keeps none.

    Arguments:
        private: the table and its promises.
        plan: what is published instead of what.
        publication: what is published.
        run: is given warnings.

    Raises:
        Unsatisfiable: together with what is out the release would break a promise.
        DataError: a person stands in two rows, or a row names none.
        OutputError: the ledger cannot be written.
    """
    policy, promises = private.policy, [part.spec for part in private.promises]
    if policy.ledger is None:
        several = ", ".join(str(one) for one in promises if over_releases(one))
        if several:
            run.warnings.append(
                Kind.LIMIT(
                    f"{several}: a promise over all releases of these people, but earlier "
                    "releases are not known: keep a ledger ([ledger] path and person)"
                )
            )
        return None
    ledger = Ledger.made(policy.directory / policy.ledger.path)
    account: Plain = {
        "source": private.file,
        "source_sha256": run.source_digest,
        "promises": [one.to_dict() for one in promises],
        "policy": json.loads(json.dumps(policy.to_dict(), default=str)),
        "plan": plan.to_dict(),
        "unit": private.subjects.unit,
        BESIDE: list(kept_beside(policy)),
    }
    if categories := {
        name: list(known.categories.items())
        for name in private.sensitive
        if (known := private.metadata[name]).categories
    }:
        account["categories"] = categories
    earlier = ledger.entries()
    before = {name for entry in earlier for name in entry.listed}
    people, groups, sizes, listed = _laid_out(private, plan, publication, before)
    key = _key(policy, ledger, earlier)
    hashes = hashes_of(people, key)
    account["key_check"] = _check_of(key)
    if isinstance(plan, LinkedPlan) and plan.noise:
        account["made_up"] = _made_up(plan, key)
    entry = Entry.of(hashes, groups, sizes, listed, account)
    run.warnings += told_otherwise(people, hashes, [one.people for one in earlier], key)
    found = reported([*earlier, entry], of_last=True) if earlier else None
    torn = [] if found is None else [*map(Kind.RISK, unproved(found.joined))]
    problems = [] if found is None else [_told(one, len(earlier), torn) for one in found.broken]
    if problems and policy.ledger.conflict == "refuse":
        raise Unsatisfiable(problems)
    run.warnings += [Kind.RISK(f"{one.message}; {one.remedy}") for one in problems] or torn
    run.warnings += [] if found is None else map(Kind.LIMIT, found.notes)
    if found is not None and found.unproved:
        run.warnings.append(
            Kind.LIMIT(
                f"{', '.join(found.unproved)}: holds for this release alone, but not together "
                "with earlier releases: their classes overlap, and values kept in both join "
                "rows"
            )
        )
    return Record(ledger, entry, max((one.number for one in earlier), default=0))


def earlier_signatures(private: PrivateTable) -> Earlier:
    """The values of everybody's last published class, as the ledger knows that the policy names."""
    policy = private.policy
    assert policy.ledger is not None
    ledger = Ledger.made(policy.directory / policy.ledger.path)
    entries, (name, *_) = ledger.entries(), private.sensitive
    key = _key(policy, ledger, entries)
    hashes = hashes_of(_people(private), key)
    of_person = np.full(len(hashes), -1, np.int32)
    numbers: dict[tuple[str | None, ...], int] = {}
    made_up: list[tuple[int, str | None, str]] | None = None
    left = np.arange(len(hashes))
    for entry in reversed(entries):
        part = entry.listed.get(name)
        if part is None:
            continue
        order, person = numbered([hashes[left], entry.people])
        again = np.flatnonzero(person[1:] == person[:-1])
        known, group = order[again], entry.groups[order[again + 1] - len(left)]
        counterfeits = [] if made_up is not None else entry.account.get("made_up", ())
        looked_at = np.append(group, [bucket for _, bucket, _ in counterfeits]).astype(np.int64)
        signature = _numbered(part, numbers, np.unique(looked_at))
        of_person[left[known]] = signature[group]
        left = np.delete(left, known)
        if made_up is None:
            made_up = [
                (int(signature[bucket]), values.get(name), digest)
                for digest, bucket, values in counterfeits
            ]
    return Earlier(of_person, tuple(numbers), made_up or (), partial(_digest, key=key))


def _numbered(part: Listed, numbers: dict[tuple[str | None, ...], int], groups: Ints) -> Ints:
    """The signature of some classes of a release, [G]; new ones get the next numbers."""
    sizes, label_of = np.diff(part.starts), part.labels.__getitem__
    found = np.full(len(sizes), -1, np.int64)
    for size in np.unique(sizes[groups]).tolist():
        own = groups[sizes[groups] == size]
        places = part.places[part.starts[own][:, None] + np.arange(size)]
        lists, which = distinct_rows(places, len(part.labels))
        number = [
            numbers.setdefault(tuple(sorted(map(label_of, one), key=_in_order)), len(numbers))
            for one in lists.tolist()
        ]
        found[own] = np.array(number)[which]
    return found


def _in_order(label: str | None) -> tuple[bool, str]:
    """A place among labels: the missing one comes last."""
    return label is None, label or ""


def _made_up(plan: LinkedPlan, key: bytes) -> list[list[object]]:
    """The made-up people of a release: a digest of their published cells, bucket and values."""
    columns = list(zip(plan.quasi.texts, plan.quasi.cell_of, strict=True))
    return [
        [
            _digest([texts[places[one.group]] for texts, places in columns], key),
            one.bucket,
            {name: plan.buckets[name].labels[value] for name, value in one.values.items()},
        ]
        for one in plan.noise
    ]


def _digest(cells: Sequence[str | None], key: bytes) -> str:
    """A keyed hash of published quasi-identifiers."""
    return blake2b(json.dumps(list(cells)).encode(), key=key, digest_size=16).hexdigest()


def _told(one: Broken, earlier: int, torn: Sequence[str]) -> Problem:
    who = many(one.people, "person", "people")
    out = "the earlier release" if earlier == 1 else f"the {earlier} earlier releases"
    told = f"this release read with {out} tells too much about {who}"
    if isinstance(known_promise(one.promise), Signatures):
        told = (
            f"{who} would be in a class with other values than in {out}, and the values that only "
            "one of the two lists can be ruled out"
        )
    elif isinstance(kind := known_promise(one.promise), KLCover):
        told = (
            f"{who} would be together with fewer than {kind.k} people in this release and in "
            f"{out}, or fewer than {kind.l} {kind.of} would stay possible of them"
        )
    elif one.unlike:
        told = (
            f"values of '{one.promise.sensitive}' are written in another way than in {out}, so "
            f"nothing is proved for {who} of what both tell together"
        )
    elif one.promise.parameters.get("over") == "releases":
        told += f" (one value with up to {one.worst:.0%}, as far as anything is proved)"
    elif one.worst is not None:
        told += f" (one value with {one.worst:.0%})"
    return Problem(
        "broken-over-releases",
        f"{told}: {one.promise} holds for this release alone, but "
        + ("is not proved for both" if one.unlike else "not for both together"),
        attribute=one.promise.sensitive,
        remedy=(
            "write the values as in the earlier releases, or leave out people who were published "
            "before"
            if one.unlike
            else "leave out people who were published before, or use the earlier labels "
            "(indistinct apply)"
        )
        + '; conflict = "warn" in [ledger] publishes anyway'
        + "".join(f". {text}: leave these columns out, or publish buckets" for text in torn),
    )


def _key(policy: Policy, ledger: Ledger, earlier: Sequence[Entry]) -> bytes:
    """The key of the hashes; refused where earlier releases have another, and nobody is found."""
    keys = policy.ledger
    assert keys is not None
    if keys.key_env is None and keys.key_file is None:
        key = ledger.key()
    else:
        directory = Path(policy.directory)
        own = read_key("ledger", env=keys.key_env, file=keys.key_file, directory=directory)
        key = derived(own, "ledger")
    if {entry.account.get("key_check") for entry in earlier} - {None, _check_of(key)}:
        raise InputError(
            "other-key",
            "the releases in the ledger hash people with another key, so nobody in them is found",
            file=str(ledger.path),
            remedy="let the policy name the key of the first release (key_env or key_file under "
            "[ledger]; with neither it is the file key of the ledger)",
        )
    return key


def _check_of(key: bytes) -> str:
    """A hash by which two keys are told apart."""
    return f"{hashes_of(pl.Series([KEY_CHECK]), key)[0, 0]:016x}"


def _laid_out(
    private: PrivateTable,
    plan: Plan | LinkedPlan,
    publication: Publication,
    before: Collection[str],
) -> tuple[pl.Series, Ints32, Ints, dict[str, Listed]]:
    """The published people, the group of each, how large groups are, and what they list.

    Arguments:
        private: the table.
        plan: what is published instead of what.
        publication: what is published.
        before: what earlier releases list; in this one it may have another role.
    """
    people = _people(private)
    if isinstance(plan, LinkedPlan):
        there = ~plan.suppressed
        groups = plan.bucket_of[there].astype(np.int32)
        made_up = np.array([one.bucket for one in plan.noise], np.int64)
        first = next(iter(plan.buckets.values()))
        sizes = np.bincount(np.append(groups, made_up).astype(np.int64), minlength=len(first))
        listed = {}
        for name, part in plan.buckets.items():
            bucket, place = np.nonzero(part.counts)
            starts = np.searchsorted(bucket, np.arange(len(sizes) + 1))
            counts = part.counts[bucket, place]
            listed[name] = Listed(part.labels, starts, place.astype(np.int32), counts, part.holding)
        return people.filter(pl.Series(there)), groups, sizes, listed
    return _of_one_table(private, plan, publication, people, before)


def _of_one_table(
    private: PrivateTable,
    plan: Plan,
    publication: Publication,
    people: pl.Series,
    before: Collection[str],
) -> tuple[pl.Series, Ints32, Ints, dict[str, Listed]]:
    policy, data = private.policy, private.data
    quasi = list(data.attributes)
    keep = policy.output.suppressed == "keep"
    labels = published_labels(data, plan)
    gone = pl.Series(plan.suppressed)
    labels = labels.select(
        pl.when(gone).then(pl.lit(SUPPRESSED)).otherwise(pl.col(name)).alias(name) for name in quasi
    )
    frame = canonical(to_polars(publication.tables))
    person = private.subjects.key
    sizes = frame.group_by(quasi).agg(pl.len() if person is None else pl.col(person).n_unique())
    sizes = sizes.rename({sizes.columns[-1]: "\0size"}).sort(quasi).with_row_index("\0group")
    of_combination = labels.join(
        sizes, on=quasi, how="left", nulls_equal=True, maintain_order="left"
    )["\0group"]
    if not keep:
        of_combination = of_combination.set(gone, None)
    group = of_combination.gather(pl.Series(_combinations(private)))
    listed = {}
    counted = sizes["\0size"].to_numpy().astype(np.int64)
    for name in dict.fromkeys([*policy.sensitive, *sorted(before)]):
        if name not in frame.columns or name == person:
            continue
        if name in quasi and not frame[name].is_in(private.subjects.texts[name].implode()).all():
            continue
        rows = frame.join(sizes, on=quasi, nulls_equal=True)
        each = pl.len() if person is None else pl.col(person).n_unique()
        values = rows.group_by("\0group", name).agg(each.alias("\0count")).sort("\0group", name)
        known = values[name].unique().sort()
        place = known.to_frame().with_row_index("\0place")
        values = values.join(place, on=name, nulls_equal=True).sort("\0group", "\0place")
        starts = np.searchsorted(values["\0group"].to_numpy(), np.arange(len(counted) + 1))
        counts = values["\0count"].to_numpy().astype(np.int64)
        summed = np.bincount(values["\0group"].to_numpy(), counts, minlength=len(counted))
        one = bool((summed == counted).all())
        listed[name] = Listed(
            tuple(known.to_list()),
            starts.astype(np.int64),
            values["\0place"].to_numpy().astype(np.int32),
            counts,
            "one" if one else "some",
        )
    there = group.is_not_null()
    return people.filter(there), group.drop_nulls().to_numpy().astype(np.int32), counted, listed


def _people(private: PrivateTable) -> pl.Series:
    """The key of every subject in the source."""
    policy, subjects = private.policy, private.subjects
    assert policy.ledger is not None
    if subjects.key is not None:
        names = private.table.text([subjects.key])[subjects.key]
        return names.gather(pl.Series(subjects.first_rows()))
    name = str(policy.ledger.person)
    keys = private.table.text([name])[name]
    nobody, twice = keys.is_null(), keys.is_duplicated() & keys.is_not_null()
    if nobody.any() or twice.any():
        wrong = nobody | twice
        raise DataError(
            "ledger-person",
            f"{many(int(wrong.sum()), 'row names', 'rows name')} no person, or a person with "
            "another row: the ledger needs one row for every person",
            file=private.file,
            attribute=name,
            rows=tuple(at + 1 for at in wrong.arg_true().head(11).to_list()),
            remedy="name the column as person in [source], where people have many records",
        )
    return keys


def _combinations(private: PrivateTable) -> Ints32:
    """The combination of every subject; of every row, where the table counts equal ones."""
    found = private.microdata.combination_of
    if private.subjects.weight is None:
        return found
    quasi = list(private.data.attributes)
    known = private.subjects.texts.select(quasi).with_columns(pl.Series("\0at", found))
    rows = private.table.text(quasi)
    joined = rows.join(
        known.unique(quasi), on=quasi, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["\0at"].to_numpy().astype(np.int32)
