"""What is compressed comes out again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steer_env.rendering.lzw import compress


def expand(packed, bits):
    """The numbers in codes, as the GIF specification has readers find them."""
    stream, left = int.from_bytes(packed, "little"), 8 * len(packed)
    begin, end = 2**bits, 2**bits + 1
    numbers, table, before, width = [], {}, None, bits + 1
    while True:
        code, stream, left = stream & (2**width - 1), stream >> width, left - width
        assert left >= 0
        if code == end:
            return numbers
        if code == begin:
            table = {number: [number] for number in range(begin)}
            before, width, new = None, bits + 1, end + 1
            continue
        if before is not None and new < 4096:
            known = table.get(code, before)
            table[new] = [*before, known[0]]
            new += 1
            if new == 2**width and width < 12:
                width += 1
        before = table[code]
        numbers += before


@settings(deadline=None)
@given(
    st.integers(2, 8).flatmap(
        lambda bits: st.tuples(
            st.just(bits), st.lists(st.integers(0, 2**bits - 1), min_size=1, max_size=600)
        )
    )
)
def test_numbers_come_out_again(given):
    bits, numbers = given
    assert expand(compress(np.array(numbers, np.uint8), bits), bits) == numbers


@pytest.mark.parametrize("bits", [2, 5, 8])
@pytest.mark.parametrize("count", [3000, 4095, 9000, 20_000])
def test_tables_that_are_full_begin_anew(bits, count):
    numbers = np.random.default_rng(count).integers(0, 2**bits, count, np.uint8)
    assert expand(compress(numbers, bits), bits) == numbers.tolist()


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_codes_grow_just_when_the_reader_expects_it(bits):
    for count in range(1, 80):
        numbers = np.random.default_rng(count).integers(0, 2**bits, count, np.uint8)
        assert expand(compress(numbers, bits), bits) == numbers.tolist()


def test_what_repeats_takes_little_room():
    assert len(compress(np.zeros(100_000, np.uint8), 6)) < 1000
