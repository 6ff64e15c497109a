"""Options that several commands share: the game, the players, and the drawing."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import tyro

from steer_env.drawing import DEFAULT_ANNOTATIONS
from steer_env.errors import InvalidType, InvalidValue, shown
from steer_env.game.config import Game, make_game
from steer_env.game.config.keywords import keyword_rows
from steer_env.scenarios.registry import (
    DEFAULT_GAME,
    ENVIRONMENTS,
    Environment,
    environment_id,
    register,
    suite_game,
)
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.players.player import AnyPlayer

Json: TypeAlias = Annotated[bool, tyro.conf.arg(help="Print one JSON document.")]


def choice(names: Iterable[str]) -> Any:
    """Shows the values of an option in its help, in braces."""
    return tyro.conf.arg(metavar=f"{{{','.join(names)}}}")


SideName: TypeAlias = Annotated[str, choice(side.name for side in Side)]


def file_of(game: str | None) -> Path | None:
    """The file in FILE.py:NAME, or None for the name of a game."""
    path, is_in_file, _ = (game or "").rpartition(".py:")
    return Path(path + ".py") if is_in_file else None


def players_in(name: str) -> list[str]:
    """The players that a folder or a pattern stands for, in order, or else the name alone.

    A folder's are those in its .py files, one in each, and its .npz files; if there are none,
    it is an InvalidValue. Patterns are replaced here since some shells leave them as they are.
    """
    from steer_env.players.pretrained import is_pretrained
    from steer_env.players.stable_baselines import split_model
    from steer_env.scripts.roster import ROSTER, short_name

    algorithm, path = split_model(name)
    variable, before = "", f"{algorithm}:" if algorithm else ""
    if (file := file_of(name)) is not None:
        path, variable = str(file), name.rpartition(":")[2]
    patterns = [path]
    if path and Path(path).is_dir():
        if short_name(name) in ("random", *ROSTER) or is_pretrained(name):
            return [name]
        patterns = [str(Path(glob.escape(path), ending)) for ending in ("[!_]*.py", "*.npz")]
    elif Path(path).is_file():  # also one with a bracket in its path
        return [f"{path}:" if name.endswith(".py") else name]
    elif not re.search("[*?[]", path) and not name.endswith(".py"):
        return [name]
    found = sorted(one for pattern in patterns for one in glob.glob(pattern))
    if not found:
        raise InvalidValue(f"there is no player's file {' or '.join(patterns)}")
    return [f"{one}:{variable}" if one.endswith(".py") else before + one for one in found]


def scenario_of(game: str) -> Scenario:
    """The scenario of a name or of FILE.py:NAME: that file is run, and its class registered."""
    if (file := file_of(game)) is None:
        return suite_game(game)
    return _read(f"{file.resolve()}:{game.rpartition(':')[2]}", file.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _read(game: str, changed: int) -> Scenario:  # again after a change of the file
    from steer_env.players.resolver import object_in_file

    found = object_in_file(game)
    if not isinstance(found, Scenario) and not isinstance(found, type):
        raise InvalidType(f"{game} must be a Scenario or its class, got {shown(found)}")
    scenario = suite_game(found)
    with suppress(InvalidValue):  # a game has this name: it plays, and no file can name it
        register(type(scenario))
    return scenario


@dataclass(frozen=True)
class GameChoice:
    """The game, by its name or by the id of an environment."""

    game: str | None = None
    """A game's name, such as agile_torus or two_cars (`steer-env info games` lists them), or
    FILE.py:NAME, a Scenario in a Python file, which is run."""

    env: str | None = None
    """Or: an environment id, such as AgileTorusPursuit-v0."""

    @property
    def environment(self) -> Environment | None:
        """The environment of the given id, or an InvalidValue if another game is named."""
        if self.env is None:
            return None
        found = ENVIRONMENTS[environment_id("env", self.env)]
        if self.game not in (None, found.game.name):
            raise InvalidValue(
                f"--env {self.env} is an environment of {found.game.name}, and --game says "
                f"{self.game}: give one of them"
            )
        return found

    @property
    def chosen(self) -> str | Scenario | None:
        """The given game, by its name or as a scenario of a file, or None."""
        if self.environment is not None:
            return self.environment.game.name
        return self.game if file_of(self.game) is None else scenario_of(str(self.game))

    def side(self, named: str | None) -> Side:
        """Returns the side that is named, or else that of the id, or else the pursuer."""
        if named is not None:
            return Side.named(named)
        return Side.PURSUER if self.environment is None else self.environment.side


def _help(keyword: str, words: str = "") -> Any:
    """The help of an option, from the table of keywords, without values that it cannot take."""
    meaning = next(meaning for name, _, meaning in keyword_rows() if name == keyword)
    text, _, values = meaning.partition(", or a tuple")[0].partition(' ("')
    found = words or text[0].upper() + text[1:]
    named = re.findall(r"\w+", values)
    return tyro.conf.arg(help=f"{found}.", metavar=f"{{{','.join(named)}}}" if named else None)


@dataclass(frozen=True)
class TeamGameOptions(GameChoice):
    """The game, and keywords that change it."""

    arena: Annotated[str | None, _help("arena")] = None
    arena_size: Annotated[float | None, _help("arena_size")] = None
    obstacles: Annotated[int | None, _help("obstacles")] = None
    capture_radius: Annotated[float | None, _help("capture_radius")] = None
    horizon: Annotated[int | None, _help("horizon")] = None
    solid: Annotated[str | None, _help("solid", "Who collides")] = None
    pursuers: Annotated[int | None, _help("pursuers")] = None
    evaders: Annotated[int | None, _help("evaders")] = None

    def keywords(self) -> dict[str, Any]:
        """Returns the keywords of the environments that are given."""
        given = {**vars(self), "game": self.chosen}
        if self.game is None and given["game"] == DEFAULT_GAME:
            del given["game"]  # as without an id
        del given["env"]
        return {name: value for name, value in given.items() if value is not None}

    def config(self) -> Game:
        """Returns the game, or raises the errors of `make_game`."""
        return make_game(**self.keywords())


@dataclass(frozen=True)
class ModelOptions:
    """Options for models of stable-baselines3."""

    trust: bool = False
    """Load .zip and .pkl files. These can run any code."""

    normalization: tuple[str, ...] = ()
    """VecNormalize files, one per .zip, in the same order."""

    def normalizations(self, names: Sequence[str]) -> dict[str, str]:
        """Returns the file of normalization of each .zip file, empty if none is given."""
        models = list(dict.fromkeys(name for name in names if name.endswith(".zip")))
        if self.normalization and len(models) != len(self.normalization):
            raise InvalidValue(
                "--normalization needs a file for each .zip file, 'none' for one without a "
                f"VecNormalize: got {len(self.normalization)} for {len(models)}"
            )
        return dict(zip(models, self.normalization))

    def loaded(self, names: Sequence[str]) -> list[AnyPlayer]:
        """Returns players: those in Python files, models with their normalization, or names.

        Raises:
            UsageError, OSError, DependencyNotInstalled: for files that cannot be loaded.
        """
        from steer_env.players.resolver import object_in_file
        from steer_env.players.stable_baselines import load_stable_baselines3

        loaded = {name: object_in_file(name) for name in names if ".py:" in name}
        for model, file in self.normalizations(names).items():
            if file != "none":
                loaded[model] = load_stable_baselines3(model, self.trust, normalization=file)
        return [loaded.get(name, name) for name in names]


@dataclass(frozen=True)
class SideNames:
    """The players of both sides, in a base that the help shows first."""

    pursuer: tuple[str, ...] = (Side.PURSUER.default_script,)
    """One or several from `steer-env info opponents` and `steer-env info pretrained`. FOLDER
    stands for those in its .py and .npz files, and "FOLDER/*.py:NAME" for one in each."""

    evader: tuple[str, ...] = (Side.EVADER.default_script,)
    """One or several, as for the pursuer."""

    def names(self) -> tuple[list[str], list[str]]:
        """Returns the names of both sides, with those that folders and patterns stand for."""
        sides = self.pursuer, self.evader
        pursuers, evaders = ([*chain(*map(players_in, names))] for names in sides)
        return pursuers, evaders


@dataclass(frozen=True)
class SideOptions(ModelOptions, SideNames):
    """The two sides: scripts, "random", pretrained policies, .npz files, PPO:FILE.zip for
    models of stable-baselines3 (any algorithm), or FILE.py:NAME, a function, a Script or a
    policy in a Python file, which is run.
    """  # noqa: D205


@dataclass(frozen=True)
class PlayerOptions(SideOptions):  # noqa: D101
    __doc__ = SideOptions.__doc__

    seed: int = 0
    """Seed of the first game."""

    def sides(self) -> tuple[list[AnyPlayer], list[AnyPlayer]]:
        """Returns the pursuers and the evaders, or raises the errors of `loaded`."""
        pursuers, evaders = self.names()
        players = self.loaded([*pursuers, *evaders])
        return players[: len(pursuers)], players[len(pursuers) :]


@dataclass(frozen=True)
class ThemeOptions:
    """The appearance of a page."""

    theme: Annotated[str | None, choice(("light", "dark"))] = None
    """Light by default, but a page follows its reader's browser."""


