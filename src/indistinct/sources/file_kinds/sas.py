"""Files of SAS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from indistinct.sources.labelled import LabelledFile


class SasFile(LabelledFile):
    """Data and transport files of SAS; labels are in catalogs beside them, which are not read."""

    name = "sas"
    title = "a file of SAS"
    endings = (".sas7bdat", ".xpt")
    readers: ClassVar[Mapping[str, str]] = {".sas7bdat": "read_sas7bdat", ".xpt": "read_xport"}
