"""Any two scripts can be watched."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.__main__ import main
from steer_env.envs.keywords import game_config
from steer_env.game.engine import Engine
from steer_env.game.roster import ROSTER
from steer_env.rendering.scene import EVADER, PURSUER
from steer_env.rendering.window import Renderer
from steer_env.watch import watch

image = pytest.importorskip("PIL.Image")


def test_a_gif_shows_the_episodes(tmp_path, capsys):
    path = tmp_path / "game.gif"
    arguments = ["--pursuer", "navigation", "--evader", "evade/among_obstacles"]
    arguments += ["--obstacles", "4", "--arena", "torus", "--horizon", "60", "--size", "120"]
    main(["watch", *arguments, "--episodes", "2", "--gif", str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all("caught after" in line or "got away for 2.0 s" in line for line in lines)
    with image.open(path) as picture:
        assert picture.size == (120, 120)
        assert picture.n_frames > 10


def test_teams_are_told_apart():
    lines = watch("pursuit/pack", "evade/herd", 1, 3, "/dev/null", 60, evaders=2, horizon=30)
    assert len(lines) == 1
    assert "of 2 caught" in lines[0]


@pytest.mark.parametrize("option", ["--pursuer pursit", "--arena wals"])
def test_what_is_not_known_is_named_with_the_nearest(option, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["watch", *option.split()])
    assert stop.value.code == 2
    assert "Did you mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--episodes 0", "episodes must be at least 1"),
        ("--seed -3", "seed must be from 0"),
        ("--gif /nowhere/game.gif", "no folder '/nowhere'"),
        ("--size 0 --gif game.gif", "size must be at least 1 pixel"),
    ],
)
def test_what_cannot_be_shown_is_refused_at_once(option, message, capsys):
    with pytest.raises(SystemExit):
        main(["watch", *option.split()])
    assert message in capsys.readouterr().err


def engine_with(pursuer, evader, **keywords):
    engine = Engine(game_config(**keywords), [pursuer], [evader], 1)
    engine.seed([4])
    engine.start()
    nobody = [np.zeros((0, engine.side_size(side), 2), np.float32) for side in (0, 1)]
    for _ in range(10):
        engine.step(*nobody, 0, True)
    return engine


def test_crosses_are_drawn_in_the_colors_of_their_sides():
    pytest.importorskip("pygame")
    engine = engine_with(ROSTER["rest"], ROSTER["rest"])
    renderer = Renderer(engine.config, "rgb_array", 600)
    plain = renderer.render(engine.state[0])
    crossed = renderer.render(engine.state[0], [8 + 8j, 1e6 - 8j])
    changed = (plain != crossed).any(axis=-1)
    assert 10 < changed.sum() < 500
    near = crossed[changed].astype(int)
    for color in (PURSUER, EVADER):
        assert abs(near - color).sum(axis=1).min() < 150
