"""Best times, kept between runs of the program in a database in the user's data folder."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from steer_env.game.engine import LARGEST_SEED
from steer_env.play.levels import Challenge
from steer_env.play.rounds import Round
from steer_env.sides import Side

FILE_NAME = "best_times.sqlite"

DATA_VARIABLE = "STEER_ENV_DATA"
"""The environment variable that names another folder for them."""

_VERSION = 2  # of the table, kept as the database's user_version
_LOCK_SECONDS = 5.0  # to wait for another program that writes
_LARGEST = 64 * 2**20  # bytes of the file, enough for 50,000 times
_MOST_INSTRUCTIONS = 10**7  # of a statement: a hostile file can make one endless
_TABLE = """CREATE TABLE IF NOT EXISTS starts (
    challenge TEXT NOT NULL,
    seed TEXT NOT NULL,  -- up to 2**64, which is more than an SQLite integer holds
    seconds REAL NOT NULL,
    PRIMARY KEY (challenge, seed)
)"""
# Version 1 had one row for each challenge, with the best time and its seed.
_FROM_VERSION_1 = (
    "INSERT OR IGNORE INTO starts SELECT challenge, seed, seconds FROM times",
    "DROP TABLE times",
)
_KEEP_IF_BETTER = """INSERT INTO starts (challenge, seed, seconds) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET seconds = excluded.seconds
    WHERE excluded.seconds {better} seconds"""
_BEST_FIRST = """SELECT seconds, seed FROM starts WHERE challenge = ?
    ORDER BY seconds {order}, rowid LIMIT {most}"""
_OF_START = "SELECT seconds, seed FROM starts WHERE challenge = ? AND seed = ? LIMIT 1"


@dataclass(frozen=True)
class BestTime:
    """A person's best time from a start.

    Attributes:
        seconds: length of the round.
        seed: seed of its start.
    """

    seconds: float
    seed: int


def default_path() -> Path:
    """Returns the path of the database."""
    folder = os.environ.get(DATA_VARIABLE)
    if folder:
        return Path(folder) / FILE_NAME
    return user_data_path("steer-env", appauthor=False) / FILE_NAME


def key_of(challenge: Challenge) -> str:
    """Returns what comparable rounds have in common: the side, the opponent, and all rules.

    Default rules are included, because defaults may change.
    """
    name = challenge.opponent_name
    if Path(name).suffix in (".npz", ".zip"):
        name = str(Path(name).resolve())
    rules = dataclasses.asdict(challenge.config)
    del rules["reward"]  # which people do not get
    return json.dumps({"side": challenge.side.name, "opponent": name, **rules})


def is_better(played: Round, than: BestTime | None) -> bool:
    """Returns whether a round that is over gives a better time than another; None for none."""
    if _wants_less(played) and not played.duel.status.is_captured:
        return False
    if than is None:
        return True
    late = _seconds_of(played) - than.seconds
    return late < 0.0 if _wants_less(played) else late > 0.0


def _wants_less(played: Round) -> bool:
    return played.challenge.side is Side.PURSUER


def _seconds_of(played: Round) -> float:
    return float(round(played.duel.status.seconds, 3))


class BestTimes:
    """The best time from each start of each challenge, in an SQLite database.

    The game goes on if the file cannot be used: times are then kept in memory until the
    program ends. A damaged file is renamed; a file of a newer version is left alone.

    Args:
        path: path of the file, which may be missing.

    Attributes:
        path: as given, with links resolved.
        problem: the last problem with the file, as a sentence for people; "" if none.
        is_kept: whether the times are in the file, rather than only in memory.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.problem, self.is_kept = "", True
        self._database = self._opened()

    def of(self, challenge: Challenge, seed: int | None = None) -> BestTime | None:
        """Returns the best time of a challenge, from one start or from any; None without one.

        Args:
            challenge: the challenge.
            seed: seed of the start; None for the best of all starts.
        """
        if seed is None:
            found = self.ranked(challenge, 1)
        else:
            found = self._times(_OF_START, key_of(challenge), str(seed))
        return found[0] if found else None

    def ranked(self, challenge: Challenge, most: int) -> list[BestTime]:
        """Returns the best times of a challenge from different starts, the best first."""
        order = "ASC" if challenge.side is Side.PURSUER else "DESC"
        return self._times(_BEST_FIRST.format(order=order, most=most), key_of(challenge))

    def offer(self, played: Round) -> bool:
        """Keeps the time of a round that is over, if it is the best from its start.

        Shorter times are better for a pursuer, and longer ones for an evader. A pursuer has no
        time without a capture.

        Returns:
            Whether it is the best of the challenge, from any start.
        """
        before, seconds = self.of(played.challenge), _seconds_of(played)
        if not is_better(played, None):
            return False
        statement = _KEEP_IF_BETTER.format(better="<" if _wants_less(played) else ">")
        self._execute(statement, key_of(played.challenge), str(played.seed), seconds)
        return is_better(played, before)

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

    def _times(self, statement: str, *values: str) -> list[BestTime]:
        """Returns the times that a statement finds, without damaged ones."""
        found = []
        for seconds, seed in self._execute(statement, *values).fetchall():
            if _is_time(seconds) and _is_seed(seed):
                found.append(BestTime(seconds, int(seed)))
            else:
                self.problem = f"a best time in {self.path} is damaged: {seconds!r:.50}"
        return found

    def _opened(self) -> sqlite3.Connection:
        """Opens the file, or a database in memory if that fails."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _check_file(self.path)
            try:
                return _connected(self.path)
            except sqlite3.OperationalError:  # it cannot be opened
                raise
            except sqlite3.DatabaseError as error:  # it is not a database, or damaged
                aside = _set_aside(self.path)
                self.problem = f"best times were damaged ({error}); they are now in {aside}"
                return _connected(self.path)
        except (sqlite3.Error, OSError) as error:
            self.problem, self.is_kept = f"best times are not kept: {error}", False
            return _connected(":memory:")

    def _execute(self, statement: str, *values: str | float) -> sqlite3.Cursor:
        """Executes a statement: in memory from now on, if the file fails."""
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            self.problem, self.is_kept = f"best times are not kept: {error}", False
            memory = _connected(":memory:")
            with contextlib.suppress(sqlite3.Error):
                known = self._database.execute("SELECT * FROM starts").fetchall()
                memory.executemany("INSERT INTO starts VALUES (?, ?, ?)", known)
            self.close()
            self._database = memory
            return memory.execute(statement, values)


def _check_file(path: Path) -> None:
    """Raises an OSError for what cannot be a database of ours, before SQLite reads it."""
    if not path.exists():
        return
    if not path.is_file():
        raise OSError(f"{path} is not a file")
    if path.stat().st_size > _LARGEST:
        raise OSError(f"{path} has more than {_LARGEST:,} bytes")


def _is_seed(text: object) -> bool:
    is_number = isinstance(text, str) and text.isdecimal() and len(text) < 30
    return is_number and int(str(text)) <= LARGEST_SEED


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, float) and 0.0 <= seconds < math.inf


def _connected(path: Path | str) -> sqlite3.Connection:
    """Opens a database, and creates the table in a new one.

    Raises:
        OSError: if a newer program wrote it.
        sqlite3.OperationalError: if it cannot be opened.
        sqlite3.DatabaseError: if it is damaged.
    """
    database = sqlite3.connect(path, timeout=_LOCK_SECONDS, isolation_level=None)
    try:
        database.set_progress_handler(lambda: True, _MOST_INSTRUCTIONS)
        ((state,),) = database.execute("PRAGMA quick_check(1)").fetchall()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        ((version,),) = database.execute("PRAGMA user_version").fetchall()
        if version > _VERSION:
            raise OSError(f"a newer program wrote {path}")
        if version < _VERSION:
            _upgrade(database, version)
    except Exception:
        database.close()
        raise
    return database


def _upgrade(database: sqlite3.Connection, version: int) -> None:
    """Brings a database of an older version, or an empty one, to this version."""
    database.execute("BEGIN IMMEDIATE")  # all or nothing; another program may do the same
    ((now,),) = database.execute("PRAGMA user_version").fetchall()
    if now == version:
        database.execute(_TABLE)
        for statement in _FROM_VERSION_1 if version == 1 else ():
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {_VERSION}")
    database.execute("COMMIT")


def _set_aside(path: Path) -> Path:
    """Renames a damaged file to a free name, so that nothing in it is lost."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return path.rename(aside)
