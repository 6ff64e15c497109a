"""GIFs hold the frames that were given, in few bytes."""

import sys

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

from steer_env.rendering.gif import save_gif

imageio = pytest.importorskip("imageio.v3")

BLUE = (0, 114, 178)


def make_frames(count, side=60):
    """A square that moves to the right over a light background."""
    frames = np.full((count, side, side, 3), (250, 250, 247), np.uint8)
    for number, frame in enumerate(frames):
        frame[20:26, number : number + 6] = BLUE
    return list(frames)


@pytest.mark.parametrize("count", [1, 2, 9, 30])
def test_all_frames_are_read_back(tmp_path, count):
    frames = make_frames(count)
    save_gif(tmp_path / "chase.gif", frames, fps=25)
    back = imageio.imread(tmp_path / "chase.gif", index=None)
    assert back.shape == (count, 60, 60, 3)
    assert np.array_equal(back, frames)  # so few colors are kept exactly


@pytest.mark.parametrize(("fps", "milliseconds"), [(25, 40), (15, 70), (50, 20), (1000, 20)])
def test_frames_repeat_for_ever_at_the_rate(tmp_path, fps, milliseconds):
    path = str(tmp_path / "chase.gif")
    save_gif(path, make_frames(3), fps)
    meta = imageio.immeta(path)
    assert meta["duration"] == milliseconds
    assert meta["loop"] == 0


def test_the_file_is_small_and_keeps_the_vehicles_colors(tmp_path):
    count, side = 20, 200
    noise = np.random.default_rng(0).integers(0, 40, (side, side, 3), np.uint8)
    frames = [frame - noise // 4 for frame in make_frames(count, side)]
    for number, frame in enumerate(frames):
        frame[20:26, number : number + 6] = BLUE
    save_gif(tmp_path / "ours.gif", frames, 25)
    imageio.imwrite(tmp_path / "plain.gif", np.stack(frames), duration=40, loop=0)
    ours, plain = ((tmp_path / name).stat().st_size for name in ("ours.gif", "plain.gif"))
    assert ours < 0.7 * plain
    back = imageio.imread(tmp_path / "ours.gif", index=None).astype(int)
    assert np.abs(back[9, 20:26, 9:15] - BLUE).max() <= 8


def test_any_sequence_will_do_and_the_ending_does_not_matter(tmp_path):
    save_gif(tmp_path / "chase", tuple(make_frames(4)), 25)
    save_gif(tmp_path / "chase", np.stack(make_frames(5)), 25)  # replaces the file
    content = (tmp_path / "chase").read_bytes()
    assert content.startswith(b"GIF8")
    assert len(imageio.imread(content, index=None, extension=".gif")) == 5


@pytest.mark.parametrize(
    ("frames", "fps", "message"),
    [
        ([], 25, "at least one"),
        ([np.zeros((4, 4, 3), np.uint8), np.zeros((4, 5, 3), np.uint8)], 25, "one size"),
        ([np.zeros((4, 4), np.uint8)], 25, "height, width, 3"),
        ([np.zeros((4, 4, 3), np.uint8)], 0, "fps"),
    ],
)
def test_wrong_arguments_are_named(tmp_path, frames, fps, message):
    with pytest.raises(ValueError, match=message):
        save_gif(tmp_path / "chase.gif", frames, fps)
    assert not (tmp_path / "chase.gif").exists()


def test_without_imageio_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio.v3", None)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "steer-env\[render\]"'):
        save_gif(tmp_path / "chase.gif", make_frames(2), 25)
