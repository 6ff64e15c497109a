"""Perfect players in the engine: they get the value, and no other player does better."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines import ScriptedPolicy, evaluate
from steer_env.baselines.optimality import gap
from steer_env.baselines.solved_games import behavior_of_game
from steer_env.errors import InvalidValue
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side
from steer_env.solved import two_on_one

GAMES = {
    "simple": {"game": "simple_plane"},
    "chauffeur": {"game": "homicidal_chauffeur"},
    "slow chauffeur": {"game": "homicidal_chauffeur", "nu": 0.5, "l": 0.5},
    "beaten chauffeur": {
        "game": "homicidal_chauffeur",
        "nu": 0.5,
        "l": 0.1,
        "arena_size": 1.0,
        "horizon": 300,  # whoever is not caught in these 10 s never is
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


def errors(keywords, dt, starts):
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
@pytest.mark.parametrize("starts", [8, pytest.param(60, marks=pytest.mark.weekly)])
@pytest.mark.parametrize("keywords", GAMES.values(), ids=GAMES)
def test_the_perfect_pair_gets_the_value(keywords, starts):
    coarse, _ = errors(keywords, 1 / 30, starts)
    fine, regions = errors(keywords, 1 / 120, starts)
    assert len(fine) >= starts * len(set(regions.tolist()))
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
    found = gap(policy, game, side.name, starts=10)
    assert policy.config == game_config(game=game)
    for one in found.regions.values():
        assert abs(one.gap.estimate - one.floor.estimate) < 2e-3


def test_an_evader_between_two_pursuers_gains_nothing_by_changing_sides():
    """It stays near the line through both, where two ways out are as good."""
    places = ((-2.0, 0.0), (1.5, 0.0)), (0.5, 0.01)
    start = {side.name: {"position": place} for side, place in zip(Side, places)}
    best = two_on_one.value(0.5 + 0.01j, [-2.0, 1.5], 0.6, 0.1)
    for name in ("escape", "flee", "evade/herd"):
        config = game_config(game="two_on_one", start=start)
        found = evaluate("optimal/two_on_one", name, config, episodes=2)
        assert found["captured"].all()
        assert found["time"].max() < best + 0.005


@pytest.mark.compiled
@pytest.mark.weekly
@pytest.mark.parametrize("game", SOLVED)
@pytest.mark.parametrize("side", Side)
def test_no_script_beats_perfect_play(game, side):
    names = ["seek", "pursuit/full_force", "navigation/full_force", "offset_pursuit/full_force"]
    if side.name == "evader":
        names = ["flee", "evade/full_force", "escape/full_force", "wander", "idle"]
    for name in names:
        found = gap(ROSTER[name], game, side.name, starts=250, name=name)
        sign = 1.0 if side is PURSUER else -1.0
        floor = sign * (found.starts["floor_payoff"] - found.starts["value"])
        gained = sign * (found.starts["value"] - found.starts["payoff"])
        allowed = 2.0 * np.abs(floor).max() + 1e-3
        assert gained.max() < allowed, (name, found.starts[gained.argmax()])


def test_a_car_that_seeks_never_catches_who_slips_by():
    found = gap("seek", starts=25, margin=0.05)
    assert found.regions["S"].never_caught.estimate == 1.0
    assert found.regions["T"].never_caught.estimate == 0.0


FIXED = {"pursuer": {"drag": 0.0}, "evader": {"drag": 0.0}}


@pytest.mark.parametrize(
    ("name", "keywords", "match"),
    [
        ("chauffeur", {"game": "walls"}, "arena"),
        ("chauffeur", {"game": "two_cars"}, "models"),
        ("chauffeur", {"payoff": "capture"}, "payoff"),
        ("chauffeur", {"nu": 1.2}, "nu = 1.2"),
        ("chauffeur", {"l": 0.97}, "l = 0.97"),
        ("chauffeur", {"pursuers": 2}, "1 against 1, got 2 against 1"),
        ("chauffeur", {"randomize": {"evader": {"max_speed": (0.2, 0.3)}}}, "limits"),
        ("two_cars", {"evader": {"max_speed": 4.0}}, "identical"),
        ("drag", {"evader": {"drag": 0.1}}, "same drag"),
        ("drag", {"evader": {"max_speed": 1.0}}, "max_speed"),
        ("drag", {"nu": 0.1}, "evader reaches"),
        ("drag", FIXED, "pursuer reaches"),
    ],
)
def test_perfect_scripts_play_their_game_only(name, keywords, match):
    game = "homicidal_chauffeur" if name == "chauffeur" else name
    config = game_config(**{"game": game, **keywords})
    with pytest.raises(InvalidValue, match=match):
        Engine(config, [None], [ROSTER[f"optimal/{name}"]])
    if match not in ("arena", "models"):  # it is another solved game, or none
        with pytest.raises(InvalidValue, match="not solved"):
            behavior_of_game(config)
