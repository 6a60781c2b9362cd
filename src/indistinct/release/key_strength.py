"""How much of a key for pseudonyms somebody has to guess, as its letters tell.

A key is taken apart into what a guesser knows already: repeats, runs, rows of a keyboard, known
phrases, words. The cheapest way to put it together from those counts, found by dynamic programming,
as password meters do (Wheeler 2016, zxcvbn: low-budget password strength estimation).
"""

from __future__ import annotations

import math
import string
from itertools import pairwise

_KINDS = tuple(
    frozenset(kind.encode())
    for kind in (
        string.digits,
        string.hexdigits[:16],
        string.digits + "ABCDEF",
        string.ascii_lowercase,
        string.ascii_uppercase,
        string.ascii_letters + string.digits,
        string.printable,
    )
)
_SHORTEST = 4
"""Letters of a run: fewer come about by chance."""

_WORD = 6
"""Letters of one case side by side that are taken for a word."""

_RUN = 3.0
_KNOWN = 10.0
_LETTER, _LETTER_OF_TEXT = 2.4, 1.4
"""Bits of a letter among letters, and in a text: what English has are 1 to 1.5 (Shannon 1951)."""

_TEXT = 12.0
"""How many bits speak for a text, at least: random letters reach them once in 2^12 at most."""

_COMMON, _RARE = math.log2(0.75 / 0.2), math.log2(0.25 / 0.8)
"""What a pair of letters says for a text and against it: common ones are 3/4 there, else 1/5."""

_PAIRS = frozenset(
    """
    th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co
    me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us
    ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa
    im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke
    fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du
    ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak
    """.split()  # noqa: SIM905 - a list of two hundred is longer than the table
)
_ROWS = (
    "`1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./",
    "1234567890qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "qazwsxedcrfvtgbyhnujmikolp",
    "qawsedrftgyhujikolp",
    "qayxswedcvfrtgbnhzujmkiolp",
    "!@#$%^&*()",
)
_PHRASES = (
    "thequickbrownfoxjumpsoverthelazydog",
    "thequickbrownfoxjumpedoverthelazydogs",
    "packmyboxwithfivedozenliquorjugs",
    "sphinxofblackquartzjudgemyvow",
    "thefiveboxingwizardsjumpquickly",
    "jackdawslovemybigsphinxofquartz",
    "franzjagtimkomplettverwahrlostentaxiquerdurchbayern",
    "portezcevieuxwhiskyaujugeblondquifume",
    "loremipsumdolorsitametconsecteturadipiscingelit",
    "tobeornottobethatisthequestion",
    "correcthorsebatterystaple",
    "deadbeef",
    "cafebabe",
    "password",
    "passwort",
    "pseudonym",
    "changeme",
    "letmein",
    "welcome",
    "secret",
    "indistinct",
)
_ORDER = string.digits + string.ascii_lowercase
_FARTHEST = 2
_SAID = str.maketrans("013457@$!|", "oieastasil")
_BETWEEN = str.maketrans("", "", " \t\n-_.,:;/+'")


def guessed_bits(key: bytes) -> float:
    """How many bits somebody has to guess of a key at most.

    >>> [round(guessed_bits(key)) for key in (b"01234567", b"pass" * 9, b"8f3a92c1d07be654")]
    [9, 19, 64]
    """
    text = key.decode("latin-1")
    bare = text.translate(_BETWEEN)
    return min(_bits(text), _bits(bare) + len(text) - len(bare)) if bare else 0.0


def _bits(text: str) -> float:
    """The bits of the cheapest way to put a text together."""
    held = frozenset(text.encode("latin-1"))
    letter = math.log2(next((len(kind) for kind in _KINDS if held <= kind), 256))
    words = not any(held <= kind for kind in _KINDS[:3])
    own, shortest = (_LETTER_OF_TEXT, 2) if _is_text(text) else (_LETTER, _WORD)
    long = math.log2(len(text) + 1)
    low = text.lower() if text.isascii() else text
    said = low.translate(_SAID)
    cost = [0.0] + [math.inf] * len(text)
    for at in range(len(text)):
        cost[at + 1] = min(cost[at + 1], cost[at] + letter)
        for least, length, bits, each in (
            (_SHORTEST, _steps(low, at, 1), letter + _RUN + long, 0.0),
            (2 * _SHORTEST, _steps(low, at, 2), 2 * letter + _RUN + long, 0.0),
            (_SHORTEST, _known(_ROWS, low, at), _KNOWN + long, 0.0),
            (_SHORTEST, _known(_PHRASES, said, at), _KNOWN, 0.0),
            (_SHORTEST, _repeated(low, at), 2 * long, 0.0),
            (_SHORTEST, _digits(text, at) * words, _RUN, math.log2(10)),
            (shortest, _letters(text, at) * words, _RUN, own),
        ):
            for end in range(at + least, at + length + 1):
                cost[end] = min(cost[end], cost[at] + bits + each * (end - at))
    return cost[-1]


def _is_text(text: str) -> bool:
    """Whether letters of one case that are side by side are those of a language."""
    pairs = [
        (first + last).lower()
        for first, last in pairwise(text)
        if (first + last).isalpha() and (first.isupper() or last.islower())
    ]
    common = sum(pair in _PAIRS for pair in pairs)
    return common * _COMMON + (len(pairs) - common) * _RARE >= _TEXT


def _steps(low: str, at: int, apart: int) -> int:
    """As far as each letter is as far from the last, or last but one: abcd, 9753, aabbcc."""
    codes = [_ORDER.find(one) if one in _ORDER else 99 + ord(one) for one in low[at:]]
    steps = [after - before for before, after in zip(codes, codes[apart:], strict=False)]
    first = steps[:apart]
    if any(abs(step) > _FARTHEST for step in first):
        return 0
    other = (number for number, step in enumerate(steps) if step != first[number % apart])
    return next(other, len(steps)) + apart


def _known(lines: tuple[str, ...], text: str, at: int) -> int:
    """As far as one of some lines goes, from any place of it, or the same from its end."""
    start = text[at : at + _SHORTEST]
    both = [way for line in lines for way in (line, line[::-1])]
    return max(_shared(line, line.find(start), text, at) for line in both)


def _repeated(text: str, at: int) -> int:
    """As far as it repeats what stands before, itself perhaps."""
    start = text[at : at + _SHORTEST]
    before = [found for found in range(at) if text.startswith(start, found)]
    return max((_shared(text, found, text, at) for found in before), default=0)


def _digits(text: str, at: int) -> int:
    return next((n for n, one in enumerate(text[at:]) if not one.isdigit()), len(text) - at)


def _letters(text: str, at: int) -> int:
    """As far as letters of one case go, after a capital perhaps."""
    low = text[at + 1 :].startswith(tuple(string.ascii_lowercase)) or text[at].islower()
    kind = string.ascii_lowercase if low else string.ascii_uppercase
    rest = (n for n, one in enumerate(text[at + 1 :], 1) if one not in kind)
    return next(rest, len(text) - at) if text[at] in string.ascii_letters else 0


def _shared(line: str, found: int, text: str, at: int) -> int:
    """How many letters a line and a text have in common, each from a place on."""
    if found < 0:
        return 0
    length = 0
    for one, other in zip(line[found:], text[at:], strict=False):
        if one != other:
            break
        length += 1
    return length
