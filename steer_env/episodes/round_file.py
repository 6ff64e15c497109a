"""Rounds as small JSON files that replay bit for bit.

The file has what an episode follows from: the game, the seed, the scripts, and the actions of
other players. The page in a browser writes such files, too. It is an object:

| key | value |
|---|---|
| format | "steer_env round 1" |
| game | keywords of `make_game`; those of the default game may be left out |
| seed | of the episode, in decimal digits: JavaScript's numbers have 53 bits, a seed has 64 |
| pursuer, evader | a name, and a script if one plays the side |
| script | the base is a name in the roster; then the fields of `Script` that differ from it |
| actions | for each side without a script: base64 of float32, (steps, players of the side, 2) |
| steps | how many were played; the episode may be unfinished |
| maps | where the game's maps have no name: which of those in the file is in place of each |
| end | base64 of float64, (players, 4): x, y, vx, vy of each player after the last step |

Of several maps the file has the one of the episode, and the largest in place of all others.
Actions are forward and left, as the engine took them. Bytes are little-endian, pursuers come
first, and infinity is written as "Infinity".
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.episodes.live_game import LiveGame
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    UsageError,
    check_choice,
    check_integer,
    check_path,
    check_sequence,
    check_text,
    coerce,
    got,
    shown,
    unknown,
)
from steer_env.fields import ranges
from steer_env.files import LARGEST_JSON, read_json, write_text
from steer_env.game.config import Game
from steer_env.game.config.keywords import given_game, json_keywords, plain
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.state import map_of
from steer_env.maps.map import Map, checked_maps
from steer_env.players.player import Player
from steer_env.rendering.recording import Recording, SideActions
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import OWN_KINDS, Script
from steer_env.sides import Side
from steer_env.steering.own_functions import function_name

FORMAT = "steer_env round 1"  # the first entry of every file
MOST_STEPS = 1_000_000  # of a round in a file
MOST_MEMORY = 2**31  # bytes of the states of a replayed round
LONGEST_NAME = 1000  # characters

_ACTIONS, _END = np.dtype("<f4"), np.dtype("<f8")
_KEYS = ("format", "game", "seed", *(side.name for side in Side), "actions", "steps", "end")
_INFINITY = "Infinity"  # as JavaScript writes it; JSON has no such number
_OTHER_VERSION = "another version of the game recorded it, or the file is damaged"


def write_round(recording: Recording, path: str | Path) -> None:
    """Writes a recorded episode, ended or not, from which `read_round` replays it.

    Raises:
        InvalidType, InvalidValue: if the game or a script has user-defined functions, a name
            has control characters, or the episode is longer than `read_round` reads.
        OSError: if it cannot be written.
    """
    path, steps = check_path("path", path), len(recording.states) - 1
    check_integer("the number of steps to write", steps, 0, MOST_STEPS)
    _check_memory(steps, recording.states.dtype)
    content: dict[str, Any] = {
        "format": FORMAT,
        "game": json_keywords(recording.config),
        "seed": str(recording.seed),
    }
    listed = content["game"].get("map")
    if isinstance(listed, list) and len(listed) > 1:  # and no name that stands for them
        content["game"]["map"], content["maps"] = _maps_of(recording)
    for side, script, name in zip(Side, recording.scripts, recording.names):
        content[side.name] = {"name": _check_name(f"the {side.name}'s name", name)}
        if script is not None:
            content[side.name]["script"] = script_entry(side, script)
    content["actions"] = {
        side.name: _base64_of(taken, _ACTIONS)
        for side, taken in zip(Side, recording.actions)
        if taken is not None
    }
    content |= {"steps": steps, "end": _base64_of(_end_of(recording.states[-1]), _END)}
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    if len(text) > LARGEST_JSON:
        raise InvalidValue(
            f"the round would make a file of {len(text):,} bytes, and at most {LARGEST_JSON:,} "
            "are read: write fewer steps, or fewer players that no script plays"
        )
    write_text(path, text)


def read_round(path: str | Path) -> Recording:
    """Replays the episode of a file that `write_round`, or the page in a browser, wrote.

    Nothing in the file is run: names are looked up, and all numbers are checked.

    Raises:
        InvalidType, InvalidValue: if it is damaged, larger than `LARGEST_JSON`, or not such a
            file; or if the replay ends elsewhere, so that another version of the game wrote it.
        OSError: if it cannot be read.
    """
    path = check_path("path", path)
    content = read_json(path)
    try:
        return _replayed(content)
    except UsageError as error:
        raise type(error)(f"{path}: {error}") from error


def _replayed(content: Any) -> Recording:
    if isinstance(content, Mapping) and content.get("format") != FORMAT:
        raise InvalidValue(f"its format must be {FORMAT!r}, got {shown(content.get('format'))}")
    _check_keys("the round", content, _KEYS, "maps")
    if not isinstance(content["game"], Mapping):
        raise InvalidType(f"the game must be an object of keywords, {got(content['game'])}")
    game = dict(content["game"])
    if "maps" in content:
        game["map"] = _listed_maps(game.get("map"), content["maps"])
    config = given_game(game)
    seed = _seed_of(content["seed"])
    players = [_player_of(side, content[side.name]) for side in Side]
    steps = check_integer("steps", content["steps"], 0, min(MOST_STEPS, config.horizon))
    actions = _actions_of(content["actions"], config, players, steps)
    end = _array_of("end", content["end"], _END, (config.pursuers + config.evaders, 4))
    live = LiveGame(config, *players)
    try:
        _check_memory(steps, live.record.dtype)
        live.start(seed)
        for step in range(steps):
            live.step(*(None if taken is None else taken[step] for taken in actions))
    except ResetNeeded:
        raise InvalidValue(
            f"replayed, the round is over after {live.last:,} steps, and the file has "
            f"{steps:,}: {_OTHER_VERSION}"
        ) from None
    finally:
        live.close()
    recording = live.recording()
    if _end_of(recording.states[-1]).astype(_END).tobytes() != end.tobytes():
        raise InvalidValue(
            f"replayed, the round ends elsewhere than the file says: {_OTHER_VERSION}"
        )
    return recording


def _maps_of(recording: Recording) -> tuple[list[Any], list[int]]:
    """The maps that a round needs, and the place of each of the game's among them."""
    maps, record = recording.config.map, recording.states[0]
    largest = max(maps, key=lambda one: one.half_size)
    places = [0] * len(maps)
    places[int(record["map"][0])] = 1
    played = map_of(recording.config, record)
    return [one.to_dict() for one in (largest, played) if one is not None], places


