"""How far from perfect play a policy is: regions, intervals, scores, errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from measured_players import pooled

from steer_env.baselines import FunctionPolicy, gap
from steer_env.baselines.optimality import START, RegionGap
from steer_env.errors import InvalidValue
from steer_env.scripts.roster import ROSTER


def region(sign, limit, soft=0.0, **columns):
    count = len(columns["value"])
    starts = np.zeros(count, START)
    starts["region"] = "T"
    for name, values in columns.items():
        starts[name] = values
    return RegionGap("T", starts, sign, soft, limit)


def test_the_four_numbers_by_hand():
    found = region(
        1.0,
        30.0,
        value=[2.0, 4.0, 3.0, 1.0],
        payoff=[2.5, 8.0, 30.0, 1.0],
        floor_payoff=[2.0, 4.1, 3.0, 1.1],
        captured=[True, True, False, True],
    )
    assert found.gap.estimate == pytest.approx((0.5 + 4.0 + 27.0) / 4)
    assert found.floor.estimate == pytest.approx(0.05)
    assert found.share.estimate == pytest.approx(found.gap.estimate / 2.5)
    assert found.never_caught.estimate == 0.25
    assert found.score.estimate == pytest.approx((0.8 + 0.5 + 0.0 + 1.0) / 4)
    assert found.gap.low < found.gap.estimate < found.gap.high


def test_intervals_allow_for_failures_that_no_start_has_shown():
    """By Wilson's interval, up to z^2 / (n + z^2) of all starts may fail unseen."""
    count, horizon = 2000, 35.0
    unseen = 3.8415 / (count + 3.8415)
    times = {"value": [5.0] * count, "floor_payoff": [5.0] * count, "captured": [True] * count}
    pursuer = region(1.0, horizon, payoff=[5.0] * count, **times)
    assert pursuer.gap == pytest.approx((0.0, 0.0, unseen * (horizon - 5.0)), rel=1e-3)
    assert pursuer.score == pytest.approx((1.0, 1.0 - unseen, 1.0), rel=1e-3)
    evader = region(-1.0, horizon, payoff=[5.0] * count, **times)
    assert evader.gap == pytest.approx((0.0, 0.0, unseen * 5.0), rel=1e-3)
    runs = pooled([pursuer, pursuer])
    assert runs.gap == pytest.approx(pursuer.gap)
    distances = {name: values for name, values in times.items() if name != "captured"}
    assert region(1.0, None, payoff=[5.0] * count, **distances).gap == (0.0, 0.0, 0.0)


def test_distances_and_infinite_values():
    found = region(1.0, None, 0.5, value=[0.0, 1.0], payoff=[0.5, 1.0], floor_payoff=[0, 1])
    assert found.never_caught is None
    assert found.score.estimate == pytest.approx((0.5 + 1.0) / 2)
    assert found.share.estimate == pytest.approx(0.5)
    # Where the value is infinite only captures count.
    found = region(1.0, 35.0, value=[math.inf] * 2, payoff=[35.0] * 2, floor_payoff=[35.0] * 2)
    assert found.gap is found.floor is found.score is found.share is None
    assert found.never_caught.estimate == 1.0
    assert found.to_dict()["mean_value"] is None


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
    assert list(found.regions) == ["T", "D", "S", "W"]
    for one in (*found.regions.values(), found.overall):
        assert one.gap.estimate == one.floor.estimate
        assert abs(one.gap.estimate) < 2e-3
        assert one.score.estimate > 0.999
    assert found.config.horizon == 1050
    assert len(found.overall.starts) == 80
    slow = gap("optimal/chauffeur", chauffeur_with(0.5, 0.5), starts=9)
    values = slow.starts["value"]
    assert slow.config.horizon * slow.config.dt >= 3.0 * values.max()


@pytest.mark.compiled
def test_policies_are_measured_as_scripts_are():
    straight = FunctionPolicy(lambda rows: np.zeros((len(rows), 2), np.float32))
    found = gap(straight, "homicidal_chauffeur", starts=10)
    assert found.policy == "<lambda>"
    assert found.regions["W"].never_caught.estimate == 1.0
    evader = gap(ROSTER["idle"], "homicidal_chauffeur", "evader", starts=10, name="idler")
    assert evader.regions["D"].gap.estimate > 1.0
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


@pytest.mark.compiled
def test_regions_without_starts_are_left_out():
    small = {"game": "homicidal_chauffeur", "capture_radius": 0.8, "arena_size": 1.0}
    found = gap("seek", {**small, "pursuer": {"max_force": 0.25}}, starts=3)
    assert list(found.regions) == ["T", "D", "S"]
    assert found.absent == ("W",)
    assert "No start lies in W." in str(found)
    slow = gap("seek", chauffeur_with(0.1, 0.6), starts=3)
    assert list(slow.regions) == ["T", "D", "W"]  # all that this game has
    assert slow.absent == ()
    weak = {"game": "drag", "evader": {"max_force": 2.0, "max_speed": 5.0}}
    assert gap("optimal/drag", weak, starts=3).absent == ("reach",)


@pytest.mark.parametrize("nu", [1.0, 1.5])
def test_where_nobody_can_be_caught(nu):
    found = gap("seek", {"game": "simple_plane", "evader": {"max_speed": nu}}, starts=4)
    assert found.regions["plane"].never_caught.estimate == 1.0
    assert len(found.overall.starts) == 0
    assert found.overall.gap is found.overall.score is found.overall.never_caught is None
    assert found.to_dict()["overall"]["mean_value"] is None
    assert "all" not in [row[0] for row in found.table().rows]


@pytest.mark.compiled
def test_two_cars_play_to_the_closest_approach():
    short, whole = (
        gap("optimal/two_cars", {"game": "two_cars", "horizon": steps}, starts=9)
        for steps in (1, 150)
    )
    assert short.config.horizon == whole.config.horizon == 150
    np.testing.assert_array_equal(short.starts["payoff"], whole.starts["payoff"])
