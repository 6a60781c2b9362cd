"""Which policy a release was made with, where none is named: the one that it keeps."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.errors import DataError, PolicyError
from indistinct.intake.opening import PolicyLike, as_policy
from indistinct.sources.writing import CERTIFICATE, PRIVATE
from indistinct.types import Frame

if TYPE_CHECKING:
    from indistinct.policy import Policy

POLICY = "policy.toml"
"""The private file that keeps the policy of a release."""


def refuse_swapped(data: Frame, releases: Sequence[Frame]) -> None:
    """Refuse the folder of a release where the private table belongs.

    Raises:
        DataError: they are the wrong way round.
    """
    folder = isinstance(data, str | Path) and (Path(data) / CERTIFICATE).is_file()
    if folder and not any(_kept(release) for release in releases):
        raise DataError(
            "not-a-file",
            "this is the folder of a release, where the private table belongs",
            file=str(data),
            remedy="name the private table first, then the release",
        )


def policy_of(policy: PolicyLike | None, releases: Sequence[Frame]) -> tuple[Policy, list[str]]:
    """The policy that is given; without one, that of the first release that keeps its own.

    Files that a kept policy names are looked for in the current folder.

    Arguments:
        policy: what was given.
        releases: what was published: a release, its folder or one of its files keep a policy.

    Returns:
        The policy, and a note on each release: which policy is used, where it was not given.

    Raises:
        PolicyError: it is no policy; or none is given, and no release keeps one that can be read.
        DataError: none is given, and a release is not there.
    """
    if policy is not None:
        return as_policy(policy), [""] * len(releases)
    kept = [_kept(release) for release in releases]
    own = next((found for found in kept if found is not None), None)
    if own is None:
        for named in releases:
            a_path = isinstance(named, Path) or (isinstance(named, str) and "://" not in named)
            if a_path and not Path(named).exists():
                raise DataError(
                    "missing-file",
                    "there is no such file or folder",
                    file=str(named),
                    remedy="correct the name of the release, or the folder it is looked for in",
                )
        raise PolicyError(
            "no-policy",
            f"no policy is named, and the release keeps none in {PRIVATE}/{POLICY}",
            remedy="name the policy that it was made with: --policy FILE (policy=...)",
        )
    notes = ["" if one is None or one[0] == own[0] else _OTHER for one in kept]
    notes[kept.index(own)] = f"the policy is the one it was made with: {own[1]}"
    return _read(*own), notes


_OTHER = "it was made with another policy: roles and promises are those of the first release"


def kept_by(release: Frame) -> Policy | None:
    """The policy that a release keeps; None where it keeps none that can be read."""
    kept = _kept(release)
    if kept is None:
        return None
    try:
        return _read(*kept)
    except PolicyError:
        return None


def _kept(release: Frame) -> tuple[str, str] | None:
    """The text of the policy that a release keeps, and where it stands."""
    text = getattr(release, "policy", None)  # of a release that was just made
    if isinstance(text, str):
        return text, "its own"
    if not isinstance(release, str | Path):
        return None
    named = Path(release)
    path = (named if named.is_dir() else named.parent) / PRIVATE / POLICY
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except (OSError, ValueError):
        return None


def _read(text: str, place: str) -> Policy:
    try:
        keys = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise PolicyError(
            "bad-toml",
            "the policy that the release keeps is not TOML, as its hierarchies were made in Python",
            file=place,
            remedy="give the policy itself (policy=...)",
        ) from None
    return as_policy(keys)
