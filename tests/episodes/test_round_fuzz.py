"""Any actions come back from a file of a round, and any damage is refused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from episodes.rounds import assert_same_round, played
from episodes.test_damaged_round_files import load, with_value
from hypothesis import given, strategies as st
from test_damaged_round_files import whole  # noqa: F401

from steer_env.episodes.round_file import read_round, write_round
from steer_env.errors import UsageError
from steer_env.game.config import game_config
from steer_env.rendering.recording import Recording
from steer_env.scripts.roster import ROSTER

pytestmark = pytest.mark.weekly


@given(data=st.data())
def test_any_actions_come_back(data):
    """Those of people are from -1 to 1, and a policy may return any finite number."""
    draw = data.draw
    counts = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from(["walls", "torus", "open"]))
    config = game_config(pursuers=counts[0], evaders=counts[1], arena=kind, horizon=30)
    scripts = draw(
        st.sampled_from([(None, None), (None, ROSTER["evade"]), (ROSTER["pursuit"], None)])
    )
    steps = draw(st.integers(0, 8))
    floats = st.floats(-1, 1, width=32) | st.floats(
        width=32, allow_nan=False, allow_infinity=False
    )
    actions = [
        np.array(
            draw(st.lists(floats, min_size=steps * count * 2, max_size=steps * count * 2)),
            np.float32,
        ).reshape(steps, count, 2)
        for count in counts
    ]
    seed = draw(st.integers(0, 2**64 - 1))
    found = played(config, *scripts, seed=seed, steps=steps, actions=actions)
    for side, script in enumerate(scripts):
        if script is None:
            kept = found.actions[side]
            assert kept.tobytes() == actions[side][: len(kept)].tobytes()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "round.json"
        write_round(found, path)
        assert_same_round(read_round(path), found)


def paths_of(content, here=()):
    """The keys that lead to every entry."""
    for key, value in content.items():
        yield (*here, key)
        if isinstance(value, dict):
            yield from paths_of(value, (*here, key))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2000)
    | st.floats(allow_nan=False)
    | st.text(max_size=6)
    | st.sampled_from(["torus", "evade", "Infinity", "pursuer", "QUJDRA==", "9" * 30]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["pursuer", "kind", "base", "position"]), inner)
    ),
    max_leaves=6,
)


@given(data=st.data())
def test_no_value_anywhere_is_more_than_an_error(whole, data):
    keys = data.draw(st.sampled_from(sorted(paths_of(whole))))
    extra = [
        ("game", name) for name in ("start", "randomize", "obstacles", "reward", "pursuers")
    ]
    extra += [
        ("game", name) for name in ("observation", "action", "pursuer", "dt", "game", "nu")
    ]
    extra += [("evader", "script", name) for name in ("chances", "priorities", "offset")]
    keys = data.draw(st.sampled_from([keys, *extra]))
    with TemporaryDirectory() as folder, suppress(UsageError):
        found = load(with_value(whole, keys, data.draw(VALUES)), Path(folder))
        assert isinstance(found, Recording)
