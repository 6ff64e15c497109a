"""The game in one file of numpy has the engine's bits: states, rewards, ends, observations."""

import inspect
import itertools
import runpy
import sys

import clients
import gymnasium as gym
import numpy as np
import one_file
import pytest
from engines import started
from weekly import weekly_but

from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side

GAMES = 24
SEEDS = range(700, 700 + GAMES)
NAMES = ("seek", "pursuit", "evade")
OF_GAMES = ("key", "draws", "steps", "distance")
OF_VEHICLES = (
    *("position", "velocity", "heading", "acceleration"),
    *("wander_point", "max_speed"),
)


def assert_bits(found, expected):
    # Equal numbers have the same bits, but for the sign of zero.
    np.testing.assert_array_equal(found, expected, strict=True)


def assert_same_state(games, state):
    for name in OF_GAMES:
        assert_bits(games[name], getattr(state, name))
    for side in Side:
        for name in OF_VEHICLES:
            assert_bits(games[side.name][name], getattr(state, name)[side])
    assert_bits(games.is_over, state.phase == 2)
    assert_bits(games.is_captured, ~state.active[1])


def played_by_both(pursuer, evader, steps):
    """Compares the two step by step; returns how many captures and time-outs there were."""
    engine = started(pursuer, evader, GAMES, seed=SEEDS[0])
    games = one_file.make_games(SEEDS)
    scripts = one_file.SCRIPTS[pursuer], one_file.SCRIPTS[evader]
    nobody = [engine.no_actions(side) for side in Side]
    captures, time_outs = 0, 0
    assert_same_state(games, engine.state)
    for _ in range(steps):
        rewards, terminated, truncated = one_file.step(games, *scripts)
        outcomes = engine.step_both(*nobody, restart=True)
        assert_same_state(games, engine.state)
        for side, outcome, sign in zip(Side, outcomes, (1.0, -1.0)):
            assert_bits(sign * rewards, outcome.rewards)
            assert_bits(one_file.observe(games, side.name), outcome.observations[:, 0])
            assert_bits(terminated, outcome.terminated)
            assert_bits(truncated, outcome.truncated)
        captures += terminated.sum()
        time_outs += truncated.sum()
    return captures, time_outs


PAIRS = weekly_but([("pursuit", "evade")], itertools.product(NAMES, NAMES))


@pytest.mark.parametrize(("pursuer", "evader"), PAIRS)
def test_scripts_play_bit_for_bit_across_captures_and_the_time_limit(pursuer, evader):
    captures, time_outs = played_by_both(pursuer, evader, 620)
    assert captures > 0 or pursuer == evader == "evade"
    assert time_outs > 0 or (pursuer, evader) != ("pursuit", "evade")


LEARNERS = weekly_but([(side, "seek") for side in Side], itertools.product(Side, NAMES))


@pytest.mark.parametrize(("side", "opponent"), LEARNERS)
def test_a_learner_sees_the_environments_bits(side, opponent):
    env_id = f"steer_env:{'Pursuit' if side == Side.PURSUER else 'Evade'}-v0"
    envs = gym.make_vec(env_id, num_envs=GAMES, opponent=ROSTER[opponent])
    games = one_file.make_games(SEEDS)
    assert_bits(one_file.observe(games, side.name), envs.reset(seed=SEEDS[0])[0])
    scripts = [one_file.SCRIPTS[opponent]] * 2
    scripts[side] = one_file.steered
    generator = np.random.default_rng(side)
    for moment in range(300):
        if moment % 10 == 0:  # long pushes, so that they meet walls and each other
            actions = generator.uniform(-1, 1, (GAMES, 2)).astype(np.float32)
        games[side.name].action = actions[:, 0] + 1j * actions[:, 1]
        rewards, terminated, truncated = one_file.step(games, *scripts)
        seen, reward, ended, cut, _ = envs.step(actions)
        assert_bits(one_file.observe(games, side.name), seen)
        assert_bits(rewards if side == Side.PURSUER else -rewards, reward)
        assert_bits(terminated, ended)
        assert_bits(truncated, cut)
    envs.close()


def test_it_runs_alone(monkeypatch, capsys):
    """Without `steer_env`, which may not even be looked for before the end."""
    for name in ("steer_env", "baselines", "gymnasium"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(sys, "argv", ["one_file.py", "--games", "8", "--evader", "seek"])
    runpy.run_path(one_file.__file__, run_name="__main__")
    assert capsys.readouterr().out.count("capture rate") == 1


def test_the_page_shows_its_step():
    page = (clients.ROOT / "docs" / "how_it_works.md").read_text(encoding="utf-8")
    assert f"```python\n{inspect.getsource(one_file.step)}```\n" in page
