"""The pretrained policies are there, play by name, and are as good as their page says."""

import json
import shutil
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pretrained_pages as pretrained_results
import pytest
from pretrained_collections import COLLECTIONS, Collection
from pretrained_measuring import COMMAND, PRETRAINED
from pretrained_pages import write_page
from short_trainings import short_training
from weekly import weekly_but

from steer_env.agents.training.train import begin_run
from steer_env.baselines import gap, gap_metrics
from steer_env.baselines.optimality import mean_value
from steer_env.baselines.tasks import ALL_TASKS
from steer_env.players import pretrained
from steer_env.scenarios.registry import DEFAULT_GAME
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side


def results_of(collection):
    return json.loads((PRETRAINED / collection.path / "results.json").read_text())


def collection_of(side, name, game=DEFAULT_GAME):
    key = game, side, name
    return next(one for one in COLLECTIONS if (one.game.name, one.side, one.name) == key)


@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda each: each.title)
def test_a_collection_is_whole_and_small(collection):
    for seed in collection.seeds:
        path = pretrained.path_of(f"{collection.title}/{seed}")
        assert path.stat().st_size < (200_000 if collection in TEAMS else 100_000)
        assert path.parent == PRETRAINED / collection.path
    config = json.loads((PRETRAINED / collection.path / "config.json").read_text())
    assert config["seeds"] == list(collection.seeds)
    assert config["command"].startswith(("python -m agents pretrain", COMMAND))
    assert len(results_of(collection)["benchmark"]["policies"]) == len(collection.seeds)


KINDS = product(Side, ("ppo", "sac", "mixture", "selfplay"), (DEFAULT_GAME,))
OF_TEAMS = [(PURSUER, "benchmark", "pack"), (PURSUER, "ppo", "tag")]
QUICK = [(EVADER, "selfplay", DEFAULT_GAME)]


@pytest.mark.parametrize(("side", "name", "game"), weekly_but(QUICK, [*KINDS, *OF_TEAMS]))
def test_a_policy_is_measured_again(side, name, game):
    """Plays the episodes of the published results of a policy again."""
    collection, is_team = collection_of(side, name, game), game != DEFAULT_GAME
    study, opponents = collection.study, [collection.side.default_opponent]
    config = json.loads((PRETRAINED / collection.path / "config.json").read_text())
    if "capture_radius" in config:  # it was measured before the default changed
        changed = {**study.keywords, "capture_radius": config["capture_radius"]}
        study = replace(study, keywords=changed)
    seed = results_of(collection)["benchmark"]["first_seed"]
    for opponent in (study.opponents[1], study.held_out[0]) if is_team else opponents:
        found = study.evaluate(collection.title, opponent, seed=seed)
        expected = results_of(collection)["benchmark"]["opponents"][opponent]["of_runs"][0]
        # Another machine's matrix products may round otherwise, which moves single episodes.
        allowed = (0.005 if is_team else 0.0025) * found.config.horizon * found.config.dt
        assert found["time"].mean() == pytest.approx(expected["mean_capture_time"], abs=allowed)
        assert found["captured"].mean() == pytest.approx(expected["capture_rate"], abs=0.01)


@pytest.mark.parametrize(("side", "reference"), [(PURSUER, "pursuit"), (EVADER, "evade")])
def test_every_run_of_ppo_beats_the_hand_written_policy_within_a_minute(side, reference):
    results = results_of(collection_of(side, "ppo"))
    measured = results["benchmark"]["opponents"][side.default_opponent]
    theirs = measured["references"][reference]
    assert len(results["runs"]) == 5
    for run in results["runs"].values():
        times = [v["capture_time"] for v in run["validations"] if v["seconds"] <= 60.0]
        assert (min(times) < theirs) if side is PURSUER else (max(times) > theirs)


