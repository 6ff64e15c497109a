"""Matches: cut into pieces, played by workers, and always the same results."""

import pytest

from steer_env.baselines import MixturePolicy, RandomPolicy, benchmark, crossplay, load
from steer_env.baselines.evaluation_jobs import PIECE, EvaluationJob, play_all

PURSUERS = {
    "pursuit": "pursuit",
    "network": "pretrained/pursuit/ppo",
    "random": "random",
    "mixture": MixturePolicy([load(f"pretrained/pursuit/ppo/{seed}") for seed in (0, 1)]),
}
EVADERS = ["evade", "wander"]
EPISODES = 30


class Backwards:
    """Workers that play the last match first; they count what they play."""

    def __init__(self):
        self.played = 0

    def play(self, jobs):
        for number in reversed(range(len(jobs))):
            self.played += 1
            yield number, jobs[number].play(num_threads=1)


def matches_of(pursuers=PURSUERS, episodes=EPISODES):
    return [
        EvaluationJob.of(pursuer, evader, None, episodes, 50)
        for pursuer in pursuers.values()
        for evader in EVADERS
    ]


@pytest.fixture(scope="module")
def expected():
    return play_all(matches_of())


def are_same(found, expected):
    same = all(a.episodes.tobytes() == b.episodes.tobytes() for a, b in zip(found, expected))
    return same and [(a.pursuer, a.evader) for a in found] == [
        (b.pursuer, b.evader) for b in expected
    ]


@pytest.mark.parametrize("piece", [1, 7, EPISODES, PIECE])
def test_pieces_in_any_order_have_the_same_bits(expected, piece):
    workers = Backwards()
    assert are_same(play_all(matches_of(), workers, piece=piece), expected)
    cut = -(-EPISODES // piece) * 2 * len(EVADERS)  # of the script and of the network
    assert workers.played == cut + 2 * len(EVADERS)


def test_a_policy_that_draws_is_not_cut_and_left_as_it_was(expected):
    assert len(EvaluationJob.of("random", "evade", None, 30, 0).resolved({}).pieces(7)) == 1
    assert are_same(play_all(matches_of()), expected)
    policy = RandomPolicy(seed=3)
    pairs = {"random": policy}
    assert are_same(play_all(matches_of(pairs)), play_all(matches_of(pairs)))


def test_progress_counts_whole_jobs(expected):
    done = []
    progress = lambda done_now, total: done.append((done_now, total))  # noqa: E731
    assert are_same(play_all(matches_of(), Backwards(), progress, piece=7), expected)
    assert done == [(number + 1, 8) for number in range(8)]


def test_crossplay_and_benchmark_take_workers():
    pursuers, evaders = ["pursuit", "pretrained/pursuit/ppo"], ["evade", "wander"]
    here = crossplay(pursuers, evaders, None, 20, 3)
    there = crossplay(pursuers, evaders, None, 20, 3, None, Backwards())
    assert here.episodes.tobytes() == there.episodes.tobytes()
    assert here.to_dict() == there.to_dict()
    measured = benchmark("pretrained/pursuit/ppo", "pursuer/walls", 20)
    elsewhere = benchmark("pretrained/pursuit/ppo", "pursuer/walls", 20, workers=Backwards())
    assert measured.to_dict() == elsewhere.to_dict()
