"""Values in presets are read back, and any text is a plain value or refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from steer_env.agents.training.preset_values import parse_value
from torch import nn

MODULES = st.sampled_from([nn.ReLU, nn.Tanh, nn.Linear])


NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | MODULES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


def written(value):
    """The value as Python code."""
    match value:
        case type():
            return f"nn.{value.__name__}"
        case list():
            return f"[{', '.join(map(written, value))}]"
        case tuple():
            return f"({''.join(written(one) + ', ' for one in value)})"
        case dict():
            pairs = (f"{key!r}: {written(one)}" for key, one in value.items())
            return f"{{{', '.join(pairs)}}}"
    return repr(value)


@given(VALUES)
def test_every_allowed_value_is_read_back(value):
    assert parse_value(written(value)) == value


@given(st.text(max_size=40) | st.text("[](){}.,:=-'n1a \n", max_size=40))
def test_any_text_is_a_plain_value_or_refused(text):
    def is_plain(value):
        match value:
            case list() | tuple():
                return all(map(is_plain, value))
            case dict():
                return all(map(is_plain, value.values()))
            case type():
                return issubclass(value, nn.Module)
        return value is None or type(value) in (bool, int, float, str)

    try:
        value = parse_value(text)
    except ValueError:
        return
    assert is_plain(value)
