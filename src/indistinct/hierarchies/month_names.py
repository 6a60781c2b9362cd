"""Names of months in other languages than English, as dates are written with, and of days."""

from __future__ import annotations

import re
from unicodedata import combining, normalize

_ENGLISH = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)

_WHOLE = (
    "januar jänner januari janvier enero janeiro gennaio",
    "februar februari février fevrier febrero fevereiro febbraio",
    "märz maerz marz maart mars marzo março marco marts maret",
    "avril abril aprile",
    "mai mei maj mayo maio maggio",
    "juni juin junio junho giugno",
    "juli juillet julio julho luglio",
    "augusti augustus août aout agosto agustus",
    "septembre septiembre setiembre setembro settembre",
    "oktober octobre octubre outubro ottobre",
    "novembre noviembre novembro",
    "dezember décembre decembre diciembre dezembro dicembre desember",
)
"""Whole names: German, French, Spanish, Portuguese, Italian, Dutch, Nordic ones and Indonesian."""

_SHORT = (
    "jän janv ene gen",
    "févr fevr fév fev",
    "mär mrz mrt",
    "avr abr",
    "mag",
    "giu",
    "juil lug",
    "aoû aou ago agu",
    "sept set",
    "okt oct out ott",
    "",
    "dez déc dic des",
)

_NAMES = {
    **{
        name: month for month, names in zip(_ENGLISH, _WHOLE, strict=True) for name in names.split()
    },
    **{
        name: month[:3]
        for month, names in zip(_ENGLISH, _SHORT, strict=True)
        for name in names.split()
    },
}

DAYS = (
    "monday mon lunes lundi montag maandag segunda poniedzialek pazartesi senin lunedi",
    "tuesday tue tues martes mardi dienstag dinsdag terca wtorek sali selasa martedi",
    "wednesday wed miercoles mercredi mittwoch woensdag quarta sroda carsamba rabu mercoledi",
    "thursday thu thur thurs jueves jeudi donnerstag donderdag quinta czwartek persembe kamis "
    "giovedi",
    "friday fri viernes vendredi freitag vrijdag sexta piatek cuma jumat venerdi",
    "saturday sat sabado samedi samstag sonnabend zaterdag sobota cumartesi sabtu sabato",
    "sunday sun domingo dimanche sonntag zondag niedziela pazar minggu domenica",
)
"""Names of the days of the week, from Monday on, without accents."""

MONTHS = (*(name.lower() for month in _ENGLISH for name in (month, month[:3])), *_NAMES)
"""Names of months, whole and short, in English and in these languages."""

_PLACES = {
    **{name.lower(): ("month", at) for at, name in enumerate(_ENGLISH)},
    **{name[:3].lower(): ("month", at) for at, name in enumerate(_ENGLISH)},
    **{
        "".join(one for one in normalize("NFKD", name) if not combining(one)): ("month", at)
        for names in (_WHOLE, _SHORT)
        for at, own in enumerate(names)
        for name in own.split()
    },
    **{name: ("day", at) for at, names in enumerate(DAYS) for name in names.split()},
}


def place_in_calendar(word: str) -> tuple[str, int] | None:
    """Which month of the year or day of the week a word names, from 0; None where it names none.

    Arguments:
        word: in lower case, without accents.

    >>> place_in_calendar("marz"), place_in_calendar("dec"), place_in_calendar("zondag")
    (('month', 2), ('month', 11), ('day', 6))
    """
    return _PLACES.get(word)


_WORD = re.compile(r"([^\W\d_]{3,10})(?:\.(?=\s))?")
_FIRST = re.compile(r"\b1(?:er|º|°)(?=\s)")


def in_english(text: str) -> str:
    """A date with the name of its month in English, where it is one of another language.

    >>> in_english("12. März 2020"), in_english("1er févr. 2019"), in_english("3 de mayo de 2021")
    ('12. March 2020', '1 Feb 2019', '3 de May de 2021')
    """

    def named(found: re.Match[str]) -> str:
        return _NAMES.get(found[1].lower(), found[0])

    return _FIRST.sub("1", _WORD.sub(named, text))
