"""Any two scripts can be watched."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.__main__ import main
from steer_env.envs.keywords import game_config
from steer_env.game.aims import aim_points
from steer_env.game.engine import Engine
from steer_env.game.roster import ROSTER
from steer_env.game.script import Script
from steer_env.rendering.scene import EVADER, PURSUER
from steer_env.rendering.window import Renderer
from steer_env.steering import Vehicle, intercept, linear, pursuit_aim, turning
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


def vehicles(engine):
    bodies = engine.state["players"]["body"][0]
    return [Vehicle(*(body[name] for name in Vehicle._fields)) for body in bodies]


def aims(engine, pursuer, evader):
    return aim_points(engine.state[0], engine.config, ([pursuer], [evader]))


def test_aims_are_where_the_scripts_steer():
    pursuer = Script(behavior="pursuit", lookahead="intercept", predictor="turning")
    evader = Script(behavior="flee")
    engine = engine_with(pursuer, evader)
    me, other = vehicles(engine)
    expected = pursuit_aim(me, other, intercept, turning, True)
    assert aims(engine, pursuer, evader) == [expected, me.position]
    menaced = Script(behavior="evade", lookahead="constant", lookahead_seconds=0.5)
    assert aims(engine, pursuer, menaced)[1] == linear(me, 0.5)


def test_the_contained_aim_keeps_the_room_that_the_loop_gives_it():
    pair = Script(behavior="pursuit", predictor="contained"), Script(behavior="rest")
    config = game_config(pursuer={"radius": 1.0})
    engine = Engine(config, [pair[0]], [pair[1]], 1)
    engine.start()
    state = engine.get_state()
    body = state["players"]["body"]
    body["position"], body["velocity"], body["heading"] = [0, 8], [0, 3], [1j, 1]
    aim, _ = aim_points(state[0], config, ([pair[0]], [pair[1]]))
    assert aim == 9.0


def test_who_does_not_aim_has_no_aim():
    scripts = Script(behavior="wander"), Script(behavior="evade", threat_range=0.1)
    assert aims(engine_with(*scripts), *scripts) == [None, None]
    pair = ROSTER["pursuit"], ROSTER["evade"]
    engine = engine_with(*pair, evaders=2, arena="torus")
    state = engine.get_state()
    state["players"]["active"][0, 1:] = [True, False]
    state["game"]["captured"] = 1
    engine.set_state(state)
    points = aims(engine, *pair)
    assert points[2] is None
    assert None not in points[:2]
    state["players"]["active"][0, 1:] = False
    assert aim_points(state[0], engine.config, ([pair[0]], [pair[1]])) == [None] * 3


def test_the_aim_across_a_torus_is_the_near_one():
    pair = Script(behavior="seek"), Script(behavior="rest")
    engine = engine_with(*pair, arena="torus")
    state = engine.get_state()
    state["players"]["body"]["position"] = [9.5, -9.5]
    aim, _ = aim_points(state[0], engine.config, ([pair[0]], [pair[1]]))
    assert aim == 10.5


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
