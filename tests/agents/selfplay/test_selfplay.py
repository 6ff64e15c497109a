"""Self-play: the pool grows, a crash changes nothing, and the figures have the right signs."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from short_trainings import PARAMS, QUIET, assert_identical, crash, parameters

from agents.__main__ import main
from agents.selfplay.exploitability import exploitability_table, measure_exploitability
from agents.selfplay.generations import SCRIPTS, SelfPlay, SelfPlayFolder
from agents.selfplay.runs import begin_selfplay, finish_selfplay, play_generations
from agents.training.validation import LEAST, priorities
from steer_env.sides import EVADER, PURSUER, Side

GENERATIONS = 2


def make_plan(**changes):
    given = {"generations": GENERATIONS, "steps": 512, "exploiter_steps": 0, "num_envs": 8}
    return SelfPlay(**{**given, **changes})


@pytest.fixture(autouse=True, scope="module")
def _short():
    """Makes the trainings of both sides short."""
    training = SelfPlay.training

    def short(plan, side, opponents, **changes):
        quick = {"validations": 1, "validation_episodes": 4, "checkpoint_seconds": 0.0}
        quick["params"] = PARAMS["ppo"]
        return training(plan, side, opponents, **{**changes, **quick})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SelfPlay, "training", short)
        patch.setattr("agents.selfplay.exploitability._EPISODES_TO_CHOOSE", 4)
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations with exploiters, which nothing disturbed."""
    path = tmp_path_factory.mktemp("selfplay") / "run"
    folder = begin_selfplay(make_plan(exploiter_steps=256), path, episodes=4)
    finish_selfplay(folder, QUIET)
    return folder


def opponents(run):
    return run.read_config()["training"]["opponent"]


def test_the_pool_grows_by_every_generation_of_the_other_side(run):
    first = [run.generation(1, side) for side in Side]
    second = [run.generation(2, side) for side in Side]
    pursuers, evaders = (list(SCRIPTS[side]) for side in Side)
    learned = [str(generation.last_policy) for generation in first]
    assert opponents(first[0]) == evaders
    assert opponents(first[1]) == [*pursuers, learned[0]]
    assert opponents(second[0]) == [*evaders, learned[1]]
    assert opponents(second[1]) == [*pursuers, learned[0], str(second[0].last_policy)]


def test_generations_go_on_from_the_one_before_on_starts_of_their_own(run):
    seeds = set()
    for side in Side:
        first, second = (
            run.generation(number, side).read_config()["training"] for number in (1, 2)
        )
        assert first["start_from"] is None
        assert second["start_from"] == str(run.generation(1, side).last_model)
        assert first["hardness"] == second["hardness"] == SelfPlay().hardness
        seeds |= {first["seed"], second["seed"]}
        answer = run.exploiter(1, side).read_config()["training"]
        assert answer["opponent"] == [str(run.generation(1, side).last_policy)]
        assert answer["start_from"] is None
        seeds.add(answer["seed"])
    assert len(seeds) == 3


def test_self_play_leaves_its_files_and_figures(run):
    for name in ("README.md", "crossplay.png", "exploitability.png"):
        assert (run.path / name).stat().st_size > 0
    for side in Side:
        last = run.generation(GENERATIONS, side).last_policy
        assert (run.path / f"{side.name}.npz").read_bytes() == last.read_bytes()
    results = json.loads((run.path / "results.json").read_text())
    assert results["plan"]["generations"] == GENERATIONS
    assert [one["generation"] for one in results["exploitability"]] == [1, 2]
    for found in results["exploitability"]:
        gap = found["pursuer_answered"]["estimate"] - found["evader_answered"]["estimate"]
        assert found["gap"]["estimate"] == pytest.approx(gap)
    for side in Side:
        for interval in results["progress"][side.name]:
            assert 0 <= interval["low"] <= interval["estimate"] <= interval["high"] <= 20


def test_a_crash_in_the_second_generation_changes_no_policy(run, tmp_path, monkeypatch):
    folder, plan = SelfPlayFolder(tmp_path), make_plan()
    play_generations(make_plan(generations=1), folder, QUIET)
    with crash(at_step=300):
        play_generations(plan, folder, QUIET)
    assert [folder.generation(2, side).is_trained for side in Side] == [False, False]
    play_generations(plan, folder, QUIET)
    for side in Side:
        for number in (1, 2):
            one, other = (each.generation(number, side) for each in (folder, run))
            assert_identical(*(parameters(each.last_model, "ppo") for each in (one, other)))
    # Nothing is trained twice.
    monkeypatch.setattr("agents.selfplay.runs.train", None)
    play_generations(plan, folder, QUIET)


