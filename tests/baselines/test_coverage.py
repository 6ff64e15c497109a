"""Simulated studies: how often intervals contain the truth, and find relevant differences."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats
from test_crossplay import made_up
from test_optimality import against_perfect_play
from test_statistics import LIMIT, capture_times, draw

from steer_env.baselines import (
    EPISODE,
    Episodes,
    game_value,
    gap_metrics,
    interquartile_mean_with_interval,
    mean_with_interval,
    median_with_interval,
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
    ranking,
    rate_with_interval,
    survival_curve,
)
from steer_env.game.config import make_game
from steer_env.scenarios.registry import SUITE
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly

SIMULATIONS = 2000
MEAN_TIME = 10.0


@pytest.fixture
def few_resamples(monkeypatch):
    """There is time for many simulations."""
    monkeypatch.setattr("steer_env.baselines.statistics.RESAMPLES", 500)


def coverage(intervals, truth):
    intervals = np.array([tuple(found) for found in intervals])
    return np.mean((intervals[:, 1] <= truth + 1e-9) & (truth <= intervals[:, 2] + 1e-9))


# Studies of episodes: each returns intervals and the truth.


def mean_at_rare_events(kind, episodes, events, limit=LIMIT):
    """A time limit tells what the bootstrap cannot see: events that did not happen yet."""
    random, shape, rate = np.random.default_rng(20), (400, episodes), events / episodes
    is_rare = random.random(shape) < rate
    if kind == "captures":  # the others time out
        samples = np.where(is_rare, random.uniform(0.0, LIMIT, shape), LIMIT)
        truth = LIMIT * (1.0 - 0.5 * rate)
    else:  # the others are captured soon
        samples = np.where(is_rare, LIMIT, random.uniform(3.0, 5.0, shape))
        truth = LIMIT * rate + 4.0 * (1.0 - rate)
    return [mean_with_interval(sample, limit=limit) for sample in samples], truth


def times_by(estimator, truth):
    samples = capture_times(np.random.default_rng(0), (SIMULATIONS, 200))
    return map(estimator, samples), truth


def other_values():
    samples = np.random.default_rng(1).beta(2.0, 5.0, (SIMULATIONS, 200))
    return map(mean_with_interval, samples), 2 / 7


def rates(rate):
    samples = np.random.default_rng(3).random((SIMULATIONS, 800)) < rate
    return map(rate_with_interval, samples), rate


def survival_at(instant):
    found = []
    for sample in capture_times(np.random.default_rng(6), (SIMULATIONS, 200)):
        curve = survival_curve(sample, sample < LIMIT)
        step = np.searchsorted(curve.times, instant, side="right") - 1
        found.append([*curve[step]][1:])
    return found, np.exp(-instant / MEAN_TIME)


def gaps_with_rare_failures(failures, horizon=35.0):
    """A pursuer that is 1% late, and never catches the evader from a few of 2,000 starts."""
    generator, count, share = np.random.default_rng(29), 2000, failures / 2000
    value = generator.uniform(1.0, 11.0, count)
    fails = generator.random((400, count)) < share
    late = value * (1.0 + generator.exponential(0.01, fails.shape))
    truth = 0.01 * value.mean() * (1.0 - share) + (35.0 - value.mean()) * share
    game = {"game": "homicidal_chauffeur", "horizon": round(30 * (horizon or 35.0))}
    found = []
    for times, failed in zip(np.where(fails, 35.0, late), fails):
        columns = {"value": value, "floor": value, "time": times, "captured": ~failed}
        one = gap_metrics(against_perfect_play(game, **columns))["gap"]
        found.append(mean_with_interval(times - value) if horizon is None else one)
    return found, truth


def time_pairs(generator, difference, shape):
    """Times of the spread and correlation of two pursuers against the same evader."""
    common, own, other = generator.normal(0.0, 7.0 * np.sqrt(0.5), (3, *shape))
    return 10.0 + difference + common + own, 10.0 + common + other


def differences(seed, difference, simulations, episodes):
    pairs = time_pairs(np.random.default_rng(seed), difference, (simulations, episodes))
    return map(paired_difference, *pairs), difference


def rare_differences(episodes, events, limit=LIMIT):
    """Differences of 0 but for a few pairs: no bootstrap resamples what it has not seen."""
    generator, rate = np.random.default_rng(21), events / episodes
    differs = generator.random((800, episodes)) < rate
    pairs = np.where(differs, generator.uniform(0.0, 19.0, differs.shape), LIMIT)
    same = np.full(episodes, LIMIT)
    found = [paired_difference(times, same, limit=limit) for times in pairs]
    return found, -rate * (LIMIT - 9.5)


def outcome_pairs(seed, rates, correlation, shape):
    """Captured or not, of two policies whose outcomes correlate over starts."""
    ours, theirs = rates
    both = ours * theirs + correlation * np.sqrt(ours * (1 - ours) * theirs * (1 - theirs))
    drawn = np.random.default_rng(seed).random(shape)
    return drawn < ours, (drawn < both) | ((drawn >= ours) & (drawn < ours + theirs - both))


def paired_rates(*rates):
    pairs = outcome_pairs(4, rates, 0.3, (SIMULATIONS, 300))
    return map(paired_rate_difference, *pairs), rates[0] - rates[1]


def improvement(mean):
    generator = np.random.default_rng(5)
    pairs = [capture_times(generator, (SIMULATIONS, 300), one) for one in (mean, MEAN_TIME)]
    both_time_out = np.exp(-LIMIT / mean - LIMIT / MEAN_TIME)
    first = MEAN_TIME / (mean + MEAN_TIME)  # of two constant rates, regardless of when
    found = [probability_of_improvement(*pair, lower_is_better=True) for pair in zip(*pairs)]
    return found, first * (1.0 - both_time_out) + 0.5 * both_time_out


# Studies of training runs.


def five_runs(of_runs, kind):
    """Runs that hardly differ, and runs that differ far more than starts."""
    generator, found = np.random.default_rng(7), []
    for _ in range(SIMULATIONS):
        of_starts = generator.normal(0.0, 1.0, 100)
        ours = draw(generator, 3.0, of_runs, of_starts, 1.0, (5, 100))
        fixed = draw(generator, 2.0, 0.0, of_starts, 1.0, (1, 100))
        theirs = draw(generator, 2.0, of_runs, of_starts, 1.0, (4, 100))
        others = {"fixed": fixed, "runs": theirs}
        one = (
            mean_with_interval(ours)
            if kind == "mean"
            else paired_difference(ours, others[kind])
        )
        found.append(one)
    return found, 3.0 if kind == "mean" else 1.0


def runs_of_number(runs):
    """As the docstring says, intervals are a little too short for two and three runs."""
    generator = np.random.default_rng(17)
    of_starts = generator.normal(0.0, 1.0, (1000, 50))
    drawn = [draw(generator, 3.0, 1.0, starts, 1.0, (runs, 50)) for starts in of_starts]
    return map(mean_with_interval, drawn), 3.0


def interquartile_means():
    """Runs differ as much as their scores against nine opponents do."""
    from algorithms_page import interquartile_mean

    random, of_opponents = np.random.default_rng(9), np.linspace(-1.0, 1.0, 9)
    drawn = [random.normal(size=(5, 1)) + random.normal(size=(5, 9)) for _ in range(500)]
    return [interquartile_mean(of_opponents + one) for one in drawn], 0.0


SPREADS = {  # of our runs, of their runs, of the starts, of the episodes
    "equal": (1.0, 1.0, 0.5, 1.0),
    "only ours": (1.0, 0.0, 0.5, 0.7),
    "only theirs": (0.0, 1.0, 0.5, 0.7),
    "only starts": (0.0, 0.0, 1.0, 0.5),
    "only runs": (1.0, 1.0, 0.0, 0.01),
}


def improvement_by_runs(spreads, runs, probability):
    """Whatever varies; a start favors one side for all runs of it."""
    generator, found = np.random.default_rng(11), []
    of_ours, of_theirs, of_starts, of_episodes = SPREADS[spreads]
    deviation = np.sqrt(of_ours**2 + of_theirs**2 + of_starts**2 + 2.0 * of_episodes**2)
    for _ in range(1000):
        lead = stats.norm.ppf(probability) * deviation + generator.normal(0.0, of_starts, 50)
        ours = draw(generator, 0.0, of_ours, lead, of_episodes, (runs[0], 50))
        theirs = draw(generator, 0.0, of_theirs, 0.0, of_episodes, (runs[1], 50))
        found.append(probability_of_improvement(ours, theirs))
    return found, probability


def rate_over_runs(of_runs, rate):
    generator, found = np.random.default_rng(13), []
    threshold = -stats.norm.ppf(rate) * np.sqrt(2.0 + of_runs**2)
    for _ in range(500):
        of_starts = generator.normal(0.0, 1.0, 100)
        drawn = draw(generator, 0.0, of_runs, of_starts, 1.0, (5, 100))
        found.append(rate_with_interval(drawn > threshold))
    return found, rate


def rate_difference_over_runs(of_runs, *rates):
    generator, found = np.random.default_rng(18), []
    thresholds = -stats.norm.ppf(rates) * np.sqrt(2.0 + of_runs**2)
    for of_starts in generator.normal(0.0, 1.0, (500, 100)):
        drawn = [draw(generator, 0.0, of_runs, of_starts, 1.0, (5, 100)) for _ in rates]
        found.append(paired_rate_difference(*(x > t for x, t in zip(drawn, thresholds))))
    return found, rates[0] - rates[1]


def runs_that_fail(share):
    """Four captures at 4.3 s in five runs, say, and one that never captures."""
    generator, found = np.random.default_rng(14), []
    for _ in range(1000):
        fails = generator.random(5)[:, None] < share
        found.append(
            mean_with_interval(np.where(fails, 20.0, generator.normal(4.3, 0.1, (5, 20))))
        )
    return found, share * 20.0 + (1.0 - share) * 4.3


# Studies of cross-play.


def value_of_equal_policies(*shape):
    """Though each side picks who was lucky, so that the estimate of the value is biased."""
    generator, found = np.random.default_rng(7), []
    for _ in range(80):
        of_starts = generator.normal(0.0, 2.0, 100)
        times = 8.0 + of_starts + generator.normal(0.0, 2.0, (*shape, 100))
        found.append(game_value(made_up(times.clip(0.0, 20.0))))
    if shape == (1, 10):
        assert np.mean([value.estimate for value in found]) > 8.2
    return found, 8.0


def rankings(metric):
    """Over the starts: outcomes against the opponents correlate within each."""
    generator, found, rates = np.random.default_rng(8), [], np.array([0.99, 0.95, 0.9, 1.0])
    for _ in range(200):
        luck = generator.normal(0.0, 0.6, 100) + generator.normal(0.0, 0.8, (4, 100))
        captured = luck < stats.norm.ppf(rates)[:, None]
        (rank,) = ranking(made_up(np.where(captured, 5.0, 20.0)[None]), "pursuer").values()
        found.append(rank[metric])
    return found, rates.mean() if metric == "capture_rate" else 20.0 - 15.0 * rates.mean()


def headroom(better):
    """Also where no learned player is better, and the estimate is biased upward."""
    from standings import Standing

    generator, found = np.random.default_rng(5), []
    names = ("seek", *(f"pretrained/pursuit/ppo/{seed}" for seed in range(4)))
    for _ in range(20):
        of_starts = generator.normal(0.0, 2.0, 100)
        times = 8.0 + of_starts + generator.normal(0.0, 2.0, (5, 1, 100))
        times[-1] -= better
        episodes = np.zeros(times.shape, EPISODE)
        episodes["time"] = times.clip(0.0, 20.0)
        played = Episodes(names, ("flee",), make_game(), episodes)
        found.append(Standing(SUITE["walls"], played).headroom[PURSUER])
        assert found[-1].low <= found[-1].estimate <= found[-1].high < better + 3.0
    return found, better


MEAN = MEAN_TIME * -np.expm1(-LIMIT / MEAN_TIME)
KINDS, SIZES = ("captures", "time-outs"), ((20, 1), (20, 3), (200, 1), (200, 3))
MIDDLE = MEAN_TIME * (1.0 + np.log(4.0) - 0.75 * np.log(3.0) * 2)  # of quantiles 1/4 to 3/4
NUMBERS = [((5, 5), 0.5), ((5, 5), 0.8), ((2, 2), 0.5), ((3, 10), 0.8)]

STUDIES = [
    *((mean_at_rare_events, (kind, *size), 0.94, 1.0) for kind in KINDS for size in SIZES),
    *((mean_at_rare_events, (x, n, 1, None), 0.0, 0.85) for x in KINDS for n in (20, 200)),
    (times_by, (mean_with_interval, MEAN), 0.93, 0.97),
    (times_by, (partial(mean_with_interval, limit=LIMIT), MEAN), 0.93, 0.97),
    (times_by, (median_with_interval, MEAN_TIME * np.log(2.0)), 0.93, 0.97),
    (times_by, (interquartile_mean_with_interval, MIDDLE), 0.93, 0.97),
    (other_values, (), 0.93, 0.97),
    *((rates, (rate,), 0.93, 0.97) for rate in (0.02, 0.5, 0.98)),
    *((survival_at, (time,), 0.93, 0.97) for time in (0.5, 2.0, 7.0, 15.0, 19.9)),
    *((gaps_with_rare_failures, (failures,), 0.94, 1.0) for failures in (1, 3, 10)),
    (gaps_with_rare_failures, (1, None), 0.0, 0.8),
    (differences, (2, 0.5, SIMULATIONS, 200), 0.93, 0.97),
    (differences, (12, 0.0, SIMULATIONS, 300), 0.93, 1.0),
    *((rare_differences, one, 0.97, 1.0) for one in product((20, 200, 1000), (1, 3, 6))),
    *((rare_differences, (episodes, 1, None), 0.5, 0.7) for episodes in (20, 200, 1000)),
    (paired_rates, (0.75, 0.70), 0.93, 0.97),
    (paired_rates, (0.5, 0.1), 0.93, 0.97),
    (paired_rates, (0.98, 0.98), 0.93, 1.0),
    *((improvement, (mean,), 0.93, 1.0 if mean < 1.0 else 0.97) for mean in (10.0, 8.0, 0.2)),
    # If runs of two ways of training hardly differ, it errs on the long side.
    *(
        (five_runs, (of_runs, kind), 0.93, 0.99 if kind == "runs" else 0.97)
        for of_runs, kind in product((0.02, 0.07, 0.3, 2.0), ("mean", "fixed", "runs"))
    ),
    *((runs_of_number, (n,), least, 0.97) for n, least in ((2, 0.87), (3, 0.91), (10, 0.93))),
    (interquartile_means, (), 0.9, 0.99),
    # With two runs, or where only runs matter, they err on the long side.
    *(
        (improvement_by_runs, (spreads, *one), 0.91, 1.0 if is_long else 0.975)
        for spreads, one in product(SPREADS, NUMBERS)
        for is_long in [spreads == "only runs" or one[0] == (2, 2)]
    ),
    # 88% for high rates that differ much, as the docstring says.
    *(
        (rate_over_runs, one, 0.85 if one == (1.0, 0.95) else 0.91, 0.985)
        for one in product((0.0, 0.5, 1.0), (0.5, 0.8, 0.95))
    ),
    *((rate_difference_over_runs, (x, 0.8, 0.9), 0.92, 1.0) for x in (0.0, 0.5)),
    *((rate_difference_over_runs, (x, 0.99, 0.99), 0.92, 1.0) for x in (0.0, 0.5)),
    # No failure in five is not yet surprising, and no interval sees what did not happen.
    (runs_that_fail, (0.2,), 0.96 - 0.8**5, 1.04 - 0.8**5),
    *((value_of_equal_policies, shape, 0.91, 1.0) for shape in ((1, 10), (3, 3))),
    *((rankings, (metric,), 0.92, 1.0) for metric in ("capture_rate", "capture_time")),
    *((headroom, (better,), 0.95, 1.0) for better in (0.0, 0.8)),
]


@pytest.mark.parametrize(("study", "given", "least", "most"), STUDIES)
def test_intervals_hold_as_often_as_they_should(study, given, least, most, few_resamples):
    held = coverage(*study(*given))
    assert least <= held <= most, held


def test_a_limit_costs_little_where_differences_are_common():
    generator = np.random.default_rng(22)
    for episodes, most in ((200, 1.08), (2000, 1.01)):
        pairs = generator.normal(0.5, LIMIT / 4.0, (400, episodes)).clip(-LIMIT, LIMIT)
        found = [paired_difference(pair, np.zeros(episodes), limit=LIMIT) for pair in pairs]
        assert 0.92 <= coverage(found, 0.5) <= 0.99
        needed = 2.0 * 1.96 * pairs.std(axis=1) / np.sqrt(episodes)
        assert 1.0 < np.mean([one.high - one.low for one in found] / needed) < most


def test_relevant_differences_are_found(few_resamples):
    """Times as often as normal theory predicts; 1,000 episodes are too few for 5% of them."""
    found = {}
    for rates in ((0.75, 0.70), (0.70, 0.70)):
        pairs = outcome_pairs(8, rates, 0.5, (1000, 1000))
        found[rates] = 1.0 - coverage(map(paired_rate_difference, *pairs), 0.0)
    assert found[0.75, 0.70] >= 0.9
    assert found[0.70, 0.70] <= 0.07
    for episodes, power in ((1000, 0.62), (2500, 0.945)):
        deviation = 7.0 / np.sqrt(episodes)  # of the mean difference, at a correlation of 1/2
        assert stats.norm.cdf(0.5 / deviation - 1.96) == pytest.approx(power, abs=0.005)
        intervals, _ = differences(9, 0.5, 500, episodes)
        assert 1.0 - coverage(intervals, 0.0) == pytest.approx(power, abs=0.045)
