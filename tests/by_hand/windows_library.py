"""Plays games with the library for Windows under Wine, and compares all of their memory.

    python tools/build_engine.py --all --out build/machine_code
    PYTHONPATH=. python tests/by_hand/windows_library.py

It needs wine and ziglang (the extra `dev`). Each game begins here. Then all arrays that its
loop reaches are copied into a file, with the places of the addresses among them. The library of
this machine plays on, and so does the one for Windows, at each level that this processor has.
Afterwards every byte must be the same. The exit status is 1 if one differs.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from steer_env.machine_code import addresses

_place_of = addresses.address_of
_noted: dict[int, np.ndarray] = {}  # the arrays whose address was asked for


def _note(array: np.ndarray) -> int:
    place = _place_of(array)
    if place not in _noted or _noted[place].nbytes <= array.nbytes:
        _noted[place] = array
    return place


addresses.address_of = _note  # before other modules import it

import gymnasium as gym  # noqa: E402
from soak_games import draw_keywords, draw_script  # noqa: E402
from trajectories import learners_games  # noqa: E402

from steer_env.game.run.memory import RESTART  # noqa: E402
from steer_env.machine_code.library import LEVELS  # noqa: E402
from steer_env.machine_code.routines import ROUTINES  # noqa: E402
from steer_env.scenarios.registry import ENVIRONMENTS  # noqa: E402
from steer_env.sides import Side  # noqa: E402

STEPS = 150
AT_ONCE = 130  # games: more than a block
BATCH = 20  # files at a time, of some megabytes each
SOURCE = Path(__file__).with_suffix(".c")


class Memory:
    """The arrays that a call of the loop reaches, and the addresses in them.

    ``call`` is the number of the array that begins with the arguments of the call. ``links``
    has, of each address, the array that it stands in and the offset there, and where it leads:
    to an array and an offset in that, or to -1, 0 and the name of a routine.
    """

    def __init__(self, call_at: int) -> None:
        self._begins, self._wholes, end = [], [], 0
        for place, array in sorted(_noted.items()):
            if place + array.nbytes > end:  # else it is a part of the one before
                end = place + array.nbytes
                self._begins.append(place)
                self._wholes.append(array)
        known = {one.address: name for name, one in ROUTINES.items() if "address" in vars(one)}
        self.arrays: list[np.ndarray] = []
        self.links: list[tuple[int, int, int, int, str]] = []
        self._numbers: dict[int, int] = {}
        found = self._find(call_at)
        assert found is not None
        self.call = found[0]
        for number, array in enumerate(self.arrays):  # grows while addresses lead to others
            words = bytes_of(array)[: array.nbytes // 8 * 8].view(np.uint64)
            for place in np.flatnonzero(words >> np.uint64(32)).tolist():
                word = int(words[place])
                if word in known:
                    self.links.append((number, 8 * place, -1, 0, known[word]))
                elif target := self._find(word):
                    self.links.append((number, 8 * place, *target, ""))

    def _find(self, word: int) -> tuple[int, int] | None:
        """The array and the offset that an address leads to; None if it is no address."""
        place = bisect_right(self._begins, word) - 1
        if place < 0 or word >= self._begins[place] + self._wholes[place].nbytes:
            return None
        if place not in self._numbers:
            self._numbers[place] = len(self.arrays)
            self.arrays.append(self._wholes[place])
        return self._numbers[place], word - self._begins[place]

    def file(self) -> bytes:
        """Everything, as windows_library.c reads it."""
        parts = [np.array([len(self.arrays), len(self.links), self.call]).tobytes()]
        for array in self.arrays:
            parts += [np.int64(array.nbytes).tobytes(), bytes_of(array).tobytes()]
        for *numbers, name in self.links:
            parts += [np.array(numbers).tobytes(), name.encode().ljust(64, b"\0")]
        return b"".join(parts)

    def contents(self) -> bytes:
        """The arrays without the addresses in them."""
        copies = [bytes_of(array).copy() for array in self.arrays]
        for number, offset, *_ in self.links:
            copies[number][offset : offset + 8] = 0
        return b"".join(map(bytes, copies))


def bytes_of(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)


def games(number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and keywords of `gym.make_vec`: known games, then this number of random ones."""
    known = {name: {"id": name} for name, one in ENVIRONMENTS.items()}
    yield from (one for one in known.items() if ENVIRONMENTS[one[0]].action_type != "discrete")
    yield from learners_games()
    generator = np.random.default_rng(0)
    for place in range(number):
        keywords = draw_keywords(place, generator)
        scripts = [draw_script(generator) for _ in range(3)]
        name = ("Pursuit-v0", "Evade-v0")[place % 2]
        yield f"random {place}: {name}", {"id": name, "opponent": scripts, **keywords}


def begun(keywords: dict[str, Any]) -> tuple[Memory, Callable[[], int]]:
    """The memory of games that have begun, and what steps them with the same actions."""
    _noted.clear()
    envs = gym.make_vec(**{"num_envs": AT_ONCE, **keywords, "num_threads": 1})
    envs.reset(seed=5)
    side, engine = envs.unwrapped.side, envs.unwrapped._games.engine
    outcome = engine.new_outcome(side)
    for array in outcome:
        array[...] = 0
    actions = [engine.no_actions(one) for one in Side]
    shape = engine.num_games, engine.side_size(side), 2
    actions[side] = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
    how = RESTART, int(side), None, *actions, *outcome
    step = engine._runner.prepared(1, how)
    step()  # so that everything is laid out
    return Memory(_place_of(step.kept[1])), step


def play_under_wine(folder: Path, level: str, names: list[str]) -> bool:
    """Plays on from files; False if this processor is below the level."""
    lines = "".join(f"{name}.begun {name}.{level}\n" for name in names)
    command = ["wine", "program.exe", "library.dll", level, str(STEPS)]
    done = subprocess.run(command, cwd=folder, input=lines, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr or f"wine: status {done.returncode}")
    return "played" in done.stdout


def compare(folder: Path, number: int) -> int:
    """Plays all games in both ways; prints what differs, and returns how many do."""
    different, played, left = 0, dict.fromkeys(LEVELS[1:], 0), games(number)
    while batch := list(islice(left, BATCH)):
        expected = {}
        for place, (_, keywords) in enumerate(batch):
            memory, step = begun(keywords)
            (folder / f"{place}.begun").write_bytes(memory.file())
            for _ in range(STEPS):
                fault = step()
            expected[str(place)] = np.int64(fault).tobytes() + memory.contents()
        for level in LEVELS[1:]:
            if not play_under_wine(folder, level, list(expected)):
                continue
            for place, content in expected.items():
                is_same = (folder / f"{place}.{level}").read_bytes() == content
                played[level] += 1
                different += not is_same
                if not is_same:
                    print(f"{level} differs: {batch[int(place)][0]}", flush=True)
        print(f"played {played}, {different} different", flush=True)
    return different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path("build/machine_code/windows-x86_64.dll")
    parser.add_argument("--library", type=Path, default=default)
    parser.add_argument("--random", type=int, default=100, help="number of random games")
    given = parser.parse_args()
    if shutil.which("wine") is None:
        parser.error("wine is missing: apt-get install wine")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        shutil.copyfile(given.library, folder / "library.dll")
        compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"]
        command = [*compiler, str(SOURCE), "-o", str(folder / "program.exe")]
        subprocess.run(command, check=True)
        sys.exit(compare(folder, given.random) > 0)


if __name__ == "__main__":
    main()