def _listed_maps(given: Any, places: Any) -> list[Map]:
    """The maps of a game from those in a file, and their places."""
    maps = checked_maps(given)
    listed = check_sequence("maps", places)
    if not listed:
        raise InvalidValue("maps must have a place for each map of the game, and is empty")
    return [maps[check_integer("maps", one, 0, len(maps) - 1)] for one in listed]


def _check_memory(steps: int, record: np.dtype[Any]) -> None:
    size = (steps + 1) * record.itemsize
    if size > MOST_MEMORY:
        raise InvalidValue(
            f"{steps:,} steps of this game take {size:,} bytes of memory, and the limit is "
            f"{MOST_MEMORY:,}; valid are fewer steps, vehicles or obstacles"
        )


def _check_keys(what: str, given: object, needed: Sequence[str], *allowed: str) -> None:
    valid = [*needed, *allowed]
    if not isinstance(given, Mapping):
        raise InvalidType(
            f"{what} must be an object with {', '.join(valid) or 'no keys'}, {got(given)}"
        )
    for name in given:
        if name not in valid:
            raise InvalidType(unknown(f"key of {what}", name, valid))
    for name in needed:
        if name not in given:
            raise InvalidType(f"{what} lacks {name!r}; it needs {', '.join(needed)}")


def _seed_of(given: Any) -> int:
    text = check_text("seed", given)
    # Not int alone, which takes "1_0" and digits of all alphabets.
    if not re.fullmatch("0|[1-9][0-9]{0,19}", text) or int(text) > LARGEST_SEED:
        raise InvalidValue(
            f"seed must be decimal digits, from '0' to '{LARGEST_SEED}', got {shown(text)}"
        )
    return int(text)


