"""Examples that are more than a training: each does what it says."""

import sys
from contextlib import closing

import boids
import fit_tracks
import gymnasium as gym
import numpy as np
import pygame
import pytest
import tracks

from steer_env.envs.parallel_vector import ParallelVectorEnv

# ---- Boids in a user's own program ---------------------------------------------------------


def test_vectors_go_to_pixels_and_back():
    assert boids.to_pixels(3 + 2j) == pygame.Vector2(60, 40)
    assert boids.to_meters(boids.to_pixels(3 + 2j)) == 3 + 2j


@pytest.mark.weekly
def test_boids_align_and_flee_from_the_mouse():
    flock = boids.make_boids(200, np.random.default_rng(0))
    size, middle = boids.to_meters(pygame.Vector2(boids.SIZE)), 32 + 18j

    def alignment(flock):  # of each boid with the five nearest ones
        places = flock["position"]
        near = np.abs(places[:, None] - places).argsort(axis=1)[:, 1:6]
        return (flock["heading"].conj()[:, None] * flock["heading"][near]).real.mean()

    before = alignment(flock)
    for _ in range(300):
        flock = boids.step(flock, size, complex(np.inf, 0.0))
    assert alignment(flock) > before + 0.6
    places = flock["position"]
    assert 0.0 <= places.real.min() < places.real.max() < size.real
    flock["position"] = middle + np.exp(2j * np.pi * np.arange(200) / 200)
    for _ in range(60):
        flock = boids.step(flock, size, middle)
    assert np.abs(flock["position"] - middle).min() > 2.0


def test_it_shows_frames_and_saves_the_last(monkeypatch, capsys, tmp_path):
    picture = tmp_path / "boids.png"
    given = ["--boids", "20", "--frames", "5", "--picture", str(picture)]
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(sys, "argv", ["boids.py", *given])
    boids.main()
    assert "20 boids: " in capsys.readouterr().out
    assert pygame.image.load(picture).get_size() == boids.SIZE


# ---- Steering laws that fit recorded tracks ------------------------------------------------


@pytest.mark.parametrize(
    ("law", "gain", "delay"),
    [
        ("pure_navigation", 3.5, 0.1),
        ("pursuit", 4.0, 0.15),
        ("seek", 3.0, 0.12),
        ("constant_bearing", 3.0, 0.2),
    ],
)
@pytest.mark.weekly
def test_law_gain_and_delay_are_found(tmp_path, law, gain, delay):
    tracks.make(tmp_path / "tracks.csv", law, gain, delay)
    results, dt, sums = fit_tracks.fit_file(tmp_path / "tracks.csv")
    found = results.pop(law)
    assert found["explained"] > 0.85
    assert found["explained"] > 0.05 + max(one["explained"] for one in results.values())
    assert found["wins"] == pytest.approx(1.0)
    for name, truth in (("gain", gain), ("delay", delay)):
        best, low, high = found[name]
        assert low <= truth <= high
        assert low <= best <= high
        assert best == pytest.approx(truth, rel=0.15)
    assert dt == pytest.approx(1 / 60, rel=1e-3)
    assert sums.shape == (3, 4, 25, 20)


def test_it_prints_the_best_law_first_and_draws(tmp_path, monkeypatch, capsys):
    file, picture = tmp_path / "tracks.csv", tmp_path / "fit.png"
    tracks.make(file, "seek", 3.0, 0.1, chases=6)
    monkeypatch.setattr(sys, "argv", ["fit_tracks.py", str(file), "--picture", str(picture)])
    fit_tracks.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["law", "seek"]
    assert len(lines) == 1 + len(fit_tracks.LAWS)
    assert picture.stat().st_size > 10_000


def test_lines_at_uneven_times_are_refused(tmp_path):
    times = np.r_[np.arange(50) / 60, 2.0]
    rows = [f"0,{time},{time},0,{time},1" for time in times]
    (tmp_path / "tracks.csv").write_text("\n".join([tracks.COLUMNS, *rows]))
    with pytest.raises(SystemExit, match="same in the whole file"):
        fit_tracks.fit_file(tmp_path / "tracks.csv")


# ---- EPyMARL's environment: the vector one's game, in tuples --------------------------------

TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 3.0, "arena_size": 9.0, "horizon": 120}


@pytest.mark.parametrize("learner", ["both", "pursuer"])
def test_it_plays_the_vector_environments_game_bit_for_bit(learner):
    game = {**TEAMS, "credit": "own", "learner": learner}
    env = gym.make("team_epymarl_mappo:Players-v0", **game).unwrapped
    envs = ParallelVectorEnv(1, autoreset_mode="SameStep", action_type="discrete", **game)
    players = [(side, n) for side in envs.sides for n in range(envs.config.count(side))]
    ends = {"terminated": 0, "truncated": 0}
    for seed in range(8):
        rows, _ = env.reset(seed=seed)
        wanted, _ = envs.reset(seed=seed)
        rng, over = np.random.default_rng(seed), False
        while not over:
            for row, (side, place) in zip(rows, players, strict=True):
                assert (row == wanted[side][0, place]).all()
            given = {side: rng.integers(9, size=envs.config.count(side)) for side in envs.sides}
            rows, gained, terminated, truncated, info = env.step(
                [action for side in envs.sides for action in given[side]]
            )
            last = {side: actions[None] for side, actions in given.items()}
            wanted, rewards, *_, of_games = envs.step(last)
            for reward, (side, place) in zip(gained, players, strict=True):
                assert reward == rewards[side][0, place]
            over = bool(of_games.get("_final_obs", [False])[0])
            assert over is (terminated or truncated)
            if over:
                captured = of_games["final_info"]["captured"][0]
                assert terminated is bool(captured == 2)
                assert info["captured"] == captured
                ends["terminated" if terminated else "truncated"] += 1
    if learner == "both":  # scripts decide too many of the others
        assert min(ends.values()) > 0


