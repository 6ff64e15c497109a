"""Who caught whom, what each player gets for it, and captures that take several pursuers."""

from __future__ import annotations

import numpy as np
import pytest
from engines import coast, random_actions, started
from hypothesis import given, strategies as st

from steer_env.game.run.reward_terms import OWN
from steer_env.sides import EVADER, PURSUER


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
