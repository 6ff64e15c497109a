"""Recordings become files: of every kind, for any players, reproducibly."""

import base64
import html
import os
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from disks import files_of_at_most
from films import read_video
from gymnasium.error import DependencyNotInstalled

from steer_env.drawing import DrawingConfig
from steer_env.game.config import make_game
from steer_env.record import record, recorder
from steer_env.scenarios.registry import GAMES

imageio = pytest.importorskip("imageio.v3")

SMALL = DrawingConfig(size=120)
KINDS = ("gif", "mp4", "png", "svg", "html")


def record_small(folder, kinds=KINDS, **keywords):
    """The episodes of a second, and the files of some kinds."""
    files = {kind: folder / f"chase.{kind}" for kind in kinds}
    given = {"drawing": SMALL, "game": {"horizon": 30}, "out": [*files.values()], **keywords}
    return record(**given), files


def test_every_kind_of_file_is_written(tmp_path):
    told = []
    recordings, files = record_small(tmp_path, report=told.append, seed=3)
    assert [r.names for r in recordings] == [("pursuit", "evade")]
    assert sorted(os.listdir(tmp_path)) == sorted(path.name for path in files.values())
    assert told[0] == "seed 3: evade got away from pursuit (1 s)"
    assert told[1:] == [f"wrote {path}" for path in recordings.files]

    gif = imageio.imread(files["gif"], index=None)
    assert gif.shape[1:] == (120, 120, 3)
    video, about = read_video(files["mp4"])
    assert video.shape == (31 + 30, 120, 120, 3)
    assert about["fps"] == 30
    assert np.abs(video[0] - gif[0].astype(float)).mean() < 8
    assert imageio.imread(files["png"]).shape[1:] == (120, 3)
    assert ElementTree.parse(files["svg"]).getroot().get("width") == "120"
    assert "<canvas" in files["html"].read_text("utf-8")


def test_a_notebook_shows_a_written_file_and_the_prompt_a_short_line(tmp_path, monkeypatch):
    shown = {}
    for kind in KINDS:
        found, files = record_small(tmp_path, (kind,))
        shown[kind] = found._repr_html_()
        (content,) = re.findall(r'(?:base64,|srcdoc=")([^"]*)"', shown[kind])
        is_page = kind == "html"
        decoded = html.unescape(content).encode() if is_page else base64.b64decode(content)
        assert decoded == files[kind].read_bytes()
    found, files = record_small(tmp_path)
    assert found._repr_html_() == shown["mp4"]
    assert repr(found) == "[Recording(pursuit vs evade, seed 0: got away (1 s))]"
    with monkeypatch.context() as patch:
        patch.setattr(recorder, "MOST_SHOWN", 100)
        assert found._repr_html_() is None
    files["mp4"].unlink()
    assert found._repr_html_() is None


def test_runs_from_one_start_can_share_a_board(tmp_path):
    given = {"pursuers": ["pursuit", "seek"], "episodes": 2, "ghosts": True}
    given["drawing"] = {"size": 240}
    recordings, files = record_small(tmp_path, labels=["fox", "dog"], **given)
    assert len(recordings) == 4
    gif = imageio.imread(files["gif"], index=None)
    assert gif.shape[1:] == (240, 240, 3)
    video, _ = read_video(files["mp4"])
    assert len(video) == 2 * (31 + 30)
    assert imageio.imread(files["png"]).shape == (480, 240, 3)  # a board for each start
    svg = files["svg"].read_text("utf-8")
    assert svg.count(">fox, not within 1 s<") >= 2
    with pytest.raises(ValueError, match=r"ghosts needs a \.gif, \.mp4, \.png or \.svg"):
        record_small(tmp_path, ("html",), **given)


def test_a_page_has_the_drawings_theme_or_its_readers(tmp_path):
    dark = DrawingConfig(theme="dark")
    for drawing, theme in ((None, False), (dark, True), ({"size": 99}, False)):
        _, files = record_small(tmp_path, ("html",), drawing=drawing, game={"horizon": 2})
        assert ('data-theme="dark"' in files["html"].read_text("utf-8")) == theme


def test_every_pursuer_meets_every_evader_from_the_same_starts(tmp_path):
    recordings, files = record_small(
        tmp_path,
        ("gif", "png"),
        pursuers=["pursuit", "seek"],
        evaders=["evade", "flee"],
        episodes=2,
        seed=5,
    )
    assert [(r.seed, *r.names) for r in recordings] == [
        (seed, pursuer, evader)
        for seed in (5, 6)
        for pursuer in ("pursuit", "seek")
        for evader in ("evade", "flee")
    ]
    for number in range(1, 4):
        assert np.array_equal(recordings[0].positions[0], recordings[number].positions[0])
    assert imageio.imread(files["gif"], index=0).shape == (240, 240, 3)
    assert imageio.imread(files["png"]).shape[1] == 4 * 120  # a row for each seed
    for count, columns in ((4, 4), (5, 3)):  # those of one side, unless there are many
        several = {"pursuers": ["seek"] * count, "game": {"horizon": 2}}
        _, files = record_small(tmp_path, ("gif",), **several)
        assert imageio.imread(files["gif"], index=0).shape[1] == 120 * columns


