"""Gaps to perfect play, starts by region, and tasks that train from them."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import (
    Episodes,
    FunctionPolicy,
    balanced_starts,
    by_region,
    gap,
    gap_metrics,
)
from steer_env.baselines.measures import ROW
from steer_env.baselines.solved_games import (
    DT,
    HORIZON,
    PERFECT,
    solved_task,
    starts_by_region,
)
from steer_env.errors import InvalidValue
from steer_env.game.config import make_game
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER
from steer_env.solved import chauffeur as solution


def against_perfect_play(game, side=PURSUER, **columns):
    """Episodes of a policy, one from each start."""
    rows = np.zeros(len(columns["value"]), ROW)
    for name, values in columns.items():
        rows[name] = values
    names = side.ordered(("policy",), (PERFECT,))
    return Episodes(*names, make_game(**game), rows, regions=("T",))


def estimates(found):
    return {name: one and one.estimate for name, one in gap_metrics(found).items()}


def chauffeur(seconds):
    return {"game": "homicidal_chauffeur", "horizon": 30 * seconds}


def test_the_four_numbers_by_hand():
    found = against_perfect_play(
        chauffeur(30),
        value=[2.0, 4.0, 3.0, 1.0],
        time=[2.5, 8.0, 30.0, 1.0],
        floor=[2.0, 4.1, 3.0, 1.1],
        captured=[True, True, False, True],
    )
    mean = (0.5 + 4.0 + 27.0) / 4
    numbers = {"gap": mean, "floor": 0.05, "share": mean / 2.5, "never_caught": 0.25}
    numbers["score"] = (0.8 + 0.5 + 0.0 + 1.0) / 4
    assert estimates(found) == pytest.approx(numbers)
    interval = gap_metrics(found)["gap"]
    assert interval.low < interval.estimate < interval.high


def test_intervals_allow_for_failures_that_no_start_has_shown():
    """By Wilson's interval, up to z^2 / (n + z^2) of all starts may fail unseen."""
    count, horizon = 2000, 35.0
    unseen = 3.8415 / (count + 3.8415)
    values = {"value": [5.0] * count, "floor": [5.0] * count}
    times = {**values, "time": [5.0] * count, "captured": [True] * count}
    found = against_perfect_play(chauffeur(35), **times)
    pursuer = gap_metrics(found)
    assert pursuer["gap"] == pytest.approx((0.0, 0.0, unseen * (horizon - 5.0)), rel=1e-3)
    assert pursuer["score"] == pytest.approx((1.0, 1.0 - unseen, 1.0), rel=1e-3)
    evader = gap_metrics(against_perfect_play(chauffeur(35), EVADER, **times))
    assert evader["gap"] == pytest.approx((0.0, 0.0, unseen * 5.0), rel=1e-3)
    runs = gap_metrics(Episodes.joined([found, found], range(2)))
    assert runs["gap"] == pytest.approx(pursuer["gap"])
    of_distances = against_perfect_play({"game": "drag"}, **values, distance=[5.0] * count)
    assert gap_metrics(of_distances)["gap"] == (0.0, 0.0, 0.0)


def test_distances_and_infinite_values():
    game = {"game": "drag", "capture_radius": 0.5}
    found = against_perfect_play(game, value=[0.0, 1.0], distance=[0.5, 1.0], floor=[0, 1])
    numbers = estimates(found)
    assert numbers["never_caught"] is None
    assert numbers["score"] == pytest.approx((0.5 + 1.0) / 2)
    assert numbers["share"] == pytest.approx(0.5)
    # Where the value is infinite only captures count.
    endless = {"value": [math.inf] * 2, "time": [35.0] * 2, "floor": [35.0] * 2}
    found = against_perfect_play(chauffeur(35), **endless)
    assert estimates(found) == {**dict.fromkeys(numbers), "never_caught": 1.0}
    assert found.to_dict()["regions"]["T"]["mean_value"] is None


def chauffeur_with(nu, l):  # noqa: E741
    """The game in which the pursuer's speed and turning radius are 1."""
    return {
        "game": "homicidal_chauffeur",
        "evader": {"max_speed": nu},
        "capture_radius": l,
    }


@pytest.mark.compiled
def test_perfect_play_has_no_gap_but_the_floor():
    found = gap("optimal/chauffeur", starts=20)
    regions = by_region(found)
    assert [*regions] == ["T", "D", "S", "W", "all"]
    for one in map(estimates, regions.values()):
        assert one["gap"] == one["floor"]
        assert abs(one["gap"]) < 2e-3
        assert one["score"] > 0.999
    assert found.config.horizon == 1050
    assert len(regions["all"]) == 80
    slow = gap("optimal/chauffeur", chauffeur_with(0.5, 0.5), starts=9)
    assert slow.time_limit >= 3.0 * slow["value"].max()


@pytest.mark.compiled
def test_policies_are_measured_as_scripts_are():
    straight = FunctionPolicy(lambda rows: np.zeros((len(rows), 2), np.float32))
    found = gap(straight, "homicidal_chauffeur", starts=10)
    assert found.pursuer == "<lambda>"
    assert estimates(found.where(region="W"))["never_caught"] == 1.0
    evader = gap(ROSTER["idle"], "homicidal_chauffeur", "evader", starts=10, name="idler")
    assert estimates(evader.where(region="D"))["gap"] > 1.0
    assert "idler as the evader" in str(evader)


LONG = {"game": "simple_plane", "evader": {"max_speed": 1.0 - 1e-10}}


