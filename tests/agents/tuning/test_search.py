"""Searches, from the command line to the preset: the best on validation starts."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from rich.console import Console

from agents.__main__ import main
from agents.training.hyperparameters import read_preset
from agents.training.training import Training
from agents.training.validation import VALIDATION_SEED
from agents.tuning.choice import AllFailed, final_records, finalists, outcome
from agents.tuning.plan import Record, SearchFolder, Tuning
from agents.tuning.report import write_report
from agents.tuning.runs import begin_tuning, finish_tuning
from agents.tuning.trial import FRESH_SEED
from baselines.scenarios import ALL_SCENARIOS, Scenario
from steer_env.errors import InvalidValue

pytestmark = pytest.mark.filterwarnings("default")  # Ray's own

ROOT = Path(__file__).parents[3]
SCENARIO = ALL_SCENARIOS["pursuer/walls"]
SHORT = (
    *("tune", "--scenario", "pursuer/walls", "--steps", "768", "--num-envs", "8"),
    *("--validations", "3", "--validation-episodes", "4", "--final-episodes", "4"),
    *("--seeds", "1", "--params", "n_steps=32", "batch_size=64"),
)


def results_of(folder):
    return json.loads((folder / "results.json").read_text())


def check_choice_is_fair(played, folder):
    """That only validation starts and the training's opponents were played, and wrote it."""
    lines = [line.split() for line in played.read_text().splitlines()]
    assert {opponent for *_, opponent in lines} == {*SCENARIO.opponents}
    assert {(int(seed), int(episodes)) for seed, episodes, _ in lines} == {
        (VALIDATION_SEED, 4),
        (FRESH_SEED, 4),
    }
    texts = [path.read_text() for path in folder.rglob("*.*") if path.is_file()]
    for opponent in {*SCENARIO.held_out} - {*SCENARIO.opponents}:
        assert not any(f'"{opponent}"' in text or f"`{opponent}`" in text for text in texts)
    found = results_of(folder)
    means = {one["sample"]: one["mean"] for one in found["finalists"]}
    sound = [mean for mean in means.values() if mean is not None]
    assert None in means  # the preset
    assert means[found["winner"]["sample"]] == min(sound)
    for one in found["final"]:
        if one["payoffs"]:
            mean = means[one["of_sample"]]
            assert mean == pytest.approx(np.mean(one["payoffs"]))


def check_preset(folder, command, steps=768):
    """That preset.yml is what won, for us and for any reader of rl-zoo's format."""
    found, text = results_of(folder), (folder / "preset.yml").read_text()
    written = yaml.safe_load(text)
    assert written == {"Pursuit-v0": found["winner"]["preset"]}
    preset = read_preset("ppo", "Pursuit-v0", folder / "preset.yml")
    assert (preset.steps, preset.num_envs, preset.arguments["n_steps"]) == (steps, 8, 32)
    again = Training(scenario="pursuer/walls", preset=folder / "preset.yml").read_preset()
    assert again.arguments == preset.arguments
    assert found["conclusion"] in text
    assert command in text
    for line in text.splitlines():
        if line.startswith("  policy_kwargs"):  # rl-zoo evaluates it
            from torch import nn

            assert eval(yaml.safe_load(line)["policy_kwargs"], {"nn": nn})["net_arch"]


def test_asha_from_the_command_line(played, tmp_path, capsys, monkeypatch):
    def refused(*given):
        raise AssertionError("the process that chooses plays nothing itself")

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(Scenario, "match", refused)
    played.write_text("")
    folder = tmp_path / "search"
    # Of these samples, numbers 3 and 4 fail: one raises, and one ends its process.
    main([*SHORT, "--samples", "6", "--finalists", "1", "--out", str(folder)])
    printed = capsys.readouterr().out
    found = results_of(folder)
    assert found["conclusion"] in " ".join(printed.split())
    assert f"wrote {folder}" in printed
    assert f"agents train --scenario pursuer/walls --preset {folder}/preset.yml" in printed
    assert "Trial status" not in printed
    check_choice_is_fair(played, folder)
    check_preset(folder, "python -m agents tune --steps 768 --scenario pursuer/walls")
    trials = found["search"]
    assert [one["number"] for one in trials] == [*range(6)]
    assert trials[0]["setting"] == {}
    for one in trials:
        steps = [each["steps"] for each in one["curve"]]
        assert steps == sorted({*steps})
        expected = {
            "finished": one["reason"] is None and steps[-1:] == [768],
            "stopped": one["reason"] is None and 0 < len(steps) < 3,
            "failed": one["reason"] is not None,
        }
        assert expected[one["status"]], one
    clips = {one["setting"].get("clip_range"): one for one in trials}
    assert clips[0.15]["reason"] == "FloatingPointError: it diverged"
    assert clips[0.4]["status"] == "failed"
    assert sum(one["status"] == "failed" for one in trials) == sum(
        one["setting"].get("clip_range") in (0.15, 0.4) for one in trials
    )
    assert {path.name for path in folder.iterdir()} == {
        *("README.md", "config.json", "results.json", "preset.yml", "search", "final", ".lock")
    }
    assert not (tmp_path / "home" / "ray_results").exists()
    page = (folder / "README.md").read_text()
    assert found["conclusion"] in page
    # Going on with a complete search changes nothing.
    before = {path.name: path.read_text() for path in folder.glob("*.yml")}
    main(["tune", "--resume", str(folder)])
    assert {path.name: path.read_text() for path in folder.glob("*.yml")} == before
    with pytest.raises(SystemExit):
        main([*SHORT, "--out", str(folder)])
    assert "already holds a search of hyperparameters" in capsys.readouterr().err


