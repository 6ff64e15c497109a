"""Starts, capture, reward and the end of a game follow the rules."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, strategies as st

from steer_env.game.arena import ARENAS
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.game.run.resolve import closest_approach
from steer_env.game.state import OVER, RUNNING
from steer_env.scripts.roster import named_script
from steer_env.scripts.table import Mixtures
from steer_env.sides import EVADER, PURSUER

DIAGONAL = math.sqrt(2) * 20.0
vectors = st.builds(cmath.rect, st.floats(0.0, 20.0), st.floats(-math.pi, math.pi))
both_sides = pytest.mark.parametrize("side", [PURSUER, EVADER], ids=["pursuers", "evaders"])


def start(config, num_games=1, max_episode_steps=None, scripts=((None,), (None,))):
    engine = Engine(config, *scripts, num_games, max_episode_steps)
    engine.seed(range(num_games))
    engine.start()
    return engine


def coast(engine, side=PURSUER, restart=False):
    """A step in which nobody steers."""
    actions = [np.zeros((engine.num_games, engine.side_size(s), 2), "f4") for s in (0, 1)]
    return engine.step(*actions, side, restart)


def play(engine, steps, side=PURSUER, restart=True):
    """Random play; yields the distances before and the outcomes of all steps."""
    generator = np.random.default_rng(0)
    for _ in range(steps):
        actions = [
            generator.uniform(-1, 1, (engine.num_games, engine.side_size(s), 2)).astype("f4")
            for s in (PURSUER, EVADER)
        ]
        before = engine.state.distance.copy()
        yield before, engine.step(*actions, side, restart)


def put(engine, positions, velocities=None):
    """Places the players of all games; they coast at their velocities."""
    state = engine.get_state()
    body = state["players"]["body"]
    body["position"] = positions
    if velocities is not None:
        body["velocity"] = velocities
        speeds = np.abs(np.asarray(velocities, complex))
        headings = np.where(speeds > 0, velocities / np.where(speeds > 0, speeds, 1), 1)
        body["heading"] = headings
    engine.set_state(state)


@pytest.mark.parametrize(
    ("miss", "caught"), [(0.0, True), (0.49, True), (0.51, False), (3.0, False)]
)
@pytest.mark.parametrize("kind", ARENAS)
def test_capture_is_checked_along_the_step(kind, miss, caught):
    # 6 m in a step, across the evader: far before, far after, near in between.
    engine = start(game_config(arena=kind, pursuer={"max_speed": 200}))
    put(engine, [-3 + 0j, complex(0, miss)], [180 + 0j, 0j])
    outcome = coast(engine)
    assert engine.get_state()["players"]["body"]["position"][0, 0] == pytest.approx(3 + 0j)
    assert outcome.terminated.tolist() == [caught]
    assert engine.state.captured.tolist() == [int(caught)]
    assert engine.get_state()["players"]["active"][0].tolist() == [True, not caught]


def test_capture_across_the_seam_of_a_torus():
    engine = start(game_config(arena="torus", pursuer={"max_speed": 200}))
    put(engine, [8 + 0j, -9 + 0j], [180 + 0j, 0j])
    assert coast(engine).terminated.all()
    walls = start(game_config(arena="walls", pursuer={"max_speed": 200}))
    put(walls, [8 + 0j, -9 + 0j], [180 + 0j, 0j])
    assert not coast(walls).terminated.any()


@given(vectors, vectors)
def test_closest_approach_is_the_least_distance(offset_after, relative_step):
    shares = np.linspace(0.0, 1.0, 2001)
    sampled = np.abs(offset_after - shares * relative_step)
    least = closest_approach(offset_after, relative_step)
    assert least <= sampled.min() + 1e-9
    assert least >= sampled.min() - abs(relative_step) / 2000 - 1e-9


@both_sides
def test_the_reward_by_hand(side):
    weights = {"capture": 3.0, "time": 2.0, "closing": 5.0, "discount": 0.9}
    config = game_config(reward=weights, horizon=100, capture_radius=2.0, arena_size=10)
    engine = start(config, 50, 60)
    sign = 1.0 if side == PURSUER else -1.0
    fresh = np.zeros(50, bool)
    caught = 0
    for before, outcome in play(engine, 150, side):
        position = engine.get_state()["players"]["body"]["position"]
        distance = np.where(outcome.terminated, 0, abs(position[:, 1] - position[:, 0]))
        np.testing.assert_allclose(engine.state.distance, distance, atol=1e-12)
        closing = 5.0 * (before - 0.9 * distance) / (0.5 * DIAGONAL)
        expected = 3.0 * outcome.terminated - 2.0 / 100 + closing
        expected[fresh] = 0.0
        np.testing.assert_allclose(outcome.rewards, sign * expected, atol=1e-12)
        fresh = outcome.terminated | outcome.truncated
        caught += outcome.terminated.sum()
    assert caught > 5


def test_each_evader_caught_earns_its_share_once():
    engine = start(game_config(evaders=4, reward={"time": 0, "closing": 0}))
    put(engine, [0j, 0.4 + 0j, 5 + 0j, 5.4 + 0j, 9 + 0j], np.zeros(5, complex))
    for place, reward, captured, distance in (
        (0j, 0.25, 1, (5 + 5.4 + 9) / 3),
        (0j, 0.0, 1, (5 + 5.4 + 9) / 3),
        (5.2 + 0j, 0.5, 3, 9 - 5.2),
        (9.2 + 0j, 0.25, 4, 0.0),
    ):
        engine.state.position[0] = place
        outcome = coast(engine)
        assert (outcome.rewards[0], engine.state.captured[0]) == (reward, captured)
        assert engine.state.distance[0] == pytest.approx(distance)
        assert outcome.terminated[0] == (captured == 4)


def test_captured_evaders_stay_as_they_are():
    engine = start(game_config(evaders=2))
    put(engine, [0j, 0.4 + 0j, 9 + 0j], np.array([0j, 3j, 0j]))
    coast(engine)
    body = engine.get_state()["players"]["body"][0, 1].copy()
    aside = np.tile(np.array([0.3, 1], "f4"), (1, 2, 1))
    for _ in range(5):
        engine.step(aside[:, :1], aside, PURSUER, False)
        assert engine.get_state()["players"]["body"][0, 1] == body


def test_the_distance_is_to_the_nearest_pursuer():
    engine = start(game_config(pursuers=2, evaders=2))
    put(engine, [-5 + 0j, 5 + 0j, -3 + 0j, 8 + 4j], np.zeros(4, complex))
    coast(engine)
    assert engine.state.distance[0] == pytest.approx((2 + 5) / 2)


@pytest.mark.parametrize("kind", ARENAS)
def test_the_game_is_zero_sum(kind):
    config = game_config(pursuers=2, evaders=2, arena=kind, capture_radius=2.0)
    engines = [start(config, 20, 50), start(config, 20, 50)]
    games = zip(play(engines[0], 120, PURSUER), play(engines[1], 120, EVADER), strict=True)
    for (_, one), (_, other) in games:
        np.testing.assert_array_equal(one.rewards, -other.rewards)
        for name in ("terminated", "truncated"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(*(engine.get_state() for engine in engines))


def test_the_time_limit_truncates():
    engine = start(game_config(), 2, 5)
    for step in range(1, 6):
        outcome = coast(engine)
        assert outcome.truncated.tolist() == [step == 5] * 2
        assert not outcome.terminated.any()
    assert (engine.get_state()["game"]["phase"] == OVER).all()
    with pytest.raises(ResetNeeded, match="game 0 is over or has not begun; reset it first"):
        coast(engine)
    outcome = coast(engine, restart=True)  # begins anew
    assert (engine.get_state()["game"]["phase"] == RUNNING).all()
    assert engine.get_state()["game"]["steps"].tolist() == [0, 0]
    assert outcome.rewards.tolist() == [0.0, 0.0]
    assert not (outcome.terminated | outcome.truncated).any()


@pytest.mark.parametrize(("limit", "length"), [(None, 3), (1, 1), (2, 2), (3, 3), (600, 3)])
def test_the_shorter_of_the_horizon_and_the_time_limit_ends_a_game(limit, length):
    engine = start(game_config(horizon=3), 1, limit)
    for step in range(1, length + 1):
        assert coast(engine).truncated.tolist() == [step == length]
    time_left = engine.observe(PURSUER)[0, 0, 5]
    assert time_left == pytest.approx(1 - length / 3, abs=1e-7)


def nearest(kind, offset):
    """Offsets to the nearest images."""
    if kind != "torus":
        return offset
    return offset - 20 * np.round(offset.real / 20) - 20j * np.round(offset.imag / 20)


@pytest.mark.parametrize("kind", ARENAS)
@pytest.mark.parametrize(("start_distance", "pursuers"), [(0.25, 2), (0.5, 1)])
def test_starts_keep_their_distance(kind, start_distance, pursuers):
    config = game_config(arena=kind, pursuers=pursuers, start_distance=start_distance)
    engine = start(config, 500)
    position = engine.state.position
    offset = nearest(kind, position[pursuers:] - position[:pursuers])
    assert np.abs(offset).min() >= 20 * start_distance
    limit = 9.7 if kind == "walls" else 10.0
    assert max(abs(position.real).max(), abs(position.imag).max()) <= limit
    np.testing.assert_allclose(engine.state.distance, np.abs(offset).min(axis=0))


@pytest.mark.parametrize("kind", ARENAS)
@pytest.mark.parametrize("obstacles", [8, ((0, 0, 4), (5, 5, 3), (-6, -2, 2))])
def test_nobody_starts_in_an_obstacle(kind, obstacles):
    state = start(game_config(arena=kind, obstacles=obstacles, pursuers=2), 200).state
    offset = nearest(kind, state.position[:, None] - state.center)
    radius = state.obstacle_radius
    assert (np.abs(offset) >= np.where(radius > 0, radius + 0.3 - 1e-9, 0)).all()


@pytest.mark.parametrize("kind", ARENAS)
def test_starts_are_spread_over_the_arena_and_all_directions(kind):
    state = start(game_config(arena=kind), 2000).state
    assert not state.velocity.any()
    assert not state.acceleration.any()
    np.testing.assert_allclose(np.abs(state.heading), 1.0)
    assert np.abs(state.heading.mean(axis=1)).max() < 0.06
    x, y = state.position[0].real, state.position[0].imag
    for half in (x > 0, y > 0, np.maximum(abs(x), abs(y)) > 7):
        assert half.mean() == pytest.approx(0.5, abs=0.05)


def test_random_obstacles_leave_room_between_them():
    state = start(game_config(obstacles=10), 200).state
    center, radius = state.center, state.obstacle_radius
    assert 0.5 <= radius[radius > 0].min() <= radius.max() <= 1.5
    gap = np.abs(center[:, None] - center) - radius[:, None] - radius
    both = (radius[:, None] > 0) & (radius > 0) & ~np.eye(10, dtype=bool)[..., None]
    assert gap[both].min() >= 2 * 0.3
    to_wall = 10 - np.maximum(abs(center.real), abs(center.imag)) - radius
    assert to_wall[radius > 0].min() >= 2 * 0.3
    assert len(np.unique(center)) > 1000  # anew in every game


@pytest.mark.parametrize(("size", "most"), [(5.0, 1), (8.0, 3), (10.0, 6), (20.0, 27)])
def test_all_random_obstacles_find_room_or_are_refused(size, most):
    engine = start(game_config(obstacles=most, arena_size=size), 100)
    assert (engine.state.obstacle_radius >= 0.5).all()
    with pytest.raises(ValueError, match=f"do not fit .* at most {most} do"):
        game_config(obstacles=most + 1, arena_size=size)


def test_weights_of_a_mixture_say_how_often_each_is_drawn():
    scripts = [named_script("seek"), None], [named_script("idle")] * 4
    engine = start(game_config(), 4000, None, scripts)
    engine.mixtures.set_weights(EVADER, np.array([0.0, 0.25, 0.0, 0.75]))
    engine.start()
    pursuers, evaders = (np.bincount(column).tolist() for column in engine.state.script)
    assert evaders == pytest.approx([0, 1000, 0, 3000], rel=0.1)
    assert pursuers == pytest.approx([2000] * 2, rel=0.1)
    engine.mixtures.set_weights(EVADER, np.array([0.0, 1.0, 0.0, 0.0]))
    engine.start()
    assert (engine.state.script[EVADER] == 1).all()


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 49, 63, 64])
def test_equal_weights_draw_the_integer_part(count):
    # So that a mixture without weights plays the episodes that it always played.
    mixtures = Mixtures([None], [None] * count, 1.0)
    for weight in (1.0, 0.1, 1.0 / count, 1e300):
        mixtures.set_weights(EVADER, np.full(count, weight))
        assert mixtures.table["drawn_below"][1:].tolist() == [*range(1, count), np.inf]


@pytest.mark.parametrize("evaders", [1, 3])
def test_shaping_telescopes_to_the_start_potential(evaders):
    # Without discount, the closing terms of a won game add up to the distance at the start.
    weights = {"capture": 0.0, "time": 0.0, "closing": 1.0}
    config = game_config(evaders=evaders, reward=weights, evader={"max_speed": 1.0})
    engine = start(config, 10, None, ([named_script("pursuit")], [named_script("evade")]))
    potential = engine.state.distance / DIAGONAL
    total, over = np.zeros(10), np.zeros(10, bool)
    while not over.all():
        outcome = engine.step(engine.no_actions(0), engine.no_actions(1), PURSUER, True)
        assert not outcome.truncated.any()
        total += np.where(over, 0, outcome.rewards)
        over |= outcome.terminated
    np.testing.assert_allclose(total, potential, atol=1e-9)
