"""A release held against the ledger of what is out, and written down there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.series import Composition, Series
from indistinct.document import Document, Grid, Line, Part, many, shown
from indistinct.errors import DataError, InputError, Problem, Unsatisfiable
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.privacy.kl_cover import KLCover
from indistinct.privacy.m_invariance import Signatures
from indistinct.privacy.promise import known_promise
from indistinct.recoding.earlier_plan import published_labels
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Earlier
from indistinct.release.ledger import Entry, Ledger, Listed, Recording, hashes_of
from indistinct.release.transforms.pseudonymize import derived, read_key
from indistinct.requirement import Requirement
from indistinct.sources.convert import to_polars
from indistinct.sources.text import canonical
from indistinct.types import Bools, Floats, Ints, Ints32, Plain

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan
    from indistinct.release.publication import Publication

KEY_CHECK = "\0key"
"""A text that nobody is called: its hash tells whether two ledgers have one key."""

NEAR = 1e-3
"""A belief that is no more than this above a bound keeps it: so much may be missing of fitting."""


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


@dataclass(frozen=True)
class Broken:
    """A promise that all releases together break.

    Arguments:
        promise: the promise.
        people: how many people it is broken for.
        worst: the largest belief in a value of one of them; None where it is about no belief.
    """

    promise: Requirement
    people: int
    worst: float | None

    def to_dict(self) -> Plain:
        """The promise with how far it is broken."""
        return {
            "model": self.promise.model,
            "parameters": dict(self.promise.parameters),
            "sensitive": self.promise.sensitive,
            "people": self.people,
            "worst": self.worst,
        }


@dataclass(frozen=True)
class LedgerReport(Document):
    """What all releases of a ledger say together; private.

    Arguments:
        releases: how many there are.
        people: how many people are in them.
        compositions: by sensitive attribute what a reader believes of everybody.
        broken: the promises that are broken by all together.
        unproved: promises that speak of one release only, and were not looked at.
    """

    releases: int
    people: int
    compositions: Mapping[str, Composition] = field(default_factory=dict)
    broken: Sequence[Broken] = ()
    unproved: Sequence[str] = ()

    @property
    def holds(self) -> bool:
        """Whether no promise is broken."""
        return not self.broken

    def to_dict(self) -> Plain:
        """The report as plain data."""
        return {
            "releases": self.releases,
            "people": self.people,
            "holds": self.holds,
            "worst_posterior": max((one.worst for one in self.compositions.values()), default=0.0),
            "broken": [one.to_dict() for one in self.broken],
            "attributes": [_figures(one) for one in self.compositions.values()],
            "not_looked_at": list(self.unproved),
        }

    def parts(self) -> Iterator[Part]:
        """The beliefs by attribute, and what is broken."""
        releases = many(self.releases, "release", "releases")
        yield Line(f"{releases} of {many(self.people, 'person', 'people')}", "title")
        columns = ("attribute", "in several", "one release", "together", "at most", "certain")
        rows = [
            (
                item["attribute"],
                shown(item["in_several"]),
                f"{item['worst_alone']:.0%}",
                f"{item['worst_together']:.0%}",
                f"{item['bound']:.0%}",
                shown(item["certain"]),
            )
            for item in self.to_dict()["attributes"]
        ]
        yield Grid(columns, rows, right=columns[1:])
        for one in self.broken:
            worst = (
                "" if one.worst is None else f", of whom a value is believed with {one.worst:.0%}"
            )
            whom = many(one.people, "person", "people")
            yield Line(f"{one.promise} is broken for {whom}{worst}", "bad")
        if self.unproved:
            yield Line(f"not looked at over releases: {', '.join(self.unproved)}")
        yield Line("every promise holds" if self.holds else "BROKEN by all releases together")


def _figures(found: Composition) -> Plain:
    return {
        "attribute": found.attribute,
        "people": len(found.alone),
        "in_several": int((found.releases > 1).sum()),
        "worst_alone": float(found.alone.max(initial=0.0)),
        "worst_together": float(found.together.max(initial=0.0)),
        "bound": float(found.bound.max(initial=0.0)),
        "proved": int((found.bound < 1).sum()),
        "certain": int((found.together >= 1 - NEAR).sum()),
        "fewest_values": int(found.left.min()) if len(found.left) else 0,
    }


def check_ledger(path: str | Path, *others: str | Path) -> LedgerReport:
    """Hold all that is out against what was promised.

    Arguments:
        path: the folder of the ledger.
        others: further ledgers, of custodians who publish about the same people and share the key.

    Raises:
        InputError: there is none; or two ledgers have different keys, so that nobody in one can be
            found in another.
    """
    ledgers = [Ledger(one).entries() for one in (path, *others)]
    entries = sorted((one for each in ledgers for one in each), key=lambda one: one.created)
    signs = {one.account.get("key_check") for one in entries}
    if len(signs - {None}) > 1 or (others and None in signs and not _all_meet(ledgers)):
        raise InputError(
            "other-key",
            "the ledgers hash people with different keys, so nobody in one is found in another",
            file=str(path),
            remedy="let both policies name one key from the first release on, by key_env or "
            "key_file under [ledger]",
        )
    return reported(entries)


def _all_meet(ledgers: Sequence[Sequence[Entry]]) -> bool:
    """Whether each ledger shares people with the first: nobody does where the keys differ."""
    held = [{tuple(row) for one in each for row in one.people.tolist()} for each in ledgers]
    return all(held[0] & other for other in held[1:])


def reported(entries: Sequence[Entry], *, of_last: bool = False) -> LedgerReport:
    """What releases say together.

    Arguments:
        entries: the releases.
        of_last: only promises that are broken for people of the last release count.
    """
    promises: dict[str, Requirement] = {}
    for entry in entries:
        for item in entry.account.get("promises", ()):
            one = Requirement.from_dict(item)
            promises[json.dumps(one.to_dict(), sort_keys=True)] = one
    names = dict.fromkeys(name for entry in entries for name in entry.listed)
    broken, unproved = [], dict[str, None]()
    series = {name: Series.of(entries, name) for name in names}
    compositions = {name: one.composed() for name, one in series.items()}
    for promise in promises.values():
        about = compositions.get(str(promise.sensitive))
        judged = None
        if about is not None:
            judged = _judged(promise, series[about.attribute], about, entries)
        if judged is None:
            unproved[str(promise)] = None
            continue
        there, belief = judged
        if of_last:
            members = series[str(promise.sensitive)].members
            last = members.filter(pl.col("release") == len(entries) - 1)["person"]
            mask = np.zeros(len(there), np.bool_)
            mask[last.to_numpy()] = True
            there = there & mask
        if there.any():
            worst = None if belief is None else float(belief[there].max())
            broken.append(Broken(promise, int(there.sum()), worst))
    people = np.concatenate([entry.people for entry in entries]) if entries else np.zeros((0, 2))
    everybody = pl.DataFrame(people, ["hi", "lo"]).unique().height
    return LedgerReport(len(entries), everybody, compositions, broken, list(unproved))


def _judged(
    promise: Requirement, series: Series, found: Composition, entries: Sequence[Entry]
) -> tuple[Bools, Floats | None] | None:
    """For whom a promise is broken [n], and what is believed of them; None: it says nothing."""
    kind = known_promise(promise)
    if isinstance(kind, Signatures):
        changed = series.changed(consecutive=kind.consecutive)
        there = np.zeros(len(found.alone), np.bool_)
        there[changed] = True
        return there, found.together
    if isinstance(kind, KLCover):
        return _uncovered(kind, entries, series), None
    if kind is None or promise.parameters.get("values") or promise.parameters.get("not_values"):
        return None
    for name in ("bound", "alpha"):
        if promise.model in ("max-posterior", "alpha-k-anonymity") and name in promise.parameters:
            belief = np.maximum(found.alone, found.together)
            if promise.parameters.get("over") == "releases":
                belief = found.bound
            return belief > float(promise.parameters[name]) + NEAR, belief
    for name in ("l", "p"):
        if promise.model in ("distinct-l-diversity", "p-sensitive") and name in promise.parameters:
            return found.left < int(promise.parameters[name]), found.together
    return None


def _uncovered(promise: KLCover, entries: Sequence[Entry], series: Series) -> Bools:
    """Who is with too few people in all of their releases, or has too few values left, [n]."""
    of_values = series
    if promise.of == "categories":
        category_of = {
            label: category
            for entry in entries
            for label, category in entry.account.get("categories", {}).get(series.attribute, ())
        }
        of_values = Series.of(entries, series.attribute, category_of)
    return (series.companions() < promise.k) | (of_values.possible() < promise.l)


def over_releases(promise: Requirement) -> bool:
    """Whether a promise is about all releases of a person."""
    about_all = isinstance(known_promise(promise), Signatures | KLCover)
    return about_all or promise.parameters.get("over") == "releases"


# Of a release that is being made


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
    policy = private.policy
    if policy.ledger is None:
        several = ", ".join(str(one) for one in private.requirements if over_releases(one))
        if several:
            run.warnings.append(
                f"{several}: promises something of all releases of these people, and nothing is "
                "held against those that are out: keep a ledger, [ledger] path and person"
            )
        return None
    ledger = Ledger.made(policy.directory / policy.ledger.path)
    account: Plain = {
        "source": private.file,
        "source_sha256": run.source_digest,
        "promises": [one.to_dict() for one in private.requirements],
        "policy": json.loads(json.dumps(policy.to_dict(), default=str)),
        "plan": plan.to_dict(),
        "unit": private.subjects.unit,
    }
    if categories := {
        name: list(known.categories.items())
        for name in private.sensitive
        if (known := private.metadata[name]).categories
    }:
        account["categories"] = categories
    people, groups, sizes, listed = _laid_out(private, plan, publication)
    key = _key(policy, ledger)
    hashes = hashes_of(people, key)
    account["key_check"] = f"{hashes_of(pl.Series([KEY_CHECK]), key)[0, 0]:016x}"
    if isinstance(plan, LinkedPlan) and plan.noise:
        account["made_up"] = _made_up(plan, key)
    entry = Entry.of(hashes, groups, sizes, listed, account)
    earlier = ledger.entries()
    found = reported([*earlier, entry], of_last=True) if earlier else None
    problems = [] if found is None else [_told(one, len(earlier)) for one in found.broken]
    if problems and policy.ledger.conflict == "refuse":
        raise Unsatisfiable(problems)
    run.warnings += [f"{one.message}; {one.remedy}" for one in problems]
    return Record(ledger, entry, max((one.number for one in earlier), default=0))


def earlier_signatures(private: PrivateTable) -> Earlier:
    """The values of the last class that everybody was published in, as the ledger knows them.

    Arguments:
        private: the table; its policy names the ledger.
    """
    policy = private.policy
    assert policy.ledger is not None
    ledger = Ledger.made(policy.directory / policy.ledger.path)
    entries, (name, *_) = ledger.entries(), private.sensitive
    key = _key(policy, ledger)
    hashes = hashes_of(_people(private), key)
    people = pl.DataFrame(hashes, ["hi", "lo"]).with_row_index("person")
    of_person = np.full(len(hashes), -1, np.int32)
    numbers: dict[tuple[str | None, ...], int] = {}
    made_up: list[tuple[int, str | None, str]] = []
    for entry in entries:
        part = entry.listed.get(name)
        if part is None:
            continue
        signature = _numbered(part, numbers)
        known = pl.DataFrame(entry.people, ["hi", "lo"]).with_columns(group=entry.groups)
        both = people.join(known, on=["hi", "lo"])
        of_person[both["person"].to_numpy()] = signature[both["group"].to_numpy()]
        made_up = [
            (int(signature[bucket]), values.get(name), digest)
            for digest, bucket, values in entry.account.get("made_up", ())
        ]
    return Earlier(of_person, tuple(numbers), made_up, partial(_digest, key=key))


def _numbered(part: Listed, numbers: dict[tuple[str | None, ...], int]) -> Ints:
    """The signature of every class of a release, [G]; new ones get the next numbers."""
    sizes, label_of = np.diff(part.starts), part.labels.__getitem__
    found = np.zeros(len(sizes), np.int64)
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        places = part.places[part.starts[own][:, None] + np.arange(size)]
        lists, which = np.unique(places, axis=0, return_inverse=True)
        number = [
            numbers.setdefault(tuple(sorted(map(label_of, one), key=_in_order)), len(numbers))
            for one in lists.tolist()
        ]
        found[own] = np.array(number)[which.ravel()]
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


def _told(one: Broken, earlier: int) -> Problem:
    who = many(one.people, "person", "people")
    out = "the release that is out" if earlier == 1 else f"the {earlier} releases that are out"
    told = f"whoever reads this release beside {out} learns too much about {who}"
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
    elif one.promise.parameters.get("over") == "releases":
        told += f" (one value with up to {one.worst:.0%}, as far as anything is proved)"
    elif one.worst is not None:
        told += f" (one value with {one.worst:.0%})"
    return Problem(
        "broken-over-releases",
        f"{told}: {one.promise} holds for the release alone, and not together with what was "
        "published",
        attribute=one.promise.sensitive,
        remedy="leave out who has been published before, or publish what was published; "
        'conflict = "warn" in [ledger] publishes all the same',
    )


def _key(policy: Policy, ledger: Ledger) -> bytes:
    keys = policy.ledger
    assert keys is not None
    if keys.key_env is None and keys.key_file is None:
        return ledger.key()
    own = read_key("ledger", env=keys.key_env, file=keys.key_file, directory=Path(policy.directory))
    return derived(own, "ledger")


def _laid_out(
    private: PrivateTable, plan: Plan | LinkedPlan, publication: Publication
) -> tuple[pl.Series, Ints32, Ints, dict[str, Listed]]:
    """The published people, the group of each, how large groups are, and what they list."""
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
    return _of_one_table(private, plan, publication, people)


def _of_one_table(
    private: PrivateTable, plan: Plan, publication: Publication, people: pl.Series
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
    for name in policy.sensitive:
        if name not in frame.columns:
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
            f"{int(wrong.sum())} rows name no person, or one who has another row: the ledger "
            "needs a row for every person",
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
