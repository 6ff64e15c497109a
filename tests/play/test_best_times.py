"""Best times survive programs, damage, and each other."""

import dataclasses
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from disks import files_of_at_most

from play.rounds import faced
from steer_env.play import best_times
from steer_env.play.best_times import (
    DATA_VARIABLE,
    FILE_NAME,
    BestTime,
    BestTimes,
    default_path,
    key_of,
)
from steer_env.sides import EVADER, PURSUER


class Played:
    """A round that is over, as far as best times look at it."""

    def __init__(self, challenge, seconds, captured=True, seed=3):
        self.challenge, self.seed = challenge, seed
        status = SimpleNamespace(seconds=seconds, is_captured=captured)
        self.duel = SimpleNamespace(status=status)


CHASE, RUN = faced(PURSUER, "evade"), faced(EVADER, "pursuit")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / FILE_NAME


def kept_in(path):
    """The keys of all times in a file."""
    with closing(sqlite3.connect(path)) as database:
        return {key for (key,) in database.execute("SELECT challenge FROM starts")}


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


def test_a_pursuer_without_a_capture_has_no_time(path):
    times = BestTimes(path)
    assert not times.offer(Played(CHASE, 20.0, captured=False))
    assert times.of(CHASE) is None
    assert kept_in(path) == set()


def test_each_start_has_a_best_time_of_its_own(path):
    times = BestTimes(path)
    rounds = [(5.0, 1), (4.0, 2), (6.0, 3), (4.5, 1), (4.8, 1)]
    assert [
        times.offer(Played(CHASE, *timed)) for timed in ((s, True, n) for s, n in rounds)
    ] == [*(True, True, False, False, False)]
    assert times.of(CHASE) == BestTime(4.0, 2)
    assert times.of(CHASE, 1) == BestTime(4.5, 1)
    assert times.of(CHASE, 3) == BestTime(6.0, 3)
    assert times.of(CHASE, 4) is None
    assert [time.seed for time in times.ranked(CHASE, 9)] == [2, 1, 3]
    assert [time.seed for time in times.ranked(CHASE, 2)] == [2, 1]
    for seconds, seed in ((5.0, 1), (7.0, 2), (7.0, 3)):
        times.offer(Played(RUN, seconds, seed=seed))
    assert [time.seed for time in times.ranked(RUN, 9)] == [2, 3, 1]


VERSION_1 = """CREATE TABLE times (
    challenge TEXT PRIMARY KEY, seconds REAL NOT NULL, seed TEXT NOT NULL
)"""


def written_by_version_1(path, rows):
    """The file of the first version, which kept one time of each challenge."""
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(VERSION_1)
        database.executemany("INSERT INTO times VALUES (?, ?, ?)", rows)
        database.execute("PRAGMA user_version = 1")


def test_times_of_the_first_version_are_kept(path):
    largest = str(2**64 - 1)
    written_by_version_1(path, [(key_of(CHASE), 4.25, "17"), (key_of(RUN), 9.0, largest)])
    times = BestTimes(path)
    assert times.problem == ""
    assert times.of(CHASE) == BestTime(4.25, 17)
    assert times.of(RUN) == times.of(RUN, 2**64 - 1) == BestTime(9.0, 2**64 - 1)
    assert not times.offer(Played(CHASE, 5.0, seed=18))
    again = BestTimes(path)
    assert again.ranked(CHASE, 9) == [BestTime(4.25, 17), BestTime(5.0, 18)]
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA user_version").fetchall() == [(2,)]
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        assert tables.fetchall() == [("starts",)]


def test_a_file_of_the_first_version_that_cannot_be_read_is_left_alone(path):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE times (mine TEXT)")
        database.execute("PRAGMA user_version = 1")
    before = path.read_bytes()
    times = BestTimes(path)
    assert "best times are not kept" in times.problem
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert path.read_bytes() == before


def test_times_are_kept_for_the_next_program(path):
    BestTimes(path).offer(Played(CHASE, 4.25, seed=17))
    assert BestTimes(path).of(CHASE) == BestTime(4.25, 17)
    assert [file.name for file in path.parent.iterdir()] == [FILE_NAME]


def test_the_largest_seed_is_kept(path):
    BestTimes(path).offer(Played(CHASE, 4.25, seed=2**64 - 1))
    assert BestTimes(path).of(CHASE) == BestTime(4.25, 2**64 - 1)


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