# ---- RLlib's env runner of batches ---------------------------------------------------------

GAMES = 8


@pytest.fixture
def rllib_batches():
    pytest.importorskip("ray.rllib")
    import rllib_batches

    return rllib_batches


def config_of(runner, env="steer_env:Pursuit-v0"):
    from ray.rllib.algorithms.ppo import PPOConfig

    return (
        PPOConfig()
        .environment(env, env_config={"opponent": "evade", "max_episode_steps": 20})
        .env_runners(
            env_runner_cls=runner,
            num_env_runners=0,
            num_envs_per_env_runner=GAMES,
            rollout_fragment_length=16,
        )
        .debugging(seed=3)
    )


@pytest.mark.weekly
@pytest.mark.filterwarnings("default")  # RLlib's own
@pytest.mark.parametrize(
    ("env", "explore"),
    [("steer_env:Pursuit-v0", True), ("steer_env:PursuitDiscrete-v0", False)],
)
def test_episodes_hold_what_the_games_were(env, explore, rllib_batches):
    make = rllib_batches.BatchedEnvRunner
    runner, parts = make(config=config_of(make, env)), {}
    for count in (160, 43, 160):
        found = runner.sample(num_timesteps=count, explore=explore)
        assert count <= sum(map(len, found)) < count + GAMES
        for episode in found:
            parts.setdefault(episode.id_, []).append(episode)
    ended = 0
    games = gym.make_vec(env, 1, opponent="evade", max_episode_steps=20)
    first = [episodes for episodes in parts.values() if episodes[0].t_started == 0][:GAMES]
    for number, episodes in enumerate(first):
        observation, _ = games.reset(seed=3 + number)
        t = 0
        for episode in episodes:
            assert episode.t_started == t
            np.testing.assert_array_equal(episode.get_observations(0), observation[0])
            for step in range(len(episode)):
                action = episode.get_actions(step)
                given = action if env.endswith("Discrete-v0") else np.clip(action, -1.0, 1.0)
                observation, reward, terminated, truncated, _ = games.step(given[None])
                assert episode.get_rewards(step) == reward[0]
                expected = observation[0]
                np.testing.assert_array_equal(episode.get_observations(step + 1), expected)
            t += len(episode)
            is_last = episode is episodes[-1]
            assert episode.is_terminated == (is_last and terminated[0])
            assert episode.is_truncated == (is_last and truncated[0])
            ended += episode.is_done
    assert len(first) == GAMES
    assert ended >= GAMES - 1
    assert runner.get_metrics()["num_env_steps_sampled_lifetime"].peek() >= 363


@pytest.mark.weekly
@pytest.mark.filterwarnings("default")
def test_what_the_runner_would_ignore_is_refused(rllib_batches):
    class Callbacks(rllib_batches.RLlibCallback):
        pass

    make = rllib_batches.BatchedEnvRunner
    with pytest.raises(ValueError, match="callbacks"):
        make(config=config_of(make).callbacks(Callbacks))
    for env in ("CartPole-v1", lambda config: None):
        with pytest.raises(TypeError, match="environment of steer_env"):
            make(config=config_of(make).environment(env, env_config={}))


# ---- Minari ---------------------------------------------------------------------------------


def replay(env, episode):
    """An environment that takes the recorded actions gives all that was recorded."""
    observation, _ = env.reset(seed=episode["seed"])
    ends = zip(*(episode[name] for name in ("rewards", "terminations", "truncations")))
    for before, action, end in zip(episode["observations"], episode["actions"], ends):
        np.testing.assert_array_equal(observation, before)
        observation, *found, _ = env.step(action)
        assert tuple(found) == end
    np.testing.assert_array_equal(observation, episode["observations"][-1])


@pytest.mark.parametrize(
    ("environment", "player", "keywords"),
    [
        ("Pursuit-v0", "navigation", {"opponent": "evade", "horizon": 120}),
        ("EvadeDiscrete-v0", "escape", {"horizon": 60}),
        ("PackPursuit-v0", "pursuit/pack", {"horizon": 60}),
    ],
)
def test_episodes_are_those_of_the_environment(environment, player, keywords):
    from episodes import play

    played = play(environment, player, 4, epsilon=0.2, seed=3, **keywords)
    assert [one["seed"] for one in played] == [3, 4, 5, 6]
    with closing(gym.make(environment, **keywords)) as env:
        for one in played:
            replay(env, one)
            assert one["terminations"][-1] or one["truncations"][-1]


def test_random_actions_are_all_of_the_space():
    from episodes import play

    (played,) = play("EvadeDiscrete-v0", "idle", 1, epsilon=0.3, opponent="idle")
    found, counts = np.unique(played["actions"], return_counts=True)
    assert found.tolist() == [*range(9)]
    assert counts[1:].sum() / counts.sum() == pytest.approx(0.3 * 8 / 9, abs=0.06)


@pytest.mark.filterwarnings("ignore:.*is set to None:UserWarning")
def test_a_minari_data_set_holds_the_same_and_recovers_its_environment(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    from minari_dataset import write

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    write("steer/noisy-v0", "Pursuit-v0", "pursuit", 4, epsilon=0.2, opponent="evade")
    found = minari.load_dataset("steer/noisy-v0")
    env = found.recover_environment()
    assert env.spec.kwargs["opponent"] == "evade"
    assert found.total_episodes == 4
    for index, episode in enumerate(found.iterate_episodes()):
        replay(env, {**vars(episode), "seed": index})
