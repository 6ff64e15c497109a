"""The widths of letters, for texts that are drawn elsewhere: in a browser, or in print.

Letters on pixels are from FreeSans Bold, which has the widths of Helvetica Bold, Arial and
Liberation Sans. The widths are from Adobe's font metrics.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

EM = 0.6875
"""The size of a font in CSS, as a share of its size in pygame."""

BASELINE = 0.175
"""The distance of the baseline below a line's middle, as a share of its size in pygame."""

_LETTERS: Mapping[int, str] = {  # by width, in thousandths of an em
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
_OTHER = 600  # of letters that are not in the table
_WIDE = 1000  # of full-width letters, as in Chinese, Japanese and Korean


def width_of(string: str, size: float) -> float:
    """Returns the width of a line of text, in pixels.

    Args:
        string: the text.
        size: of the font as a `Canvas` takes it, in pixels.
    """
    return EM * size * sum(map(_width_of_letter, string)) / 1000


def _width_of_letter(letter: str) -> int:
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    plain = unicodedata.normalize("NFD", letter)[0]  # without its accents
    return _WIDTHS.get(plain, _OTHER)
