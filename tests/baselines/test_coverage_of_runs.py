"""Intervals over training runs cover the variance of the runs and of the starts."""

from __future__ import annotations

import numpy as np
import pytest
from algorithms_page import interquartile_mean
from scipy import stats
from studies import coverage
from test_training_runs import draw

from steer_env.baselines import (
    difference_of_runs,
    improvement_of_runs,
    mean_of_runs,
    rate_difference_of_runs,
    rate_of_runs,
)

pytestmark = pytest.mark.weekly

SIMULATIONS = 2000


@pytest.mark.parametrize("of_runs", [0.02, 0.07, 0.3, 2.0])
def test_intervals_of_five_runs_hold(of_runs):
    """For runs that hardly differ, and for runs that differ far more than starts."""
    generator = np.random.default_rng(7)
    held = np.zeros(3)
    for _ in range(SIMULATIONS):
        of_starts = generator.normal(0.0, 1.0, 100)
        ours = draw(generator, 3.0, of_runs, of_starts, 1.0, (5, 100))
        fixed = draw(generator, 2.0, 0.0, of_starts, 1.0, (1, 100))
        theirs = draw(generator, 2.0, of_runs, of_starts, 1.0, (4, 100))
        truths = (3.0, 1.0, 1.0)
        found = (
            mean_of_runs(ours),
            difference_of_runs(ours, fixed),
            difference_of_runs(ours, theirs),
        )
        held += [
            interval.low <= truth <= interval.high for interval, truth in zip(found, truths)
        ]
    assert (held >= 0.93 * SIMULATIONS).all(), held
    # If runs of two ways of training hardly differ, it errs on the long side.
    assert (held <= [0.97 * SIMULATIONS, 0.97 * SIMULATIONS, 0.99 * SIMULATIONS]).all(), held


def test_the_bootstrap_of_five_runs_does_not_hold():
    generator = np.random.default_rng(8)
    runs = generator.normal(3.0, 1.0, (SIMULATIONS, 5))
    found = stats.bootstrap(
        (runs,), np.mean, axis=1, n_resamples=1000, method="percentile", random_state=generator
    ).confidence_interval
    held = np.mean((found.low <= 3.0) & (found.high >= 3.0))
    assert held == pytest.approx(0.84, abs=0.02)  # as the docstring says


def test_interquartile_means_of_five_runs_hold():
    """Runs differ as much as their scores against nine opponents do."""
    generator, held = np.random.default_rng(9), 0
    of_opponents = np.linspace(-1.0, 1.0, 9)
    for _ in range(500):
        of_runs = generator.normal(size=(5, 1))
        found = interquartile_mean(of_opponents + of_runs + generator.normal(size=(5, 9)))
        held += found.low <= 0.0 <= found.high
    assert 0.9 <= held / 500 <= 0.99, held


SPREADS = {  # of our runs, of their runs, of the starts, of the episodes
    "equal": (1.0, 1.0, 0.5, 1.0),
    "only ours": (1.0, 0.0, 0.5, 0.7),
    "only theirs": (0.0, 1.0, 0.5, 0.7),
    "only starts": (0.0, 0.0, 1.0, 0.5),
    "only runs": (1.0, 1.0, 0.0, 0.01),
}


def two_trainings(generator, runs, spreads, probability):
    """Returns both (runs, starts); a start favors one side for all runs of it."""
    of_ours, of_theirs, of_starts, of_episodes = spreads
    deviation = np.sqrt(of_ours**2 + of_theirs**2 + of_starts**2 + 2.0 * of_episodes**2)
    lead = stats.norm.ppf(probability) * deviation + generator.normal(0.0, of_starts, 50)
    ours = draw(generator, 0.0, of_ours, lead, of_episodes, (runs[0], 50))
    return ours, draw(generator, 0.0, of_theirs, 0.0, of_episodes, (runs[1], 50))


@pytest.mark.parametrize("spreads", SPREADS)
@pytest.mark.parametrize(
    ("runs", "probability"), [((5, 5), 0.5), ((5, 5), 0.8), ((2, 2), 0.5), ((3, 10), 0.8)]
)
def test_intervals_of_the_improvement_hold(spreads, runs, probability):
    """Whatever varies; with two runs, or where only runs matter, they err on the long side."""
    generator = np.random.default_rng(11)
    studies = [
        two_trainings(generator, runs, SPREADS[spreads], probability) for _ in range(1000)
    ]
    held = coverage((improvement_of_runs(*study) for study in studies), probability)
    most = 1.0 if spreads == "only runs" or runs == (2, 2) else 0.975
    assert 0.91 <= held <= most, held


@pytest.mark.parametrize(("runs", "least"), [(2, 0.87), (3, 0.91), (10, 0.93)])
def test_intervals_of_other_numbers_of_runs_hold(runs, least):
    """As the docstring says, they are a little too short for two and three runs."""
    generator = np.random.default_rng(17)
    of_starts = generator.normal(0.0, 1.0, (1000, 50))
    drawn = [draw(generator, 3.0, 1.0, starts, 1.0, (runs, 50)) for starts in of_starts]
    held = coverage(map(mean_of_runs, drawn), 3.0)
    assert least <= held <= 0.97, held


@pytest.mark.parametrize("of_runs", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_intervals_of_the_rate_hold(of_runs, rate):
    generator = np.random.default_rng(13)
    threshold = -stats.norm.ppf(rate) * np.sqrt(2.0 + of_runs**2)
    found = []
    for _ in range(500):
        of_starts = generator.normal(0.0, 1.0, 100)
        drawn = draw(generator, 0.0, of_runs, of_starts, 1.0, (5, 100))
        found.append(rate_of_runs(drawn > threshold))
    least = 0.85 if (of_runs, rate) == (1.0, 0.95) else 0.91  # as its docstring says
    assert least <= coverage(found, rate) <= 0.985, coverage(found, rate)


@pytest.mark.parametrize("of_runs", [0.0, 0.5])
@pytest.mark.parametrize("rates", [(0.8, 0.9), (0.99, 0.99)])
def test_intervals_of_the_rate_difference_hold(of_runs, rates):
    generator = np.random.default_rng(18)
    thresholds = -stats.norm.ppf(rates) * np.sqrt(2.0 + of_runs**2)
    found = []
    for of_starts in generator.normal(0.0, 1.0, (500, 100)):
        drawn = [draw(generator, 0.0, of_runs, of_starts, 1.0, (5, 100)) for _ in rates]
        found.append(rate_difference_of_runs(*(x > t for x, t in zip(drawn, thresholds))))
    held = coverage(found, rates[0] - rates[1])
    assert held >= 0.92, held


# Runs that fail.


def failing_runs(generator, share, runs=5):
    """Four captures at 4.3 s in five runs, say, and one that never captures."""
    fails = generator.random(runs) < share
    return np.where(fails[:, None], 20.0, generator.normal(4.3, 0.1, (runs, 20)))


def test_no_interval_of_the_mean_holds_if_a_run_in_five_fails():
    generator = np.random.default_rng(14)
    studies = [failing_runs(generator, 0.2) for _ in range(1000)]
    held = coverage((mean_of_runs(study) for study in studies), 0.2 * 20.0 + 0.8 * 4.3)
    assert held == pytest.approx(1.0 - 0.8**5, abs=0.04)
    # As the module says: at this share of failures, no failure in five is not yet surprising.
    unseen = 1.0 - 0.025 ** (1 / 5)
    assert unseen == pytest.approx(0.52, abs=0.005)
    assert unseen * 20.0 + (1.0 - unseen) * 4.3 == pytest.approx(12.5, abs=0.05)
