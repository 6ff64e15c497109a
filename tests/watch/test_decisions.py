"""The inspector's decisions are those that were made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from steer_env.envs.keywords import given_game
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import History
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.players import NamedPlayer, controller_of
from steer_env.rendering.window import Window
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vectors import truncate
from steer_env.watch import watching
from steer_env.watch.decisions import decision_of
from steer_env.watch.inspector import Diagram, Fact, Inspector, Part
from steer_env.watch.screening import Screening

from .screenings import same

GAMES = {
    "walls": {},
    "3 v 2 among obstacles": {"pursuers": 3, "evaders": 2, "obstacles": 3},
    "torus": {"arena": "torus", "pursuers": 2, "evaders": 2},
    "limits of sight": {"obstacles": 3, "observation": {"range": 8.0, "occlusion": True}},
}


def played(pursuer, evader, steps, seed=0, **game):
    """A history of a game, and an inspector."""
    config = game_config(**game)
    players = [named_script(p) if isinstance(p, str) else p for p in (pursuer, evader)]
    history = History(Duel(config, *players))
    history.start(seed)
    history.reach(steps)
    return history, Inspector(config)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize(
    "names",
    [
        ("pursuit", "evade"),
        ("pursuit/among_obstacles", "evade/among_obstacles"),
        ("seek", "evade/threatened"),
        ("pursuit/intercept", "evade/dithered"),
        ("pursuit", "evade/herd"),
    ],
)
def test_shares_add_up_to_the_force_at_every_moment(names, game):
    history, inspector = played(*names, 80, **game)
    forces = history.recording().forces
    compared = 0
    for moment in range(1, history.last + 1):
        for player in range(forces.shape[1]):
            decision = inspector.decision(history, moment, player)
            if decision is None:
                assert not history.record(moment)["players"]["active"][player]
                continue
            total = truncate(sum(share.added for share in decision.shares), decision.max_force)
            assert decision.force == forces[moment, player]
            assert total == pytest.approx(decision.force, rel=1e-9, abs=1e-9)
            compared += abs(total) > 0.0
    assert compared > 60


def test_at_the_start_there_is_no_decision_and_looking_changes_nothing():
    history, inspector = played("pursuit", "evade", 40)
    assert inspector.decision(history, 0, 0) is None
    before = history.recording().states[20].copy()
    once = inspector.decision(history, 20, 1)
    inspector.decision(history, 20, 0)  # the last one is kept
    assert once == inspector.decision(history, 20, 1)  # although it turned a wanderer
    assert once.seconds == pytest.approx(19 / 30)
    assert same(history.recording().states[20], before)
    assert history.last == 40


def test_a_decision_is_explained_once_for_a_picture_and_anew_for_another(monkeypatch):
    explained = []

    def counted(episode, controllers, engine, moment, player):
        explained.append((episode.seed, moment, player))
        return decision_of(episode, controllers, engine, moment, player)

    monkeypatch.setattr("steer_env.watch.inspector.decision_of", counted)
    history, inspector = played("pursuit", "evade", 40)
    seed = history.duel.seed
    first = inspector.decision(history, 20, 1)
    inspector.rows(history, 20, 1)
    assert explained == [(seed, 20, 1)]
    inspector.decision(history, 20, 0)
    inspector.decision(history, 21, 0)
    assert explained[1:] == [(seed, 20, 0), (seed, 21, 0)]
    history.start(seed + 1)
    history.reach(40)
    assert inspector.decision(history, 21, 0) == inspector.decision(history, 21, 0)
    history.start(seed)
    history.reach(40)
    assert inspector.decision(history, 20, 1) == first
    assert explained[3:] == [(seed + 1, 21, 0), (seed, 20, 1)]


def test_a_budget_cuts_what_asks_last_and_leaves_out_the_rest():
    names = "pursuit/among_obstacles", "evade/among_obstacles"
    history, inspector = played(*names, 130, 7, obstacles=5)
    cut = left_out = 0
    for moment in range(1, 131):
        for player in (0, 1):
            shares = inspector.decision(history, moment, player).shares
            script = history.duel.scripts[player]
            assert [share.part for share in shares] == list(script.parts)
            asked = [share for share in shares if share.asked is not None]
            spent = sum(abs(share.added) for share in shares)
            assert spent < 12.0 + 1e-9
            assert shares[: len(asked)] == tuple(asked)  # those left out come last
            if len(asked) < len(shares):
                assert spent == pytest.approx(12.0)
                left_out += 1
            for share in asked:
                if share.is_cut:
                    assert abs(share.added) < abs(share.asked)
                    cut += 1
                else:
                    assert share.added == pytest.approx(share.asked, abs=1e-9)
    assert cut > 3
    assert left_out > 3


def test_weighted_parts_are_never_cut():
    history, inspector = played("pursuit", "evade", 60, 7)
    shares = [s for m in range(1, 61) for s in inspector.decision(history, m, 1).shares]
    assert {share.name for share in shares} == {"walls", "evade", "wander"}
    assert not any(share.is_cut for share in shares)


def test_a_wanderer_has_no_other_main_behavior():
    history, inspector = played(Script(behavior="wander"), "rest", 5)
    (share,) = inspector.decision(history, 5, 0).shares
    assert (share.part, share.is_cut) == ("wander", False)


def test_perfect_play_has_a_force_and_no_parts():
    config = given_game("simple_plane")
    history = History(Duel(config, *map(named_script, ("optimal/simple", "optimal/simple"))))
    history.start(0)
    history.reach(5)
    decision = Inspector(config).decision(history, 5, 0)
    assert decision.shares == ()
    assert abs(history.recording().forces[1:6, 0]).max() > 0.0


def policy_rows(controller, moment=9):
    config = game_config(horizon=30)
    sides = [NamedPlayer("mine", controller)], [NamedPlayer("rest", ROSTER["rest"])]
    screening = Screening(config, *sides)
    for _ in range(moment):
        screening.step_forward()
    game, inspector = screening.games[0], Inspector(config)
    rows = inspector.rows(game, moment, 0)
    facts = {row.name: row.value for row in rows if isinstance(row, Fact)}
    return game, inspector.decision(game, moment, 0), rows, facts


def test_a_policy_shows_the_action_that_it_took():
    game, decision, rows, facts = policy_rows(controller_of("random", PURSUER, seed=3))
    forward, left = game.recording().actions[PURSUER][8, 0].tolist()
    assert decision.action == complex(forward, left)
    assert facts["action"] == f"forward {forward:.2f}, left {left:.2f}"
    pushed = truncate(decision.action, 1.0) * decision.heading * decision.max_force
    assert pushed == pytest.approx(decision.force, rel=1e-6)
    assert decision.value is None
    assert "value" not in facts
    assert not any(isinstance(row, Part) for row in rows)
    assert any(isinstance(row, Diagram) for row in rows)


@pytest.mark.parametrize("is_normalized", [False, True])
def test_a_model_with_a_critic_shows_its_value(is_normalized):
    sb3 = pytest.importorskip("stable_baselines3")
    import gymnasium as gym
    import torch
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    env = DummyVecEnv([lambda: gym.make("Pursuit-v0")])
    if is_normalized:
        env = VecNormalize(env)
        env.reset()
        for _ in range(20):
            env.step([env.action_space.sample()])
    model = sb3.PPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, device="cpu", seed=0)
    game, decision, _, facts = policy_rows(controller_of(model, PURSUER))
    engine = Inspector(game.config)._engine_of(game)
    engine.restore(game.recording().states[8:9])
    seen = engine.observe(PURSUER)[0]
    seen = env.normalize_obs(seen) if is_normalized else seen
    value = float(model.policy.predict_values(torch.as_tensor(seen)).detach())
    assert decision.value == pytest.approx(value, rel=1e-5)
    assert facts["value"] == f"{value:.3f}, the critic's estimate"


@pytest.mark.parametrize("name", ["SAC", "DQN"])
def test_a_model_without_a_value_of_states_shows_none(name):
    sb3 = pytest.importorskip("stable_baselines3")
    import gymnasium as gym

    env = gym.make("PursuitDiscrete-v0" if name == "DQN" else "Pursuit-v0")
    policy = {"net_arch": [8]}
    model = getattr(sb3, name)("MlpPolicy", env, policy_kwargs=policy, buffer_size=10)
    assert policy_rows(controller_of(model, PURSUER))[1].value is None


def test_explanations_cost_other_engines_nothing():
    """An engine that explains nothing keeps the routines of plain scripts, and their bits."""
    history, inspector = played("pursuit", "evade", 60, 5)
    for moment in range(1, 61):
        inspector.decision(history, moment, EVADER)
    again, _ = played("pursuit", "evade", 60, 5)
    assert np.array_equal(again.recording().states, history.recording().states)


def test_an_explanation_is_the_callers_and_no_later_step_writes_into_it():
    scripts = ROSTER["pursuit/among_obstacles"], ROSTER["evade/among_obstacles"]
    engine = Engine(game_config(obstacles=3), *([script] for script in scripts))
    engine.seed([8])
    engine.start()
    explained = engine.explain()
    assert explained.tobytes().strip(b"\0")
    explained[:] = np.zeros((), explained.dtype)
    nobody = np.zeros((0, 1, 2), np.float32)
    engine.step(nobody, nobody, PURSUER, False)
    assert not explained.tobytes().strip(b"\0")


def test_what_explains_is_compiled_before_the_window_opens(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    events = []

    class Opened(Window):
        def __init__(self, *arguments):
            events.append("opened")
            super().__init__(*arguments)

    monkeypatch.setattr(watching, "Window", Opened)
    monkeypatch.setattr(watching, "compile_explanations", lambda: events.append("compiled"))
    watching.watch(game={"horizon": 2}, episodes=1)
    assert events == ["compiled", "opened"]


_CLICK = """
from steer_env.steering import addresses
from steer_env.game.runner import compile_explanations
from watch.test_decisions import played

history, inspector = played("pursuit", "evade", 5)
compile_explanations()

def refuse(name, compile_function):
    raise AssertionError(name)

addresses.load_or_compile = refuse
print(len(inspector.decision(history, 5, 1).shares))
"""


def test_no_click_compiles_anything():
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", _CLICK],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tests.parent), str(tests)])},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.returncode) == ("3\n", 0), done.stderr
