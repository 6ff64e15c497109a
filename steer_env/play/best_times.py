"""Best times, kept between rounds and programs in the person's data folder."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steer_env.episodes.players import SIDES
from steer_env.errors import InvalidValue
from steer_env.files import replacing
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.state import EVADER, PURSUER
from steer_env.play.levels import Challenge
from steer_env.play.rounds import Round

FILE_NAME = "best_times.json"

DATA_VARIABLE = "STEER_ENV_DATA"
"""The environment variable that names another folder for them."""

_VERSION = 1  # of the file's format
_LONGEST = 1e9  # seconds: no game lasts longer
_LOCK_SECONDS = 2.0  # to wait for another program that writes
_INSTALL = 'run: pip install "steer-env[render]"'


@dataclass(frozen=True)
class BestTime:
    """The best that a person did.

    Attributes:
        seconds: how long the round lasted.
        seed: of its start.
    """

    seconds: float
    seed: int


def usual_path() -> Path | None:
    """Where best times are kept; None if that cannot be found out without platformdirs."""
    folder = os.environ.get(DATA_VARIABLE)
    if folder:
        return Path(folder) / FILE_NAME
    try:
        from platformdirs import user_data_path
    except ImportError:
        return None
    return user_data_path("steer-env", appauthor=False) / FILE_NAME


def key_of(challenge: Challenge) -> str:
    """What rounds must have in common to be compared: side, opponent, and all the rules.

    Rules that are as usual are in it, too: what is usual may change.
    """
    name = challenge.opponent_name
    if Path(name).suffix in (".npz", ".zip"):
        name = str(Path(name).resolve())
    rules = dataclasses.asdict(challenge.config)
    del rules["reward"]  # a person gets none
    values = (f"{rule} {value}" for rule, value in _flat(rules))
    return ", ".join([f"{SIDES[challenge.side]} against {name}", *values])


def is_better(side: int, new: float, old: float) -> bool:
    """Whether a time is better: shorter for a pursuer, longer for an evader."""
    return new < old if side == PURSUER else new > old


class BestTimes:
    """The best times of all that was ever played.

    Whatever is wrong with the file, the game goes on: times are then kept only as long as the
    program runs. A damaged file is set aside; one of a newer format is left as it is.

    Args:
        path: of the file, which need not be there; None where none is known, for want of
            platformdirs.

    Attributes:
        path: as given, with links resolved.
        problem: what went wrong with the file last, for telling the person; "" if nothing.
        is_kept: whether the last best time is in the file.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = None if path is None else Path(os.path.realpath(path))
        self.problem = (
            "" if path else f"best times are not kept: platformdirs is missing; {_INSTALL}"
        )
        self.is_kept = True
        self._times: dict[str, BestTime] = {}
        self._read()

    def of(self, challenge: Challenge) -> BestTime | None:
        """The best time against a challenge, if there is one."""
        return self._times.get(key_of(challenge))

    def offer(self, played: Round) -> bool:
        """Keeps the time of a round that is over, if it is the best.

        A pursuer who caught nobody has no time.

        Returns:
            Whether it is.
        """
        side = played.challenge.side
        if side == PURSUER and not played.captured:
            return False
        key, new = key_of(played.challenge), BestTime(round(played.seconds, 3), played.seed)
        with self._locked():
            may_write = self._read()  # another program may have written a better one meanwhile
            old = self._times.get(key)
            if old is not None and not is_better(side, new.seconds, old.seconds):
                return False
            self._times[key] = new
            self.is_kept = may_write and self._write()
        return True

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keeps other programs from writing between our reading and writing."""
        lock = None
        if self.path is not None:
            with contextlib.suppress(ImportError, OSError, NotImplementedError):
                # Without a lock, as after waiting in vain, a time may be lost: it is kept all
                # the same. (Its Timeout is an OSError; not every disk can lock.)
                from filelock import FileLock

                self.path.parent.mkdir(parents=True, exist_ok=True)
                lock = FileLock(f"{self.path}.lock", timeout=_LOCK_SECONDS)
                lock.acquire()
        try:
            yield
        finally:
            if lock is not None:
                lock.release()

    def _read(self) -> bool:
        """Takes over from the file what is better than what is known here.

        Returns:
            Whether a new file may take its place: not if what it holds is unknown.
        """
        if self.path is None:
            return False
        try:
            found = _times_in(self.path.read_bytes().decode("utf-8"))
        except FileNotFoundError:
            return True
        except OSError as error:
            self.problem = f"best times cannot be read: {error}"
            return False
        except _NewerFormatError:
            self.problem = f"best times are not kept: a newer program wrote {self.path}"
            return False
        except (ValueError, RecursionError) as error:
            return self._set_aside(error)
        for key, time in found.items():
            known = self._times.get(key)
            side = PURSUER if key.startswith(SIDES[PURSUER]) else EVADER
            if known is None or is_better(side, time.seconds, known.seconds):
                self._times[key] = time
        return True

    def _set_aside(self, error: Exception) -> bool:
        """Renames a damaged file, so that nothing of it is lost; returns whether it could."""
        assert self.path is not None
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        try:
            self.path.rename(aside)
        except OSError as failure:
            self.problem = f"best times are damaged and cannot be set aside: {failure}"
            return False
        self.problem = f"best times were damaged ({error}); they are now in {aside}"
        return True

    def _write(self) -> bool:
        """Writes all times to a new file, which takes the old one's place at once.

        Returns:
            Whether it could.
        """
        assert self.path is not None
        times = {key: dataclasses.asdict(time) for key, time in sorted(self._times.items())}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.path) as beside, beside.open("w", encoding="utf-8") as file:
                file.write(json.dumps({"version": _VERSION, "times": times}, indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            self.problem = f"best times cannot be kept: {error}"
            return False
        return True


class _NewerFormatError(Exception):
    """A file is of a format that this program does not know."""


def _times_in(text: str) -> dict[str, BestTime]:
    """The times that a file holds.

    Raises:
        _NewerFormatError: if a newer program has written it.
        ValueError: if it does not hold what `BestTimes` writes.
    """
    found = json.loads(text)
    version = found.get("version") if isinstance(found, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidValue("it has no version")
    if version > _VERSION:
        raise _NewerFormatError
    times = found.get("times")
    if set(found) != {"version", "times"} or not isinstance(times, dict):
        raise InvalidValue("it holds no table of times")
    return {key: _time_in(entry) for key, entry in times.items()}


def _time_in(entry: Any) -> BestTime:
    if not isinstance(entry, dict) or set(entry) != {"seconds", "seed"}:
        raise InvalidValue(f"{_short(entry)} is no time")
    seconds, seed = entry["seconds"], entry["seed"]
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0.0 <= seconds <= _LONGEST:
        raise InvalidValue(f"{_short(seconds)} is no time")
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
        raise InvalidValue(f"{_short(seed)} is no seed")
    return BestTime(float(seconds), seed)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def _flat(fields: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """The fields of nested dicts, with dotted names."""
    found: list[tuple[str, Any]] = []
    for name, value in fields.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{prefix}{name}.")
        else:
            found.append((prefix + name, value))
    return found
