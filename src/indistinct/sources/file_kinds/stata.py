"""Files of Stata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from indistinct.sources.labelled import LabelledFile


class StataFile(LabelledFile):
    """Data of Stata."""

    name = "stata"
    title = "a file of Stata"
    endings = (".dta",)
    counts_seconds = False
    readers: ClassVar[Mapping[str, str]] = {".dta": "read_dta"}
