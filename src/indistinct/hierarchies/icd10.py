"""ICD-10 and ICD-10-CM: how their codes are written, and the ranges of chapters and blocks.

A code is a category, a letter with two digits or a digit and a letter (``E11``, ``C4A``), and up to
four further signs behind a dot. Blocks are those of the WHO's classification; where the American
modification has categories that it lacks, they are put beside it: ``B10`` is a block of its own,
``E08-E14`` has diabetes of both. The wording of chapters is our own.

    World Health Organization: International Statistical Classification of Diseases and Related
    Health Problems, 10th Revision. 2019. National Center for Health Statistics: ICD-10-CM.
"""

from __future__ import annotations

import re

from indistinct.hierarchies.code_ranges import Code

_CODE = re.compile(r"[*†]?([A-Z]\d[\dA-Z]|QA0)(?:\.?([\dA-Z]{1,4}))?[+*!†]?", re.ASCII)


def read(text: str) -> Code | None:
    """A text as a code, with or without its dot; None if it is not written like one.

    A mark behind it (``+``, ``†``, ``*``, ``!``), which says how codes go together, is left out,
    and so is one before it (``*``, ``†``), with which registers of deaths begin a code.

    >>> read("S72.001A"), read("e119")
    (Code(category='S72', rest='001A'), Code(category='E11', rest='9'))
    >>> read("G63.2*"), read("*A419"), read("250.01")
    (Code(category='G63', rest='2'), Code(category='A41', rest='9'), None)
    """
    found = _CODE.fullmatch(text.strip().upper())
    return Code(found[1], found[2] or "") if found else None
