"""Payoffs of theory, and perfect players in the engine: no other player does better."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest
from check_vector_env import check_vector_env
from hypothesis import given, strategies as st

from steer_env.baselines import by_region, evaluate, gap_metrics
from steer_env.baselines.optimality import gap
from steer_env.baselines.policies import ScriptedPolicy
from steer_env.baselines.solved_games import behavior_of_game
from steer_env.errors import InvalidValue
from steer_env.game.config import make_game
from steer_env.game.config.game import PAYOFFS
from steer_env.game.engine import Engine
from steer_env.game.run.resolve import moment_of_contact
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side
from steer_env.solved import two_on_one

GAMES = {
    "simple": {"game": "simple_plane"},
    "chauffeur": {"game": "homicidal_chauffeur"},
    "slow chauffeur": {
        "game": "homicidal_chauffeur",
        "evader": {"max_speed": 0.5},
        "capture_radius": 0.5,
    },
    "beaten chauffeur": {
        "game": "homicidal_chauffeur",
        "evader": {"max_speed": 1.0},
        "capture_radius": 0.1,
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
    config = make_game(**keywords)
    game = {**keywords, "dt": dt, "horizon": round(config.horizon / 30 * per_second)}
    perfect = Script(behavior=behavior_of_game(config))
    margin = 0.05 * min(config.capture_radius, config.arena_size)
    found = gap(perfect, game, starts=starts, margin=margin, seed=0)
    known, is_finite = by_region(found)["all"], np.isfinite(found["value"])
    value, payoff = known["value"], known["floor"]
    assert not found["captured"][~is_finite].any()
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
    assert policy.config == make_game(game=game)
    for one in map(gap_metrics, found.by("region").values()):
        assert abs(one["gap"].estimate - one["floor"].estimate) < 2e-3


def test_an_evader_between_two_pursuers_gains_nothing_by_changing_sides():
    """It stays near the line through both, where two ways out are as good."""
    places = ((-2.0, 0.0), (1.5, 0.0)), (0.5, 0.01)
    start = {side.name: {"position": place} for side, place in zip(Side, places)}
    best = two_on_one.value(0.5 + 0.01j, [-2.0, 1.5], 0.6, 0.1)
    for name in ("escape", "flee", "evade/herd"):
        config = make_game(game="two_on_one", start=start)
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
        floor = sign * (found["floor"] - found["value"])
        gained = sign * (found["value"] - found.payoffs)
        allowed = 2.0 * np.abs(floor).max() + 1e-3
        assert gained.max() < allowed, (name, found.episodes[gained.argmax()])


def test_a_car_that_seeks_never_catches_who_slips_by():
    found = gap("seek", starts=25, margin=0.05)
    for region, share in (("S", 1.0), ("T", 0.0)):
        never = gap_metrics(found.where(region=region))["never_caught"]
        assert never.estimate == share


FIXED = {"pursuer": {"drag": 0.0}, "evader": {"drag": 0.0}}


@pytest.mark.parametrize(
    ("name", "keywords", "match"),
    [
        ("chauffeur", {"game": "walls"}, "arena"),
        ("chauffeur", {"game": "two_cars"}, "models"),
        ("chauffeur", {"payoff": "capture"}, "payoff"),
        ("chauffeur", {"evader": {"max_speed": 1.2}}, "nu = 1.2"),
        ("chauffeur", {"capture_radius": 0.97}, "l = 0.97"),
        ("chauffeur", {"pursuers": 2}, "1 against 1, got 2 against 1"),
        ("chauffeur", {"randomize": {"evader": {"max_speed": (0.2, 0.3)}}}, "limits"),
        ("two_cars", {"evader": {"max_speed": 4.0}}, "identical"),
        ("drag", {"evader": {"drag": 0.1}}, "same drag"),
        ("drag", {"evader": {"max_speed": 1.0}}, "max_speed"),
        ("drag", {"evader": {"max_speed": 0.2}}, "evader reaches"),
        ("drag", FIXED, "pursuer reaches"),
    ],
)
def test_perfect_scripts_play_their_game_only(name, keywords, match):
    game = "homicidal_chauffeur" if name == "chauffeur" else name
    config = make_game(**{"game": game, **keywords})
    with pytest.raises(InvalidValue, match=match):
        Engine(config, [None], [ROSTER[f"optimal/{name}"]])
    if match not in ("arena", "models"):  # it is another solved game, or none
        with pytest.raises(InvalidValue, match="not solved"):
            behavior_of_game(config)


# ---- Payoffs of theory ----------------------------------------------------------------------

parts = st.floats(-3.0, 3.0)


def test_moments_by_hand():
    assert moment_of_contact(2 + 0j, -4 + 0j, 0j, 1.0) == 0.25
    assert moment_of_contact(2 + 0j, 0j, 0j, 1.0) in (0.0, 1.0)
    assert moment_of_contact(0.5 + 0j, 1 + 0j, 0j, 1.0) == 0.0  # within it from the start
    # Under the acceleration -2 from rest: 4 - s^2 = 3 after a whole step.
    assert moment_of_contact(4 + 0j, -1 + 0j, -1 + 0j, 3.0) == pytest.approx(1.0)
    assert moment_of_contact(4 + 0j, -1 + 0j, -1 + 0j, 3.75) == pytest.approx(0.5)


@given(parts, parts, parts, parts, parts, parts, st.floats(0.1, 2.0))
def test_the_moment_is_the_first_on_the_circle(x, y, dx, dy, bx, by, radius):
    offset, step, bend = complex(x, y), complex(dx, dy), 0.05 * complex(bx, by)
    shares = np.linspace(0.0, 1.0, 4001)
    distance = np.abs(offset + shares * step + shares * (shares - 1) * bend)
    share = moment_of_contact(offset, step, bend, radius)
    assert 0.0 <= share <= 1.0
    inside = np.flatnonzero(distance <= radius)
    # A glance along the circle may be missed by an arc that the chord does not reach.
    if len(inside) and distance.min() < 0.9 * radius and distance[0] > radius:
        assert share == pytest.approx(shares[inside[0]], abs=2e-3)


HOPELESS = {"pursuer": {"position": (-9.0, 0.0)}, "evader": {"position": (9.0, 0.0)}}
PAYING = {
    "capture": ("Pursuit-v0", {}),
    "time": ("SimplePlane-v0", {"horizon": 300, "arena_size": 20.0, "start": HOPELESS}),
    "closest_approach": ("TwoCars-v0", {"horizon": 60}),
    "final_distance": ("Drag-v0", {"horizon": 40}),
    "target_distance": ("ReachAvoid-v0", {}),
    "breach_distance": ("PerimeterDefense-v0", {}),
}
START = {
    "pursuer": {"position": (0.0, 0.0), "heading": 0.0},
    "evader": {"position": (3.0, 0.0)},
}


AHEAD = np.array([1.0, 0.0], np.float32)
REST = np.array([0.0, 0.0], np.float32)


@pytest.mark.parametrize("dt", [1 / 30, 0.1, 0.25])
def test_a_capture_counts_when_it_happens(dt):
    """A race along a line takes (3 - 0.1) / (1 - 0.6) s, however long a step is."""
    keywords = {"dt": dt, "horizon": round(30 / dt), "start": START, "arena_size": 20.0}
    for name, sign in (("SimplePlane-v0", -1.0), ("SimplePlaneEvade-v0", 1.0)):
        env = gym.make(name, **keywords)
        env.reset(seed=0)
        heading = env.unwrapped.get_state()["players"]["body"]["heading"][0, int(sign > 0)]
        action = np.array([heading.real, -heading.imag], np.float32)  # to the right
        total, terminated = 0.0, False
        while not terminated:
            _, reward, terminated, _, _ = env.step(action)
            total, action = total + reward, AHEAD
        assert total == pytest.approx(sign * 2.9 / 0.4, abs=1e-5 if sign > 0 else 1e-9)
    config = make_game(game="simple_plane", **keywords)
    found = evaluate("optimal/simple", "optimal/simple", config, episodes=4)
    np.testing.assert_allclose(found["time"], 2.9 / 0.4, rtol=1e-9)


def test_a_hopeless_chase_ends_early_and_pays_for_all_of_it():
    name, keywords = PAYING["time"]
    env = gym.make(name, **keywords, reward={"time": 10.0, "closing": 0.0})
    env.reset(seed=0)
    steps, total, terminated = 0, 0.0, False
    while not terminated:
        _, reward, terminated, truncated, _ = env.step(REST)
        assert not truncated
        steps, total = steps + 1, total + reward
    assert total == pytest.approx(-10.0)
    # 18 m away, 1.6 m/s closing at the most: 10 s are too few from the start on.
    assert steps == 1


def test_the_least_distance_is_kept():
    """Two cars that pass each other: the payoff is how near they were, not where they end."""
    start = {
        "pursuer": {"position": (-6.0, 1.0), "heading": 0.0},
        "evader": {"position": (6.0, -1.0), "heading": math.pi},
    }
    env = gym.make("TwoCars-v0", opponent="idle", start=start)
    _, info = env.reset(seed=0)
    first, total, terminated, truncated = info["distance"], 0.0, False, False
    nearest = first
    while not (terminated or truncated):
        _, reward, terminated, truncated, info = env.step(REST)
        total += reward
        assert info["distance"] <= nearest
        nearest = info["distance"]
    assert nearest == pytest.approx(2.0, abs=1e-9)
    assert first - total == pytest.approx(2.0, abs=1e-9)
    assert terminated  # they drive apart for good, long before the horizon
    assert env.unwrapped.get_state()["game"]["captured"][0] == 0


@pytest.mark.parametrize(
    ("payoff", "steps"),
    [("time", 1), ("final_distance", 25)]
    + [pytest.param(p, 25, marks=pytest.mark.weekly) for p in PAYOFFS if p != "final_distance"],
)
def test_a_limit_of_gymnasiums_decides_as_little_as_a_vectors_own(payoff, steps):
    keywords = {"max_episode_steps": steps, **PAYING[payoff][1]}
    check_vector_env(
        lambda: gym.make(PAYING[payoff][0], **keywords),
        lambda count, mode: gym.make_vec(
            PAYING[payoff][0], num_envs=count, autoreset_mode=mode, **keywords
        ),
        num_envs=2,
        steps=60,
    )


def test_the_last_distance_is_the_end_of_the_game():
    env = gym.make("Drag-v0", opponent="idle", horizon=30)
    _, info = env.reset(seed=0)
    first, total = info["distance"], 0.0
    for step in range(30):
        _, reward, terminated, truncated, info = env.step(AHEAD)
        total += reward
        assert terminated == (step == 29)
        assert not truncated
    assert first - total == pytest.approx(info["distance"], abs=1e-9)
