"""Files of SPSS."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import ClassVar

from indistinct.sources.labelled import WrittenLabelledFile
from indistinct.sources.storing import Storable


class SpssFile(WrittenLabelledFile):
    """Data of SPSS, packed or not."""

    name = "spss"
    title = "a file of SPSS"
    endings = (".sav", ".zsav")
    readers: ClassVar[Mapping[str, str]] = {".sav": "read_sav", ".zsav": "read_sav"}
    written = ".sav"
    writer = "write_sav"
    storable = Storable(title, datetime.date(1583, 1, 1), datetime.date(9999, 12, 31), 32_767)