def test_keys_contain_all_rules_but_no_rewards():
    key = json.loads(key_of(faced(PURSUER, "evade", arena="torus", evaders=2)))
    assert (key["side"], key["opponent"], key["evaders"]) == ("pursuer", "evade", 2)
    assert key["arena"]["kind"] == "torus"
    assert key["pursuer"]["max_speed"] == 4.0
    for field in dataclasses.fields(CHASE.config):
        assert (field.name in key) == (field.name != "reward")
    randomized = faced(PURSUER, "evade", randomize={"evader": {"max_speed": (1, 2)}})
    assert key_of(randomized) != key_of(CHASE)
    assert json.loads(key_of(randomized))["randomize"] == {"evader": {"max_speed": [1.0, 2.0]}}
    rewarded = faced(PURSUER, "evade", reward={"time": 5.0})
    assert key_of(rewarded) == key_of(CHASE)


JUNK = [b"[]" * 40, b"no database at all" * 300, b"\xff\xfe\x00"]


@pytest.mark.parametrize("damaged", JUNK, ids=lambda junk: str(junk[:20]))
def test_a_damaged_file_is_renamed_and_reported(path, damaged):
    path.parent.mkdir()
    path.write_bytes(damaged)
    times = BestTimes(path)
    assert "damaged" in times.problem
    assert times.of(CHASE) is None
    assert path.with_name(f"{FILE_NAME}.damaged-1").read_bytes() == damaged
    assert times.offer(Played(CHASE, 4.0))
    assert times.is_kept
    assert BestTimes(path).of(CHASE) == BestTime(4.0, 3)


@pytest.mark.parametrize("place", range(100, 8192, 300))
def test_damage_inside_a_file_never_ends_the_game(path, place):
    with closing(BestTimes(path)) as times:
        for number in range(30):
            challenge = dataclasses.replace(CHASE, opponent_name=f"{number}")
            times.offer(Played(challenge, 4.0))
    content = bytearray(path.read_bytes())
    content[place : place + 200] = b"\xa7" * 200
    path.write_bytes(content)
    times = BestTimes(path)
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)


def test_an_empty_file_is_filled(path):
    path.parent.mkdir()
    path.touch()
    assert BestTimes(path).offer(Played(CHASE, 4.0))
    assert BestTimes(path).of(CHASE) == BestTime(4.0, 3)


def test_a_database_of_something_else_is_left_alone(path):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE starts (mine TEXT)")
        database.execute("PRAGMA user_version = 2")
    before = path.read_bytes()
    times = BestTimes(path)
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert not times.is_kept
    assert path.read_bytes() == before


def test_a_forged_file_loads_no_extension(path):
    path.parent.mkdir()
    rows = "SELECT NULL AS challenge, load_extension('evil') AS seconds, 3 AS seed"
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE VIEW starts AS {rows}")
        database.execute("PRAGMA user_version = 2")
    times = BestTimes(path)
    assert times.of(CHASE) is None
    assert "load_extension" in times.problem  # SQLite's own refusal


