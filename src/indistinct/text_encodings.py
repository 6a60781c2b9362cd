"""The encodings that files of text are written in, among all codecs that Python knows.

Others turn bytes into bytes (``base64``), serve as an envelope (``utf-7``, ``idna``), spell text in
signs of another meaning (``raw_unicode_escape``), or stand for none of their own (``charmap``).
"""

from __future__ import annotations

import codecs
import re

from indistinct.errors import did_you_mean

EXAMPLES = ("utf-8", "utf-16", "latin-1", "windows-1252", "iso-8859-15", "mac-roman")
"""Those that are named where another one was misspelt."""

_OF_FILES = re.compile(
    r"ascii|utf-8(-sig)?|utf-(16|32)(-[bl]e)?|iso8859-\d+|iso2022-\w+(-\w+)*|cp\d+|mac-\w+|koi8-\w"
    r"|big5(hkscs)?|gb(2312|k|18030)|hz|euc-\w+(-\w+)*|shift-jis\w*(-\w+)*|johab|kz1048|ptcp154"
    r"|tis-620|hp-roman8|palmos"
)


def is_of_files(name: str) -> bool:
    """Whether files of text are written in an encoding of that name.

    >>> [is_of_files(name) for name in ("UTF8", "latin-1", "shift_jis", "utf-7", "rot13", "x")]
    [True, True, True, False, False, False]
    """
    try:
        known = codecs.lookup(name).name.replace("_", "-")
    except (LookupError, ValueError):  # a name with a null character is no name
        return False
    return _OF_FILES.fullmatch(known) is not None


def no_encoding(name: str) -> str:
    """What to say of a name that is none.

    >>> no_encoding("utf-7")
    "no encoding of files 'utf-7': did you mean 'utf-8'?"
    """
    return f"no encoding of files '{name}': {did_you_mean(name, EXAMPLES)}"
