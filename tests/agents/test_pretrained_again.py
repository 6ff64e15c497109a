"""Published figures of the pretrained policies come out again, and so does their training."""

from __future__ import annotations

import json
import shutil
from functools import partial

import gymnasium as gym
import numpy as np
import pretrained_pages as pretrained_results
import pytest
from pretrained_collections import Collection
from pretrained_measuring import PRETRAINED, collect, draw_learning_curve, measure
from pretrained_pages import write_page
from short_trainings import QUIET, short_selfplay, short_training
from test_pretrained import IN_SOLVED_GAMES, TEAMS, check_figures, collection_of, results_of

from steer_env.agents.selfplay.generations import SelfPlay
from steer_env.agents.selfplay.methods import SCRIPTS
from steer_env.agents.selfplay.selfplay import begin_selfplay, finish_selfplay
from steer_env.agents.training.train import begin_run
from steer_env.baselines import evaluate, gap
from steer_env.baselines.tasks import ALL_TASKS, HELD_OUT_SEED, TASKS
from steer_env.game.config import game_config
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("name", ["ppo", "sac", "mixture", "selfplay"])
def test_a_policy_is_measured_again(side, name):
    check_figures(side, name)


@pytest.mark.parametrize(
    ("environment", "opponent"),
    [("Evade-v0", "pretrained/pursuit/selfplay"), ("Pursuit-v0", "pretrained/evade/ppo/1")],
)
def test_a_pretrained_policy_is_an_opponent_single_and_vector(environment, opponent):
    env = gym.make(environment, opponent=opponent)
    env.reset(seed=1)
    envs = gym.make_vec(environment, num_envs=3, opponent=opponent)
    envs.reset(seed=1)
    for _ in range(10):
        action = np.array([0.3, -0.2], np.float32)
        one = env.step(action)[0]
        several = envs.step(np.tile(action, (3, 1)))[0]
        np.testing.assert_allclose(one, several[0], atol=1e-5)


@pytest.mark.parametrize("game", ["pack", "tag"])
def test_a_trained_team_is_measured_again(game):
    collection = next(one for one in TEAMS if (one.game.name, one.side) == (game, PURSUER))
    study = collection.study
    for opponent in study.opponents[1], study.held_out[0]:
        found = study.evaluate(collection.title, opponent)
        expected = results_of(collection)["benchmark"]["opponents"][opponent]["of_runs"][0]
        # Another machine's matrix products may round otherwise, which moves single episodes.
        allowed = 0.005 * found.config.horizon * found.config.dt
        assert found["time"].mean() == pytest.approx(expected["mean_capture_time"], abs=allowed)


def test_one_network_plays_in_packs_of_any_size():
    """Trained with three, it plays with two and with five as well."""
    rates = [
        evaluate(
            "pretrained/pack/pursuit/benchmark",
            "escape/full_force",
            {"game": "pack", "pursuers": pursuers},
            200,
            HELD_OUT_SEED,
        )["captured"].mean()
        for pursuers in (2, 3, 5)
    ]
    assert rates[0] < rates[1] - 0.2
    assert rates[1] > 0.9
    assert rates[2] >= rates[1]


@pytest.mark.parametrize("collection", IN_SOLVED_GAMES, ids=lambda each: each.title)
def test_gaps_to_perfect_play_come_out_again(collection):
    measured = results_of(collection)["optimality"][0]
    first = gap(collection.title, collection.game.name, collection.side.name)
    for name, region in first.regions.items():
        published = measured["regions"][name]["gap"]["estimate"]
        # Another machine's matrix products may round otherwise, which moves single episodes.
        allowed = 0.01 * max(region.mean_value, first.config.capture_radius)
        assert region.gap.estimate == pytest.approx(published, abs=allowed)


