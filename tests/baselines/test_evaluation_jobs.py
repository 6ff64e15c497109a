"""Matches: cut into pieces, kept on disk, played by workers, and always the same results."""

import json
from dataclasses import replace

import numpy as np
import pytest

from steer_env.baselines import MixturePolicy, RandomPolicy, benchmark, crossplay, load
from steer_env.baselines.evaluation_jobs import PIECE, EvaluationJob, play_all
from steer_env.cli import main
from steer_env.errors import InvalidValue
from steer_env.policies import pretrained

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


def test_what_is_kept_is_not_played_again(tmp_path, expected):
    keep = tmp_path / "not" / "yet"
    first, second = Backwards(), Backwards()
    assert are_same(play_all(matches_of(), first, keep, piece=7), expected)
    assert first.played == len(list(keep.iterdir()))
    assert are_same(play_all(matches_of(), second, keep, piece=7), expected)
    assert second.played == 0
    # Without workers, too; and what others have played is of use.
    assert are_same(play_all(matches_of(), None, keep, piece=7), expected)
    renamed = [replace(one, names=("a", "b")) for one in matches_of()]
    assert play_all(renamed, second, keep, piece=7)[0].pursuer == "a"
    assert second.played == 0


def test_an_interrupted_call_goes_on(tmp_path, expected):
    class Dying(Backwards):
        def play(self, jobs):
            for number, found in super().play(jobs):
                if self.played == 5:
                    raise KeyboardInterrupt
                yield number, found

    with pytest.raises(KeyboardInterrupt):
        play_all(matches_of(), Dying(), tmp_path, piece=7)
    rest = Backwards()
    done = []
    progress = lambda done_now, total: done.append((done_now, total))  # noqa: E731
    assert are_same(play_all(matches_of(), rest, tmp_path, progress, piece=7), expected)
    assert rest.played == 24 - 4
    assert done == [(number + 1, 8) for number in range(8)]


def test_a_damaged_file_is_played_again(tmp_path, expected):
    play_all(matches_of(), None, tmp_path)
    broken, mistaken, *_ = sorted(tmp_path.iterdir())
    broken.write_bytes(broken.read_bytes()[:-50])
    EvaluationJob.of("pursuit", "evade", None, 4, 0).play().save(mistaken)
    with pytest.warns(UserWarning, match="again"):
        assert are_same(play_all(matches_of(), None, tmp_path), expected)
    assert are_same(play_all(matches_of(), Backwards(), tmp_path), expected)


def test_another_network_or_game_is_another_match(tmp_path):
    base = EvaluationJob.of("pretrained/pursuit/ppo", "evade", None, 5, 0).resolved({})
    others = [
        replace(base, pursuer=load("pretrained/pursuit/ppo/1")),
        replace(base, seed=1),
        replace(base, episodes=6),
        replace(base, config=replace(base.config, capture_radius=0.7)),
        EvaluationJob.of("pretrained/pursuit/ppo", "wander", None, 5, 0).resolved({}),
    ]
    assert len({base.digest, *(one.digest for one in others)}) == 6
    copied = tmp_path / "policy.npz"
    copied.write_bytes(pretrained.path_of("pretrained/pursuit/ppo").read_bytes())
    assert EvaluationJob.of(copied, "evade", None, 5, 0).resolved({}).digest is not None
    # A function may change without its name.
    own = EvaluationJob.of(lambda me, other: other.position - me.position, "evade", None, 5, 0)
    assert own.resolved({}).digest is None


def test_crossplay_and_benchmark_take_workers(tmp_path):
    pursuers, evaders = ["pursuit", "pretrained/pursuit/ppo"], ["evade", "wander"]
    here = crossplay(pursuers, evaders, None, 20, 3)
    there = crossplay(pursuers, evaders, None, 20, 3, None, Backwards(), tmp_path)
    assert here.episodes.tobytes() == there.episodes.tobytes()
    assert here.to_dict() == there.to_dict()
    measured = benchmark("pretrained/pursuit/ppo", "pursuer/walls", 20)
    elsewhere = benchmark("pretrained/pursuit/ppo", "pursuer/walls", 20, workers=Backwards())
    assert measured.to_dict() == elsewhere.to_dict()
    with pytest.raises(InvalidValue, match="keep"):
        crossplay(pursuers, evaders, keep="\0")


def test_the_command_goes_on_from_its_folder(tmp_path, capsys):
    command = ["crossplay", "--pursuer", "pursuit", "--evader", "evade", "--episodes", "20"]
    main([*command, "--json"])
    expected = json.loads(capsys.readouterr().out)
    for _ in range(2):
        main([*command, "--json", "--keep", str(tmp_path)])
        assert json.loads(capsys.readouterr().out) == expected
    assert len(list(tmp_path.iterdir())) == 1
    seeds = np.load(next(tmp_path.iterdir()))["episodes"]["seed"]
    assert list(seeds) == list(range(20))
