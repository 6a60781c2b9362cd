"""Words of other scripts that columns and categories are called by, and the words they stand for.

A name in Japanese, Chinese, Korean, Cyrillic, Greek or Arabic letters has no seams that the rest of
the vocabulary knows, so what it says is put into English words before it is taken apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from indistinct.word_lists import lists_of


@cache
def _table() -> tuple[re.Pattern[str], dict[str, str]]:
    told: dict[str, str] = {}
    patterns: list[str] = []
    for place, words in lists_of(__file__).items():
        for english, others in words.items():
            for other in others.split():
                spelt = _folded(other.replace("_", " "))
                told[spelt] = english
                plain = re.escape(spelt).replace(r"\ ", "[ _]")
                spaced = place == "anywhere" and re.fullmatch(
                    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3 ]+", spelt
                )
                patterns.append(plain if spaced else rf"(?<![^\W\d_]){plain}(?![^\W\d_])")
    patterns.sort(key=len, reverse=True)
    return re.compile("|".join(patterns)), told


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


_OTHER = re.compile(
    r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"
)


def in_english(text: str) -> str:
    """The text with known words of other scripts put into English ones.

    >>> in_english("性別"), in_english("Дата рождения"), in_english("Größe")
    (' sex ', ' birth date ', 'Größe')
    """
    if _OTHER.search(text) is None:
        return text
    pattern, told = _table()
    return pattern.sub(lambda found: f" {told[found[0].replace('_', ' ')]} ", _folded(text))
