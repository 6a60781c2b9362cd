"""Files of SAS."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from indistinct.sources.labelled import LabelledFile, Labels, Told


class SasFile(LabelledFile):
    """Data and transport files of SAS.

    Labels are in a catalog beside the data, which has their name, or is ``formats.sas7bcat``.
    """

    name = "sas"
    title = "a file of SAS"
    endings = (".sas7bdat", ".xpt")
    readers: ClassVar[Mapping[str, str]] = {".sas7bdat": "read_sas7bdat", ".xpt": "read_xport"}

    def labels(self, path: Path, encoding: str | None, meta: Told) -> Mapping[str, Labels]:
        """The labels of the catalog, by the format of each column."""
        named = (path.with_suffix(".sas7bcat"), path.with_name("formats.sas7bcat"))
        catalog = next((one for one in named if one.is_file()), None)
        if catalog is None or path.suffix.lower() != ".sas7bdat":
            return {}
        _, found = self._told(catalog, encoding, "read_sas7bcat")
        formats = meta.variable_to_label.items()
        return {name: found.value_labels.get(label, {}) for name, label in formats}