def test_self_play_from_the_command_line(tmp_path, capsys, monkeypatch):
    out, finished = tmp_path / "out", []
    monkeypatch.setattr(
        "agents.commands.finish_selfplay", lambda folder, _: finished.append(folder.path) or []
    )
    main(["selfplay", "--generations", "1", "--num-envs", "8", "--out", str(out)])
    main(["selfplay", "--resume", str(out)])
    assert finished == [out, out]
    monkeypatch.undo()
    changed = tmp_path / "changed"
    shutil.copytree(out, changed)
    config = (changed / "config.json").read_text()
    (changed / "config.json").write_text(config.replace('"seed"', '"sed"'))
    for arguments, message in (
        (["--resume", str(out), "--seed", "1"], "settings of its own"),
        (["--out", str(out)], "already holds self-play"),
        (["--resume", str(tmp_path)], "does not hold self-play"),
        (["--resume", str(changed)], "setting of self-play 'sed'. Did you mean 'seed'"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["selfplay", *arguments])
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algo": "dqn"}, "PursuitDiscrete-v0"),
        ({"seed": 200_000}, "largest possible seed"),
        ({"generations": 2000}, "largest possible seed"),
    ],
)
def test_self_play_that_cannot_finish_does_not_begin(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        begin_selfplay(make_plan(**changes), tmp_path / "run", 4)
    assert not (tmp_path / "run").exists()


# priorities


TIMES = st.lists(st.floats(0.0, 20.0), min_size=1, max_size=12)


@settings(deadline=None)
@given(TIMES, st.floats(0.0, 8.0), st.sampled_from(Side))
def test_priorities_are_chances_and_harder_opponents_come_more_often(times, hardness, side):
    weights = priorities(times, 20.0, side, hardness)
    assert sum(weights) == pytest.approx(1.0)
    assert min(weights) >= LEAST * max(weights) * (1.0 - 1e-9)
    by_time = [weights[index] for index in np.argsort(times)]
    assert (sorted(by_time) if side is PURSUER else sorted(by_time)[::-1]) == by_time


def test_priorities_by_hand():
    assert priorities([20.0, 10.0, 0.0], 20.0, PURSUER, 2.0) == pytest.approx(
        np.array([1.0, 0.25, LEAST]) / (1.25 + LEAST)
    )
    assert priorities([20.0, 10.0, 0.0], 20.0, EVADER, 1.0) == pytest.approx(
        np.array([LEAST, 0.5, 1.0]) / (1.5 + LEAST)
    )
    assert priorities([3.0, 7.0], 20.0, PURSUER, 0.0) == (0.5, 0.5)
    assert priorities([0.0, 0.0], 20.0, PURSUER, 2.0) == (0.5, 0.5)


# exploitability


def test_the_gap_is_what_the_best_answers_gain(monkeypatch):
    monkeypatch.setattr("agents.selfplay.exploitability._EPISODES_TO_CHOOSE", 100)
    pair = {PURSUER: "seek", EVADER: "flee"}
    evaders = {"bad": "rest", "same": "flee", "good": "evade"}
    pursuers = {"good": "pursuit/full_force", "same": "seek", "bad": "rest"}
    found = measure_exploitability(1, pair, {PURSUER: evaders, EVADER: pursuers}, 100)
    assert (found.pursuer_answer, found.evader_answer) == ("good", "good")
    assert found.evader_answered.estimate < found.played.estimate
    assert found.gap.low > 0.0
    assert found.gap.estimate == pytest.approx(
        found.pursuer_answered.estimate - found.evader_answered.estimate
    )
    alone = {PURSUER: {"same": "flee"}, EVADER: {"same": "seek"}}
    same = measure_exploitability(1, pair, alone, 20)
    assert same.gap.estimate == 0.0
    assert same.gap.low == -same.gap.high  # rare differences are not seen
    assert same.played == same.pursuer_answered == same.evader_answered
    assert len(exploitability_table([found, same]).rows) == 2
