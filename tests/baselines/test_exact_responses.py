"""Exact best responses: against closed forms, against perfect play, and in the engine."""

import gymnasium as gym
import numpy as np
import pytest
from matplotlib.axes import Axes

from steer_env.baselines.best_responses import best_response
from steer_env.baselines.exact_responses import exact_response
from steer_env.baselines.reduced_states import Reduction
from steer_env.baselines.response_grids import Grid
from steer_env.baselines.rollouts import evaluate
from steer_env.baselines.solution_plots import loss_map, value_figure
from steer_env.baselines.solved_games import starts_by_region
from steer_env.errors import InvalidValue
from steer_env.game.config import make_game
from steer_env.scenarios.registry import SOLVED
from steer_env.sides import EVADER, PURSUER


class Course:
    """Runs at an angle to the line of sight, from the bearing that it sees."""

    def __init__(self, degrees: float, share: float = 1.0, memory: object = None) -> None:
        self.observation_config = SOLVED["simple_plane"].reduced_observation(EVADER)
        self._turn, self._memory = share * np.exp(1j * np.radians(degrees)), memory

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        course = (observation[:, 1] + 1j * observation[:, 2]) * self._turn
        return np.stack([course.real, course.imag], axis=-1), self._memory


class Straight(Course):
    """Runs straight on, wherever it heads."""

    def __init__(self) -> None:
        super().__init__(0.0)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return np.tile((1.0, 0.0), (len(observation), 1)), None


@pytest.mark.parametrize("opponent", ["seek", "pursuit/intercept"])
def test_nobody_gains_on_a_pursuer_in_the_plane_that_runs_at_the_evader(opponent):
    """Running straight away is best against a pursuer that turns on the spot: the value."""
    found = exact_response(opponent, "simple_plane", "evader", starts=20, nodes=32)
    exact = found.exploitability()
    assert abs(exact.estimate) <= exact.error + 0.03
    assert found.gains.max() <= 1e-6
    np.testing.assert_allclose(found.gains, 0.0, atol=0.005)  # s: the grid is coarse
    np.testing.assert_allclose(found.training_gains, 0.0, atol=1e-6)


@pytest.mark.parametrize("evader", [Course(0.0, 0.0), Course(90.0), Course(-90.0)])
def test_an_evader_that_stays_or_circles_is_caught_at_the_pursuers_speed(evader):
    """Its distance shrinks by the pursuer's speed: T = (d - l) / 1."""
    found = exact_response(evader, "simple_plane", "pursuer", starts=20, nodes=32)
    value = found.played["value"]
    gains = value - 0.4 * value  # V = (d - l) / 0.4
    exact = found.exploitability()
    assert abs(exact.estimate - gains.mean()) <= exact.error + 0.01
    np.testing.assert_allclose(found.gains, gains, atol=0.035)  # by a step
    assert found.reduced == ("distance",)


def test_an_evader_that_runs_straight_on_is_met_on_the_shortest_way():
    """T solves |r + u T| = vp T + l, with the offset r and the evader's velocity u."""
    found = exact_response(Straight(), "simple_plane", "pursuer", starts=20, nodes=64)
    states = starts_by_region(found.played.config, 20, 0.02, 1_000_000)["plane"][0]
    body = states["players"]["body"]
    offset = body["position"][:, 1] - body["position"][:, 0]
    along = 0.6 * (offset * body["heading"][:, 1].conj()).real - 0.1
    square = 1.0 - 0.6**2
    times = along + np.sqrt(along**2 + square * (np.abs(offset) ** 2 - 0.1**2))
    assert found.reduced == ("distance", "own bearing")
    np.testing.assert_allclose(found.played["time"], times / square, atol=0.02)
    exact = found.exploitability()
    assert abs(exact.estimate - found.gains.mean()) <= exact.error + 0.01


def test_a_pursuer_that_runs_past_never_catches_the_evader():
    """At 60 degrees to the line of sight it gains 0.5 m/s, and the evader runs at 0.6."""
    found = exact_response(Course(60.0), "simple_plane", "evader", starts=4, nodes=32)
    limit = found.played.config.horizon * found.played.config.dt
    np.testing.assert_allclose(found.played["time"], limit)
    np.testing.assert_allclose(found.by_grid[-1], limit)


@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_nobody_gains_on_perfect_play_about_a_target(side):
    given = {"starts": 20, "nodes": 64}
    found = exact_response("optimal/perimeter", "perimeter_defense", side, **given)
    late = found.exploitability("late")
    assert abs(late.estimate) <= late.error + 0.01
    np.testing.assert_allclose(found.gains, 0.0, atol=1.0 / 30.0)  # m: the step of a reply


def test_a_car_that_seeks_never_catches_an_evader_that_swerves():
    found = exact_response("seek", "homicidal_chauffeur", "evader", starts=5, nodes=48)
    limit = found.played.config.horizon * found.played.config.dt
    regions = np.array(found.played.regions)[found.played["region"]]
    is_behind = np.isin(regions, ("S", "W"))
    np.testing.assert_allclose(found.played["time"][is_behind], limit)
    assert found.exploitability("T").estimate == pytest.approx(0.0, abs=0.02)
    labels = [one.get_ylabel() for one in value_figure(loss_map(found, cells=41)).findobj(Axes)]
    assert "loss to the best response [s]" in labels


