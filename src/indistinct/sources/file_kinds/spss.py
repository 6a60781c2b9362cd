"""Files of SPSS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from indistinct.sources.labelled import LabelledFile


class SpssFile(LabelledFile):
    """Data of SPSS, packed or not."""

    name = "spss"
    title = "a file of SPSS"
    endings = (".sav", ".zsav")
    readers: ClassVar[Mapping[str, str]] = {".sav": "read_sav", ".zsav": "read_sav"}
