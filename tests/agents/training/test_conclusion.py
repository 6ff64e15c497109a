"""The sentence at the end of a training says what the intervals decide, and no more."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agents.training.conclusion import conclusion, watch_command, watch_line
from baselines import SCENARIOS
from baselines.protocol import Result
from baselines.solved_games import solved_scenario
from steer_env.__main__ import main


def result_of(scenario, learned, opponents, references, episodes=60):
    """A script in the place of what a training has learned, measured in a scenario."""
    study = replace(scenario, opponents=opponents, references=references, held_out=())

    def played(policy, opponent):
        return study.evaluate(policy, opponent, episodes, seed=0)

    return Result(
        study,
        {name: [played(learned, name)] for name in opponents},
        {name: [played(one, name) for one in references] for name in opponents},
    )


def test_a_pursuer_that_is_sooner_than_one_and_the_same_as_the_other():
    references = ("pursuit", "pursuit/full_force")
    result = result_of(SCENARIOS["pursuer/walls"], "pursuit/full_force", ("evade",), references)
    difference, mean = result.difference("pursuit"), result.trained.estimate
    assert conclusion(result) == (
        f"The learned pursuer catches evade in {mean:.2f} s on average: "
        f"{-difference.estimate:.2f} s [{-difference.high:.2f}, {-difference.low:.2f}] sooner "
        "than pursuit and about as fast as pursuit/full_force (+0.00 s "
        f"[{result.difference('pursuit/full_force').low:+.2f}, "
        f"{result.difference('pursuit/full_force').high:+.2f}])."
    )


def test_a_pursuer_that_captures_less_often():
    references = ("pursuit/full_force",)
    result = result_of(SCENARIOS["pursuer/walls"], "rest", ("evade",), references)
    text = conclusion(result)
    assert text.startswith("The learned pursuer catches evade in 0.0% of the episodes, and in ")
    assert "where a time-out counts as 20 s: " in text
    assert re.search(r"\d s \[.*\] later than pursuit/full_force\. It captures less", text)
    assert text.endswith("It captures less often than pursuit/full_force.")


def test_an_evader_that_survives_longer_and_one_that_does_not():
    scenario = SCENARIOS["evader/walls"]
    better = conclusion(result_of(scenario, "evade", ("pursuit",), ("rest",)))
    assert better.startswith("The learned evader survives pursuit for ")
    assert re.search(
        r"is free after 20 s in \d+\.\d% of the episodes: .* longer than rest", better
    )
    assert "more often" not in better
    worse = conclusion(result_of(scenario, "rest", ("pursuit",), ("evade",)))
    assert re.search(r"\] shorter than evade\. It is captured more often than evade\.$", worse)


def test_several_opponents_are_counted():
    result = result_of(SCENARIOS["pursuer/walls"], "seek", ("evade", "flee"), ("pursuit",))
    assert "The learned pursuer catches its 2 opponents in " in conclusion(result)


@pytest.mark.parametrize(
    ("env", "start", "word"),
    [("Drag-v0", "gets within", "farther"), ("DragEvade-v0", "ends at", "nearer")],
)
def test_distances_are_near_or_far(env, start, word):
    result = result_of(solved_scenario(env), "rest", ("optimal/drag",), ("optimal/drag",))
    text = conclusion(result)
    assert re.search(rf"{start} \d+\.\d\d m of optimal/drag on average: .*{word} than", text)


@pytest.mark.parametrize("name", ["pursuer/walls", "evader/agile_torus"])
def test_the_command_shows_the_policy_beside_the_reference(name, monkeypatch, capsys, tmp_path):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    study = replace(SCENARIOS[name], opponents=SCENARIOS[name].opponents[:1])
    line = watch_command(Result(study, {}, {}), "random")
    words = shlex.split(line)
    assert words[1:4] == ["-m", "steer_env", "watch"]
    assert ("--game" in words) == ("walls" not in name)
    main([*words[3:], "--episodes", "1", "--horizon", "3"])
    pairs = [told.split(": ")[1] for told in capsys.readouterr().out.splitlines()]
    assert len(pairs) == 2
    assert "random" in pairs[0]
    assert study.references[0] in pairs[1]


def test_a_name_with_a_space_is_quoted():
    assert "'my run/policy.npz'" in watch_line(["my run/policy.npz"], ["evade"], "walls")


def test_the_command_calls_the_interpreter_that_a_shell_here_finds(monkeypatch, tmp_path):
    own = tmp_path / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(own))
    monkeypatch.setenv("PATH", str(own.parent))
    assert shlex.split(watch_line(["seek"], ["evade"], "walls"))[0] == "python"
    monkeypatch.setenv("PATH", "/usr/bin")
    assert shlex.split(watch_line(["seek"], ["evade"], "walls"))[0] == str(own)
    monkeypatch.chdir(tmp_path)
    called = Path(shlex.split(watch_line(["seek"], ["evade"], "walls"))[0])
    assert called == Path(".venv/bin/python")
