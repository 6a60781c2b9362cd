"""ICD-9-CM: how its codes are written, and the ranges of its chapters and blocks.

A code is a category of three digits, ``V`` with two or ``E`` with three digits, and up to two
further digits (one for ``E``) behind a dot. A chapter is a range of categories, a block (the
classification calls it a section) a range within a chapter. The wording of chapters is our own.

    International Classification of Diseases, Ninth Revision, Clinical Modification. Tabular list
    of diseases, United States, last changed in October 2011.
"""

from __future__ import annotations

import re

from indistinct.hierarchies.code_ranges import Code

_PLAIN = re.compile(r"(\d{3})(?:\.?(\d{1,2}))?|(\d{1,2})(?:\.(\d{1,2}))?", re.ASCII)
_LETTER = re.compile(r"(V\d\d)(?:\.?(\d{1,2}))?|(E\d{3})(?:\.?(\d))?", re.ASCII)


def read(text: str) -> Code | None:
    """A text as a code, with or without its dot; None if it is not written like one.

    Fewer than three digits in front of the dot are read as a number that lost its zeros.

    >>> read("250.01"), read("v103")
    (Code(category='250', rest='01'), Code(category='V10', rest='3'))
    >>> read("42"), read("E8500"), read("-1")
    (Code(category='042', rest=''), Code(category='E850', rest='0'), None)
    """
    found = (_LETTER if text[:1] in "VEve" else _PLAIN).fullmatch(text.strip().upper())
    if not found:
        return None
    category, rest, other, behind = found.groups()
    return Code(category, rest or "") if category else Code(other.zfill(3), behind or "")