def test_population_based_training(played, tmp_path, capsys):
    played.write_text("")
    folder = tmp_path / "search"
    words = ("--samples", "4", "--finalists", "1", "--scheduler", "pbt", "--out", str(folder))
    # Without the values with which trials fail here: a member could be given one.
    fixed = ("--params", "n_steps=32", "batch_size=64", "clip_range=0.2")
    main([*SHORT, "--steps", "1024", "--validations", "4", *fixed, *words])
    found = results_of(folder)
    check_choice_is_fair(played, folder)
    check_preset(folder, "--scheduler pbt", steps=1024)
    is_preset = found["winner"]["sample"] is None
    assert ("the last of a schedule" in (folder / "preset.yml").read_text()) != is_preset
    trials = found["search"]
    assert all(one["status"] == "finished" for one in trials)
    assert all(one["setting"] == one["curve"][-1]["setting"] for one in trials)
    changed = [
        (one["number"], earlier["setting"], later["setting"])
        for one in trials
        for earlier, later in zip(one["curve"], one["curve"][1:])
        if earlier["setting"] != later["setting"]
    ]
    assert changed  # somebody went on from another one, with values moved a little
    for number, _, later in changed:
        others = [
            each["setting"]
            for one in found["search"]
            if one["number"] != number
            for each in one["curve"]
        ]
        assert any(later.get("net_arch") == other.get("net_arch") for other in others)
        assert later not in others