def test_moments_are_still_pictures_of_the_game(tmp_path):
    drawing = {"size": 240}
    given = {"pursuers": ["pursuit", "seek"], "moment": 0.5, "drawing": drawing}
    _, files = record_small(tmp_path, ("png", "svg"), **given)
    assert imageio.imread(files["png"]).shape == (240, 480, 3)
    texts = [e.text for e in ElementTree.parse(files["svg"]).iter() if e.text]
    assert texts.count("0.5 s") == 2
    _, late = record_small(tmp_path, ("svg",), moment=99, drawing=drawing)
    assert "1.0 s" in [e.text for e in ElementTree.parse(late["svg"]).iter()]


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"pursuers": "pursiut"}, ValueError, "'pursuit'"),
        ({"evaders": []}, ValueError, "evader"),
        ({"pursuers": ["seek"] * 37}, ValueError, "36"),
        ({"episodes": 0}, ValueError, "episodes"),
        ({"seed": 2**64 - 2, "episodes": 3}, ValueError, "seed"),
        ({"fps": 0.09}, ValueError, "fps of a"),
        ({"fps": 51}, ValueError, "fps of a .gif .* 50"),
        ({"ghosts": "no"}, TypeError, "ghosts"),
        ({"game": {"horizon": 10**9}}, ValueError, "1,000,000,001 moments.* 10,000,000"),
        ({"game": {"evaders": 1023, "horizon": 10_000}}, ValueError, "10,241,024 places"),
        ({"drawing": "dark"}, TypeError, "drawing"),
        ({"seconds": "ten"}, TypeError, "seconds"),
        ({"moment": float("nan")}, ValueError, "moment"),
        ({"drawing": DrawingConfig(size=8000), "pursuers": ["seek"] * 3}, ValueError, "16384"),
        ({"episodes": 200}, ValueError, "fewer"),
        ({"out": "chase"}, ValueError, "Valid: '.gif', '.html', '.mp4', '.png', '.svg'"),
        ({"out": ["chase.png", "chase.htmk"]}, ValueError, "mean '.html'"),
        ({"out": "nowhere/chase.svg"}, ValueError, "nowhere"),
        ({"out": "/"}, ValueError, "ending"),
        ({"out": []}, ValueError, "out must name at least one file to write: .gif, .mp4"),
        ({"out": None}, TypeError, "out must be a path"),
        ({"game": {"arena": "wals"}}, ValueError, "'walls'"),
        ({"pursuers": ["seek"] * 7, "ghosts": True}, ValueError, "6"),
        ({"labels": ["fox"]}, ValueError, "ghosts"),
        ({"labels": ["fox", "dog"], "ghosts": True}, ValueError, "labels .* the 1 pairs"),
        ({"labels": "fox", "ghosts": True}, TypeError, "labels"),
        ({"labels": [1], "ghosts": True}, TypeError, "labels"),
        *[
            ({"out": f"a.{kind}", option: 2}, ValueError, f"{option} needs")
            for option, kind in (("moment", "gif"), ("seconds", "svg"), ("fps", "html"))
        ],
    ],
)
def test_mistakes_are_errors_before_anything_is_played(tmp_path, keywords, error, message):
    told = []
    with pytest.raises(error, match=message):
        record_small(tmp_path, **{"report": told.append, **keywords})
    assert not told
    assert not os.listdir(tmp_path)


def test_the_folder_must_be_one_that_can_be_written(tmp_path, monkeypatch):
    (tmp_path / "locked").mkdir()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path / "locked")
    with pytest.raises(PermissionError, match="locked"):
        record(out=tmp_path / "locked" / "chase.svg")


@pytest.mark.parametrize(
    ("kind", "module"),
    [("gif", "imageio_ffmpeg"), ("mp4", "pygame"), ("png", "pygame"), ("gif", None)],
)
def test_what_is_missing_is_an_error_at_once(tmp_path, monkeypatch, kind, module):
    told = []
    if module is None:
        monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(tmp_path / "ffmpeg"))
    else:
        monkeypatch.setitem(sys.modules, module, None)
    message = r"steer-env\[render\]" if module else "ffmpeg"
    with pytest.raises(DependencyNotInstalled, match=message):
        record_small(tmp_path, (kind,), report=told.append)
    assert not told
    record_small(tmp_path, ("svg", "html"), game={"horizon": 2})  # which need neither


# imageio-ffmpeg does not close its pipe to a program that has ended.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_leaves_the_old_file(tmp_path, kind):
    path = tmp_path / f"chase.{kind}"
    path.write_text("old")
    with files_of_at_most(1000), pytest.raises(OSError, match=f"{path.name}'") as caught:
        record_small(tmp_path, (kind,))
    assert str(caught.value).count("\n") == 0
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


def test_without_players_the_games_own_play(tmp_path):
    guard = GAMES["guard"]
    for game in ("guard", guard, type(guard), {"game": "guard", "horizon": 40}):
        (found,) = record(game=game, out=tmp_path / "guard.png")
        assert found.names == ("block/full_force", "reach/full_force")
    (found,) = record(None, "flee", game="guard", out=tmp_path / "guard.png")
    assert found.names == ("block/full_force", "flee")
    (found,) = record(game=make_game(horizon=20), out=tmp_path / "own.png")
    assert found.names == ("pursuit", "evade")