@dataclass(frozen=True)
class DrawingOptions(ThemeOptions):
    """The appearance of pictures."""

    size: str = "600"
    """Size in pixels: a number for a square, or WIDTHxHEIGHT."""

    annotations: str = ",".join(DEFAULT_ANNOTATIONS)
    """Names between commas (`steer-env info annotations` lists them), all, or none."""

    def config(self) -> dict[str, Any]:
        """Returns the settings, or raises a UsageError for a size in another form."""
        names: Any = self.annotations
        if names not in ("all", "none"):
            names = tuple(filter(None, names.split(",")))
        found = re.fullmatch(r"([0-9]{1,9})(?:[xX]([0-9]{1,9}))?", self.size)
        if found is None:
            raise InvalidValue(f"--size must be like 600 or 800x600, got {shown(self.size)}")
        size = int(found[1]), int(found[2] or found[1])
        theme = {} if self.theme is None else {"theme": self.theme}
        return {"size": size, "annotations": names, **theme}


@dataclass(frozen=True)
class FileOptions:
    """Files to write, at least one.

    Attributes:
        gif: Animation of the games side by side, one episode after the other.
        mp4: Video.
        png: Picture of whole episodes, with a row for each seed.
        svg: Vector graphics.
        html: Page that plays all episodes in any browser, without a network.
        fps: Frames a second, by default 15 in a .gif (at most 50), 30 in an .mp4 (at most
            1000).
        seconds: Longest part of an episode in a .gif or .mp4.
        moment: Show the game at this time, in seconds, in a .png or .svg, not whole episodes.
    """

    gif: str | None = None
    mp4: str | None = None
    png: str | None = None
    svg: str | None = None
    html: str | None = None
    fps: float | None = None
    seconds: float | None = None
    moment: float | None = None


def check_nothing_to_play(players: PlayerOptions, game: TeamGameOptions, **others: Any) -> None:
    """Raises an InvalidValue for options that a recorded round does not take."""
    given = [name for name, value in others.items() if value]
    for one in (players, game):  # whose fields have their defaults in the class
        given += [name for name in vars(one) if getattr(one, name) != getattr(type(one), name)]
    if given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise InvalidValue(
            f"--round draws a round with players, game and seed of its own: omit {options}"
        )
