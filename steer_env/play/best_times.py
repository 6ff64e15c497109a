"""Best times, kept between rounds and programs in the person's data folder."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steer_env.envs.keywords import game_config
from steer_env.episodes.players import SIDES
from steer_env.game.config import GameConfig
from steer_env.game.state import EVADER, PURSUER
from steer_env.play.levels import Challenge
from steer_env.play.rounds import Round

FILE_NAME = "best_times.json"

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
    try:
        from platformdirs import user_data_path
    except ImportError:
        return None
    return user_data_path("steer-env", appauthor=False) / FILE_NAME


def key_of(challenge: Challenge) -> str:
    """What rounds must have in common to be compared: side, opponent, and the game."""
    name = challenge.opponent_name
    if Path(name).suffix in (".npz", ".zip"):
        name = str(Path(name).resolve())
    return ", ".join(
        [f"{SIDES[challenge.side]} against {name}", *_differences(challenge.config)]
    )


def is_better(side: int, new: float, old: float) -> bool:
    """Whether a time is better: shorter for a pursuer, longer for an evader."""
    return new < old if side == PURSUER else new > old


class BestTimes:
    """The best times of all that was ever played.

    Whatever is wrong with the file, the game goes on: times are then kept only as long as the
    program runs.

    Args:
        path: of the file, which need not be there; None where none is known, for want of
            platformdirs.

    Attributes:
        path: as given.
        problem: what went wrong with the file last, for telling the person; "" if nothing.
        is_kept: whether the last best time is in the file.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
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
            with contextlib.suppress(ImportError, OSError):
                # Without a lock, as after waiting in vain, a time may be lost: it is kept all
                # the same. (Its Timeout is an OSError.)
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
        entries = {key: dataclasses.asdict(time) for key, time in sorted(self._times.items())}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f"{FILE_NAME}.", dir=self.path.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(json.dumps(entries, indent=1) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, self.path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            self.problem = f"best times cannot be kept: {error}"
            return False
        return True


def _times_in(text: str) -> dict[str, BestTime]:
    """The times that a file holds.

    Raises:
        ValueError: if it does not hold what `BestTimes` writes.
    """
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("it holds no table")
    return {key: _time_in(entry) for key, entry in found.items()}


def _time_in(entry: Any) -> BestTime:
    if not isinstance(entry, dict) or set(entry) != {"seconds", "seed"}:
        raise ValueError(f"{entry!r} is no time")
    seconds, seed = entry["seconds"], entry["seed"]
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds) or seconds < 0.0:
        raise ValueError(f"{seconds!r} is no time")
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"{seed!r} is no seed")
    return BestTime(float(seconds), seed)


def _differences(config: GameConfig) -> list[str]:
    """How a game differs from the default one: "arena.kind torus", "evaders 2"."""
    usual = dict(_flat(dataclasses.asdict(game_config())))
    return [
        f"{name} {f'{value:g}' if isinstance(value, float) else value}"
        for name, value in _flat(dataclasses.asdict(config))
        if usual.get(name) != value
    ]


def _flat(fields: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """The fields of nested dicts, with dotted names."""
    found: list[tuple[str, Any]] = []
    for name, value in fields.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{prefix}{name}.")
        else:
            found.append((prefix + name, value))
    return found
