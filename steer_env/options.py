"""Options that several commands share: the game, the players, and the drawing."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import tyro

from steer_env.drawing import DEFAULT_ANNOTATIONS
from steer_env.errors import InvalidType, InvalidValue, check_choice, shown
from steer_env.game.config import Game, make_game
from steer_env.game.config.keywords import keyword_rows
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, GAMES, register, suite_game
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.players.player import AnyPlayer

Pair: TypeAlias = "tuple[tuple[AnyPlayer, AnyPlayer], tuple[str, str]]"  # and their names
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
    """The scenario of a name, of an environment's id, or of FILE.py:NAME.

    The file is run, and its class registered.
    """
    if (file := file_of(game)) is not None:
        return _read(f"{file.resolve()}:{game.rpartition(':')[2]}", file.stat().st_mtime_ns)
    name = game.removeprefix("steer_env:")
    check_choice("game or environment", name, [*GAMES, *ENVIRONMENTS])
    return ENVIRONMENTS[name].game if name in ENVIRONMENTS else GAMES[name]


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
    """The game."""

    game: str = DEFAULT_GAME
    """A game's name, such as agile_torus or two_cars (`steer-env info games` lists them), an
    environment's id, such as AgileTorusPursuit-v0, which is for one side, or FILE.py:NAME, a
    Scenario in a Python file, which is run."""

    @property
    def scenario(self) -> Scenario:
        """The game itself."""
        return scenario_of(self.game)

    def side(self, named: str | None) -> Side:
        """Returns the side that is named, or else that of the id, or else the pursuer.

        A side that is not the id's is an InvalidValue.
        """
        environment = ENVIRONMENTS.get(self.game.removeprefix("steer_env:"))
        if named is None:
            return Side.PURSUER if environment is None else environment.side
        side = Side.named(named)
        if environment is not None and environment.side is not side:
            raise InvalidValue(
                f"--game {self.game} is the {side.other.name}'s, and the {named} is named: "
                f"name the {side.other.name}, or give --game {environment.game.name}"
            )
        return side


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
    map: Annotated[
        str | None, _help("map", "Maps by their name, such as rooms/0-63, or a file")
    ] = None
    obstacles: Annotated[int | None, _help("obstacles")] = None
    capture_radius: Annotated[float | None, _help("capture_radius")] = None
    horizon: Annotated[int | None, _help("horizon")] = None
    solid: Annotated[str | None, _help("solid", "Who collides")] = None
    pursuers: Annotated[int | None, _help("pursuers")] = None
    evaders: Annotated[int | None, _help("evaders")] = None

    def keywords(self) -> dict[str, Any]:
        """Returns the keywords of the environments that are given."""
        game = self.scenario
        given = {**vars(self), "game": None if game is GAMES[DEFAULT_GAME] else game}
        return {name: value for name, value in given.items() if value is not None}

    def config(self) -> Game:
        """Returns the game, or raises the errors of `make_game`."""
        return make_game(**self.keywords())


@dataclass(frozen=True)
class SideOptions:
    """The players: scripts, "random", pretrained policies, .npz files, PPO:FILE.zip for
    models of stable-baselines3 (any algorithm), or FILE.py:NAME, a function, a Script or a
    policy in a Python file, which is run.
    """  # noqa: D205

    pursuer: tuple[str, ...] | None = None
    """From `steer-env info opponents` and `steer-env info pretrained`: one, or several where
    they are compared. FOLDER stands for those in its .py and .npz files, "FOLDER/*.py:NAME" for
    one in each."""

    evader: tuple[str, ...] | None = None
    """As for the pursuer."""

    trust: bool = False
    """Load .zip and .pkl files. These can run any code."""

    normalization: tuple[str, ...] = ()
    """VecNormalize files, one per .zip, in the same order."""

    def in_game(self, game: GameChoice, person: str | None = None) -> SideOptions:
        """Returns these players, and the game's own on a side for which none is named.

        A side that a person steers stays without one.
        """
        opponents = game.scenario.opponents
        unnamed = [one for one in Side if getattr(self, one.name) is None]
        own: Any = {one.name: (opponents[one.other],) for one in unnamed if one.name != person}
        return replace(self, **own)

    def names(self) -> tuple[list[str], list[str]]:
        """Returns the names of both sides, with those that folders and patterns stand for."""
        sides = self.pursuer or (), self.evader or ()
        pursuers, evaders = ([*chain(*map(players_in, names))] for names in sides)
        return pursuers, evaders

    def normalizations(self) -> dict[str, str]:
        """Returns the file of normalization of each .zip file, empty if none is given."""
        names = dict.fromkeys(chain(*self.names()))
        models = [name for name in names if name.endswith(".zip")]
        if self.normalization and len(models) != len(self.normalization):
            raise InvalidValue(
                "--normalization needs a file for each .zip file, 'none' for one without a "
                f"VecNormalize: got {len(self.normalization)} for {len(models)}"
            )
        return dict(zip(models, self.normalization))

    def loaded(self, names: Iterable[str], what: str = "policy") -> list[AnyPlayer]:
        """Returns players: those in Python files, models, or names of others.

        Raises:
            UsageError, OSError, DependencyNotInstalled: for names that nothing has, and files
                that cannot be loaded.
        """
        from steer_env.players.resolver import name_of, object_in_file, resolve
        from steer_env.players.stable_baselines import load_stable_baselines3

        files = self.normalizations()
        found: list[AnyPlayer] = []
        for name in names:
            player: AnyPlayer = object_in_file(name) if ".py:" in name else name
            if name.endswith(".zip"):
                file = None if files.get(name) == "none" else files.get(name)
                model = load_stable_baselines3(name, self.trust, normalization=file)
                player = resolve(model, None, what=what, name=name_of(name))
            resolve(player, None, what=what)  # an error comes before anything is played
            found.append(player)
        return found

    def sides(self) -> tuple[list[AnyPlayer], list[AnyPlayer]]:
        """Returns the pursuers and the evaders, or raises the errors of `loaded`."""
        sides = zip(self.names(), Side)
        pursuers, evaders = (self.loaded(names, side.name) for names, side in sides)
        return pursuers, evaders

    def only(self, game: GameChoice | None = None) -> tuple[Side, str, AnyPlayer] | None:
        """Returns the side, the name and the player itself of the only one, or None."""
        given = [(side, name) for side, names in zip(Side, self.names()) for name in names]
        if not given:
            return None
        if len(given) > 1:
            raise InvalidValue(
                "the command plays the other side itself: name one player after --pursuer or "
                "--evader, not both"
            )
        ((side, name),) = given
        if game is not None:
            game.side(side.name)
        return side, name, self.loaded([name])[0]

    def players(self) -> tuple[dict[str, AnyPlayer], dict[str, AnyPlayer]]:
        """Returns the players of both sides by their different names in tables."""
        named = self.names()
        for side, names in zip(Side, named):
            if not names:
                raise InvalidValue(
                    f"{side.name}s must be at least one: name it after --{side.name}"
                )
            check_different(names)
        sides = zip(map(short_names, named), self.sides())
        pursuers, evaders = (dict(zip(names.values(), found)) for names, found in sides)
        return pursuers, evaders

    def pairs(self, *valid: tuple[int, int], wanted: str) -> list[Pair]:
        """Returns each pursuer with each evader, of which there are valid numbers."""
        counts = tuple(map(len, self.names()))
        if counts not in valid and min(counts) > 0:
            got = f"got pursuers: {counts[0]}, evaders: {counts[1]}"
            raise InvalidValue(wanted.format(got))
        pairs = product(*(one.items() for one in self.players()))
        return [((one, other), (name, beside)) for (name, one), (beside, other) in pairs]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Returns the names in tables: of files as little of their paths as makes them unique."""
    from steer_env.players.resolver import name_of

    def forms(name: str) -> list[str]:
        file = file_of(name)
        return [name_of(name), name] if file is None else [file.stem, str(file), name]

    known = Counter(one for name in names for one in {*forms(name)})
    return {name: next((one for one in forms(name) if known[one] == 1), name) for name in names}


def check_different(names: Sequence[str]) -> None:
    """Raises an InvalidValue if a name is given twice."""
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"{name!r} is given twice")


@dataclass(frozen=True)
class DrawingOptions:
    """The appearance of pictures."""

    theme: Annotated[str | None, tyro.conf.arg(metavar="{light,dark}")] = None
    """Light by default, but a page follows its reader's browser."""

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
