"""Self-play: the pool grows, a crash changes nothing, and the figures have the right signs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from short_trainings import (
    QUIET,
    crash,
    finished_selfplay,
    short_games,
    short_plan,
    short_selfplay,
)

from steer_env.agents.selfplay.generations import SelfPlayFolder
from steer_env.agents.selfplay.methods import SCRIPTS
from steer_env.agents.selfplay.selfplay import begin_selfplay, play_generations
from steer_env.agents.training.validation import LEAST, priorities, shares_of_worst
from steer_env.cli import main
from steer_env.game.config import game_config
from steer_env.policies.pretrained import load_network
from steer_env.sides import PURSUER, Side

GENERATIONS = 2


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay():
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations."""
    with short_games():
        return finished_selfplay(short_plan(), tmp_path_factory)


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


def test_self_play_leaves_its_files_and_figures(run):
    for name in ("README.md", "crossplay.png"):
        assert (run.path / name).stat().st_size > 0
    for side in Side:
        last = run.generation(GENERATIONS, side).last_policy
        assert (run.path / f"{side.name}.npz").read_bytes() == last.read_bytes()
    results = json.loads((run.path / "results.json").read_text())
    assert results["plan"]["generations"] == GENERATIONS
    assert results["population"]["pursuer"][:2] == ["generation 1", "generation 2"]
    assert results["steps"] == {"of_each_side": 1024}
    for side in Side:
        for interval in results["progress"][side.name]:
            assert 0 <= interval["low"] <= interval["estimate"] <= interval["high"] <= 20


def test_the_mixture_is_of_the_generations(run):
    results = json.loads((run.path / "results.json").read_text())
    for side in Side:
        mixture = load_network(run.mixture(side), side=side)
        chances = dict(zip(mixture.names, mixture.chances))
        assert results["mixtures"][side.name] == pytest.approx(chances)
        assert sum(chances.values()) == pytest.approx(1.0)
        for name, member in zip(mixture.names, mixture.members):
            number = int(name.removeprefix("generation "))
            assert member.is_equal(load_network(run.generation(number, side).last_policy))


def test_a_crash_in_the_second_generation_leaves_the_first(tmp_path, monkeypatch):
    folder, plan = SelfPlayFolder(tmp_path), short_plan()
    with short_games():
        play_generations(short_plan(generations=1), folder, QUIET)
        with crash(at_step=300):
            play_generations(plan, folder, QUIET)
        first = [folder.generation(1, side).last_model.read_bytes() for side in Side]
        play_generations(plan, folder, QUIET)
    assert first == [folder.generation(1, side).last_model.read_bytes() for side in Side]
    assert all(folder.generation(2, side).is_trained for side in Side)
    # Nothing is trained twice.
    monkeypatch.setattr("steer_env.agents.selfplay.selfplay.train", None)
    play_generations(plan, folder, QUIET)


def test_self_play_from_the_command_line(tmp_path, capsys, monkeypatch):
    out, finished = tmp_path / "out", []
    monkeypatch.setattr(
        "steer_env.agents.selfplay.selfplay.finish_selfplay",
        lambda folder, *_: finished.append(folder.path) or [],
    )
    main(["selfplay", "--generations", "1", "--num-envs", "8", "--out", str(out)])
    main(["selfplay", "--resume", str(out)])
    assert finished == [out, out]
    line = capsys.readouterr().out.splitlines()[-1]
    words = f"--pursuer {out}/pursuer.npz --evader {out}/evader.npz --game walls"
    assert line == f"See them play: steer-env watch {words}"
    monkeypatch.chdir(tmp_path)
    main(["selfplay", "--game", "drag", "--generations", "1", "--num-envs", "8"])
    assert finished[2] == Path("runs/selfplay_drag")
    assert SelfPlayFolder(finished[2]).settings.game == "drag"
    monkeypatch.undo()
    for arguments, message in (
        (["--resume", str(out), "--seed", "1"], "settings of its own"),
        (["--out", str(out)], "already holds self-play"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["selfplay", *arguments])
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 200_000}, "largest possible seed"),
        ({"generations": 2000}, "largest possible seed"),
        ({"method": "fictitous"}, "Did you mean 'fictitious'"),
    ],
)
def test_self_play_that_cannot_finish_does_not_begin(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        begin_selfplay(short_plan(**changes), tmp_path / "run", 4)
    assert not (tmp_path / "run").exists()


# priorities


TIMES = st.lists(st.floats(0.0, 20.0), min_size=1, max_size=12)


@given(TIMES, st.floats(0.0, 8.0), st.sampled_from(Side))
def test_priorities_are_chances_and_harder_opponents_come_more_often(times, hardness, side):
    shares = shares_of_worst(times, game_config())
    weights = priorities(shares, side, hardness)
    assert sum(weights) == pytest.approx(1.0)
    assert min(weights) >= LEAST * max(weights) * (1.0 - 1e-9)
    by_time = [weights[index] for index in np.argsort(times)]
    assert (sorted(by_time) if side is PURSUER else sorted(by_time)[::-1]) == by_time


def test_the_share_of_the_worst_of_a_time_and_of_a_distance():
    assert shares_of_worst([0.0, 5.0, 20.0], game_config()).tolist() == [0.0, 0.25, 1.0]
    cars = game_config(game="two_cars")  # a capture radius of 5 m
    assert shares_of_worst([0.0, 5.0, 15.0], cars).tolist() == [0.0, 0.5, 0.75]
