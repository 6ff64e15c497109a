"""The inspector shows what the engine and the scripts know, and what was decided."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.episodes.live_game import LiveGame
from steer_env.game.config import game_config
from steer_env.game.config.keywords import given_game
from steer_env.policies.players import controller_of
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vectors import truncate
from steer_env.watch.inspector import Bar, Fact, Heading, Inspector, Note, Share

from .screenings import same

TEAMS = {"pursuers": 2, "evaders": 3, "obstacles": 2}
GAMES = {
    "walls": {},
    "3 v 2 among obstacles": {"pursuers": 3, "evaders": 2, "obstacles": 3},
    "torus": {"arena": "torus", "pursuers": 2, "evaders": 2},
    "limits of sight": {"obstacles": 3, "observation": {"range": 8.0, "occlusion": True}},
}


def played(pursuer="pursuit", evader="evade", steps=0, seed=0, **game):
    """A history of a game, and an inspector."""
    config = given_game(game.pop("game", None)) if "game" in game else game_config(**game)
    players = [named_script(p) if isinstance(p, str) else p for p in (pursuer, evader)]
    history = LiveGame(config, *players)
    history.start(seed)
    history.reach(steps)
    return history, Inspector(config)


def facts(rows):
    return {row.name: row.value for row in rows if isinstance(row, Fact)}


# ---- The state ------------------------------------------------------------------------------


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_observations_are_those_of_the_engine_at_every_moment(arena):
    game, inspector = played(arena=arena, **TEAMS)
    expected = []
    for _ in range(20):
        sides = [game.observation(side) for side in (PURSUER, EVADER)]
        expected.append(np.concatenate(sides))
        game.step()
    for moment, of_players in enumerate(expected):
        for player, observation in enumerate(of_players):
            bars = [r for r in inspector.rows(game, moment, player) if isinstance(r, Bar)]
            assert np.array_equal([bar.value for bar in bars], observation.tolist())
    assert game.last == 20  # looking changes nothing


def test_every_feature_is_below_its_heading():
    game, inspector = played(**TEAMS)
    rows = inspector.rows(game, 0, 3)
    titles = [row.text for row in rows if isinstance(row, Heading)]
    assert titles == [
        "evader 2: evader",
        "script",
        "observed of itself",
        "observed of pursuer 1",
        "observed of pursuer 2",
        "observed of evader 1",
        "observed of evader 3",
        "observed of obstacle 1, nearest first",
        "observed of obstacle 2, nearest first",
    ]
    first = rows[rows.index(Heading("observed of pursuer 2")) + 1]
    assert first.feature.name == "presence"


def test_motion_and_annotations_are_those_of_the_state():
    game, inspector = played(steps=15, seed=1)
    record, force = game.record_at(15), game.recording().forces[15, 0]
    body = record["players"]["body"][0]
    found = facts(inspector.rows(game, 15, 0))
    position, velocity = body["position"], body["velocity"]
    assert found["position"] == f"({position.real:.2f}, {position.imag:.2f}) m"
    assert found["velocity"] == f"({velocity.real:.2f}, {velocity.imag:.2f}) m/s"
    assert found["speed"].startswith(f"{abs(velocity):.2f} of 4.00")
    assert found["heading"] == f"{np.degrees(np.angle(body['heading'])):.0f}\u00b0"
    assert found["force"].startswith(f"{abs(force):.2f} of 12.00 N")
    shown = game.recording().annotations(15)[0]
    assert found["aim"] == f"({shown.aim.real:.2f}, {shown.aim.imag:.2f}) m"
    assert found["lookahead"] == f"{shown.lookahead:.2f} s"


def test_a_script_shows_its_settings_that_are_not_default():
    script = ROSTER["evade/threatened"]
    game, inspector = played(evader=script)
    rows = inspector.rows(game, 0, 1)
    found = facts(rows)
    assert Note(script.description) in rows
    assert found["behavior"] == "evade"
    assert found["threat range"] == f"{script.threat_range:g}"
    assert "walls" in found
    assert "lookahead cap" not in found


def test_an_evader_that_is_caught():
    game, inspector = played("pursuit", "rest", 300, horizon=300)
    assert facts(inspector.rows(game, game.last, 1))["caught"] == "yes"
    assert "caught" not in facts(inspector.rows(game, game.last, 0))


# ---- Decisions ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize(
    "names",
    [
        ("pursuit", "evade"),
        ("pursuit/among_obstacles", "evade/among_obstacles"),
        ("pursuit/intercept", "evade/dithered"),
        ("seek", "evade/herd"),
    ],
)
def test_shares_add_up_to_the_force_at_every_moment(names, game):
    history, inspector = played(*names, 60, **game)
    forces = history.recording().forces
    compared = 0
    for moment in range(1, history.last + 1):
        for player in range(forces.shape[1]):
            decision = inspector.decision(history, moment, player)
            if decision is None:
                assert not history.record_at(moment)["players"]["active"][player]
                continue
            total = truncate(sum(share.added for share in decision.shares), decision.max_force)
            assert decision.force == forces[moment, player]
            assert total == pytest.approx(decision.force, rel=1e-9, abs=1e-9)
            compared += abs(total) > 0.0
    assert compared > 40


def test_at_the_start_there_is_no_decision_and_looking_changes_nothing():
    history, inspector = played(steps=40)
    assert inspector.decision(history, 0, 0) is None
    before = history.recording().states[20].copy()
    once = inspector.decision(history, 20, 1)
    inspector.decision(history, 20, 0)  # the last one is kept
    assert once == inspector.decision(history, 20, 1)  # although it turned a wanderer
    assert once.seconds == pytest.approx(19 / 30)
    assert same(history.recording().states[20], before)
    history.start(1)
    history.reach(40)
    assert inspector.decision(history, 20, 1) != once  # of another episode


def test_a_budget_cuts_what_asks_last_and_leaves_out_the_rest():
    names = "pursuit/among_obstacles", "evade/among_obstacles"
    history, inspector = played(*names, 130, 7, obstacles=5)
    cut = left_out = 0
    for moment in range(1, 131):
        for player in (0, 1):
            shares = inspector.decision(history, moment, player).shares
            script = history.scripts[player]
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


def test_weighted_parts_are_never_cut_and_perfect_play_has_no_parts():
    history, inspector = played(steps=60, seed=7)
    shares = [s for m in range(1, 61) for s in inspector.decision(history, m, 1).shares]
    assert {share.name for share in shares} == {"walls", "evade", "wander"}
    assert not any(share.is_cut for share in shares)
    history, inspector = played(Script(behavior="wander"), "rest", 5)
    (share,) = inspector.decision(history, 5, 0).shares
    assert share.part == "wander"
    history, inspector = played("optimal/simple", "optimal/simple", 5, game="simple_plane")
    assert inspector.decision(history, 5, 0).shares == ()


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_a_policy_shows_the_action_that_it_took(side):
    players = side.ordered(controller_of("random", side, seed=3), "rest")
    game, inspector = played(*players, 9, pursuers=2)
    player = (0, 2)[side]
    decision, rows = inspector.decision(game, 9, player), inspector.rows(game, 9, player)
    forward, left = game.recording().actions[side][8, 0].tolist()
    assert decision.action == complex(forward, left)
    assert facts(rows)["action"] == f"forward {forward:.2f}, left {left:.2f}"
    pushed = truncate(decision.action, 1.0) * decision.heading * decision.max_force
    assert pushed == pytest.approx(decision.force, rel=1e-6)
    assert decision.value is None
    assert not any(isinstance(row, Share) for row in rows)
    assert any(isinstance(row, Note) and "policy" in row.text for row in rows)


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
    game, inspector = played(controller_of(model, PURSUER), "rest", 8)
    seen = game.observation(PURSUER)
    game.step()
    seen = env.normalize_obs(seen) if is_normalized else seen
    value = float(model.policy.predict_values(torch.as_tensor(seen)).detach())
    assert inspector.decision(game, 9, 0).value == pytest.approx(value, rel=1e-5)
    assert facts(inspector.rows(game, 9, 0))["value"].startswith(f"{value:.3f}")
