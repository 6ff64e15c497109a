"""The compression of GIFs: Lempel, Ziv and Welch's (1984), with codes of growing width.

Sequences of numbers that have been seen before are written as one code. The reader finds the
same sequences while it reads, so that no list of them is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.steering.compilation import compiled_entrance

_MOST_CODES = 4096  # of at most 12 bits


def compress(numbers: NDArray[np.uint8], bits: int) -> bytes:
    """Codes for numbers, packed with the lowest bit first.

    Args:
        numbers: (count,), at least one, each below 2**bits.
        bits: of a number, from 2 to 8.
    """
    longer = np.zeros((_MOST_CODES, 2**bits), np.int16)
    # A code for each number is the most; each has 12 bits at most; some begin anew.
    packed = np.empty(2 * len(numbers) + 16, np.uint8)
    length = write_codes(numbers, bits, longer, packed)
    return packed[:length].tobytes()


@compiled_entrance
def write_codes(numbers: np.ndarray, bits: int, longer: np.ndarray, packed: np.ndarray) -> int:
    """Writes the codes and returns how many bytes they take.

    Args:
        numbers: as in `compress`.
        bits: likewise.
        longer: (4096, 2**bits) of zeros: for a sequence's code and the number that follows,
            the code of both together; 0 where they have not been seen.
        packed: of uint8, written to.
    """
    begin = 1 << bits  # the code that says: forget all sequences
    new = begin + 2  # the code that the next sequence gets
    width = bits + 1
    pending, held, length = begin, width, 0  # bits that fill no byte yet, and how many
    code = np.int64(numbers[0])
    for index in range(1, len(numbers)):
        number = np.int64(numbers[index])
        known = np.int64(longer[code, number])
        if known > 0:
            code = known
            continue
        pending |= code << held
        held += width
        while held >= 8:
            packed[length] = pending & 255
            pending >>= 8
            held -= 8
            length += 1
        if new < _MOST_CODES:
            longer[code, number] = new
            if new == 1 << width:
                width += 1
            new += 1
        else:
            pending |= begin << held
            held += width
            longer[:] = 0
            new, width = begin + 2, bits + 1
        code = number
    for last in (code, begin + 1):  # which says: the end
        pending |= last << held
        held += width
        if last == code and new == 1 << width and width < 12:
            width += 1  # the reader adds a sequence here, too
    while held > 0:
        packed[length] = pending & 255
        pending >>= 8
        held -= 8
        length += 1
    return length
