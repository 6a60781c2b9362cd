"""``indistinct audit``: read a release as a stranger would, and hold it against its promises."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import (
    AsJson,
    Encoding,
    Separator,
    Sheet,
    argument,
    names_in,
    option,
    source_keys,
)
from indistinct.cli.summary import print_classes, print_promises
from indistinct.cli.terminal import (
    ALERT,
    Progress,
    complain,
    console,
    print_json,
    print_parts,
)
from indistinct.document import first_names, in_quotes, many, shown
from indistinct.errors import PolicyError, without_credentials
from indistinct.types import Plain, PlainMapping

if TYPE_CHECKING:
    from indistinct.release.audit.series import SeriesAudit


def audit(
    releases: Annotated[
        list[Path],
        argument(
            "RELEASE...",
            "A published file, or the folder of a release; several of one series in the order "
            "of publication.",
        ),
    ],
    policy: Annotated[
        Path | None, option("FILE", "The policy that says what was promised.")
    ] = None,
    quasi: Annotated[
        list[str] | None, option("NAMES", "Quasi-identifiers, separated by commas.")
    ] = None,
    k: Annotated[int | None, option("K", "k of k-anonymity.", "--k")] = None,
    person: Annotated[
        str | None, option("NAME", "The column that tells people apart, if they have many records.")
    ] = None,
    constant: Annotated[
        list[str] | None,
        option(
            "NAMES", "Of several releases: quasi-identifiers that people keep from one to the next."
        ),
    ] = None,
    follow: Annotated[
        str | None,
        option("NAME", "Of several releases: the column that names each person alike in all."),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Recompute every promise from the published files alone.

    The promises come from --policy, from --quasi and --k, or else from the certificate.json next
    to the release. Works on releases made by other tools. Several releases are checked together
    for promises over releases, as far as a reader can. Ends with 3 if a promise is broken, or
    cannot be proved over releases.
    """
    import indistinct

    source = source_keys(separator, encoding, sheet)
    named = None if quasi is None else names_in(quasi, releases[0], source)
    asked = _asked(policy, named, k)
    if person is not None:
        asked["person"] = person
    if source:
        asked["source"] = source
    with Progress(*releases) as progress:
        progress("auditing")
        if constant or follow is not None or len(releases) > 1:
            over: Plain = {
                "constant": names_in(constant or (), releases[0], source),
                "follow": follow,
            }
            series = indistinct.audit([*releases], **asked, **over)
            documents = [one.to_dict() for one in series.releases]
        else:
            series, documents = None, [indistinct.audit(releases[0], **asked).to_dict()]
    for document, release in zip(documents, releases, strict=True):
        _require_promises(document, release)
        for note in document.get("notes", ()):
            complain("note", note)
        if not as_json:
            show(document, release)
    whole = documents[0] if series is None else series.to_dict()
    if as_json:
        print_json(whole)
    elif series is not None:
        _show_series(series)
    if not whole["holds"]:
        raise typer.Exit(ALERT)


def _require_promises(document: PlainMapping, release: Path) -> None:
    if not document["promises"]:
        raise PolicyError(
            "no-promise",
            "the certificate names no promise: nothing was checked",
            file=str(release),
            remedy="say what was promised, with --policy, or with --quasi and --k",
        )


def _show_series(series: SeriesAudit) -> None:
    """What all releases say together, for a person."""
    screen = console()
    screen.print(f"\nall {len(series.releases)} releases together", style="bold")
    print_parts(series.parts())
    if series.holds:
        by_itself = ", each release by itself" * (not series.promises)
        other = "other " * bool(series.promises and series.alone)
        style = "bold" if by_itself else "bold green"
        screen.print(f"\nevery {other}promise holds{by_itself}", style=style)
        return
    broken = any(verdict.holds is False for verdict in series.promises)
    alone = not all(one.holds for one in series.releases)
    word = "BROKEN" if broken or alone else "NOT PROVED from the published files"
    screen.print(f"\n{word}", style="bold red")


def _asked(policy: Path | None, quasi: Sequence[str] | None, k: int | None) -> Plain:
    """What the release is held against; nothing: the certificate beside it."""
    if policy is not None:
        if quasi or k is not None:
            message = f"--quasi and --k cannot be combined with --policy {policy}"
            raise PolicyError("policy-and-options", message, remedy="give one of them")
        from indistinct.policy import Policy

        return {"policy": Policy.load(policy)}
    if quasi and k is None:
        raise PolicyError("no-promise", "--quasi needs --k", remedy="add --k 5")
    asked: Plain = {}
    if quasi:
        asked["quasi"] = quasi
    if k is not None:
        from indistinct.privacy.promise import promise
        from indistinct.requirement import Requirement

        promise("k-anonymity", k=k)
        asked["promises"] = [Requirement("k-anonymity", {"k": k})]
    return asked


def show(document: PlainMapping, release: Path) -> None:
    """The verdict, for a person."""
    from indistinct.sources.postgres import as_written

    screen, name = console(), without_credentials(as_written(release))
    suppressed = document["suppressed"]
    aside = f", {shown(suppressed)} of them suppressed" if suppressed else ""
    of = f" of {shown(document['people'])} people" if "people" in document else ""
    screen.print(
        f"{name}: {many(document['records'], 'record')}{of}{aside}",
        soft_wrap=True,
    )
    print_classes(document.get("classes") or {}, "people" in document)
    if beside := document.get("not_looked_at"):
        screen.print(f"not checked (not quasi-identifiers): {first_names(beside)}")
    screen.print()
    print_promises(document["promises"])
    verdict = _as_far_as_shown(document) if document["holds"] else "BROKEN: do not publish this"
    for item in document["promises"]:
        found = item.get("violations")
        if not item["holds"] and found:
            screen.print(
                f"\n{item['model']} is broken by {many(found['classes'], 'class', 'classes')} "
                f"with {many(found['records'], 'record', 'records')}"
            )
    group = document.get("suppressed_group", {})
    for item in group.get("promises", ()) if document["classes"]["count"] else ():
        who = many(group["records"], "suppressed record", "suppressed records")
        what = {True: "kept by", False: "BROKEN by", None: "not verifiable for"}[item["holds"]]
        screen.print(f"\n{item['model']}: {what} the group of {who}")
    for table in document.get("tables", ()):
        if not table["matches"]:
            screen.print(f"\n{table['path']} is not the file that its certificate describes")
    screen.print(f"\n{verdict}", style="bold green" if document["holds"] else "bold red")


def _as_far_as_shown(document: PlainMapping) -> str:
    """That every promise holds, and of which records show a part."""
    found = [item["model"] for item in document["promises"] if item.get("in_part")]
    parts = in_quotes(found, " and ")
    return f"every promise holds{f', {parts} as far as records show it' if parts else ''}"
