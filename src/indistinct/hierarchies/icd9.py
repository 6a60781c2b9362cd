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

CHAPTERS = """
    001-139 infections
    140-239 neoplasms
    240-279 endocrine and metabolic diseases
    280-289 blood
    290-319 mental disorders
    320-389 nervous system and senses
    390-459 circulatory system
    460-519 respiratory system
    520-579 digestive system
    580-629 genitourinary system
    630-679 pregnancy and childbirth
    680-709 skin
    710-739 musculoskeletal system
    740-759 congenital anomalies
    760-779 perinatal conditions
    780-799 symptoms and ill-defined conditions
    800-999 injury and poisoning
    E000-E030 activities
    E800-E999 external causes
    V01-V91 health status and services
"""
"""A line for each chapter: its first and its last category, and what it is about."""

BLOCKS = """
    001-009 010-018 020-027 030-041 042 045-049 050-059 060-066 070-079 080-088 090-099 100-104
    110-118 120-129 130-136 137-139
    140-149 150-159 160-165 170-176 179-189 190-199 200-208 209 210-229 230-234 235-238 239
    240-246 249-259 260-269 270-279
    280-289
    290-294 295-299 300-316 317-319
    320-326 327 330-337 338 339 340-349 350-359 360-379 380-389
    390-392 393-398 401-405 410-414 415-417 420-429 430-438 440-449 451-459
    460-466 470-478 480-488 490-496 500-508 510-519
    520-529 530-539 540-543 550-553 555-558 560-569 570-579
    580-589 590-599 600-608 610-612 614-616 617-629
    630-633 634-639 640-649 650-659 660-669 670-677 678-679
    680-686 690-698 700-709
    710-719 720-724 725-729 730-739
    740-759
    760-763 764-779
    780-789 790-796 797-799
    800-804 805-809 810-819 820-829 830-839 840-848 850-854 860-869 870-879 880-887 890-897
    900-904 905-909 910-919 920-924 925-929 930-939 940-949 950-957 958-959 960-979 980-989
    990-995 996-999
    E000 E001-E030
    E800-E807 E810-E819 E820-E825 E826-E829 E830-E838 E840-E845 E846-E849 E850-E858 E860-E869
    E870-E876 E878-E879 E880-E888 E890-E899 E900-E909 E910-E915 E916-E928 E929 E930-E949
    E950-E959 E960-E969 E970-E978 E979 E980-E989 E990-E999
    V01-V06 V07-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V82 V83-V84 V85 V86 V87
    V88 V89 V90 V91
"""
"""The blocks, each by its first and its last category, or by its only one."""

ELSEWHERE: dict[str, str] = {}
"""Categories that belong to a block in whose range they are not."""

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
