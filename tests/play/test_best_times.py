"""Best times survive programs, damage, and each other."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from play.rounds import faced
from steer_env.game.state import EVADER, PURSUER
from steer_env.play import best_times
from steer_env.play.best_times import (
    DATA_VARIABLE,
    FILE_NAME,
    BestTime,
    BestTimes,
    key_of,
    usual_path,
)


class Played:
    """A round that is over, as far as best times look at it."""

    def __init__(self, challenge, seconds, captured=True, seed=3):
        self.challenge, self.seconds = challenge, seconds
        self.captured, self.seed = captured, seed


def in_file(entry):
    """A file of one time."""
    return f'{{"version": 1, "times": {{"pursuer against evade": {entry}}}}}'


CHASE, RUN = faced(PURSUER, "evade"), faced(EVADER, "pursuit")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / FILE_NAME


def kept_in(path):
    return json.loads(path.read_text())["times"]


def test_shorter_is_better_for_pursuers_and_longer_for_evaders(path):
    times = BestTimes(path)
    assert times.of(CHASE) is None
    assert [times.offer(Played(CHASE, seconds)) for seconds in (5.0, 6.0, 5.0, 4.0)] == [
        *(True, False, False, True)
    ]
    assert [times.offer(Played(RUN, seconds, False)) for seconds in (5.0, 4.0, 20.0, 20.0)] == [
        *(True, False, True, False)
    ]
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert times.of(RUN) == BestTime(20.0, 3)
    assert times.problem == ""


def test_who_caught_nobody_has_no_time(path):
    times = BestTimes(path)
    assert not times.offer(Played(CHASE, 20.0, captured=False))
    assert times.of(CHASE) is None
    assert not path.exists()


def test_times_are_kept_for_the_next_program(path):
    BestTimes(path).offer(Played(CHASE, 4.25, seed=17))
    assert BestTimes(path).of(CHASE) == BestTime(4.25, 17)
    assert sorted(file.name for file in path.parent.iterdir() if file.suffix != ".lock") == [
        FILE_NAME
    ]


@pytest.mark.parametrize(
    "other",
    [
        faced(PURSUER, "flee"),
        faced(PURSUER, "evade", arena="torus"),
        faced(PURSUER, "evade", evaders=2),
        faced(PURSUER, "evade", obstacles=1),
        faced(PURSUER, "evade", horizon=300),
        faced(PURSUER, "evade", capture_radius=0.8),
        RUN,
    ],
    ids=["flee", "torus", "evaders", "obstacles", "horizon", "radius", "evader"],
)
def test_other_games_have_other_times(path, other):
    times = BestTimes(path)
    times.offer(Played(CHASE, 4.0))
    assert times.of(other) is None
    assert times.of(faced(PURSUER, "evade")) == BestTime(4.0, 3)


def test_keys_tell_all_rules_and_no_rewards():
    key = key_of(faced(PURSUER, "evade", arena="torus", evaders=2))
    assert key.startswith("pursuer against evade, pursuers 1, evaders 2, pursuer.max_speed 4.0")
    assert ", arena.kind torus" in key
    for field in dataclasses.fields(CHASE.config):
        assert (f", {field.name}" in key) == (field.name not in ("reward", "randomize"))
    randomized = faced(PURSUER, "evade", randomize={"evader": {"max_speed": (1, 2)}})
    assert key_of(randomized).endswith("randomize.evader.max_speed (1.0, 2.0)")
    rewarded = faced(PURSUER, "evade", reward={"time": 5.0})
    assert key_of(rewarded) == key_of(CHASE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"pursuer against evade": {"seconds": 4.0, "seed": 1}}',
        '{"version": "1", "times": {}}',
        '{"version": true, "times": {}}',
        '{"version": 0, "times": {}}',
        '{"version": 1}',
        '{"version": 1, "times": []}',
        '{"version": 1, "times": {}, "more": 1}',
        in_file("4.0"),
        in_file('{"seconds": "4", "seed": 1}'),
        in_file('{"seconds": NaN, "seed": 1}'),
        in_file('{"seconds": Infinity, "seed": 1}'),
        in_file('{"seconds": -1.0, "seed": 1}'),
        in_file('{"seconds": true, "seed": 1}'),
        in_file(f'{{"seconds": 1{"0" * 400}, "seed": 1}}'),
        in_file(f'{{"seconds": 1{"0" * 5000}, "seed": 1}}'),
        in_file('{"seconds": 4.0, "seed": 1.5}'),
        in_file(f'{{"seconds": 4.0, "seed": {2**64}}}'),
        in_file('{"seconds": 4.0, "seed": 1, "more": 1}'),
        "[" * 100_000,
        b"\xff\xfe\x00",
    ],
    ids=lambda text: str(text[:70]),
)
def test_damage_is_set_aside_and_told(path, text):
    path.parent.mkdir()
    damaged = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(damaged)
    times = BestTimes(path)
    assert "damaged" in times.problem
    assert times.of(CHASE) is None
    assert path.with_name(f"{FILE_NAME}.damaged-1").read_bytes() == damaged
    assert times.offer(Played(CHASE, 4.0))
    assert BestTimes(path).of(CHASE) == BestTime(4.0, 3)


def test_a_file_of_a_newer_format_is_left_alone_and_told(path):
    path.parent.mkdir()
    newer = '{"version": 2, "times": "in some other way"}'
    path.write_text(newer)
    times = BestTimes(path)
    assert "a newer program wrote" in times.problem
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert not times.is_kept
    assert path.read_text() == newer
    assert not [file for file in path.parent.iterdir() if "damaged" in file.name]


@pytest.mark.parametrize("content", [None, "", in_file('{"seconds": 4.0, "seed": 1}')])
def test_a_link_goes_on_to_point_where_it_did(path, tmp_path, content):
    target = tmp_path / "elsewhere" / "real.json"
    path.parent.mkdir()
    path.symlink_to(target)
    if content is not None:
        target.parent.mkdir()
        target.write_text(content)
        target.chmod(0o664)
    times = BestTimes(path)
    assert times.offer(Played(RUN, 9.0))
    assert times.is_kept
    assert path.is_symlink()
    assert key_of(RUN) in kept_in(target)
    if content:
        assert target.stat().st_mode & 0o777 == 0o664


def test_older_damage_is_not_overwritten(path):
    path.parent.mkdir()
    for number in (1, 2):
        path.write_text(f"damage {number}")
        assert f"damaged-{number}" in BestTimes(path).problem
    assert path.with_name(f"{FILE_NAME}.damaged-1").read_text() == "damage 1"


def test_where_nothing_can_be_written_the_game_goes_on(tmp_path):
    (tmp_path / "file").write_text("no folder")
    times = BestTimes(tmp_path / "file" / FILE_NAME)
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert not times.offer(Played(CHASE, 5.0))
    assert times.problem.startswith("best times cannot be")
    assert not times.is_kept


def test_what_cannot_be_read_is_not_overwritten(path):
    path.mkdir(parents=True)  # a folder of that name
    (path / "mine").write_text("kept")
    times = BestTimes(path)
    assert "cannot be read" in times.problem
    assert times.offer(Played(CHASE, 4.0))
    assert (path / "mine").read_text() == "kept"


def test_a_write_that_fails_leaves_the_old_file(path, monkeypatch):
    times = BestTimes(path)
    times.offer(Played(CHASE, 4.0))
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    assert times.offer(Played(CHASE, 3.0))
    assert path.read_bytes() == before
    assert times.problem == "best times cannot be kept: disk full"
    assert not times.is_kept
    assert times.of(CHASE) == BestTime(3.0, 3)
    assert len([file for file in path.parent.iterdir() if file.suffix != ".lock"]) == 1


def test_two_programs_do_not_lose_each_others_times(path):
    mine, yours = BestTimes(path), BestTimes(path)
    mine.offer(Played(CHASE, 4.0))
    yours.offer(Played(RUN, 9.0))
    assert not yours.offer(Played(CHASE, 5.0))  # mine was better
    assert yours.of(CHASE) == BestTime(4.0, 3)
    assert BestTimes(path).of(RUN) == BestTime(9.0, 3)
    assert set(kept_in(path)) == {key_of(CHASE), key_of(RUN)}


def test_programs_at_the_same_time_lose_nothing(path):
    code = """if True:
        import sys
        sys.path.insert(0, "tests")
        from play.test_best_times import CHASE, Played, BestTimes
        from steer_env.play import best_times
        from pathlib import Path
        import dataclasses
        best_times._LOCK_SECONDS = 60
        times, number = BestTimes(Path(sys.argv[1])), int(sys.argv[2])
        for count in range(20):
            challenge = dataclasses.replace(CHASE, opponent_name=f"{number} {count}")
            times.offer(Played(challenge, 4.0))
        assert not times.problem, times.problem
    """
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(number)],
            cwd=Path(__file__).parents[2],
        )
        for number in range(3)
    ]
    assert [program.wait(timeout=120) for program in programs] == [0, 0, 0]
    assert len(kept_in(path)) == 60


def test_the_usual_place_is_the_persons_data_folder(tmp_path, monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE)
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        assert usual_path() == tmp_path / "steer-env" / FILE_NAME
    assert usual_path().name == FILE_NAME


def test_another_place_can_be_named(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "mine"))
    assert usual_path() == tmp_path / "mine" / FILE_NAME


def test_without_platformdirs_the_game_goes_on_and_says_so(monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    times = BestTimes(best_times.usual_path())
    assert "steer-env[render]" in times.problem
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)


def test_without_filelock_times_are_kept(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "filelock", None)
    BestTimes(path).offer(Played(CHASE, 4.0))
    assert BestTimes(path).of(CHASE) == BestTime(4.0, 3)