def test_a_killed_search_goes_on(played, tmp_path, capsys):
    folder = tmp_path / "search"
    words = (*SHORT, "--samples", "2", "--finalists", "1", "--out", str(folder))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    search = subprocess.Popen(
        [sys.executable, "-m", "agents", *words, "--jobs", "1"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def kept():
        return SearchFolder(folder).read_records("search") if folder.exists() else {}

    deadline = time.monotonic() + 180.0
    while not any(one.curve for one in kept().values()) and time.monotonic() < deadline:
        time.sleep(0.02)
    search.kill()
    assert search.wait() == -signal.SIGKILL
    before = {number: one.curve for number, one in kept().items() if one.curve}
    assert before
    assert not (folder / "results.json").exists()
    with pytest.raises(SystemExit):
        main(["tune", "--resume", str(folder), "--samples", "3"])
    assert "settings of its own" in capsys.readouterr().err
    main(["tune", "--resume", str(folder)])
    found = results_of(folder)
    for number, curve in before.items():
        assert found["search"][number]["curve"][: len(curve)] == curve
    assert all(one["status"] in ("finished", "stopped") for one in found["search"])
    check_preset(folder, "--samples 2")


def test_if_all_fail_one_line_says_why(played, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "agents.tuning.runs.drawn_setting", lambda training, number: {"clip_range": 0.15}
    )
    training = Training(steps=256, num_envs=8, params=("n_steps=32", "batch_size=64"))
    folder = begin_tuning(Tuning(training=training, samples=2), tmp_path / "search")
    with pytest.raises(AllFailed, match="all 2 trials failed; the first: FloatingPointError"):
        finish_tuning(folder, Console(quiet=True))
    assert not folder.preset.exists()


def plan_of(scenario="pursuer/walls", **changes):
    settings = {"training": Training(scenario=scenario), "samples": 4, "seeds": 2}
    return Tuning(**{**settings, **changes})


def searched(payoffs, **changes):
    """Trials with one validation each, None for a failed one."""
    return [
        Record(
            number,
            {"n_epochs": number + 2} if number else {},
            0,
            "failed" if payoff is None else "finished",
            "it broke" if payoff is None else None,
            [] if payoff is None else [{"steps": 10, "payoff": payoff}],
        )
        for number, payoff in enumerate(payoffs)
    ]


@pytest.mark.parametrize(("scenario", "best"), [("pursuer/walls", 3), ("evader/walls", 1)])
def test_finalists_are_the_best_and_the_preset(scenario, best):
    plan = plan_of(scenario, finalists=1)
    chosen = finalists(searched([5.0, 9.0, None, 4.0]), plan)
    assert [one.number for one in chosen] == [0, best]
    records = final_records(chosen, plan)
    assert [(one.of_sample, one.seed) for one in records] == [
        (None, 1),
        (None, 2),
        (best, 1),
        (best, 2),
    ]
    # What is the preset in other words is not another finalist.
    same = searched([5.0, 5.0])
    same[1].setting = {"n_epochs": 2, "clip_range": 0.2}
    assert len(finalists(same, plan)) == 1
    with pytest.raises(AllFailed, match="all 2 trials failed; the first: it broke"):
        finalists(searched([None, None]), plan)


@pytest.mark.parametrize(("scenario", "sign"), [("pursuer/walls", 1.0), ("evader/walls", -1.0)])
def test_the_best_mean_wins_and_its_gain_is_paired(scenario, sign):
    plan = plan_of(scenario, finalists=2)
    records = final_records(finalists(searched([5.0, 5.0, 5.0]), plan), plan)
    starts = np.linspace(4.0, 6.0, 200)
    for one, mean in zip(records, [10.0, 10.0, 9.0, 9.5, 8.0, 13.0]):
        one.status, one.payoffs = "finished", (sign * (mean - 10.0) + 10.0 + starts).tolist()
    found = outcome(records, plan)
    assert found.winner.sample == 1
    assert found.gain.estimate == pytest.approx(sign * -0.75)
    assert sign * found.gain.low < 0.0
    assert sign * found.gain.high < 0.0
    # A setting of which one training fails is out, however good the others are.
    records[3].status, records[3].reason = "failed", "it broke"
    found = outcome(records, plan)
    assert (found.winner.sample, found.gain) == (None, None)
    for one in records:
        one.status, one.reason = "failed", "it broke"
    with pytest.raises(AllFailed):
        outcome(records, plan)


@pytest.mark.parametrize("wins", [False, True])
@pytest.mark.parametrize("scheduler", ["asha", "pbt"])
def test_the_report_says_whether_the_preset_was_beaten(tmp_path, wins, scheduler):
    pytest.importorskip("ray.tune")
    plan = plan_of("evader/walls", scheduler=scheduler, finalists=1, seeds=1)
    folder = begin_tuning(plan, tmp_path)
    search = searched([5.0, 6.0])
    for one in search:
        one.curve[0]["steps"] = 10
    finals = final_records(finalists(search, plan), plan)
    starts = np.linspace(4.0, 6.0, 100)
    for one, shift in zip(finals, (1.0, 2.0 if wins else 0.5)):
        one.status, one.payoffs = "finished", (starts + shift).tolist()
    found = outcome(finals, plan)
    write_report(folder, plan, search, finals, found, {"search": 1.0, "final": 1.0})
    text, page = folder.preset.read_text(), folder.readme.read_text()
    conclusion = (
        "Sample 1 is the best: capture time 7.00 s, the preset's 6.00 s: a difference of +1.00"
        if wins
        else "No setting beats the preset, which is kept: capture time 6.00 s."
    )
    assert conclusion in text
    assert conclusion in page
    assert ("the last of a schedule" in text) == (wins and scheduler == "pbt")
    expected = 3 if wins else plan.training.read_preset().arguments["n_epochs"]
    assert read_preset("ppo", "Evade-v0", folder.preset).arguments["n_epochs"] == expected
    assert "with one training of each finalist" in page


def test_what_cannot_be_searched_is_refused(tmp_path, capsys, monkeypatch):
    for wrong, words in (
        ({"training": Training(engine="rllib")}, "a trial is one process"),
        ({"training": Training(start_from=Path("model.zip"))}, "begins with a new network"),
        ({"samples": 1}, "samples"),
        ({"scheduler": "grid"}, "Did you mean|Valid: 'asha', 'pbt'"),
        ({"finalists": 0}, "finalists"),
        ({"seeds": 0}, "seeds"),
        ({"training": Training(validation_episodes=50_001)}, "validation_episodes"),
        ({"final_episodes": 50_001}, "final_episodes"),
    ):
        with pytest.raises(InvalidValue, match=words):
            plan_of(**wrong)
    for training, words in (
        (Training(seed=3514), "largest possible seed"),
        (Training(opponent=("nobody",)), "nobody"),
    ):
        with pytest.raises(InvalidValue, match=words):
            begin_tuning(Tuning(training=training), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    for given, words in (
        (["--jobs", "0"], "jobs"),
        (["--jobs", "2", "--address", "auto"], "--jobs is for this machine"),
        (["--address", "ray://a:1"], "a search runs on a machine of the cluster"),
    ):
        with pytest.raises(SystemExit):
            main(["tune", *given, "--out", str(tmp_path / "none")])
        assert words in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit):
        main(["tune", "--out", str(tmp_path / "none")])
    assert 'pip install "steer-env[ray]"' in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_plan_comes_back_from_json():
    plan = plan_of(scheduler="pbt", training=Training(env="Evade-v0", algo="sac", steps=5))
    assert Tuning.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert plan.command == (
        "python -m agents tune --env Evade-v0 --algo sac --steps 5 --validations 20 "
        "--samples 4 --scheduler pbt"
    )
    assert plan_of().folder == Path("runs/tune/pursuer-walls/ppo/asha_seed_0")
