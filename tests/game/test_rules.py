"""Starts, capture, reward, credit and the end of a game follow the rules."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from engines import coast, random_actions, started
from gymnasium.error import ResetNeeded
from hypothesis import given, strategies as st

from steer_env.game.config import make_game
from steer_env.game.region import ARENAS
from steer_env.game.run.resolve import closest_approach
from steer_env.game.run.reward_terms import OWN
from steer_env.game.state import OVER, RUNNING
from steer_env.sides import EVADER, PURSUER

DIAGONAL = math.sqrt(2) * 20.0
vectors = st.builds(cmath.rect, st.floats(0.0, 20.0), st.floats(-math.pi, math.pi))
both_sides = pytest.mark.parametrize("side", [PURSUER, EVADER], ids=["pursuers", "evaders"])


def play(engine, steps, side=PURSUER):
    """Random play; yields the distances before and the outcomes of all steps."""
    generator = np.random.default_rng(0)
    for _ in range(steps):
        before = engine.state.distance.copy()
        yield before, engine.step(*random_actions(engine, generator), side, True)


def put(engine, positions, velocities):
    """Places the players of the first game; they coast at their velocities."""
    state = engine.state
    state.position[:, 0], state.velocity[:, 0] = positions, velocities
    moving = state.velocity[:, 0] != 0
    state.heading[moving, 0] = state.velocity[moving, 0] / abs(state.velocity[moving, 0])


@pytest.mark.parametrize(
    ("kind", "start", "evader", "caught"),
    [
        *(
            (kind, -3, miss, abs(miss) < 0.6)
            for kind in ARENAS
            for miss in (0, 0.59j, 0.61j, 3j)
        ),
        ("torus", 8, -9, True),  # across the seam
        ("walls", 8, -9, False),
    ],
)
def test_capture_is_checked_along_the_step(kind, start, evader, caught):
    # 6 m in a step, across the evader: far before, far after, near in between.
    engine = started(arena=kind, pursuer={"max_speed": 200})
    put(engine, [start, evader], [180 + 0j, 0j])
    outcome = coast(engine, restart=False)
    assert outcome.terminated.tolist() == [caught]
    assert engine.state.captured.tolist() == [int(caught)]
    assert engine.state.active[:, 0].tolist() == [True, not caught]


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
    game = {"horizon": 100, "capture_radius": 2.0, "arena_size": 10}
    engine = started(None, None, 50, 60, reward=weights, **game)
    sign = 1.0 if side == PURSUER else -1.0
    fresh = np.zeros(50, bool)
    caught = 0
    for before, outcome in play(engine, 150, side):
        position = engine.state.position
        distance = np.where(outcome.terminated, 0, abs(position[1] - position[0]))
        np.testing.assert_allclose(engine.state.distance, distance, atol=1e-12)
        closing = 5.0 * (before - 0.9 * distance) / (0.5 * DIAGONAL)
        expected = 3.0 * outcome.terminated - 2.0 / 100 + closing
        expected[fresh] = 0.0
        np.testing.assert_allclose(outcome.rewards, sign * expected, atol=1e-12)
        fresh = outcome.terminated | outcome.truncated
        caught += outcome.terminated.sum()
    assert caught > 5


def test_each_evader_caught_earns_its_share_once():
    engine = started(evaders=4, reward={"time": 0, "closing": 0})
    put(engine, [0j, 0.4 + 0j, 5 + 0j, 5.4 + 0j, 9 + 0j], np.zeros(5, complex))
    for place, reward, captured, distance in (
        (0j, 0.25, 1, (5 + 5.4 + 9) / 3),
        (0j, 0.0, 1, (5 + 5.4 + 9) / 3),
        (5.2 + 0j, 0.5, 3, 9 - 5.2),
        (9.2 + 0j, 0.25, 4, 0.0),
    ):
        engine.state.position[0] = place
        outcome = coast(engine, restart=False)
        assert (outcome.rewards[0], engine.state.captured[0]) == (reward, captured)
        assert engine.state.distance[0] == pytest.approx(distance)
        assert outcome.terminated[0] == (captured == 4)


def test_captured_evaders_stay_as_they_are():
    engine = started(evaders=2)
    put(engine, [0j, 0.4 + 0j, 9 + 0j], [0j, 3j, 0j])
    coast(engine)
    body = engine.record()["players"]["body"][1].copy()
    aside = np.tile(np.array([0.3, 1], "f4"), (1, 2, 1))
    for _ in range(5):
        engine.step(aside[:, :1], aside, PURSUER, False)
        assert engine.record()["players"]["body"][1] == body


def test_the_distance_is_to_the_nearest_pursuer():
    engine = started(pursuers=2, evaders=2)
    put(engine, [-5 + 0j, 5 + 0j, -3 + 0j, 8 + 4j], [0j] * 4)
    coast(engine)
    assert engine.state.distance[0] == pytest.approx((2 + 5) / 2)


@pytest.mark.parametrize(
    ("horizon", "limit", "length"),
    [(3, None, 3), (3, 1, 1), (3, 2, 2), (3, 3, 3), (3, 600, 3), (600, 5, 5)],
)
def test_the_shorter_of_the_horizon_and_the_time_limit_ends_a_game(horizon, limit, length):
    engine = started(None, None, 2, limit, horizon=horizon)
    for step in range(1, length + 1):
        outcome = coast(engine, restart=False)
        assert outcome.truncated.tolist() == [step == length] * 2
        assert not outcome.terminated.any()
    assert (engine.state.phase == OVER).all()
    assert engine.observe(PURSUER)[0, 0, 5] == pytest.approx(1 - length / horizon, abs=1e-7)
    with pytest.raises(ResetNeeded, match="game 0 is over or has not begun; reset it first"):
        coast(engine, restart=False)
    outcome = coast(engine)  # begins anew
    assert (engine.state.phase == RUNNING).all()
    assert engine.state.steps.tolist() == [0, 0]
    assert outcome.rewards.tolist() == [0.0, 0.0]
    assert not (outcome.terminated | outcome.truncated).any()


LISTED = ((0, 0, 4), (5, 5, 3), (-6, -2, 2))


@pytest.mark.parametrize("kind", ARENAS)
@pytest.mark.parametrize(
    ("start_distance", "pursuers", "obstacles"),
    [(0.25, 2, 0), (0.5, 1, 0), (0.25, 2, 8), (0.25, 2, LISTED)],
)
def test_starts_keep_their_distance(kind, start_distance, pursuers, obstacles):
    game = {"arena": kind, "pursuers": pursuers, "start_distance": start_distance}
    engine = started(None, None, 500, obstacles=obstacles, **game)
    position, region = engine.state.position, engine.config.region
    distance = np.abs(region.offsets(position[:pursuers], position[pursuers:]))
    assert distance.min() >= 20 * start_distance
    limit = 9.7 if kind == "walls" else 10.0
    assert max(abs(position.real).max(), abs(position.imag).max()) <= limit
    np.testing.assert_allclose(engine.state.distance, distance.min(axis=0))
    gap = np.abs(region.offsets(position[:, None], engine.state.center))
    assert (gap >= engine.state.obstacle_radius + 0.3 - 1e-9).all()


@pytest.mark.parametrize("kind", ARENAS)
def test_starts_are_spread_over_the_arena_and_all_directions(kind):
    state = started(None, None, 2000, arena=kind).state
    assert not state.velocity.any()
    assert not state.acceleration.any()
    np.testing.assert_allclose(np.abs(state.heading), 1.0)
    assert np.abs(state.heading.mean(axis=1)).max() < 0.06
    x, y = state.position[0].real, state.position[0].imag
    for half in (x > 0, y > 0, np.maximum(abs(x), abs(y)) > 7):
        assert half.mean() == pytest.approx(0.5, abs=0.05)


def test_random_obstacles_leave_room_between_them():
    state = started(None, None, 200, obstacles=10, obstacle_radius=(0.4, 1.3)).state
    center, radius = state.center, state.obstacle_radius
    assert 0.4 <= radius[radius > 0].min() < 0.5 < 1.2 < radius.max() <= 1.3
    gap = np.abs(center[:, None] - center) - radius[:, None] - radius
    both = (radius[:, None] > 0) & (radius > 0) & ~np.eye(10, dtype=bool)[..., None]
    assert gap[both].min() >= 2 * 0.3
    to_wall = 10 - np.maximum(abs(center.real), abs(center.imag)) - radius
    assert to_wall[radius > 0].min() >= 2 * 0.3
    assert len(np.unique(center)) > 1000  # anew in every game


@pytest.mark.parametrize(("size", "most"), [(5.0, 1), (8.0, 3), (10.0, 6), (20.0, 27)])
def test_all_random_obstacles_find_room_or_are_refused(size, most):
    engine = started(None, None, 100, obstacles=most, arena_size=size)
    assert (engine.state.obstacle_radius >= 0.5).all()
    with pytest.raises(ValueError, match=f"do not fit .* at most {most} do"):
        make_game(obstacles=most + 1, arena_size=size)


def test_weights_of_a_mixture_say_how_often_each_is_drawn():
    engine = started(["seek", None], ["idle"] * 4, 4000)
    engine.mixtures.set_weights(EVADER, np.array([0.0, 0.25, 0.0, 0.75]))
    engine.start()
    pursuers, evaders = (np.bincount(column).tolist() for column in engine.state.script)
    assert evaders == pytest.approx([0, 1000, 0, 3000], rel=0.1)
    assert pursuers == pytest.approx([2000] * 2, rel=0.1)
    engine.mixtures.set_weights(EVADER, np.array([0.0, 1.0, 0.0, 0.0]))
    engine.start()
    assert (engine.state.script[EVADER] == 1).all()


# ---- Who caught whom, and what each player gets for it -----------------------------------


def placed(pursuers, evaders, **keywords):
    """An engine of players at rest at these places, without walls."""
    start = {"pursuer": {"position": pursuers}, "evader": {"position": evaders}}
    game = {"pursuers": len(pursuers), "evaders": len(evaders), "arena": "open"}
    return started(credit_method=OWN, start=start, **game, **keywords)


def test_all_pursuers_within_the_radius_catch_and_share():
    near, far = [(0.0, 0.3), (0.0, -0.2)], (8.0, 8.0)
    engine = placed([*near, far], [(0.0, 0.0), (9.0, 0.0)])
    coast(engine, restart=False)
    captures, rewards = engine.credit.captures, np.concatenate(engine.credit.rewards, axis=1)
    assert captures[0].tolist() == [[True, True, False], [False] * 3]
    time = engine.config.reward.time / engine.config.horizon
    share = 0.5 / 2  # of two evaders, between two pursuers
    scale = engine.rules["closing_reward"][0]
    nearest = [abs(complex(9, 0) - complex(*place)) for place in near]
    for pursuer, (before, after) in enumerate(zip((0.3, 0.2), nearest)):
        expected = share - time + scale * (before - after)
        assert rewards[0, pursuer] == pytest.approx(expected, abs=1e-12)
    expected = -1.0 + time - scale * 0.2  # what is caught has no distance left
    assert rewards[0, 3] == pytest.approx(expected, abs=1e-12)
    assert rewards[0, 4] == pytest.approx(time, abs=1e-12)


@given(st.integers(0, 2**32), st.sampled_from(["walls", "torus", "open"]))
def test_one_against_one_the_own_reward_is_the_sides(seed, arena):
    rules = {"capture_radius": 1.5, "horizon": 100}
    engine = started(None, None, 20, credit_method=OWN, seed=seed, arena=arena, **rules)
    rng = np.random.default_rng(seed)
    for _ in range(100):
        outcome = engine.step(*random_actions(engine, rng), PURSUER, True)
        for side, sign in ((PURSUER, 1.0), (EVADER, -1.0)):
            rewards = engine.credit.rewards[side][:, 0]
            np.testing.assert_allclose(rewards, sign * outcome.rewards, atol=1e-12)


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 4))
def test_captures_are_credited_where_evaders_are_caught_and_add_up(seed, pursuers, evaders):
    game = {"capture_radius": 2.0, "horizon": 60, "arena_size": 8.0}
    game |= {"pursuers": pursuers, "evaders": evaders}
    engine = started(None, None, 16, credit_method=OWN, seed=seed, **game)
    rng = np.random.default_rng(seed)
    captured = engine.state.captured.copy()
    for _ in range(80):
        before, restarts = engine.state.active.copy(), engine.state.phase == 2
        outcome = engine.step(*random_actions(engine, rng), EVADER, True)
        caught = (before & ~engine.state.active)[pursuers:]
        caught[:, restarts] = ~engine.state.active[pursuers:, restarts]
        captures = engine.credit.captures
        assert (captures.any(axis=2) == caught.T).all()
        assert all(np.isfinite(rewards).all() for rewards in engine.credit.rewards)
        captured = np.where(restarts, 0, captured) + caught.sum(axis=0)
        assert (captured == engine.state.captured).all()
        assert np.isfinite(outcome.rewards).all()


@pytest.mark.parametrize(("near", "caught"), [(1, False), (2, True), (3, True)])
def test_several_captors(near, caught):
    places = [(0.2, 0.0), (0.0, 0.3), (-0.4, 0.0)]
    far = [(9.0, 9.0 + k) for k in range(3 - near)]
    engine = placed([*places[:near], *far], [(0.0, 0.0)], captors_needed=2)
    outcome = coast(engine, restart=False)
    assert bool(outcome.terminated[0]) is caught
    assert engine.credit.captures.sum() == (near if caught else 0)


@pytest.mark.parametrize(("needed", "caught"), [(1, True), (2, False)])
def test_captors_must_come_near_in_the_same_step(needed, caught):
    """Two that pass the evader one after the other do not catch it."""
    rules = {"captors_needed": needed, "capture_radius": 0.3}
    engine = placed([(-2.0, 0.0), (-4.0, 0.0)], [(0.0, 0.2)], **rules)
    engine.state.heading[:2] = 1.0
    engine.state.velocity[:2] = 4.0
    assert any(coast(engine, restart=False).terminated[0] for _ in range(60)) is caught
