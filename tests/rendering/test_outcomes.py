"""The words of pictures, films and pages about the ends that a scenario declares."""

from __future__ import annotations

import pytest
from chases import record, texts
from scenarios.ending_games import Tunnel
from test_html import saved, unpack

from steer_env.drawing import DrawingConfig
from steer_env.rendering.ghosts import _outcome
from steer_env.rendering.picture import view_of
from steer_env.rendering.scene import Moment, picture_of
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

EXIT = "through the east exit"


@pytest.fixture(scope="module")
def escape():
    start = {
        "pursuer": {"position": (0.0, -9.0)},
        "evader": {"position": (7.0, 0.0), "speed": 3.0, "heading": 0.0},
    }
    players = {"pursuer": ROSTER["idle"], "evader": ROSTER["idle"]}
    rules = {"game": Tunnel, "pursuers": 1, "evaders": 1, "obstacles": 0, "start": start}
    return record(names=("idle", "idle"), horizon=300, **players, **rules)[0]


def picture(recording, moment, size=(400, 400)):
    config, record, drawing = recording.config, recording.states[moment], DrawingConfig(size)
    view = view_of(config, record["players"]["body"]["position"], drawing)
    return picture_of(view, drawing, Moment(config, record, names=recording.names))


def test_recordings_say_who_has_won_and_how(escape):
    status = escape.status
    assert (status.declared, status.winner, status.is_captured) == (EXIT, EVADER, False)
    assert status.result == f"{EXIT} after 0.7 s"
    assert escape.outcome == f"idle vs idle: {EXIT} after 0.7 s"
    assert _outcome(status, PURSUER) == f"{EXIT} 0.7 s"


def test_pictures_tell_it_in_the_last_moment(escape):
    assert EXIT in texts(picture(escape, -1))
    assert "still free" in texts(picture(escape, 0))
    assert "still free" not in texts(picture(escape, -1))


def test_pages_have_it(escape, tmp_path):
    (episode,) = unpack(saved(tmp_path, [escape]))["episodes"]
    assert (episode["outcome"], episode["winner"], episode["captured"]) == (
        EXIT,
        "evader",
        False,
    )
    (plain,) = unpack(saved(tmp_path, record(pursuers=1, evaders=1)))["episodes"]
    assert not {"outcome", "winner"} & {*plain}


def test_several_targets_are_drawn():
    targets = [{"position": (x, 0.0), "radius": 1.0} for x in (5.0, -5.0)]
    (chase,) = record(pursuers=1, evaders=1, obstacles=0, target=targets)
    shown = picture(chase, 0)
    frame, view = shown.pixels().astype(int), shown.view
    ground = frame[int(view.to_pixel(3.5j).imag), int(view.to_pixel(3.5j).real)]
    for place in (5.0 + 0.3j, -5.0 + 0.3j):
        pixel = view.to_pixel(place)
        assert (frame[int(pixel.imag), int(pixel.real)] != ground).any()
