"""Every pursuer plays every evader; rankings and equilibria agree with those by hand."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from steer_env.baselines import (
    EPISODE,
    Episodes,
    FunctionPolicy,
    crossplay,
    equilibrium,
    evaluate,
    game_value,
    ranking,
)
from steer_env.baselines.cross_play import save_pairs, solve_matrix_game
from steer_env.game.config import make_game
from steer_env.scripts.script import Script

GAMES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-100.0, 100.0, width=32),
)


def straight_on(observations):
    return np.tile(np.array([1.0, 0.0], np.float32), (len(observations), 1))


def made_up(times, **names):
    """Returns episodes of the given lengths: of a pair with names, or of all pairs."""
    times = np.asarray(times, np.float64)
    episodes = np.zeros(times.shape, EPISODE)
    episodes["seed"] = np.arange(times.shape[-1])
    episodes["time"], episodes["captured"] = times, times < 20.0
    sides = [tuple(f"{side}{n}" for n in range(size)) for side, size in zip("pe", times.shape)]
    if names:
        sides = [(names.get("pursuer", "ours"),), (names.get("evader", "evade"),)]
    return Episodes(*sides, make_game(), episodes)


@pytest.fixture(scope="module")
def found():
    return crossplay(["seek", "pursuit", "random"], ["flee", "evade"], episodes=40, seed=5)


@pytest.mark.parametrize(
    ("costs", "rows", "columns", "value"),
    [
        ([[1, -1], [-1, 1]], [1 / 2, 1 / 2], [1 / 2, 1 / 2], 0.0),  # matching pennies
        ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], [1 / 3] * 3, [1 / 3] * 3, 0.0),  # three signs
        ([[5, 6], [2, 3], [9, 4]], [0, 1, 0], [0, 1], 3.0),  # the second row dominates
        ([[3, 8, 3.5], [7, 2, 6]], [1 / 2, 1 / 2, 0], None, 5.0),
        ([[7]], [1], [1], 7.0),
        ([[4, 9, 2]], [1], [0, 1, 0], 9.0),
        ([[4], [9], [2]], [0, 0, 1], [1], 2.0),
        ([[9, 4], [3, 8]], [1 / 2, 1 / 2], [2 / 5, 3 / 5], 6.0),  # by the closed form
    ],
)
def test_games_solved_by_hand(costs, rows, columns, value):
    found = solve_matrix_game(np.array(costs, np.float64))
    assert found[2] == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(found[0], rows[: len(costs)], atol=1e-9)
    if columns is not None:
        np.testing.assert_allclose(found[1], columns, atol=1e-9)


@given(GAMES)
def test_no_side_gains_by_leaving_the_equilibrium(costs):
    rows, columns, value = solve_matrix_game(costs)
    for mixture in (rows, columns):
        assert (mixture >= 0.0).all()
        assert mixture.sum() == pytest.approx(1.0)
    assert (rows @ costs).max() <= value + 1e-5
    assert (costs @ columns).min() >= value - 1e-5
    assert costs.min(axis=0).max() - 1e-5 <= value <= costs.max(axis=1).min() + 1e-5


@pytest.mark.parametrize("costs", [[], [[]], [1.0, 2.0], [[1.0, np.nan]], [[np.inf]]])
def test_anything_but_a_finite_matrix_is_refused(costs):
    with pytest.raises(ValueError, match="costs must be a finite matrix"):
        solve_matrix_game(np.array(costs, np.float64))


def test_every_pair_is_what_evaluate_plays(found):
    assert found.array("time", "pursuer", "evader").shape == (3, 2, 40)
    for (pursuer, evader), pair in found.by("pursuer", "evader").items():
        alone = evaluate(pursuer, evader, episodes=40, seed=5)
        assert pair.episodes.tobytes() == alone.episodes.tobytes()
        assert (pair.pursuer, pair.evader, pair.config) == (pursuer, evader, alone.config)
        assert pair.capture_rate == alone.capture_rate
        assert pair.mean_capture_time == alone.mean_capture_time
        rate = found.to_dict()["capture_rate"][pursuer][evader]
        assert tuple(rate.values()) == pair.capture_rate
    assert json.loads(json.dumps(found.to_dict()))["first_seed"] == 5


def test_the_best_pursuer_captures_soonest_and_the_best_evader_latest():
    found = made_up([[[6.0, 8.0], [20.0, 12.0]], [[3.0, 5.0], [10.0, 20.0]]])
    for side, names, times, rates in (
        ("pursuer", ["p1", "p0"], [9.5, 11.5], [0.75, 0.75]),
        ("evader", ["e1", "e0"], [15.5, 5.5], [0.5, 1.0]),
    ):
        ranks = ranking(found, side)
        assert [*ranks] == names
        assert [rank["capture_time"].estimate for rank in ranks.values()] == times
        assert [rank["capture_rate"].estimate for rank in ranks.values()] == rates
        for rank in ranks.values():
            assert rank["capture_time"].low <= rank["capture_time"].estimate
            assert rank["capture_time"].estimate <= rank["capture_time"].high


def test_matching_pennies_among_policies():
    noise = np.random.default_rng(0).normal(0.0, 0.5, 20_000)
    found = made_up(np.array([[[5.0], [9.0]], [[9.0], [5.0]]]) + noise - noise.mean())
    pursuers, evaders = equilibrium(found)
    assert pursuers == pytest.approx({"p0": 0.5, "p1": 0.5})
    assert evaders == pytest.approx({"e0": 0.5, "e1": 0.5})
    value = game_value(found)
    assert value.estimate == pytest.approx(7.0)
    assert 6.98 < value.low < 7.0 < value.high < 7.02


@pytest.mark.parametrize(
    ("seed", "shape"), [(3, (2, 3, 40)), (0, (2, 12, 8)), (1, (1, 40, 30)), (1, (1, 30, 12))]
)
def test_a_value_is_within_its_interval_which_grows_with_the_confidence(seed, shape):
    """Even if all evaders are equally good, and resamples would favor the luckiest."""
    found = made_up(np.random.default_rng(seed).uniform(0.0, 20.0, shape))
    surer, usual = game_value(found, 0.99), game_value(found)
    assert surer.low < usual.low <= usual.estimate == surer.estimate <= usual.high
    assert surer.high >= usual.high > usual.low
    with pytest.raises(ValueError, match="confidence"):
        game_value(found, 95.0)


def test_some_players_alone():
    found = made_up(np.random.default_rng(3).uniform(0.0, 20.0, (3, 2, 8)))
    some = found.where(pursuer=("p2", "p0"), evader="e1")
    assert (some.pursuers, some.evaders, some.config) == (("p2", "p0"), ("e1",), found.config)
    for name, one in some.by("pursuer").items():
        alone = found.where(evader="e1", pursuer=name)
        assert one.episodes.tobytes() == alone.episodes.tobytes()
    with pytest.raises(ValueError, match="unknown evader 'p1'"):
        found.where(pursuer="p0", evader="p1")
    with pytest.raises(ValueError, match="unknown side"):
        ranking(found, "p")


def test_a_mapping_names_policies_of_one_kind():
    scripts = {
        "slow": Script(behavior="pursuit", response_time=2.0),
        "fast": Script(behavior="pursuit", response_time=0.1),
        "ahead": FunctionPolicy(straight_on),
    }
    calls = []
    found = crossplay(scripts, {"prey": "flee"}, None, 20, 0, lambda *n: calls.append(n))
    assert calls == [(1, 3), (2, 3), (3, 3)]
    assert (found.pursuers, found.evaders) == (("slow", "fast", "ahead"), ("prey",))
    assert next(iter(ranking(found, "pursuer"))) == "fast"
    alone, ahead = evaluate(scripts["ahead"], "flee", episodes=20), found.where(pursuer="ahead")
    assert ahead.episodes.tobytes() == alone.episodes.tobytes()
    assert ahead.pursuer == "ahead"


def test_a_name_that_did_not_play_is_refused(found):
    for chosen, words in (
        ({"pursuer": "pursit"}, r"unknown pursuer 'pursit'\. Did you mean 'pursuit'"),
        ({"pursuer": "pursuit", "evader": "seek"}, "unknown evader 'seek'"),
        ({"evader": 0}, "unknown evader 0"),
        ({"pursuers": "pursuit"}, "column to choose by 'pursuers'.*Did you mean 'pursuer'"),
        ({"pursuer": None}, "unknown pursuer None"),
        ({"run": -1}, "run must be"),
        ({"run": 1}, "no episode has.*3 pursuers vs 2 evaders, 240 episodes"),
    ):
        with pytest.raises(ValueError, match=words):
            found.where(**chosen)
    with pytest.raises(ValueError, match="column to group by 'time'"):
        found.by("time")
    for wrong, error in ((["seek", "seek"], ValueError), ([], ValueError), ("seek", TypeError)):
        with pytest.raises(error, match="pursuers must be"):
            crossplay(wrong, ["evade"], None, 4)


def test_each_cell_has_both_ends_of_its_interval_within_the_range_of_a_rate(found):
    cells = [cell for row in found.table().rows for cell in row[1:]]
    assert len(cells) == len(found.pursuers) * len(found.evaders)
    for cell in cells:
        rate = re.fullmatch(r"([\d.]+)% \[([\d.]+), ([\d.]+)\], [\d.]+ s", cell)
        estimate, low, high = map(float, rate.groups())
        assert 0.0 <= low <= estimate <= high <= 100.0
    assert "0.0% [0.0, 8.8]" in str(found)  # Wilson's interval for 0 of 40


def test_a_game_about_a_distance_is_ranked_by_the_distance(tmp_path):
    """In drag every episode lasts as long, so capture times would rank nobody."""
    evaders = ["flee", "idle", "optimal/drag"]
    found = crossplay(["idle", "optimal/drag"], evaders, "drag", 100)
    distances = found.array("distance", "pursuer", "evader")
    means, value = distances.mean(axis=-1), game_value(found)
    pursuers = ranking(found, "pursuer")
    assert [*pursuers] == ["optimal/drag", "idle"]
    assert pursuers["optimal/drag"]["distance"].estimate == pytest.approx(means[1].mean())
    assert value.estimate == pytest.approx(solve_matrix_game(means)[2])
    assert value.low < means[1].max() < value.high
    numbers = found.to_dict()
    assert numbers["mean_distance"]["idle"]["flee"]["estimate"] == pytest.approx(means[0, 0])
    assert "mean_capture_time" not in numbers
    assert f"{means[0, 0]:.1f} m" in str(found)
    assert "mean distance [m]" in str(found)
    save_pairs(numbers, tmp_path / "pairs.csv")
    header = (tmp_path / "pairs.csv").read_text().splitlines()[0]
    assert header.endswith("distance,distance_low,distance_high")
    one = distances[0, 0]  # of one pair the value is the mean
    ends = stats.t.interval(0.95, len(one) - 1, one.mean(), stats.sem(one))
    alone = found.where(pursuer="idle", evader="flee")
    assert game_value(alone) == pytest.approx((one.mean(), *ends))


@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_the_ranking_shows_who_is_not_worse_than_the_first(side):
    """By paired differences: luck that all share does not hide a small one."""
    luck = np.random.default_rng(0).uniform(2.0, 15.0, 200)
    delay = np.random.default_rng(1).uniform(0.0, 0.02, (2, 200))
    worse = 0.5 if side == "pursuer" else -0.5
    rows = np.array([luck + delay[0], luck + worse, luck + delay[1]])
    played = made_up(rows[:, None] if side == "pursuer" else rows[None])
    far = ranking(played, side)[f"{side[0]}1"]["behind"]
    assert far.estimate == pytest.approx(0.5, abs=0.02)
    table = played.tables()[1 if side == "pursuer" else 2]
    assert table.header[-1] == "not worse than first"
    answers = {row[0].strip("`"): row[-1] for row in table.rows}
    assert answers == {f"{side[0]}{n}": "no" if n == 1 else "yes" for n in range(3)}
    assert "in equilibrium" not in table.header  # against one player the first is all of it
    assert "in equilibrium" in made_up(rows[:2, None].repeat(2, axis=1)).tables()[1].header


def test_starts_are_the_unit_and_all_answers_hold_together():
    """Copies of an opponent add nothing; by Bonferroni, ten players have longer intervals."""
    luck = np.random.default_rng(0).uniform(2.0, 15.0, (10, 1, 50))
    one, copies = made_up(luck[:1]), made_up(luck[:1].repeat(10, axis=1))
    ranks = [ranking(found, "pursuer")["p0"]["capture_time"] for found in (one, copies)]
    assert ranks[0] == pytest.approx(ranks[1])
    two, ten = ([*ranking(made_up(x), "pursuer").values()] for x in (luck[:2], luck))
    assert np.ptp(ten[1]["behind"][1:]) > 1.2 * np.ptp(two[1]["behind"][1:])
