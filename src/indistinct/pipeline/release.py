"""A release and all that is known of it, and how it is written to a folder."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from indistinct.errors import IndistinctError
from indistinct.knowledge import Knowledge
from indistinct.pipeline.opening import sha256_of
from indistinct.privacy.promise import models
from indistinct.release.audit import audit as audit_release
from indistinct.release.certificate import Certificate, CertifiedTable, Run
from indistinct.requirement import Requirement
from indistinct.sources.convert import to_polars
from indistinct.sources.writing import (
    neutralized,
    publish_folder,
    write_csv,
    write_json,
    write_parquet,
)

if TYPE_CHECKING:
    from indistinct.policy import Output
    from indistinct.recoding.plan import Plan


@dataclass(frozen=True)
class Release:
    """A release and all that is known of it.

    Arguments:
        tables: the released frame, of the kind that went in.
        plan: what is published instead of what; private.
        certificate: the public account.
        run: the private account.
        measures: what the release costs, each measure from 0 (nothing lost) to 1.
        output: how it is written.
        private: further private documents, by file name.
    """

    tables: Any
    plan: Plan
    certificate: Certificate
    run: Run
    measures: Mapping[str, float]
    output: Output
    private: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the custodian should know before handing the release out."""
        return tuple(self.run.to_dict()["warnings"])

    def write(self, out: str | Path) -> Path:
        """Write the release, its certificate and the private account into a folder.

        The folder appears with all its files, or not at all; ``private/`` in it is closed to
        others. The format is that of the policy's ``[output]``.

        Raises:
            OutputError: If the folder cannot be written, or holds files of somebody else.
        """
        name = f"release.{self.output.format}"
        public = self._as_written()
        with publish_folder(out) as staging:
            path = staging.public / name
            if self.output.format == "parquet":
                write_parquet(self.tables, path)
            else:
                write_csv(self.tables, path, spreadsheet_safe=self.output.spreadsheet_safe)
            table = CertifiedTable(name, sha256_of(path), self.certificate.records_published)
            certificate = replace(public, tables=(table,))
            write_json(staging.public / "certificate.json", certificate.to_dict())
            run = replace(self.run, certificate=certificate)
            write_json(staging.private / "run.json", run.to_dict())
            for file, document in self.private.items():
                write_json(staging.private / file, document)
        return Path(out)

    def _as_written(self) -> Certificate:
        """The certificate; where cells or names were neutralized, of what a reader finds."""
        if self.output.format != "csv" or not self.output.spreadsheet_safe:
            return self.certificate
        held = to_polars(self.tables)
        safe = neutralized(held)
        names = dict(zip(held.columns, safe.columns, strict=True))
        known = {
            names[name]: _neutralized(about, name)
            for name, about in self.certificate.sensitive.items()
        }
        asked, alone = [], []
        for item in self.certificate.promises:
            part = Requirement.from_dict(item)
            on = None if part.on is None else tuple(names[name] for name in part.on)
            sensitive = None if part.sensitive is None else names[part.sensitive]
            renamed = replace(part, on=on, sensitive=sensitive)
            # A population is no part of the release: its promises were looked at before.
            own = models()[part.model].needs_population
            alone.append({**item, **renamed.to_dict(), "on": list(on or ())} if own else None)
            if not own:
                asked.append(renamed)
        quasi = [names[name] for name in self.certificate.quasi_identifiers]
        verdict = audit_release(safe, asked, quasi, known=known)
        if not verdict.holds:
            raise IndistinctError("the release made does not keep its promises: it is withheld")
        of_file = Certificate.from_audit(verdict, version=self.certificate.version)
        anew = iter(of_file.promises)
        return replace(
            self.certificate,
            quasi_identifiers=of_file.quasi_identifiers,
            classes=of_file.classes,
            promises=tuple(next(anew) if item is None else item for item in alone),
            sensitive=known,
            transformed={names[name]: what for name, what in self.certificate.transformed.items()},
        )

    def __repr__(self) -> str:
        levels = ", ".join(f"{name} {level}" for name, level in self.plan.levels.items())
        return f"<Release: {self.certificate!r}, levels {levels}>"

    def _repr_html_(self) -> str:
        measures = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{value:.4f}</td></tr>"
            for name, value in self.measures.items()
        )
        return f"{self.certificate._repr_html_()}<table>{measures}</table>"


def _neutralized(about: Knowledge, name: str) -> Knowledge:
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
    return replace(
        about,
        categories={safe[value]: home for value, home in about.categories.items()},
        ranks={safe[value]: rank for value, rank in about.ranks.items()},
        order=tuple(safe[value] for value in about.order),
        chains=tuple(tuple(safe[label] for label in chain) for chain in about.chains),
        reference={safe[value]: share for value, share in about.reference.items()},
    )
