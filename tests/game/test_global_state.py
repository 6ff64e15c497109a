"""The global state shows everything, within its bounds."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.game.look.global_state import state_features


def played(steps, **keywords):
    """Vector environments at each moment of random play."""
    envs = ParallelVectorEnv(8, autoreset_mode="SameStep", **keywords)
    envs.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        yield envs
        shapes = {side: (8, envs.config.count(side), 2) for side in ("pursuer", "evader")}
        envs.step({side: rng.uniform(-1, 1, shape) for side, shape in shapes.items()})


def test_its_numbers_are_those_of_the_state():
    *_, envs = played(steps=120, pursuers=2, evaders=2, capture_radius=3.0, obstacles=1)
    record, row = envs.get_state()[5], envs.state()[5].astype(float)
    names = [feature.name for feature in state_features(envs.config)]
    assert len(names) == len(row)
    steps, horizon = record["game"]["steps"], envs.config.horizon
    assert row[0] == pytest.approx(1.0 - steps / horizon, abs=1e-6)
    for number, player in enumerate(record["players"]):
        block = dict(zip(names[1:12], row[1 + 11 * number : 12 + 11 * number]))
        if not player["active"]:
            assert not any(block.values())
            continue
        body = player["body"]
        place = complex(block["position_x"], block["position_y"]) * 10.0
        velocity = complex(block["velocity_x"], block["velocity_y"]) * 4.0
        heading = complex(block["heading_x"], block["heading_y"])
        assert block["presence"] == 1.0
        assert place == pytest.approx(complex(body["position"]), abs=1e-5)
        assert velocity == pytest.approx(complex(body["velocity"]), abs=1e-5)
        assert heading == pytest.approx(complex(body["heading"]), abs=1e-6)
        assert block["max_speed"] == pytest.approx(body["max_speed"] / 4.0)
        assert block["radius"] == pytest.approx(body["radius"] / 0.3)
    presence, x, y, radius = row[-4:]
    disc = record["obstacles"][0]
    assert presence == 1.0
    assert complex(x, y) * 10.0 == pytest.approx(complex(disc["center"]), abs=1e-5)
    assert radius * 10.0 == pytest.approx(float(disc["radius"]), abs=1e-5)


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_it_stays_within_its_bounds(arena):
    randomize = {"pursuer": {"max_speed": (2.0, 6.0), "mass": (0.5, 3.0)}}
    game = {"pursuers": 3, "evaders": 2, "arena": arena, "randomize": randomize}
    for envs in played(100, capture_radius=2.0, obstacles=2, **game):
        assert envs.state().dtype == np.float32
        assert all(envs.state_space.contains(row) for row in envs.state())
