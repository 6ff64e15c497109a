"""Pictures over a long time: memory, and films of gymnasium's wrappers."""

import gc
import tracemalloc

import gymnasium as gym
import pytest
from test_renderer import SCRIPTS, start_game, step

import steer_env  # noqa: F401
from steer_env.drawing import DrawingConfig
from steer_env.game.state import OVER
from steer_env.rendering.renderer import Renderer

pytestmark = pytest.mark.weekly

pytest.importorskip("pygame")

ALL = DrawingConfig(200, annotations="all")
SMALL = {"size": 120}


def test_drawing_on_and_on_needs_no_more_memory():
    engine = start_game()
    renderer = Renderer(engine.config, ALL, SCRIPTS)

    def draw(count):
        for _ in range(count):
            renderer.frame(engine.get_state()[0], engine.forces())
            if engine.get_state()["game"]["phase"][0] == OVER:
                engine.start()
            step(engine)

    draw(1500)  # fills the memory of texts
    gc.collect()
    tracemalloc.start()
    draw(100)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    draw(300)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 300_000


# moviepy leaves pipes open.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_record_video_writes_a_film(tmp_path):
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    env = gym.make("Pursuit-v0", render_mode="rgb_array", drawing=SMALL, max_episode_steps=20)
    env = gym.wrappers.RecordVideo(env, str(tmp_path / "films"), disable_logger=True)
    env.reset(seed=0)
    is_over = False
    while not is_over:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        is_over = terminated or truncated
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(film)
    assert frames == pytest.approx(21, abs=1)
    assert seconds == pytest.approx(0.7, abs=0.1)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_gymnasium_films_vector_environments(tmp_path):
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    envs = gym.make_vec("Pursuit-v0", num_envs=4, render_mode="rgb_array", drawing=SMALL)
    folder = tmp_path / "films"
    envs = gym.wrappers.vector.RecordVideo(
        envs, str(folder), step_trigger=lambda step: step == 0, video_length=10
    )
    envs.reset(seed=0)
    for _ in range(12):
        envs.step(envs.action_space.sample())
    envs.close()
    (film,) = folder.glob("*.mp4")
    frames, _ = imageio_ffmpeg.count_frames_and_secs(film)
    assert frames == pytest.approx(10, abs=1)


def test_200_environments_leave_memory_flat():
    def use(count):
        for seed in range(count):
            env = gym.make("Pursuit-v0", render_mode="rgb_array", drawing=SMALL)
            env.reset(seed=seed)
            env.render()
            env.close()
        gc.collect()

    use(20)
    tracemalloc.start()
    use(20)
    before, _ = tracemalloc.get_traced_memory()
    use(200)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 200_000
