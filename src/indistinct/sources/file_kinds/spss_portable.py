"""Portable files of SPSS, as archives have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from indistinct.sources.labelled import LabelledFile


class SpssPortableFile(LabelledFile):
    """Data of SPSS in a text of its own encoding."""

    name = "spss-portable"
    title = "a portable file of SPSS"
    endings = (".por",)
    takes = frozenset({"labels"})
    readers: ClassVar[Mapping[str, str]] = {".por": "read_por"}