def test_a_file_of_a_newer_version_is_left_alone_and_reported(path):
    BestTimes(path).offer(Played(RUN, 9.0))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 3")
    newer = path.read_bytes()
    times = BestTimes(path)
    assert "a newer program wrote" in times.problem
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert not times.is_kept
    assert path.read_bytes() == newer
    assert [file.name for file in path.parent.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("content", [None, b"", b"damaged"])
def test_a_link_goes_on_to_point_where_it_did(path, tmp_path, content):
    target = tmp_path / "elsewhere" / "real.sqlite"
    path.parent.mkdir()
    path.symlink_to(target)
    if content is not None:
        target.parent.mkdir()
        target.write_bytes(content)
    times = BestTimes(path)
    assert times.offer(Played(RUN, 9.0))
    assert times.is_kept
    assert path.is_symlink()
    assert kept_in(target) == {key_of(RUN)}


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
VIEWS = {
    "endless rows": f"{ENDLESS} SELECT ? AS challenge, 1.0 AS seconds, '1' AS seed FROM n",
    "no row, endlessly": f"{ENDLESS} SELECT ? AS challenge, 1.0 AS seconds, i AS seed FROM n"
    " WHERE i < 0",
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_statement_of_a_hostile_file_comes_to_an_end(view, path):
    BestTimes(path).close()
    key = key_of(CHASE).replace("'", "''")
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE starts")
        database.execute("CREATE VIEW starts AS " + view.replace("?", f"'{key}'"))
    times = BestTimes(path)
    times.of(CHASE)
    times.offer(Played(CHASE, 0.5))
    assert "best times are not kept" in times.problem
    assert times.of(CHASE) == BestTime(0.5, 3)


@pytest.mark.parametrize("row", [("3", "x"), ("3", -1.0), ("3", 9e999), ("x", 2.0), (b"", 2.0)])
def test_a_time_that_is_none_is_reported(row, path):
    BestTimes(path).close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO starts VALUES (?, ?, ?)", (key_of(CHASE), *row))
    times = BestTimes(path)
    assert times.of(CHASE) is None
    assert "is damaged" in times.problem


def test_a_huge_file_or_a_pipe_is_left_alone(path, tmp_path):
    path.parent.mkdir()
    path.touch()
    os.truncate(path, 2**40)
    times = BestTimes(path)
    assert times.offer(Played(CHASE, 5.0))
    assert "more than 67,108,864 bytes" in times.problem
    assert path.stat().st_size == 2**40
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / FILE_NAME)
        assert "is not a file" in BestTimes(tmp_path / FILE_NAME).problem


def test_a_full_disk_keeps_the_times_before(path):
    with closing(BestTimes(path)) as times:
        times.offer(Played(CHASE, 5.0))
    with files_of_at_most(100), closing(BestTimes(path)) as times:
        assert times.offer(Played(CHASE, 4.0))
        assert "best times are not kept" in times.problem
        assert times.of(CHASE) == BestTime(4.0, 3)
    with closing(BestTimes(path)) as times:
        assert times.of(CHASE) == BestTime(5.0, 3)
    assert [one.name for one in path.parent.iterdir()] == [FILE_NAME]


def test_older_damage_is_not_overwritten(path):
    path.parent.mkdir()
    for number in (1, 2):
        path.write_text(f"damage {number}" * 100)
        assert f"damaged-{number}" in BestTimes(path).problem
    assert path.with_name(f"{FILE_NAME}.damaged-1").read_text() == "damage 1" * 100


def test_where_nothing_can_be_written_the_game_goes_on(tmp_path):
    (tmp_path / "file").write_text("no folder")
    times = BestTimes(tmp_path / "file" / FILE_NAME)
    assert times.offer(Played(CHASE, 4.0))
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert not times.offer(Played(CHASE, 5.0))
    assert times.problem.startswith("best times are not kept: ")
    assert not times.is_kept


def test_an_unreadable_file_is_not_overwritten(path):
    path.mkdir(parents=True)  # a folder of that name
    (path / "mine").write_text("kept")
    times = BestTimes(path)
    assert "is not a file" in times.problem
    assert times.offer(Played(CHASE, 4.0))
    assert (path / "mine").read_text() == "kept"


def test_a_file_that_cannot_be_written_is_still_read(path):
    BestTimes(path).offer(Played(CHASE, 4.0))
    before = path.read_bytes()
    times = BestTimes(path)
    times._database.execute("PRAGMA query_only = 1")  # as on a disk that is read-only
    assert times.of(CHASE) == BestTime(4.0, 3)
    assert times.is_kept
    assert not times.offer(Played(CHASE, 5.0))
    assert times.offer(Played(CHASE, 3.0))
    assert path.read_bytes() == before
    assert times.problem == "best times are not kept: attempt to write a readonly database"
    assert not times.is_kept
    assert times.of(CHASE) == BestTime(3.0, 3)


def test_two_programs_do_not_lose_each_others_times(path):
    mine, yours = BestTimes(path), BestTimes(path)
    mine.offer(Played(CHASE, 4.0))
    yours.offer(Played(RUN, 9.0))
    assert not yours.offer(Played(CHASE, 5.0))  # mine was better
    assert yours.of(CHASE) == BestTime(4.0, 3)
    assert BestTimes(path).of(RUN) == BestTime(9.0, 3)
    assert kept_in(path) == {key_of(CHASE), key_of(RUN)}


def test_a_program_that_writes_for_too_long_does_not_end_the_game(path, monkeypatch):
    monkeypatch.setattr(best_times, "_LOCK_SECONDS", 0.05)
    times = BestTimes(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert times.offer(Played(CHASE, 4.0))
        assert "locked" in times.problem
        assert times.of(CHASE) == BestTime(4.0, 3)


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


def test_the_default_place_is_the_persons_data_folder(tmp_path, monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE)
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        assert default_path() == tmp_path / "steer-env" / FILE_NAME
    assert default_path().name == FILE_NAME


def test_another_place_can_be_named(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "mine"))
    assert default_path() == tmp_path / "mine" / FILE_NAME
