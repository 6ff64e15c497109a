"""Each of the eight worlds is a game: the same in all forms, with ends that scripts reach."""

from __future__ import annotations

import ast
import re
import runpy
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from check_vector_env import check_vector_env
from draw_worlds import (
    FOLDER,
    PAGE,
    ROOT,
    SEEDS,
    WORLDS,
    film,
    outcomes,
    players_of,
    recorded,
    scenario_of,
    world,
)
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from page_parts import both_themes
from test_help import parsed
from weekly import weekly_but

from steer_env import cli, parallel_env
from steer_env.baselines import evaluate
from steer_env.sides import Side

QUICK = ("convoy", "floor_plan", "stamina_tag")
"""Worlds that are compiled and played daily; each takes seconds."""

NAMES = [*SEEDS]
TEXT = {name: (WORLDS / f"{name}.py").read_text("utf-8") for name in NAMES}


@pytest.fixture(autouse=True)
def _forgotten(forgotten):
    """Worlds register their games."""


def lines_of_code(name):
    """Lines of a file without texts, comments alone, imports, and how it is played."""
    tree = ast.parse(TEXT[name])
    apart = {
        line
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import | ast.ImportFrom | ast.If) and node.col_offset == 0)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Constant) and "\n" in str(node.value))
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = enumerate(TEXT[name].splitlines(), 1)
    return sum(bool(line.strip()) and number not in apart for number, line in lines)


def test_there_are_eight_worlds_of_ten_to_forty_lines():
    assert {path.stem for path in WORLDS.glob("*.py")} == {*NAMES}
    counts = {name: lines_of_code(name) for name in NAMES}
    assert len(counts) == 8
    assert min(counts.values()) >= 10
    assert max(counts.values()) <= 40


@pytest.fixture
def words(monkeypatch):
    """The command line that a world gives to `main` when it is run."""

    def given(name):
        found = []
        with monkeypatch.context() as patch:
            patch.setattr(cli, "main", found.append)
            patch.setattr(sys, "argv", [f"{name}.py"])
            runpy.run_path(str(WORLDS / f"{name}.py"), run_name="__main__")
        return found[0]

    return given


@pytest.mark.parametrize("name", NAMES)
def test_a_world_says_how_it_is_played(name, words, monkeypatch):
    assert f"python examples/worlds/{name}.py" in ast.get_docstring(ast.parse(TEXT[name]))
    assert parsed(words(name), monkeypatch)


@pytest.mark.compiled
@pytest.mark.parametrize("name", weekly_but(QUICK, NAMES))
def test_a_world_is_played_so(name, words, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    line = words(name)
    is_page = line[0] == "play"
    more = ["--out", str(tmp_path / "p.html")] if is_page else ["--episodes", "1"]
    cli.main([*line, *more, "--horizon", "10"])
    assert ("p.html" if is_page else "you") in capsys.readouterr().out


def test_the_page_has_every_world_in_order():
    text = PAGE.read_text("utf-8")
    assert re.findall(r"^!\[[^\]]+\]\(worlds/(\w+)\.svg\)$", text, re.MULTILINE) == NAMES
    assert re.findall(r"\]\(/examples/worlds/(\w+)\.py\)", text) == NAMES
    films = {path for name in NAMES for path in both_themes(FOLDER / f"{name}.svg")}
    assert {*FOLDER.iterdir()} == films
    assert sum(path.stat().st_size for path in films) < 500_000
    assert ROOT.joinpath("docs/index.md").read_text("utf-8").count("worlds") > 1


@pytest.mark.compiled
@pytest.mark.parametrize("name", weekly_but(QUICK, NAMES))
def test_a_world_is_the_same_game_in_all_forms(name):
    game, players = scenario_of(world(name)), players_of(world(name))
    for side in Side:
        given = {"game": game, "opponent": players[side.other]}
        one = f"{side.verb}-v0"
        check_env(gym.make(one, **given).unwrapped, skip_render_check=True)
    check_vector_env(
        lambda: gym.make(one, disable_env_checker=True, **given),
        lambda count, mode: gym.make_vec(one, num_envs=count, autoreset_mode=mode, **given),
        num_envs=3,
        steps=game().keywords.get("horizon", 600) + 20,
        modes=[AutoresetMode.NEXT_STEP],
    )


@pytest.mark.compiled
@pytest.mark.parametrize("name", weekly_but(QUICK, NAMES))
def test_every_end_of_a_world_is_reached_and_neither_side_always_wins(name):
    game, (pursuer, evader) = scenario_of(world(name)), players_of(world(name))
    found = evaluate(pursuer, evader, game, episodes=200)
    assert 0.1 < found.won("pursuer").estimate < 0.9
    reached = {*found["outcome"]}
    for pair in (("random", evader), (pursuer, "random"), ("random", "random")):
        reached |= {*evaluate(*pair, game, episodes=100)["outcome"]}
    names = {*found.config.outcome(np.array([*reached]))}
    assert names >= {*game.outcomes}


@pytest.mark.filterwarnings("ignore:.*unknown reset option")  # that PettingZoo's test gives
@pytest.mark.parametrize("name", ["capture_the_flag", "hide_and_seek", "convoy"])
@pytest.mark.compiled
@pytest.mark.weekly
def test_worlds_of_teams_have_a_form_for_pettingzoo(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PettingZoo's tests import warns of itself
        from pettingzoo.test import parallel_api_test

    parallel_api_test(parallel_env(game=scenario_of(world(name))), num_cycles=1000)


@pytest.mark.compiled
@pytest.mark.parametrize("name", weekly_but(("floor_plan",), NAMES))
def test_films_are_those_that_are_drawn(name):
    again = "run: PYTHONPATH=. python tools/draw_worlds.py"
    episode = recorded(name, SEEDS[name])
    for theme, path in zip(("light", "dark"), both_themes(FOLDER / f"{name}.svg")):
        assert path.read_text("utf-8") == film(episode, theme), again


@pytest.mark.compiled
@pytest.mark.weekly
@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_outcomes(name):
    again = "run: PYTHONPATH=. python tools/draw_worlds.py --tables"
    assert outcomes(name) in PAGE.read_text("utf-8"), again
