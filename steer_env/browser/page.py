"""Writes the page on which people play: that of `steer_env.rendering.html` with an engine."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from steer_env.browser.games import (
    GAMES,
    POLICIES,
    describe_game,
    describe_policy,
    describe_script,
)
from steer_env.browser.levels import LEVEL_NAMES, OPPONENTS, RACERS, STRONG
from steer_env.drawing import ANNOTATIONS
from steer_env.errors import InvalidValue, check_choice, check_integer, check_path
from steer_env.files import write_bytes
from steer_env.game.config import AnyGame, make_game
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.machine_code.library import content_of
from steer_env.players.player import AnyPlayer
from steer_env.players.pretrained import environments
from steer_env.players.resolver import resolve
from steer_env.rendering.html import contents, packed, page_text
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side

_PAGES = Path(__file__).parent / "pages"
_PARTS = {
    "tabs": ["tabs.html"],
    "panels": ["panels.html"],
    "style": ["play.css"],
    "program": [
        *("engine.js", "settings.js", "live.js", "steering.js", "rounds.js", "laboratory.js"),
        *("board.js", "panels.js", "cards.js", "play.js"),
    ],
}
_NOT_KNOWN = "view"  # a script's row has the cosine of its field of view alone
_SHOWN = ("velocity", "trail", "capture", "aim", "names", "score")


def save_play_page(
    path: str | os.PathLike[str],
    *,
    side: str = "pursuer",
    level: str = LEVEL_NAMES[0],
    opponent: AnyPlayer | None = None,
    seed: int | None = None,
    game: AnyGame = None,
    link: str = "",
) -> None:
    """Writes a page on which a person plays either side against scripts and trained networks.

    Args:
        path: of the file, which is replaced if it exists.
        side: the person's.
        level: a name of `browser.levels.LEVEL_NAMES`.
        opponent: a script's name, a `Script` or a dict of its fields, or a network or its name
            or .npz file, but not a Python function; None for the level's.
        seed: of the first start; None for another one each time.
        game: a game that the page has besides its own, or its keywords.
        link: the part after "#" in a link to such a page, in place of the choices above.

    Raises:
        InvalidType, InvalidValue: for an unknown name, a game in which the person's side is a
            team, and a game or an opponent that cannot be played there.
        OSError: if the file cannot be written.
    """
    path = check_path("path", path)
    person = Side.named(side)
    check_choice("level", level, LEVEL_NAMES)
    games = {name: (title, make_game(**given)) for name, (title, given) in GAMES.items()}
    config = given_game(game)
    if game:
        games["own"] = ("Your game", config)
    if config.count(person.name) != 1:
        raise InvalidValue(
            f"a person steers one vehicle, so --{person.name}s must be 1 to play the "
            f"{person.name}, got {config.count(person.name)}; play the {person.other.name}, or "
            "choose several opponents"
        )
    content = bytearray()  # of maps and networks
    playable = {name: describe_game(name, *each, content) for name, each in games.items()}
    opening: dict[str, Any] = {"game": "own" if game else "walls", "as": side, "level": level}
    players: dict[str, dict[str, Any]] = {}
    trainings = environments()
    for name in POLICIES:
        trained = trainings[name].side
        players[name] = describe_policy(name, resolve(name, trained).policy, trained, content)
    for name, script in ROSTER.items():
        if not name.startswith("optimal/"):  # perfect players of solved games
            players[name] = describe_script(name, script)
    for name, found in players.items():  # also for those that have no better title
        found["title"] = name.replace("/", ", ").replace("_", " ").capitalize()
    titled = (one for side in Side for one in OPPONENTS[side].items())
    for name, (title, character) in (*titled, *RACERS.items()):
        players[name].update(title=title, description=character)
    known = {*players}
    if opponent is not None:
        against = playable[opening["game"]]
        opening["opponent"] = _add_opponent(opponent, person.other, against, players, content)
    if seed is not None:
        opening["seed"] = check_integer("seed", seed, 0, LARGEST_SEED)
    try:
        code, layout = (content_of(f"engine.{kind}") for kind in ("wasm", "json"))
    except (OSError, ValueError) as error:
        raise InvalidValue(f"the page has no code for its games: {error}") from error
    data = {
        "layout": json.loads(layout),
        "games": playable,
        "levels": LEVEL_NAMES,
        "players": players,
        "chosen": {side.name: [*OPPONENTS[side]] for side in Side},
        "strong": {side.name: STRONG[side] for side in Side},
        "textbook": {side.name: side.default_script for side in Side},
        "meanings": {name: text for name, text in ANNOTATIONS.items() if name != _NOT_KNOWN},
        "shown": _SHOWN,
        # A plain page lacks them.
        "own": [*playable.keys() - GAMES.keys(), *players.keys() - known],
        "opening": link.lstrip("#") or urlencode(opening),
    }
    parts = {name: contents(_PAGES, files) for name, files in _PARTS.items()}
    parts["code"] = packed(len(code).to_bytes(4, "little") + code + content)
    text = page_text("Pursuit and evasion", data, "auto", "play --out page.html", **parts)
    write_bytes(path, text.encode())


def _add_opponent(
    opponent: AnyPlayer,
    side: Side,
    game: Mapping[str, Any],
    players: dict[str, dict[str, Any]],
    content: bytearray,
) -> str:
    """Returns an opponent's name among a page's players, and adds it if it is none of them."""
    if isinstance(opponent, str) and opponent in players:
        name = opponent
    else:
        if isinstance(opponent, str | Path):
            check_path("opponent", opponent)  # it may be a file
        player = resolve(opponent, side, what="opponent")
        is_file = isinstance(opponent, Path) or str(opponent).endswith(".npz")
        name = Path(str(opponent)).stem if is_file else player.name
        if player.script is not None:
            described = describe_script(name, player.script)
        else:
            described = describe_policy(name, player.policy, side, content)
        while name in ("you", *ROSTER, *players):
            name += " (own)"
        players[name] = described
    features = players[name].get("features", game["features"])
    if features != game["features"]:
        raise InvalidValue(
            f"{name} cannot play this game: it takes {features} features of an observation, "
            f"and the game has {game['features']}"
        )
    return name
