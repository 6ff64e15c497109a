"""Videos and GIFs contain the given frames in order."""

import errno

import numpy as np
import pytest
from films import read_video

from steer_env.record.writers import save_film

imageio = pytest.importorskip("imageio.v3")
pytest.importorskip("imageio_ffmpeg")

ORANGE, GROUND = (213, 94, 0), (253, 253, 251)


def make_frames(count, height=64, width=80):
    """A square that moves to the right."""
    frames = np.full((count, height, width, 3), GROUND, np.uint8)
    for number, frame in enumerate(frames):
        frame[20:36, number : number + 16] = ORANGE
    return frames


@pytest.mark.parametrize("size", [(64, 80), (63, 79)])
def test_frames_are_read_back(tmp_path, size):
    path = tmp_path / "chase.mp4"
    save_film(path, make_frames(20, *size), 30)
    back, _ = read_video(path)
    assert back.shape == (20, 64, 80, 3)  # sides are even
    expected = make_frames(20, 64, 80).astype(float)
    if size[0] % 2 or size[1] % 2:
        expected = expected[:, : size[0], : size[1]]
        assert np.abs(back[:, -1] - back[:, -2].astype(int)).mean() < 4.0
        assert np.abs(back[:, :, -1] - back[:, :, -2].astype(int)).mean() < 4.0
        back = back[:, : size[0], : size[1]]
    assert np.abs(back - expected).mean() < 2.0
    assert np.abs(back[10, 28, 18] - np.array(ORANGE, float)).max() < 6


@pytest.mark.parametrize("fps", [30, 12.5])
def test_the_rate_and_the_format_are_as_asked(tmp_path, fps):
    path = tmp_path / "chase.mp4"
    save_film(path, make_frames(25), fps)
    _, about = read_video(path)
    assert about["fps"] == pytest.approx(fps)
    assert about["codec"] == "h264"
    assert about["pixels"].startswith("yuv420p(tv, bt709")
    assert about["seconds"] == pytest.approx(25 / fps, abs=0.02)


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EINVAL])
def test_ffmpeg_ending_early_is_an_error_on_every_system(tmp_path, monkeypatch, number):
    """On Windows, writing to a broken pipe fails with EINVAL."""

    def write_frames(path, *_, **__):
        path.write_bytes(b"")
        yield
        raise OSError(number, "what the system says")

    monkeypatch.setattr("imageio_ffmpeg.write_frames", write_frames)
    (tmp_path / "chase.mp4").write_text("old")
    with pytest.raises(OSError, match=r"not written: .*chase.mp4'"):
        save_film(tmp_path / "chase.mp4", make_frames(2), 25)
    assert (tmp_path / "chase.mp4").read_text() == "old"


def test_a_file_without_all_frames_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("imageio_ffmpeg.count_frames_and_secs", lambda _: (1, 0.04))
    with pytest.raises(OSError, match="not written"):
        save_film(tmp_path / "chase.mp4", make_frames(2), 25)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("count", "fps"), [(1, 25), (2, 25), (9, 50), (31, 15)])
def test_a_gif_has_all_frames_for_the_right_time(tmp_path, count, fps):
    frames, path = make_frames(count), tmp_path / "chase.gif"
    save_film(path, frames, fps)
    back = imageio.imread(path, index=None)
    assert np.array_equal(back, frames)  # so few colors are kept exactly
    times = [imageio.immeta(path, index=index).get("duration") for index in range(count)]
    if count > 9:  # 6.67 hundredths of a second a frame
        assert set(times) == {60, 70}
        assert sum(times) == pytest.approx(1000 * count / fps, abs=5)


def test_large_areas_of_a_gif_keep_their_colors_exactly(tmp_path):
    """Beside more colors than a palette has."""
    noise = np.random.default_rng(1).integers(0, 256, (20, 80, 3), np.uint8)
    frames = make_frames(10)
    frames[:, 40:60] = noise
    save_film(tmp_path / "chase.gif", frames, 25)
    back = imageio.imread(tmp_path / "chase.gif", index=None)
    assert np.array_equal(back[:, :40], frames[:, :40])
