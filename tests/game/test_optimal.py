"""Perfect players in the engine: they get the value, and no other player does better."""

from __future__ import annotations

import numpy as np
import pytest

from baselines import ScriptedPolicy
from baselines.optimality import gap
from steer_env.errors import InvalidValue
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.game.known_value import behavior_of_game, known_values, regions_of
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side
from steer_env.suite import SOLVED

GAMES = {
    "simple": {"game": "simple_plane"},
    "chauffeur": {"game": "homicidal_chauffeur"},
    "slow chauffeur": {"game": "homicidal_chauffeur", "nu": 0.5, "l": 0.5},
    "beaten chauffeur": {
        "game": "homicidal_chauffeur",
        "nu": 0.5,
        "l": 0.1,
        "arena_size": 1.0,
        "pursuer": {"max_speed": 2.0, "max_force": 4.0},
    },
    "two cars": {"game": "two_cars"},
    "drag": {"game": "drag"},
    "no drag": {
        "game": "drag",
        "pursuer": {"drag": 0.0, "max_speed": 20.0},
        "evader": {"drag": 0.0, "max_speed": 20.0},
        "start_speed": 0.05,
    },
}


def errors(keywords, dt, starts=60):
    """The relative errors of the perfect pair, absolute below 1 s or 1 m; and the regions."""
    per_second = round(1 / dt)
    config = game_config(**keywords)
    game = {**keywords, "dt": dt, "horizon": round(config.horizon / 30 * per_second)}
    perfect = Script(behavior=behavior_of_game(config))
    margin = 0.05 * min(config.capture_radius, config.arena.size)
    found = gap(perfect, game, starts=starts, margin=margin, seed=0)
    known = found.starts[np.isfinite(found.starts["value"])]
    value, payoff = known["value"], known["floor_payoff"]
    assert not found.starts["captured"][~np.isfinite(found.starts["value"])].any()
    return np.abs(payoff - value) / np.maximum(value, 1.0), known["region"]


@pytest.mark.compiled
@pytest.mark.parametrize("keywords", GAMES.values(), ids=GAMES)
def test_the_perfect_pair_gets_the_value(keywords):
    coarse, _ = errors(keywords, 1 / 30)
    fine, regions = errors(keywords, 1 / 120)
    assert len(fine) >= 60 * len(set(regions.tolist()))
    assert coarse.max() < 1e-3
    assert fine.max() < 2e-4
    # Second order at least; what is exact from the start cannot become more so.
    assert fine.mean() < coarse.mean() / 8 + 1e-9






@pytest.mark.compiled
@pytest.mark.parametrize("game", SOLVED)
@pytest.mark.parametrize("side", Side)
def test_observations_are_enough(game, side):
    """A perfect script that sees observations only is as perfect, but for their rounding."""
    policy = ScriptedPolicy(SOLVED[game].opponents[PURSUER], side=side.name)
    found = gap(policy, game, side.name, starts=40)
    assert policy.config == game_config(game=game)
    for one in found.regions.values():
        assert abs(one.gap.estimate - one.floor.estimate) < 2e-3




@pytest.mark.parametrize(
    ("keywords", "match"),
    [
        ({}, "'optimal_chauffeur' plays the solved game 'homicidal_chauffeur' only; its arena"),
        (
            {"game": "two_cars"},
            r"its models are \('car', 'simple_motion'\), got \('car', 'car'",
        ),
        (
            {"game": "homicidal_chauffeur", "payoff": "capture"},
            "its payoff is 'time', got",
        ),
        ({"game": "homicidal_chauffeur", "nu": 1.2}, "solved for nu < 1 and l < .*nu = 1.2"),
        ({"game": "homicidal_chauffeur", "l": 0.97}, "solved for nu < 1 and l < .*l = 0.97"),
        ({"game": "homicidal_chauffeur", "pursuers": 2}, "one pursuer and one evader, got 2"),
        (
            {
                "game": "homicidal_chauffeur",
                "randomize": {"evader": {"max_speed": (0.2, 0.3)}},
            },
            "its limits are fixed, got max_speed of the evader from 0.2 to 0.3",
        ),
    ],
)
def test_they_play_their_game_only(keywords, match):
    script = ROSTER["optimal/chauffeur"]
    with pytest.raises(InvalidValue, match=match):
        Engine(game_config(**keywords), [script], [None])


@pytest.mark.parametrize(
    ("keywords", "match"),
    [
        (
            {"game": "two_cars", "evader": {"max_speed": 4.0}},
            "the two cars are identical",
        ),
        ({"game": "drag", "evader": {"drag": 0.1}}, "both have the same drag"),
        (
            {"game": "drag", "evader": {"max_speed": 1.0}},
            "no vehicle reaches its max_speed, and the evader reaches 1.*m/s of 1 m/s",
        ),
        ({"game": "drag", "nu": 0.1}, "the evader reaches"),
        (
            {"game": "drag", "pursuer": {"drag": 0.0}, "evader": {"drag": 0.0}},
            "the pursuer reaches 5 m/s of 2 m/s",
        ),
    ],
)
def test_the_other_games_have_conditions_too(keywords, match):
    name = "optimal/two_cars" if keywords["game"] == "two_cars" else "optimal/drag"
    with pytest.raises(InvalidValue, match=match):
        Engine(game_config(**keywords), [None], [ROSTER[name]])


def test_a_perfect_script_has_no_other_parts():
    with pytest.raises(InvalidValue, match="has no other parts, got wander, walls"):
        Script(behavior="optimal_chauffeur", walls=1.0, wander=2.0)


def test_regions_of_games():
    assert regions_of(game_config(game="homicidal_chauffeur")) == ("T", "D", "S", "W")
    assert regions_of(game_config(game="homicidal_chauffeur", l=0.01)) == ("T", "D", "free")
    assert regions_of(game_config(game="drag")) == ("reach", "miss")
    with pytest.raises(InvalidValue, match="this game is not solved; solved are simple_motion"):
        regions_of(game_config())


@pytest.mark.compiled
@pytest.mark.parametrize("game", SOLVED)
@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_values_do_not_depend_on_where_and_how_the_plane_is_turned(game, side):
    """The same game, moved and turned: the same actions in the own frame, but for rounding."""
    config = game_config(game=game)
    scripts = [[None], [ROSTER[SOLVED[game].opponents[PURSUER]]]]
    if side == "pursuer":
        scripts.reverse()
    engine = Engine(config, *scripts, 300)
    engine.seed(range(300))
    engine.start()
    states = engine.get_state()
    turned, spin = states.copy(), np.exp(0.7j)
    body = turned["players"]["body"]
    for name in ("position", "velocity", "heading"):
        body[name] *= spin
    values = [known_values(config, one).value for one in (states, turned)]
    np.testing.assert_allclose(*values, rtol=1e-9)
