"""The chapter on how to check a release, and to make it again."""

from __future__ import annotations

from shlex import quote

from indistinct.document import shown
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter, Code, Facts, Fold, Part


def chapter(found: Evidence) -> Chapter:
    """Versions, digests, the policy, and how to do it again."""
    certificate = found.certificate
    facts = [
        ("made by", f"indistinct {certificate['version']}"),
        ("made at", str(certificate["created"])),
        *(
            (item["path"], f"{shown(item['rows'])} rows, SHA-256 {item['sha256']}")
            for item in certificate["tables"]
        ),
    ]
    parts: list[Part] = []
    commands = "indistinct audit DIR"
    if found.run is not None:
        source = (found.private or {}).get("source") or "DATA"
        facts += [
            ("table", source),
            *(
                (f"digest of the {what}", found.run[f"{key}_sha256"])
                for what, key in (("table", "source"), ("policy", "policy"))
                if found.run[f"{key}_sha256"] is not None
            ),
        ]
        commands += f"\nindistinct anonymize {quote(str(source))} --policy POLICY --out DIR"
        policy = (found.private or {}).get("policy")
        if policy:
            parts.append(Fold("The policy", (Code(str(policy), "policy"),)))
    return Chapter(
        "again",
        "Check it, and make it again",
        "Anyone who has the release can audit it. If a digest differs, the file is not the one "
        "that this report is about.",
        (Facts(facts), Code(commands, "commands"), *parts),
    )