def test_one_command_trains_and_files_it_all(tmp_path, monkeypatch, capsys):
    few = (
        Collection(
            name="ppo", about="`evade`", training=short_training(), side=PURSUER, seeds=(0, 1)
        ),
    )
    monkeypatch.setattr(pretrained_results, "COLLECTIONS", few)
    monkeypatch.setattr("steer_env.baselines.known_players.CHOICE_EPISODES", 4)
    few_episodes = partial(begin_run, episodes=20)
    monkeypatch.setattr("train_folders.begin_run", few_episodes)
    answers = {EVADER: {name: ROSTER[name] for name in ("flee", "evade")}}
    monkeypatch.setattr("pretrained_measuring.scripts_of", answers.__getitem__)
    monkeypatch.setattr("pretrained_measuring.pretrained_of", lambda side, game: {})
    out = tmp_path / "pretrained"
    pretrained_results.pretrain(jobs=2, work=tmp_path / "work", out=out, episodes=4)
    again = (out / "Pursuit-v0/ppo/seed_1.npz").read_bytes()
    pretrained_results.pretrain(jobs=2, work=tmp_path / "work", out=out, episodes=4)
    results = (out / "Pursuit-v0/ppo/results.json").read_text()
    pretrained_results.pretrain(out=out, work=tmp_path / "none", episodes=8, train=False)
    measured = json.loads((out / "Pursuit-v0/ppo/results.json").read_text())
    assert measured["runs"] == json.loads(results)["runs"]
    assert measured["benchmark"]["episodes"] == 8
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("trained ") for line in lines) == 2
    assert (out / "Pursuit-v0/ppo/seed_1.npz").read_bytes() == again
    page = (out / "README.md").read_text()
    assert "pretrained/pursuit/ppo" in page
    _, answers = page.split("## Against the best known answers")
    assert f"| `{measured['answer']['answer']}` |" in answers
    assert len(list((out / "Pursuit-v0/ppo").glob("seed_*.npz"))) == 2


def test_self_play_in_a_solved_game_is_filed_and_measured_for_both_sides(tmp_path, monkeypatch):
    plan = SelfPlay(game="simple_plane", generations=1, steps=256, num_envs=8)
    game = SOLVED["simple_plane"]
    both = tuple(
        Collection(name="selfplay", about="scripts", training=plan, side=side, game=game)
        for side in Side
    )
    monkeypatch.setattr(pretrained_results, "COLLECTIONS", both)
    work, out = tmp_path / "work", tmp_path / "pretrained"
    folder = both[PURSUER].folder(work, 0)
    assert folder.path == both[EVADER].folder(work, 0).path == work / "selfplay_simple_plane"
    with short_selfplay():
        finish_selfplay(begin_selfplay(plan, folder.path, episodes=4), QUIET)
    for side, collection in zip(Side, both):
        study = collection.study
        assert study.name == f"{game.environment(side)} after self-play"
        assert study.config == game_config(game="simple_plane")
        assert study.opponents == SCRIPTS[side.other]
        assert study.held_out == ("optimal/simple",)
        collect(collection, work, out)
        measure(collection, out, episodes=4)
        path = out / collection.path
        last = folder.generation(1, side).last_policy
        assert (path / "seed_0.npz").read_bytes() == last.read_bytes()
        results = json.loads((path / "results.json").read_text())
        assert results["optimality"][0]["side"] == side.name
        assert {*SCRIPTS[side.other], "optimal/simple"} == {*results["benchmark"]["opponents"]}
    write_page(out)
    _, section = (out / "README.md").read_text().split("## Policies vs perfect play")
    for word in ("pursuit", "evade"):
        title = f"`pretrained/simple_plane/{word}/selfplay/0`"
        assert f"| {title} | scripts | 1 generations of 0.000256 M steps |" in section


def test_self_play_of_the_default_game_is_filed_as_before(tmp_path):
    for side in Side:
        collection = collection_of(side, "selfplay")
        assert collection.folder(tmp_path, 0).path == tmp_path / "selfplay"
        usual = TASKS[f"{side.name}/walls"]
        found = collection.study
        assert (found.environment, found.references) == (side.environment, usual.references)
        assert {*found.opponents, *found.held_out} == {
            *SCRIPTS[side.other],
            *usual.opponents,
            *usual.held_out,
        }


def test_a_team_is_measured_beside_the_scripts_of_teams(tmp_path, monkeypatch):
    collection = next(one for one in TEAMS if (one.game.name, one.side) == ("tag", PURSUER))
    monkeypatch.setattr(pretrained_results, "COLLECTIONS", (collection,))
    path = tmp_path / collection.path
    shutil.copytree(PRETRAINED / collection.path, path)
    (path / "learning_curve.svg").unlink()
    measure(collection, tmp_path, episodes=4)
    results = json.loads((path / "results.json").read_text())
    assert results["benchmark"]["episodes"] == 4
    assert set(results["scripts"]) == set(ALL_TASKS["pursuer/team"].references)
    curve = (path / "learning_curve.svg").read_bytes()
    (path / "learning_curve-dark.svg").unlink()
    draw_learning_curve(collection, tmp_path)
    assert (path / "learning_curve.svg").read_bytes() == curve
    assert (path / "learning_curve-dark.svg").read_bytes() != curve
    write_page(tmp_path)
    _, section = (tmp_path / "README.md").read_text().split("## Teams beside the best script")
    (row,) = [line for line in section.splitlines() if line.startswith("| pursuer/tag")]
    trained = results["benchmark"]["mean_capture_time"]["trained"]["estimate"]
    assert f"| `{collection.title}` | 3 |" in row
    assert f"| {trained:.2f} |" in row
