"""Writes the page on which people play, watch and experiment in their browser: one HTML file.

It is the page of recorded episodes (`steer_env.rendering.page_file`) with an engine: the
module, a program that plays with it, and what `browser.games` describes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steer_env.browser.games import (
    GAMES,
    POLICIES,
    Pool,
    default_keywords,
    describe_game,
    describe_policy,
    describe_script,
    describe_scripts,
)
from steer_env.browser.levels import COUNT_SECONDS, COUNTS, DEFAULT_LEVEL, LEVEL_NAMES, strong
from steer_env.drawing import ANNOTATIONS, THEMES
from steer_env.envs.keywords import given_game
from steer_env.errors import InvalidValue, check_choice, check_integer, check_path
from steer_env.files import write_bytes
from steer_env.game.config import AnyGame, game_config
from steer_env.game.engine import LARGEST_SEED
from steer_env.machine_code.library import content_of
from steer_env.players import Player, controller_of, name_of
from steer_env.policies.pretrained import side_of
from steer_env.rendering.page_file import EngineParts, contents, packed, page_text
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import Side

_PAGES = Path(__file__).parent / "pages"
_PROGRAM = (
    *("machine.js", "engine.js", "settings.js", "live.js", "link.js", "controls.js"),
    *("rounds.js", "heatmap.js", "laboratory.js", "board.js", "panels.js", "overlay.js"),
    *("saving.js", "play.js"),
)
_NOT_KNOWN = "view"  # a script's row has the cosine of its field of view alone
_SHOWN = ("velocity", "trail", "capture", "aim", "names", "score")


def save_play_page(
    path: str | os.PathLike[str],
    *,
    theme: str = "auto",
    side: str = "pursuer",
    level: str = DEFAULT_LEVEL,
    opponent: Player | None = None,
    seed: int | None = None,
    game: AnyGame = None,
) -> None:
    """Writes a page on which a person plays either side against scripts and trained networks.

    What the page opens with can be given; all else can be chosen there.

    Args:
        path: of the file, which is replaced if it exists.
        theme: "light", "dark", or "auto" for the reader's system setting.
        side: the person's, "pursuer" or "evader".
        level: a name of `browser.levels.LEVEL_NAMES`.
        opponent: a script's name, a `Script` or a dict of its fields, or a network or its name
            or .npz file; None for the level's. A page cannot play Python functions.
        seed: of the first start; None for another one each time.
        game: a game that the page has besides its own, or its keywords.

    Raises:
        InvalidType, InvalidValue: for an unknown name, a game in which the person's side is a
            team, and a game or an opponent that cannot be played there.
        OSError: if the file cannot be written.
    """
    path = check_path("path", path)
    check_choice("theme", theme, ("auto", *THEMES))
    person = Side.named(side)
    check_choice("level", level, LEVEL_NAMES)
    games = {
        name: (title, game_config(**keywords)) for name, (title, keywords) in GAMES.items()
    }
    opening = {"as": person.name, "level": level}
    config = given_game(game)
    if game:
        games["own"] = ("Your game", config)
        opening["game"] = "own"
    if config.count(person.name) != 1:
        raise InvalidValue(
            f"a person steers one vehicle, so --{person.name}s must be 1 to play the "
            f"{person.name}, got {config.count(person.name)}; play the {person.other.name}, or "
            "choose several opponents"
        )
    weights = Pool()
    policies = {name: _describe_pretrained(name, weights) for name in POLICIES}
    scripts = describe_scripts()
    playable = {name: describe_game(name, *each) for name, each in games.items()}
    if opponent is not None:
        name = _add_opponent(opponent, person.other, scripts, policies, weights)
        opening["opponent"] = name
        _check_fits(name, policies, playable[opening.get("game", "walls")])
    if seed is not None:
        opening["seed"] = str(check_integer("seed", seed, 0, LARGEST_SEED))
    try:
        code, layout = (content_of(f"engine.{kind}") for kind in ("wasm", "json"))
    except (OSError, ValueError) as error:
        raise InvalidValue(f"the page has no code for its games: {error}") from error
    data = {
        "layout": json.loads(layout),
        "games": playable,
        "defaults": default_keywords(),
        "levels": LEVEL_NAMES,
        "strong": {side.name: strong(side) for side in Side},
        "textbook": {side.name: side.default_script for side in Side},
        "counts": {"number": COUNTS, "seconds": COUNT_SECONDS},
        "scripts": scripts,
        "policies": policies,
        "meanings": {name: text for name, text in ANNOTATIONS.items() if name != _NOT_KNOWN},
        "shown": _SHOWN,
        "opening": opening,
    }
    tabs, panels = ((_PAGES / name).read_text("utf-8") for name in ("tabs.html", "panels.html"))
    engine = EngineParts(
        tabs,
        panels,
        style=contents(_PAGES, ["play.css"]),
        program=contents(_PAGES, _PROGRAM),
        code=packed(len(code).to_bytes(4, "little") + code + weights.tobytes()),
    )
    text = page_text("Pursuit and evasion", data, theme, "play --html page.html", engine)
    write_bytes(path, text.encode())


def _add_opponent(
    opponent: Player,
    side: Side,
    scripts: dict[str, Any],
    policies: dict[str, Any],
    weights: Pool,
) -> str:
    """Adds an opponent to a page's players if it is none of them; returns its name there."""
    if isinstance(opponent, str) and (opponent in policies or opponent in scripts):
        return opponent
    if isinstance(opponent, str | Path):
        check_path("opponent", opponent)  # it may be a file
    player = controller_of(opponent, side, what="opponent")
    is_file = isinstance(opponent, Path) or str(opponent).endswith(".npz")
    name = Path(str(opponent)).stem if is_file else name_of(opponent)
    if isinstance(player, Script):
        described, players = describe_script(name, player), scripts
    else:
        described, players = describe_policy(name, player, weights), policies
        described["side"] = side.name
    while name in ("you", *ROSTER, *scripts, *policies):
        name += " (own)"
    players[name] = described
    return name


def _check_fits(
    opponent: str, policies: Mapping[str, Mapping[str, Any]], game: Mapping[str, Any]
) -> None:
    """Raises an InvalidValue for a network that was made for another game."""
    features = policies.get(opponent, game)["features"]
    if features != game["features"]:
        raise InvalidValue(
            f"{opponent} cannot play this game: it takes {features} features of an "
            f"observation, and the game has {game['features']}"
        )


def _describe_pretrained(name: str, weights: Pool) -> dict[str, Any]:
    side = side_of(name)
    return {"side": side.name, **describe_policy(name, controller_of(name, side), weights)}