def _check_name(what: str, given: object) -> str:
    """Returns a text that harms no terminal and no picture."""
    text = check_text(what, given)
    if len(text) > LONGEST_NAME or not text.isprintable():
        raise InvalidValue(
            f"{what} must be at most {LONGEST_NAME:,} characters in one line, without control "
            f"characters, got {shown(text)}"
        )
    return text


def _player_of(side: Side, given: Any) -> Player:
    _check_keys(f"the {side.name}", given, ["name"], "script")
    name = _check_name(f"the {side.name}'s name", given["name"])
    if "script" not in given:
        return Player(name)
    entry, what = given["script"], f"the {side.name}'s script"
    _check_keys(what, entry, ["base"], *(field.name for field in fields(Script)))
    check_choice(f"base of {what}", entry["base"], ROSTER)
    changes = {
        key: math.inf if value == _INFINITY and key in ranges(Script) else value
        for key, value in entry.items()
        if key != "base"
    }
    script: Script = coerce(Script, what, changes, ROSTER[entry["base"]])
    _check_name(f"the description of {what}", script.description)
    return Player(name, script)


def script_entry(side: Side, script: Script) -> dict[str, Any]:
    """A script as `write_round` writes it, with its errors."""
    for field, kind in OWN_KINDS.items():
        own = getattr(script, field)
        if callable(own):
            raise InvalidType(
                f"the {side.name}'s {kind.what} {function_name(own)!r} is a function of your "
                "own, which no file can hold; rounds of scripts without such functions can be "
                "written"
            )
    _check_name(f"the description of the {side.name}'s script", script.description)
    base = min(ROSTER, key=lambda name: len(_changes(ROSTER[name], script)))
    changes = plain(_changes(ROSTER[base], script))
    infinite = {name: _INFINITY for name, value in changes.items() if value == math.inf}
    return {"base": base, **changes, **infinite}


def _changes(base: Script, script: Script) -> dict[str, Any]:
    values = {field.name: getattr(script, field.name) for field in fields(Script)}
    return {name: value for name, value in values.items() if value != getattr(base, name)}


def _actions_of(given: Any, config: Game, players: Sequence[Player], steps: int) -> SideActions:
    sides = [side for side in Side if not players[side].script]
    _check_keys("actions", given, [side.name for side in sides])
    found: list[NDArray[np.float32] | None] = [None, None]
    for side in sides:
        what, shape = f"actions of the {side.name}", (steps, config.count(side.name), 2)
        actions = _array_of(what, given[side.name], _ACTIONS, shape).astype(np.float32)
        if not np.isfinite(actions).all():
            place = int(np.flatnonzero(~np.isfinite(actions).all(axis=(1, 2)))[0])
            raise InvalidValue(
                f"{what} must be finite numbers, and those of step {place} are not"
            )
        found[side] = actions
    return found[0], found[1]


def _end_of(state: np.void) -> NDArray[np.float64]:
    """The places and velocities of players, (players, 4): x, y, vx and vy in meters and m/s."""
    body = state["players"]["body"]
    return np.stack([body["position"], body["velocity"]], axis=-1).view(np.float64)


def _base64_of(numbers: NDArray[Any], kind: np.dtype[Any]) -> str:
    return base64.b64encode(numbers.astype(kind).tobytes()).decode()


def _array_of(
    what: str, given: Any, kind: np.dtype[Any], shape: tuple[int, ...]
) -> NDArray[Any]:
    text = check_text(what, given)
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError as error:  # also for characters beyond ASCII
        raise InvalidValue(f"{what} must be base64: {error}, got {shown(text)}") from None
    size = math.prod(shape) * kind.itemsize
    if len(content) != size:
        raise InvalidValue(
            f"{what} must be {size:,} bytes in base64, for numbers of the shape {shape} in "
            f"{kind.name}, got {len(content):,}"
        )
    return np.frombuffer(content, kind).reshape(shape)
