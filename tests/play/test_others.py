"""What others would have done is what they do elsewhere."""

import dataclasses

import numpy as np
import pytest

from baselines.rollouts import trajectory
from play.rounds import faced
from steer_env.game.config import game_config
from steer_env.play.levels import LEVELS, challenge
from steer_env.play.rounds import STRONG, others, rivals
from steer_env.sides import EVADER, PURSUER


@pytest.mark.parametrize(
    ("side", "opponent", "keywords", "names"),
    [
        (PURSUER, "evade", {}, ("pursuit", "tuned/walls/pursuer")),
        (EVADER, "pursuit", {}, ("evade", "tuned/walls/evader")),
        (PURSUER, "pretrained/evade/ppo", {}, ("pursuit", "tuned/walls/pursuer")),
        (PURSUER, "flee", {"obstacles": 3}, ("pursuit", "tuned/walls/pursuer")),
        (EVADER, "seek", {"pursuers": 2}, ("evade", "tuned/walls/evader")),
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


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_a_player_is_called_the_best_known_only_where_it_was_measured(side):
    level = LEVELS[side][3]
    textbook, best = rivals(challenge(side, level, game_config()))
    assert textbook.name == textbook.title == side.default_script
    assert (best.name, best.title) == (level.best, f"the best known player ({level.best})")
    opponent = dataclasses.replace(level, opponent="rest", best="")
    for other in (
        challenge(side, level, game_config(arena="torus")),
        challenge(side, level, game_config(capture_radius=0.6)),
        challenge(side, opponent, game_config()),
    ):
        assert rivals(other)[1].title == f"a strong player ({STRONG[side]})"
