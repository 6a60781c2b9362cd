"""A release and all that is known of it, and how it is written to a folder."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from indistinct.document import Document, Grid, Line, Part, in_quotes, many
from indistinct.errors import IndistinctError
from indistinct.frozen import dataclass, field
from indistinct.intake.kept_policy import POLICY
from indistinct.intake.opening import sha256_of
from indistinct.metadata import ValueMetadata
from indistinct.pipeline.evidence import evidence_in, published_evidence
from indistinct.privacy.promise import models
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.release.audit import audit as audit_release
from indistinct.release.certificate import COUNTS_MADE_UP, Certificate, CertifiedTable, Run
from indistinct.release.documents import Documents
from indistinct.report.outlines import page, require_template
from indistinct.requirement import Requirement
from indistinct.sources.convert import to_polars
from indistinct.sources.file_kind import PLAIN_FORMATS, written_kinds
from indistinct.sources.postgres import PostgresTable, Store, is_address
from indistinct.sources.spark_files import SparkStore
from indistinct.sources.table import is_spark
from indistinct.sources.writing import (
    REPORT,
    as_shown,
    batches,
    formulas,
    is_file,
    neutralized,
    publish_folder,
    write_as,
    write_csv,
    write_json,
    write_parquet,
    write_text,
)
from indistinct.types import Frame, Plain
from indistinct.warning_kinds import Kind, WarningText, ranked

if TYPE_CHECKING:
    from indistinct.pipeline.recording import Record
    from indistinct.policy import Output
    from indistinct.recoding.plan import Plan
    from indistinct.release.ledger import Recording

PREVIEW = 5
"""Rows of a release that a notebook shows."""


@dataclass(frozen=True, eq=False)
class Release(Document):
    """A release and everything known about it.

    Arguments:
        tables: the released frame, of the kind that went in; of linked tables a dict of frames,
            ``quasi`` and ``sensitive``.
        plan: what is published instead of what; private.
        certificate: the public account.
        run: the private account.
        measures: what the release loses, each measure from 0 (nothing) to 1.
        output: how it is written.
        private: further documents, by file name; long ones are tables, some made when asked for.
        policy: the text of the policy, which the custodian keeps with it.
        record: what is written into the ledger with it, if there is one.
    """

    tables: Frame
    plan: Plan | LinkedPlan
    certificate: Certificate
    run: Run
    measures: Mapping[str, float]
    output: Output
    private: Documents = field(default_factory=lambda: Documents({}), repr=False)
    policy: str | None = field(default=None, repr=False)
    record: Record | None = field(default=None, repr=False)

    @property
    def linked(self) -> bool:
        """Whether the release is two linked tables."""
        return self.certificate.linked is not None

    def _frames(self) -> Plain:
        """The published tables, by the names of their files."""
        return dict(self.tables) if self.linked else {"release": self.tables}

    @property
    def warnings(self) -> tuple[WarningText, ...]:
        """What the custodian should know before publishing the release."""
        return tuple(ranked([*self.run.told, *self._formulas]))

    def spreads(self) -> list[Plain]:
        """How often each published value of each attribute occurs, as reports draw it."""
        found: list[Plain] = published_evidence(self)["attributes"]
        return found

    def report(self, *, public: bool = False, template: str = "plain") -> str:
        """The report of the release, as the text of one HTML file that loads nothing.

        Arguments:
            public: whether it says no more than everybody may know who has the release.
            template: the order of its chapters: ``plain``, or that of a standard.

        Raises:
            InputError: there is no such template.
        """
        require_template(template)
        return page(evidence_in(self, public=public), template).html()

    def write(
        self, out: str | Path, *, report: bool | None = None, into: str | None = None
    ) -> Path:
        """Write the release, its certificate and the private account into a folder.

        The folder appears with all its files, or not at all; ``private/`` in it is closed to
        others. The format is that of the policy's ``[output]``. Where a ledger is kept, its entry
        appears with the folder, or not at all.

        Arguments:
            out: the folder.
            report: whether reports are written too, ``report.html`` for everybody and
                ``private/report.html`` for the custodian; as the policy says where not given.
            into: a schema in PostgreSQL, ``postgresql://host/db?schema=release``: the rows go into
                a table there in place of a file, and the certificate into one beside it, in one
                transaction. Of a release that Spark holds also a folder, ``hdfs://host/release``:
                the executors write Parquet, and the folder appears with the certificate in it.

        Raises:
            OutputError: If the folder cannot be written, or holds files of somebody else, or the
                ledger has changed since the release was held against it.
            DataError: If the server refuses; then nothing is written.
        """
        with contextlib.ExitStack() as stack:
            recording = None
            if self.record is not None:
                recording = stack.enter_context(self.record.begun(Path(out)))
            wanted = self.output.report if report is None else report
            store = None if into is None else self._store(into)
            if isinstance(store, SparkStore):
                stack.callback(store.close)
            return self._written(out, recording, store, report=wanted)

    def _store(self, into: str) -> Store | SparkStore:
        in_spark = is_spark(self.tables) and not is_address(into)
        return SparkStore(into, self.tables) if in_spark else Store(into, self.tables)

    def _written(
        self,
        out: str | Path,
        recording: Recording | None,
        store: Store | SparkStore | None,
        *,
        report: bool,
    ) -> Path:
        told_to_all = self.certificate if store else self._as_written()
        with publish_folder(out) as staging:
            read: dict[str, Frame] | None = self._frames()
            if store is None:
                written, read = self._in_files(staging.public)
            else:
                written = self._stored(store)
            certificate = replace(told_to_all, tables=tuple(written.values()))
            if told_to_all.linked is not None:
                link = told_to_all.linked
                paths = {key: written[link[key]].path for key in ("quasi", "sensitive")}
                certificate = replace(certificate, linked={**link, **paths})
            write_json(staging.public / "certificate.json", certificate.to_dict())
            told = self.run.warnings + (_swept(staging.swept),) * (staging.swept > 0)
            told += self._formulas if store is None else store.told
            run = replace(self.run, certificate=certificate, warnings=told)
            write_json(staging.private / "run.json", run.to_dict())
            if self.policy is not None:
                write_text(staging.private / POLICY, self.policy)
            for file, document in self.private.items():
                if isinstance(document, pl.DataFrame):
                    write_csv(document, staging.private / file)
                else:
                    write_json(staging.private / file, document)
            if report:
                found: Frame = staging.public
                if read is not None:
                    named = replace(certificate, linked=told_to_all.linked)
                    tables = read if self.linked else read["release"]
                    found = replace(self, tables=tables, certificate=named, run=run)
                to_all = evidence_in(found, public=True)
                to_us = evidence_in(found, public=False, published=to_all.published)
                write_text(staging.public / REPORT, page(to_all).html())
                write_text(staging.private / REPORT, page(to_us).html())
            if recording is not None:
                recording.await_folder(staging.public / "certificate.json")
            if store is not None:
                store.certify(certificate.to_dict())
                with contextlib.nullcontext() if recording is None else recording.keeping():
                    store.commit()
        return Path(out)

    def _in_files(self, folder: Path) -> tuple[dict[str, CertifiedTable], dict[str, Frame] | None]:
        """The files, and what a reader finds in them; None where only they tell."""
        written, form = {}, self.output.format
        other = written_kinds()[form] if form not in PLAIN_FORMATS else None
        read: dict[str, Frame] = {}
        for name, frame in self._frames().items():
            path = folder / (f"{name}.{form}" if other is None else f"{name}{other.written}")
            if other is not None:
                shown = None
                write_as(other, frame, path)
            elif form == "parquet":
                shown = write_parquet(frame, path)
            else:
                safe = self.output.spreadsheet_safe
                shown = write_csv(frame, path, spreadsheet_safe=safe)
            if shown is None and other is None and (is_file(frame) or is_spark(frame)):
                shown = frame
            if shown is not None:
                read[name] = shown
            rows = len(frame) if self.linked else self.certificate.records_published
            written[name] = CertifiedTable(path.name, sha256_of(path), rows)
        return written, read if len(read) == len(written) else None

    def _stored(self, store: Store | SparkStore) -> dict[str, CertifiedTable]:
        kept = isinstance(store, SparkStore)
        frames = {
            name: frame if kept or isinstance(frame, PostgresTable) else to_polars(as_shown(frame))
            for name, frame in self._frames().items()
        }
        return {
            name: CertifiedTable(table, "", rows)
            for name, (table, rows) in store.put(frames).items()
        }

    @functools.cached_property
    def _formulas(self) -> tuple[WarningText, ...]:
        """A warning of cells that a spreadsheet would run, where a file would have them."""
        if self.output.format != "csv" or self.output.spreadsheet_safe:
            return ()
        found = [
            name
            for frame in self._frames().values()
            for part in batches(frame)
            for name in formulas(part)
        ]
        if not found:
            return ()
        listed = in_quotes(dict.fromkeys(found))
        return (
            Kind.RISK(
                f"cells or names of {listed} look like formulas, which a spreadsheet would run: "
                "set spreadsheet_safe = true in [output] if anybody may open the release in one"
            ),
        )

    def _as_written(self) -> Certificate:
        """The certificate; where cells or names were neutralized, of what a reader finds."""
        if self.output.format != "csv" or not self.output.spreadsheet_safe:
            return self.certificate
        held = {name: to_polars(frame) for name, frame in self._frames().items()}
        safe = {name: neutralized(frame) for name, frame in held.items()}
        names = {
            old: new
            for name, frame in held.items()
            for old, new in zip(frame.columns, safe[name].columns, strict=True)
        }
        known = {
            names[name]: _neutralized(about, name)
            for name, about in self.certificate.sensitive.items()
        }
        asked, alone = [], []
        for item in self.certificate.promises:
            part = Requirement.from_dict(item)
            renamed = part.renamed(names)
            # A population is no part of the release: its promises were looked at before.
            own = models()[part.model].needs_population
            alone.append(
                {**item, **renamed.to_dict(), "on": list(renamed.on or ())} if own else None
            )
            if not own:
                asked.append(renamed)
        quasi = [names[name] for name in self.certificate.quasi_identifiers]
        person = self.certificate.person
        verdict = audit_release(
            safe if self.linked else safe["release"],
            asked,
            quasi,
            known=known,
            person=None if person is None else names[person],
            linked=self.certificate.linked,
        )
        if not verdict.holds:
            raise IndistinctError("the release made does not keep its promises: it is withheld")
        of_file = Certificate.from_audit(
            verdict,
            version=self.certificate.version,
            may_contain=self.certificate.may_contain,
            counts_made_up={
                item["model"] for item in self.certificate.promises if item.get(COUNTS_MADE_UP)
            },
        )
        anew = iter(of_file.promises)
        return replace(
            self.certificate,
            quasi_identifiers=of_file.quasi_identifiers,
            classes=of_file.classes,
            promises=tuple(next(anew) if item is None else item for item in alone),
            sensitive=known,
            transformed={
                names.get(name, name): what for name, what in self.certificate.transformed.items()
            },
            person=None if person is None else names[person],
        )

    def __repr__(self) -> str:
        what = "linked tables"
        if not isinstance(self.plan, LinkedPlan):
            levels = ", ".join(f"{name} {level}" for name, level in self.plan.levels.items())
            what = f"levels {levels}" if levels else "by class"
        found = self.run.told  # those of formulas would read the whole release again
        told = [f"{many(len(found), 'warning')}, first: {one}" for one in found[:1]]
        return f"<Release: {'; '.join([f'{self.certificate!r}, {what}', *told])}>"

    def parts(self) -> Iterator[Part]:
        """The warnings, the first rows, the certificate, and what the release cost."""
        import narwhals as nw

        if found := self.run.told:
            yield Line(f"{many(len(found), 'warning')}, for the custodian alone", "bad")
            yield Grid((), [(told.kind.title, told) for told in found])
        for name, frame in self._frames().items():
            served = isinstance(frame, PostgresTable)
            known = frame if served else nw.from_native(frame)
            head = to_polars(nw.to_native(known.head(PREVIEW), pass_through=True))
            rows = [tuple("" if cell is None else str(cell) for cell in row) for row in head.rows()]
            yield Line(f"{name}, the first {many(len(rows), 'row', 'rows')}", "title")
            yield Grid(tuple(head.columns), rows)
        yield from replace(self.certificate, warnings=()).parts()
        rows = [(name, f"{value:.4f}") for name, value in self.measures.items()]
        yield Grid(("measure", "value"), rows, right=("value",))


def _swept(count: int) -> WarningText:
    what = "a file or folder" if count == 1 else f"{count} files and folders"
    return Kind.RISK(
        f"{what} with private data, left unfinished next to the release by a killed run, "
        f"{'was' if count == 1 else 'were'} removed"
    )


def _neutralized(about: ValueMetadata, name: str) -> ValueMetadata:
    """The same knowledge, of values as they stand in a file that is safe for spreadsheets."""
    labels = {
        *about.categories,
        *about.order,
        *about.reference,
        *about.ranks,
        *(label for chain in about.chains for label in chain),
    }
    texts = pl.DataFrame({name: pl.Series(list(labels), dtype=pl.String)})
    safe = dict(zip(labels, neutralized(texts).to_series().to_list(), strict=True))
    return about.relabelled(safe)