@pytest.mark.parametrize(
    ("given", "starts", "match"),
    [
        (("seek", "walls"), 3, "this game is not solved"),
        (("seek", "homicidal_chauffer"), 3, "mean 'homicidal_chauffeur'"),
        (("seek", "two_cars", "pursuers"), 3, "side 'pursuers'"),
        (("seek", "two_cars", 1), 3, "side 1"),
        (("evade", "two_cars"), 3, "'evade' is made for the evader"),
        (("seek", LONG), 4, r"capture takes up to .* s here"),
        (("seek",), 5000, r"of 32,768 random starts [1-9]\d* are in .*'T'"),
    ],
)
def test_wrong_arguments(given, starts, match, monkeypatch):
    monkeypatch.setattr("steer_env.baselines.solved_games._MOST_DRAWN", 2**15)
    with pytest.raises(InvalidValue, match=match):
        gap(*given, starts=starts)


@pytest.mark.parametrize(
    ("policies", "name", "match"),
    [
        ([], None, "policy must not be an empty list"),
        (["seek", "seek"], None, "different for each of the 2 policies, got seek, seek"),
        (["seek", "arrive"], ["one"], "different for each of the 2 policies, got one"),
        (["seek", "evade"], None, "'evade' is made for the evader"),
    ],
)
def test_several_policies_have_a_name_each(policies, name, match):
    with pytest.raises(InvalidValue, match=match):
        gap(policies, "simple_plane", name=name)


@pytest.mark.compiled
def test_regions_without_starts_are_left_out():
    small = {"game": "homicidal_chauffeur", "capture_radius": 0.8, "arena_size": 1.0}
    found = gap("seek", {**small, "pursuer": {"max_force": 0.25}}, starts=3)
    assert found.regions == ("T", "D", "S")
    assert "No start lies in W." in str(found)
    slow = gap("seek", chauffeur_with(0.1, 0.6), starts=3)
    assert slow.regions == ("T", "D", "W")  # all that this game has
    assert "No start lies" not in str(slow)
    weak = {"game": "drag", "evader": {"max_force": 2.0, "max_speed": 5.0}}
    assert "No start lies in reach." in str(gap("optimal/drag", weak, starts=3))


@pytest.mark.parametrize("nu", [1.0, 1.5])
def test_where_nobody_can_be_caught(nu):
    found = gap("seek", {"game": "simple_plane", "evader": {"max_speed": nu}}, starts=4)
    assert estimates(found.where(region="plane"))["never_caught"] == 1.0
    overall = by_region(found)["all"]
    assert len(overall) == 0
    assert set(gap_metrics(overall).values()) == {None}
    assert found.to_dict()["overall"]["mean_value"] is None
    assert "all" not in [row[0] for row in found.table().rows]


@pytest.mark.compiled
def test_two_cars_play_to_the_closest_approach():
    short, whole = (
        gap("optimal/two_cars", {"game": "two_cars", "horizon": steps}, starts=9)
        for steps in (1, 150)
    )
    assert short.config.horizon == whole.config.horizon == 150
    np.testing.assert_array_equal(short.payoffs, whole.payoffs)


# Starts by region of a solution.

CHAUFFEUR = make_game(game="homicidal_chauffeur")


def seen_by_the_car(starts):
    """Places of evaders seen from the car: right and ahead, in its turning radii, 1 m."""
    apart = np.array(starts["evader"]["position"]) - np.array(starts["pursuer"]["position"])
    place = (apart[:, 0] + 1j * apart[:, 1]) * np.exp(-1j * starts["pursuer"]["heading"])
    return -place.imag, place.real


@pytest.mark.compiled
def test_each_region_has_as_many_starts_with_the_values_of_their_places():
    starts = balanced_starts("homicidal_chauffeur", 12)
    regions = solution.region(*seen_by_the_car(starts), 0.3, 0.3)
    assert dict(zip(*np.unique(regions, return_counts=True))) == dict.fromkeys("TDSW", 12)
    found = starts_by_region(CHAUFFEUR, 9, 0.02, 5)
    assert list(found) == ["T", "D", "S", "W"]
    for region, (states, values, _) in found.items():
        body = states["players"]["body"]
        apart = (body["position"][:, 1] - body["position"][:, 0]) * body["heading"][:, 0].conj()
        places = -apart.imag, apart.real
        np.testing.assert_allclose(solution.value(*places, 0.3, 0.3), values, rtol=1e-9)
        assert (solution.region(*places, 0.3, 0.3) == region).all()


@pytest.mark.compiled
@pytest.mark.parametrize(
    "environment",
    [
        pytest.param(name, marks=() if name.startswith("Drag") else pytest.mark.weekly)
        for name, found in ENVIRONMENTS.items()
        if found.game.is_solved
    ],
)
def test_training_differs_from_the_game_in_starts_and_time_alone(environment):
    task = solved_task(environment)
    found = ENVIRONMENTS[environment]
    assert task.config == make_game(game=found.game.name)
    assert task.opponents == (found.game.opponents[found.side],)
    given = task.make_keywords
    assert set(given) == {"start", "dt", "horizon", "opponent"}
    assert given["dt"] == DT
    if task.config.payoff == "time":
        assert given["horizon"] == HORIZON
    else:
        seconds = task.config.horizon * task.config.dt
        assert given["horizon"] * given["dt"] == pytest.approx(seconds)
    env = gym.make(environment, **given)
    env.reset(seed=3)
    env.step(env.action_space.sample())
