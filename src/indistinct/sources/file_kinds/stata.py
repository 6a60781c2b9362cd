"""Files of Stata."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import ClassVar

from indistinct.sources.labelled import WrittenLabelledFile
from indistinct.sources.storing import Storable


class StataFile(WrittenLabelledFile):
    """Data of Stata."""

    name = "stata"
    title = "a file of Stata"
    endings = (".dta",)
    counts_seconds = False
    readers: ClassVar[Mapping[str, str]] = {".dta": "read_dta"}
    written = ".dta"
    writer = "write_dta"
    storable = Storable(title, datetime.date(100, 1, 1), datetime.date(9999, 12, 31), 2_000_000)
