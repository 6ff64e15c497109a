"""Writes the page on which people play, watch and experiment in their browser: one HTML file.

It holds the module, the page's program, and what `browser.games` describes; nothing is loaded
from anywhere else. The drawing code and the style are those of the page of recorded episodes,
see `steer_env.rendering.html`; of that page it also has a template, to save rounds with.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steer_env import __version__
from steer_env.browser import module
from steer_env.browser.games import (
    GAMES,
    POLICIES,
    Pool,
    check_playable,
    default_keywords,
    describe_game,
    describe_policy,
    describe_scripts,
)
from steer_env.browser.levels import (
    COUNT_SECONDS,
    COUNTS,
    DEFAULT_LEVEL,
    LEVEL_NAMES,
    challenge,
    level_named,
    strong,
)
from steer_env.drawing import ANNOTATION_KEYS, ANNOTATIONS, THEMES
from steer_env.envs.keywords import given_game
from steer_env.errors import InvalidValue, check_choice, check_integer, check_path, check_text
from steer_env.files import write_bytes
from steer_env.game.config import AnyGame, game_config
from steer_env.game.engine import LARGEST_SEED
from steer_env.players import controller_of
from steer_env.policies.pretrained import side_of
from steer_env.rendering.html import DRAWING, PAGES, page_template
from steer_env.rendering.page_file import color_style, contents, page_text
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import Side

_PAGES = Path(__file__).parent / "pages"
_SHARED_STYLE = ("chase.css", "windows.css")
_PROGRAM = (
    *("machine.js", "engine.js", "settings.js", "sliders.js", "live.js", "link.js"),
    *("controls.js", "tasks.js", "rounds.js", "heatmap.js", "histogram.js"),
    *("laboratory.js", "board.js", "panels.js", "overlay.js", "gif.js", "saving.js"),
    *("play.js", "frames.js", "input.js"),
)
_NOT_KNOWN = "view"  # a script's row has the cosine of its field of view alone
_SHOWN = ("velocity", "trail", "capture", "aim", "names", "score")


def save_play_page(
    path: str | os.PathLike[str],
    *,
    theme: str = "auto",
    side: str = "pursuer",
    level: str = DEFAULT_LEVEL,
    opponent: str | None = None,
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
        opponent: a script's name, or a network's name or .npz file; None for the level's.
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
    start = level_named(level, person)
    games = {
        name: (title, game_config(**keywords)) for name, (title, keywords) in GAMES.items()
    }
    opening = {"as": person.name, "level": start.name}
    config = given_game(game)
    if game:
        games["own"] = ("Your game", config)
        opening["game"] = "own"
    challenge(person, start, config)  # or it cannot be played
    weights = Pool()
    policies = {name: _describe_pretrained(name, weights) for name in POLICIES}
    if opponent is not None:
        opponent = check_text("opponent", opponent)
        check_path("opponent", opponent)  # it may be a file
    if opponent is not None and opponent not in policies:
        player = controller_of(opponent, person.other)
        if isinstance(player, Script):
            check_playable(opponent, player)
        else:
            opponent = _name_on_page(opponent)
            described = describe_policy(opponent, player, weights)
            policies[opponent] = {"side": person.other.name, **described}
    playable = {name: describe_game(name, *each) for name, each in games.items()}
    if opponent is not None:
        opening["opponent"] = opponent
        _check_fits(opponent, policies, playable[opening.get("game", "walls")])
    if seed is not None:
        opening["seed"] = str(check_integer("seed", seed, 0, LARGEST_SEED))
    data = {
        "layout": module.layout(),
        "games": playable,
        "defaults": default_keywords(),
        "levels": LEVEL_NAMES,
        "strong": {side.name: strong(side)._asdict() for side in Side},
        "textbook": {side.name: side.default_script for side in Side},
        "counts": {"number": COUNTS, "seconds": COUNT_SECONDS},
        "scripts": describe_scripts(),
        "policies": policies,
        "meanings": {name: text for name, text in ANNOTATIONS.items() if name != _NOT_KNOWN},
        "letters": dict(ANNOTATION_KEYS),
        "shown": _SHOWN,
        "opening": opening,
        "template": page_template("%TITLE%", "%DATA%"),
    }
    code = module.code()
    text = page_text(
        (_PAGES / "play.html").read_text("utf-8"),
        style=color_style() + contents(PAGES, _SHARED_STYLE) + contents(_PAGES, ["play.css"]),
        program=contents(PAGES, DRAWING) + contents(_PAGES, _PROGRAM),
        theme=theme,
        allowed="'wasm-unsafe-eval'",
        version=__version__,
        code=_packed(len(code).to_bytes(4, "little") + code + weights.tobytes()),
        data=_packed(json.dumps(data, separators=(",", ":"), allow_nan=False).encode()),
    )
    write_bytes(path, text.encode())


def _name_on_page(opponent: str) -> str:
    """A name for a network that no other player of the page has."""
    name = Path(opponent).stem if opponent.endswith(".npz") else opponent
    return f"{name} (file)" if name in ROSTER or name in ("you", *POLICIES) else name


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


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()
