"""GIFs contain the given frames, in few bytes."""

import numpy as np
import pytest

from steer_env.rendering.video import save_gif

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


def test_large_areas_keep_their_colors_exactly(tmp_path):
    """Beside more colors than a palette has."""
    noise = np.random.default_rng(1).integers(0, 256, (20, 60, 3), np.uint8)
    frames = make_frames(10)
    for frame in frames:
        frame[40:] = noise
    save_gif(tmp_path / "chase.gif", frames, 25)
    back = imageio.imread(tmp_path / "chase.gif", index=None)
    assert np.array_equal(back[:, :40], np.stack(frames)[:, :40])


def test_delays_add_up_to_the_right_time(tmp_path):
    count, fps = 31, 15  # 6.67 hundredths of a second a frame
    save_gif(tmp_path / "chase.gif", make_frames(count), fps)
    properties = [
        imageio.immeta(tmp_path / "chase.gif", index=index)["duration"]
        for index in range(count)
    ]
    assert set(properties) == {60, 70}
    assert sum(properties) == pytest.approx(1000 * count / fps, abs=5)
