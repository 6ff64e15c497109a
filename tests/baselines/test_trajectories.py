"""Trajectories are the evaluated episodes, and start maps show capture times by start."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.rollouts import evaluate, start_map, trajectory
from steer_env.game.config import game_config

ARENAS = {
    "walls": game_config(),
    "torus": game_config(arena="torus"),
    "open": game_config(arena="open", horizon=200),
    "obstacles": game_config(obstacles=5),
    "teams": game_config(pursuers=2, evaders=3, solid="everyone", capture_radius=0.8),
    "cars": game_config(pursuer={"model": "car"}, evader={"model": "simple_motion"}),
}


class Still:
    """A policy that never moves."""

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return np.zeros((len(observation), 2), np.float32), state


def steps(found):
    """The displacements of the players; on a torus, the short way around."""
    steps = np.diff(found.positions, axis=0)
    if found.config.arena.kind == "torus":
        size = found.config.arena.size
        steps -= size * (np.round(steps.real / size) + 1j * np.round(steps.imag / size))
    return steps


def path_lengths(found):
    return np.abs(steps(found)).sum(axis=0)


@pytest.mark.parametrize("name", ARENAS)
@pytest.mark.parametrize("seed", [0, 7])
def test_the_episode_is_the_one_that_evaluate_plays(name, seed):
    config = ARENAS[name]
    found = trajectory("pursuit", "evade", config, seed)
    evaluated = evaluate("pursuit", "evade", config, episodes=3, seed=seed)
    lengths = path_lengths(found)
    sides = lengths[: config.pursuers].mean(), lengths[config.pursuers :].mean()
    assert found.seed == evaluated["seed"][0]
    assert found.status.is_captured == evaluated["captured"][0]
    assert found.times[-1] == pytest.approx(evaluated["time"][0], abs=1e-12)
    assert sides[0] == pytest.approx(evaluated["pursuer_path"][0], abs=1e-9)
    assert sides[1] == pytest.approx(evaluated["evader_path"][0], abs=1e-9)


@pytest.mark.parametrize("player", ["random", Still()])
def test_policies_play_the_same_episode_as_in_evaluate(player):
    config = game_config(horizon=90)
    found = trajectory(player, "evade", config, 4)
    assert found.names == ("random" if player == "random" else "Still", "evade")
    evaluated = evaluate(player, "evade", config, episodes=1, seed=4)
    assert found.times[-1] == pytest.approx(evaluated["time"][0])
    assert path_lengths(found)[0] == pytest.approx(evaluated["pursuer_path"][0], abs=1e-9)
    assert path_lengths(found)[1] == pytest.approx(evaluated["evader_path"][0], abs=1e-9)


def test_all_columns_have_the_same_moments():
    config = ARENAS["teams"]
    found = trajectory("pursuit", "evade", config, 3)
    moments = len(found.times)
    active = found.states["players"]["active"]
    assert found.positions.shape == active.shape == (moments, 5)
    np.testing.assert_allclose(np.diff(found.times), config.dt)
    assert active[0].all()
    assert active[:, :2].all()
    assert (np.diff(active.astype(int), axis=0) <= 0).all()
    assert found.status.is_captured == (not active[-1, 2:].any())


def test_caught_players_stay_in_place():
    found = trajectory("pursuit", "evade", ARENAS["teams"], 3)
    caught = ~found.states["players"]["active"][:-1]
    assert caught.any()
    assert (steps(found)[caught] == 0.0).all()


def test_positions_wrap_on_a_torus_and_steps_do_not():
    config = ARENAS["torus"]
    found = trajectory("pursuit", "evade", config, 1)
    for part in (found.positions.real, found.positions.imag):
        assert np.abs(part).max() <= config.arena.half_size
        assert np.abs(np.diff(part, axis=0)).max() > config.arena.half_size
    farthest = config.pursuer.max_speed * config.dt
    assert np.abs(steps(found)).max() <= farthest + 1e-9


def test_players_stay_outside_of_the_obstacles():
    found = trajectory("pursuit", "evade", ARENAS["obstacles"], 2)
    obstacles = found.states[0]["obstacles"]
    assert len(obstacles) == 5
    for disc in obstacles:
        distances = np.abs(found.positions - disc["center"])
        assert distances.min() >= disc["radius"] + 0.3 - 1e-6


@pytest.mark.parametrize("play", [trajectory, start_map])
def test_wrong_seeds_and_names_are_refused(play):
    with pytest.raises(ValueError, match="seed"):
        play("pursuit", "evade", seed=-1)
    with pytest.raises(TypeError, match="seed"):
        play("pursuit", "evade", seed=0.5)
    with pytest.raises(ValueError, match="Did you mean 'pursuit'"):
        play("pursuitt", "evade")


@pytest.mark.parametrize(
    ("play", "argument"), [(trajectory, "seed"), (start_map, "resolution")]
)
def test_anything_but_a_configuration_is_refused(play, argument):
    with pytest.raises(TypeError, match=rf"a GameConfig, .*did you mean {argument}=7"):
        play("pursuit", "evade", 7)
    with pytest.raises(ValueError, match="'evade' is made for the evader"):
        play("evade", "evade")


def test_a_target_at_rest_is_reached_by_distance():
    """Simple motion at full speed from the start: the time is the distance over the speed."""
    speed = 4.0
    config = game_config(pursuer={"model": "simple_motion", "max_speed": speed})
    found = start_map("seek", "rest", config, resolution=11, repeats=2)
    x, y = np.meshgrid(found.coordinates, found.coordinates)
    way = np.maximum(np.hypot(x, y) - config.capture_radius, 0.0)
    expected = np.maximum(np.ceil(way / speed / config.dt), 1.0) * config.dt
    np.testing.assert_allclose(found.mean_payoffs, expected, atol=1.01 * config.dt)
    assert (found.capture_rates == 1.0).all()


@pytest.mark.parametrize(("arena", "room"), [("walls", 9.7), ("torus", 10.0), ("open", 10.0)])
def test_cells_have_equal_widths(arena, room):
    found = start_map("rest", "rest", game_config(arena=arena, horizon=1), 8, 1)
    width = 2.0 * room / 8
    np.testing.assert_allclose(np.diff(found.coordinates), width)
    np.testing.assert_allclose(found.coordinates[[0, -1]], [width / 2 - room, room - width / 2])


def test_the_pursuer_heads_to_the_right():
    """A car reaches places ahead sooner than those behind; rows are y, columns x."""
    car = {"model": "car", "max_force": 6.0}
    found = start_map("seek", "rest", game_config(pursuer=car), resolution=9, repeats=1)
    times = found.mean_payoffs
    assert (times[4, 5:] < times[4, 3::-1]).all()
    np.testing.assert_allclose(times, times[::-1], atol=0.1)  # left and right turns are alike


def test_time_outs_count_as_the_limit():
    config = game_config(horizon=45)
    found = start_map("rest", "rest", config, resolution=5, repeats=3)
    middle = np.zeros((5, 5), np.bool_)
    middle[2, 2] = True
    np.testing.assert_array_equal(found.capture_rates, middle)
    np.testing.assert_allclose(found.mean_payoffs, np.where(middle, config.dt, 1.5))


def test_a_policy_plays_the_same_map_as_a_script():
    """`Still` is the script "rest" as a policy outside the compiled loop."""
    config = game_config(horizon=120)
    maps = [start_map("pursuit", rest, config, 5, 2) for rest in ("rest", Still())]
    np.testing.assert_array_equal(maps[0].mean_payoffs, maps[1].mean_payoffs)
    assert maps[1].evader == "Still"


def test_the_same_seed_gives_the_same_map():
    maps = [start_map("pursuit", "evade", None, 7, 2, seed) for seed in (3, 3, 4)]
    np.testing.assert_array_equal(maps[0].mean_payoffs, maps[1].mean_payoffs)
    assert (maps[0].mean_payoffs != maps[2].mean_payoffs).any()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (game_config(pursuers=2), "one against one.*got 2 against 1"),
        (game_config(evaders=2), "one against one.*got 1 against 2"),
        (game_config(obstacles=3), "without obstacles.*got 3"),
        (game_config(obstacles=((0.0, 0.0, 1.0),)), "without obstacles.*got 1"),
    ],
)
def test_a_map_needs_two_players_and_free_ground(config, message):
    with pytest.raises(ValueError, match=message):
        start_map("pursuit", "evade", config)


@pytest.mark.parametrize("keywords", [{"resolution": 1}, {"resolution": 1001}, {"repeats": 0}])
def test_numbers_out_of_range_are_refused(keywords):
    with pytest.raises(ValueError, match=next(iter(keywords))):
        start_map("pursuit", "evade", **keywords)