@pytest.mark.parametrize("side", Side)
def test_training_by_search_beats_the_tuned_script(side):
    collection = collection_of(side, "benchmark_search")
    *_, tuned = collection.study.references
    found = results_of(collection)["benchmark"]["differences"][tuned]["trained"]
    assert (found["high"] < 0.0) if side is PURSUER else (found["low"] > 0.4)


def runs_of(collection):
    """The mean capture time of each run against the opponents for training."""
    opponents = results_of(collection)["benchmark"]["opponents"].values()
    trained = [found["of_runs"] for found in opponents if not found["held_out"]]
    return np.mean([[run["mean_capture_time"] for run in runs] for runs in trained], axis=0)


TEAMS = [found for found in COLLECTIONS if found.is_beside_scripts]


@pytest.mark.parametrize("collection", TEAMS, ids=lambda each: each.title)
def test_a_trained_team_beats_every_script_against_the_opponents_for_training(collection):
    less = results_of(collection)["scripts"]
    assert set(less) == set(ALL_TASKS[f"{collection.side.name}/team"].references)
    sign = 1.0 if collection.side is PURSUER else -1.0
    if collection.game.name == "pack":  # four runs of five beat its best script
        ours, behind = (
            runs_of(collection),
            less.pop("voronoi/full_force")["trained"]["estimate"],
        )
        assert sum(ours < ours.mean() - behind) == 4
    for name, found in less.items():
        bounds = [sign * found["trained"][word] for word in ("low", "high")]
        assert sign * found["trained"]["estimate"] < -0.2, name
        assert max(bounds) < 0.0, name


IN_SOLVED_GAMES = [found for found in COLLECTIONS if found.game.is_solved]


@pytest.mark.parametrize(
    "collection",
    [found for found in IN_SOLVED_GAMES if found.name == "ppo"],
    ids=lambda each: each.title,
)
def test_ppo_against_perfect_play_is_near_it(collection):
    """The largest gap and share of failures that the documentation claims, in every region."""
    measured = results_of(collection)["optimality"]
    assert len(measured) == len(collection.seeds) == 5
    for run in measured:
        for region in run["regions"].values():
            if collection.game.name == "perimeter_defense":
                assert region["gap"]["estimate"] < 0.02 * 3.0  # m, the range of V
            elif region["share"] is None:  # V is 0
                assert region["gap"]["estimate"] < 0.05 * 0.5  # m, of the capture radius
            else:
                assert region["share"]["estimate"] < 0.05
            assert region["never_caught"] is None or region["never_caught"]["estimate"] < 0.004


def test_the_page_says_what_the_results_say(tmp_path):
    shutil.copytree(PRETRAINED, tmp_path / "copy")
    write_page(tmp_path / "copy")
    written = (tmp_path / "copy" / "README.md").read_text()
    assert written == (PRETRAINED / "README.md").read_text()


@pytest.mark.weekly
@pytest.mark.parametrize("collection", IN_SOLVED_GAMES, ids=lambda each: each.title)
def test_gaps_to_perfect_play_come_out_again(collection):
    measured = results_of(collection)["optimality"][0]
    first = gap(collection.title, collection.game.name, collection.side.name)
    for name, region in first.by("region").items():
        published = measured["regions"][name]["gap"]["estimate"]
        # Another machine's matrix products may round otherwise, which moves single episodes.
        allowed = 0.01 * max(mean_value(region), first.config.capture_radius)
        assert gap_metrics(region)["gap"].estimate == pytest.approx(published, abs=allowed)


@pytest.mark.weekly
def test_one_command_trains_and_files_it_all(tmp_path, monkeypatch, capsys):
    about = {"name": "ppo", "about": "`evade`", "side": PURSUER, "seeds": (0, 1)}
    few = Collection(training=short_training(), **about)
    monkeypatch.setattr(pretrained_results, "COLLECTIONS", (few,))
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
    _, answers = page.split("## Policies vs the best known answers")
    assert f"| `{measured['answer']['answer']}` |" in answers
    assert len(list((out / "Pursuit-v0/ppo").glob("seed_*.npz"))) == 2
