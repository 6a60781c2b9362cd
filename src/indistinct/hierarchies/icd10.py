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

CHAPTERS = """
    A00-B99 infections
    C00-D49 neoplasms
    D50-D90 blood and immunity
    E00-E90 endocrine and metabolic diseases
    F00-F99 mental disorders
    G00-G99 nervous system
    H00-H59 eye
    H60-H95 ear
    I00-I99 circulatory system
    J00-J99 respiratory system
    K00-K95 digestive system
    L00-L99 skin
    M00-M99 musculoskeletal system
    N00-N99 genitourinary system
    O00-O9A pregnancy and childbirth
    P00-P96 perinatal conditions
    Q00-QA0 congenital malformations
    R00-R99 symptoms and findings
    S00-T98 injury and poisoning
    U00-U99 special purposes
    V00-Y99 external causes
    Z00-Z99 health status and services
"""
"""A line for each chapter: its first and its last category, and what it is about."""

BLOCKS = """
    A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99
    B00-B09 B10 B15-B19 B20-B24 B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99
    C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75
    C76-C80 C81-C96 C97 D00-D09 D10-D36 D37-D48 D49
    D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D78 D80-D90
    E00-E07 E08-E14 E15-E16 E20-E35 E36 E40-E46 E50-E64 E65-E68 E70-E90
    F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99
    G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G65 G70-G73 G80-G83 G89-G99
    H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59
    H60-H62 H65-H75 H80-H83 H90-H95
    I00-I02 I05-I09 I10-I16 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 I95-I99
    J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99
    K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K68 K70-K77 K80-K87 K90-K95
    L00-L08 L10-L14 L20-L30 L40-L45 L49-L54 L55-L59 L60-L75 L76 L80-L99
    M00-M03 M04 M05-M14 M15-M19 M20-M25 M26-M27 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M68
    M70-M79 M80-M85 M86-M90 M91-M94 M95-M99
    N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N53 N60-N65 N70-N77 N80-N98 N99
    O00-O08 O09 O10-O16 O20-O29 O30-O48 O60-O77 O80-O84 O85-O92 O94-O99
    P00-P04 P05-P08 P09 P10-P15 P19-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P84 P90-P96
    Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 QA0
    R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89
    R90-R94 R95-R99
    S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07
    T08-T14 T15-T19 T20-T25 T26-T28 T29-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79 T80-T88 T90-T98
    U00-U49 U50-U79 U80-U89 U90-U99
    V00-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V79 V80-V89 V90-V94 V95-V97
    V98-V99 W00-W19 W20-W49 W50-W64 W65-W74 W75-W84 W85-W99 X00-X09 X10-X19 X20-X29 X30-X39
    X40-X49 X50-X57 X58-X59 X60-X84 X85-Y09 Y10-Y34 Y35-Y38 Y40-Y59 Y60-Y69 Y70-Y82 Y83-Y84
    Y85-Y89 Y90-Y99
    Z00-Z13 Z14-Z15 Z16 Z17 Z18 Z19 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z66 Z67 Z68 Z69-Z76 Z77-Z99
"""
"""The blocks, each by its first and its last category, or by its only one."""

ELSEWHERE = {
    "C4A": "C43-C44",
    "C7A": "C7A",
    "C7B": "C7B",
    "D3A": "D3A",
    "I1A": "I10-I16",
    "I5A": "I30-I52",
    "J4A": "J40-J47",
    "M1A": "M05-M14",
    "O9A": "O94-O99",
    "Z3A": "Z30-Z39",
}
"""Categories that belong to a block in whose range they are not."""

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