@pytest.mark.weekly
def test_the_least_distance_of_two_cars_is_at_most_what_the_grid_says():
    found = exact_response("seek", "two_cars", "evader", starts=20, nodes=32)
    exact = found.exploitability()
    assert found.training_gains.mean() - 0.02 <= found.gains.mean()
    assert found.gains.mean() <= exact.estimate + exact.error
    assert exact.error < 0.15


@pytest.mark.weekly
def test_a_search_finds_no_more_than_the_exact_response():
    evader, config = Course(150.0), make_game(game="simple_plane")
    found = exact_response(evader, config, "pursuer", starts=2, nodes=64)
    given = {"starts": 16, "budget": 512, "seed": 1_000_000}
    searched = best_response(evader, config, "pursuer", known=["seek"], **given)
    played = evaluate(found.player, evader, config, 16, 1_000_000)
    assert (searched.payoffs >= played["time"] - 0.02).all()


def test_the_response_plays_alike_alone_and_among_others():
    evader = Course(150.0)
    found = exact_response(evader, "simple_plane", "pursuer", starts=2, nodes=32)
    both = evaluate(found.player, evader, found.played.config, 8, 5)
    alone = evaluate(found.player, evader, found.played.config, 1, 9)
    assert both["time"][4] == alone["time"][0]


@pytest.mark.parametrize(
    ("opponent", "game", "side", "message"),
    [
        ("random", "simple_plane", "evader", "draws random numbers"),
        ("evade", "simple_plane", "pursuer", "draws random numbers"),
        ("pretrained/simple_plane/evade/ppo", "simple_plane", "pursuer", "its own speed"),
        ("pursuit/full_force", "two_cars", "pursuer", "exchanged"),
        ("optimal/drag", "drag", "evader", "drag has more"),
        ("seek", "walls", "evader", "not solved"),
        (Course(0.0, memory=1), "simple_plane", "pursuer", "remembers"),
    ],
)
def test_what_no_exact_response_is_known_to_is_refused(opponent, game, side, message):
    with pytest.raises(InvalidValue, match=message):
        exact_response(opponent, game, side, starts=2, nodes=32)


@pytest.mark.weekly
@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_nobody_gains_on_perfect_play_around_a_target(side):
    found = exact_response("optimal/reach_avoid", "reach_avoid", side, starts=5, nodes=32)
    assert found.reduced == ("attacker", "defender", "apart")
    assert found.gains.max() <= 0.05  # m: the step of a reply


def test_a_response_is_no_opponent_of_an_environment():
    found = exact_response("seek", "simple_plane", "evader", starts=2, nodes=32)
    with pytest.raises(InvalidValue, match="sees the state of the game"):
        gym.make("SimplePlane-v0", opponent=found.player).reset(seed=0)


def test_a_target_without_an_angle_is_refused():
    game = {"game": "reach_avoid", "target": {"kind": "half_plane"}}
    with pytest.raises(InvalidValue, match="a disc"):
        exact_response("optimal/reach_avoid", game, "evader", starts=2, nodes=32)


def test_grids_interpolate_linear_functions_exactly_and_wrap_angles():
    reduction = Reduction(make_game(game="two_cars"), PURSUER, 10.0)
    grid, random = Grid(reduction, 32), np.random.default_rng(3)
    nodes = grid.nodes()
    assert nodes.shape == (33 * 48 * 48, 3)
    states = random.uniform((0.0, -3.5, -3.5), (10.0, 3.5, 3.5), (200, 3))
    corners, shares = grid.locate(states)
    distances = grid.padded(nodes[:, 0].astype(np.float32))
    np.testing.assert_allclose(
        grid.between(distances, corners, shares), states[:, 0], rtol=1e-5
    )
    # Linear in an angle it cannot be where the angle wraps: a wave shows that it is continuous.
    wave = grid.padded(np.cos(nodes[:, 1]).astype(np.float32))
    found = grid.between(wave, corners, shares)
    np.testing.assert_allclose(found, np.cos(states[:, 1]), atol=0.005)
    turned = grid.locate(np.add(states, (0.0, 2.0 * np.pi, -2.0 * np.pi)))
    np.testing.assert_allclose(grid.between(wave, *turned), found, atol=1e-5)


def test_numbers_of_a_response_are_those_of_its_table():
    found = exact_response("optimal/simple", "simple_plane", "pursuer", starts=4, nodes=32)
    numbers = found.to_dict()
    exact = numbers["overall"]["exploitability"]
    assert abs(exact["estimate"]) <= exact["error"] < 0.6
    assert numbers["overall"]["in_play"] == pytest.approx(0.0, abs=0.01)
    assert numbers["reduced"] == ["distance"]
    assert numbers["grid"] == [33]
    assert [row[0] for row in found.table().rows] == ["plane", "all"]
