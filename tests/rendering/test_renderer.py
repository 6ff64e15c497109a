"""Pictures of running and recorded games: trails, steady views, and the same moments."""

import dataclasses

import numpy as np
import pytest
from chases import record

from steer_env.drawing import DrawingConfig
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.rendering.marks import TRAIL_SECONDS
from steer_env.rendering.renderer import Renderer, Replay
from steer_env.scripts.roster import ROSTER

pytest.importorskip("pygame")

SCRIPTS = [ROSTER["pursuit"]], [ROSTER["evade"]]
NO_ACTIONS = np.zeros((0, 1, 2), np.float32)
SMALL = DrawingConfig(200, annotations="all")


def start_game(seed=0, **keywords):
    engine = Engine(make_game(**keywords), *SCRIPTS, 1, 600, 1)
    engine.seed([seed])
    engine.start()
    return engine


def drawn(renderer, engine, *forces):
    return renderer.picture(engine.get_state()[0], *forces).pixels()


def step(engine, count=1):
    for _ in range(count):
        engine.step(NO_ACTIONS, NO_ACTIONS, 0, False)


def test_pictures_are_new_arrays_and_the_record_is_only_read():
    engine = start_game()
    renderer, before = Renderer(engine.config, SMALL, SCRIPTS), engine.get_state()
    first, again = (drawn(renderer, engine) for _ in range(2))
    assert first.dtype == np.uint8
    assert first.shape == (200, 200, 3)
    assert np.array_equal(first, again)
    again[:] = 0
    assert np.array_equal(drawn(renderer, engine), first)
    assert np.array_equal(engine.get_state(), before)


def test_the_same_moment_drawn_anew_is_the_same_picture():
    """Which frames were drawn before does not matter, but for the trails' length."""
    engine = start_game()
    every, seldom = (Renderer(engine.config, SMALL, SCRIPTS) for _ in range(2))
    for _ in range(40):
        last = drawn(every, engine, engine.forces())
        step(engine)
    assert not np.array_equal(last, drawn(every, engine, engine.forces()))
    plain = dataclasses.replace(SMALL, annotations=("velocity", "force", "aim", "score"))
    every.drawing = seldom.drawing = plain
    assert np.array_equal(*(drawn(one, engine, engine.forces()) for one in (every, seldom)))


def test_trails_end_with_the_episode_and_after_some_seconds():
    engine = start_game()
    drawing = DrawingConfig(200, annotations=("trail",))
    renderer = Renderer(engine.config, drawing, SCRIPTS)

    def trail_pixels():
        plain = dataclasses.replace(drawing, annotations=())
        bare = Renderer(engine.config, plain, SCRIPTS)
        return int((drawn(renderer, engine) != drawn(bare, engine)).any(axis=-1).sum())

    assert trail_pixels() == 0
    counts = []
    for _ in range(round(2 * TRAIL_SECONDS / engine.config.dt)):
        step(engine)
        counts.append(trail_pixels())
    assert counts[0] < counts[10] < counts[40]
    assert max(counts[100:]) < 1.5 * max(counts[:90])  # it does not grow for ever
    engine.seed([1])
    engine.start()
    assert trail_pixels() == 0
    step(engine, 40)
    assert trail_pixels() > 0
    renderer.reset()
    assert trail_pixels() == 0


def test_an_open_view_grows_and_never_shrinks_within_an_episode():
    engine = start_game(arena="open")
    renderer = Renderer(engine.config, SMALL, SCRIPTS)
    state = engine.get_state()
    scales = []
    for far in (0.0, 60.0, 5.0, 90.0):
        state["players"]["body"]["position"][0, 1] = far
        state["game"]["steps"] += 1
        scales.append(renderer.picture(state[0]).view.scale)
    assert scales[0] > scales[1] == scales[2] > scales[3]
    state["game"]["key"] += np.uint64(1)
    state["players"]["body"]["position"][0, 1] = 0.0
    assert renderer.picture(state[0]).view.scale == scales[0]


@pytest.fixture(scope="module", params=["walls", "torus", "open"])
def recording(request):
    return record(arena=request.param, horizon=60)[0]


def test_every_moment_is_drawn_as_the_renderer_draws_it_live(recording):
    pursuer, evader = recording.scripts
    renderer = Renderer(recording.config, SMALL, ([pursuer], [evader]))
    renderer.names = recording.names
    is_open = recording.config.arena == "open"  # a moment shows what was seen until then
    replay = Replay(recording, SMALL, sees_ahead=not is_open)
    for moment, (record_, forces) in enumerate(zip(recording.states, recording.forces)):
        live = renderer.picture(record_, forces).pixels()
        if moment % 15 == 0 or moment == len(recording.states) - 1:
            assert np.array_equal(replay.picture(moment).pixels(), live)
    assert (replay.view_at(moment).scale < replay.view_at(0).scale) == is_open


def test_times_are_those_of_the_nearest_moment_and_stop_at_the_end(recording):
    replay = Replay(recording)
    last = len(recording.states) - 1
    found = [replay.moment_at(seconds) for seconds in (-1.0, 0.0, 0.016, 0.018, 1.0, 99.0)]
    assert found == [0, 0, 0, 1, 30, last]
