"""What others would have done is what they do elsewhere."""

import numpy as np
import pytest

from baselines.rollouts import trajectory
from play.rounds import faced
from steer_env.play.rounds import others
from steer_env.sides import EVADER, PURSUER


@pytest.mark.parametrize(
    ("side", "opponent", "keywords", "names"),
    [
        (PURSUER, "evade", {}, ("pursuit", "pretrained/pursuit/mixture")),
        (EVADER, "pursuit", {}, ("evade", "pretrained/evade/mixture")),
        (PURSUER, "pretrained/evade/ppo", {}, ("pursuit", "pretrained/pursuit/mixture")),
        (PURSUER, "flee", {"obstacles": 3}, ("pursuit", "pursuit/full_force")),
        (EVADER, "seek", {"pursuers": 2}, ("evade", "evade/threatened")),
    ],
)
def test_others_play_what_baselines_play(side, opponent, keywords, names):
    challenged = faced(side, opponent, horizon=200, **keywords)
    for history, name in zip(others(challenged, 21), names):
        pair = (name, opponent) if side == PURSUER else (opponent, name)
        expected = trajectory(*pair, challenged.config, 21)
        assert history.names == pair
        assert np.array_equal(history.recording().positions, expected.positions)
        assert history.status(history.last).is_captured == expected.status.is_captured


def test_others_meet_the_limits_of_the_level():
    challenged = faced(PURSUER, "rest", capture_radius=3.0)
    near, far = others(challenged, 1)[0], others(faced(PURSUER, "rest"), 1)[0]
    assert near.status(near.last).seconds < far.status(far.last).seconds
    assert np.array_equal(near.recording().positions[0], far.recording().positions[0])
