"""How wide letters are, for texts that are drawn elsewhere: in a browser, or in print.

The letters on pixels are those of FreeSans Bold, which are as wide as Helvetica Bold's; so are
Arial's and Liberation Sans's. The widths are those of Adobe's font metrics.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

EM = 0.6875
"""Of a font's size as pygame counts it, the part that is called its size everywhere else."""

BASELINE = 0.175
"""Of a font's size as pygame counts it, how far below a line's middle its letters stand."""

_LETTERS: Mapping[int, str] = {  # those of each width, in thousandths of an em
    238: "'",
    278: " ,./I\\ijl·",
    280: "|",
    333: "!()-:;[]`ft",
    389: "*r{}",
    474: '"',
    500: "z",
    556: "#$0123456789J_aceksvxy",
    584: "+<=>^~",
    611: "?FLTZbdghnopqu",
    667: "EPSVXY",
    722: "&ABCDHKNRU",
    778: "GOQw",
    833: "M",
    889: "%m",
    944: "W",
    975: "@",
    1000: "—…→",
}
_WIDTHS = {letter: width for width, letters in _LETTERS.items() for letter in letters}
_USUAL = 600  # of a letter that is not in the table
_WIDE = 1000  # of one that is as wide as high, as in Chinese, Japanese and Korean


def width_of(string: str, size: float) -> float:
    """How wide a line of text is, in pixels.

    Args:
        string: the text.
        size: of the font as a `Canvas` takes it, in pixels.
    """
    return EM * size * sum(map(_width_of_letter, string)) / 1000


def _width_of_letter(letter: str) -> int:
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    plain = unicodedata.normalize("NFD", letter)[0]  # an accent makes no letter wider
    return _WIDTHS.get(plain, _USUAL)
