"""Options that several commands share: the game, the players, and the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from tyro.conf import OmitArgPrefixes, arg

from steer_env.drawing import DEFAULT_ANNOTATIONS, DrawingConfig
from steer_env.errors import InvalidValue

if TYPE_CHECKING:
    from steer_env.game.config import GameConfig
    from steer_env.players import Player

NO_FILE = "none"
"""Stands for the normalization of a model that has none."""

Names = Annotated[tuple[str, ...], arg(metavar="NAME [NAME ...]")]


@dataclass(frozen=True)
class GameOptions:
    """Keywords of the environments; what is not given is as in the game."""

    game: str | None = None
    """Named game, such as agile_torus or two_cars; `info` lists them."""

    arena: str | None = None
    """Kind of arena: walls, torus or open."""

    arena_size: float | None = None
    """Side of the arena, in meters."""

    obstacles: int | None = None
    """Number of round obstacles, placed at random."""

    capture_radius: float | None = None
    """Distance at which a pursuer captures, in meters."""

    horizon: int | None = None
    """Length of an episode, in steps."""

    solid: str | None = None
    """Vehicles that never overlap: nobody, teammates or everyone."""

    def keywords(self) -> dict[str, Any]:
        """Returns the keywords that are given."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def config(self) -> GameConfig:
        """Returns the game.

        Raises:
            UsageError: as `steer_env.envs.keywords.game_config`.
        """
        from steer_env.game.config import game_config

        return game_config(**vars(self))


@dataclass(frozen=True)
class TeamGameOptions(GameOptions):
    """Keywords of the environments; what is not given is as in the game."""

    pursuers: int | None = None
    """Number of pursuers."""

    evaders: int | None = None
    """Number of evaders."""


@dataclass(frozen=True)
class ModelOptions:
    """How to load models of stable-baselines3."""

    trust: bool = False
    """Load .zip and .pkl files, which can run any code."""

    normalization: tuple[str, ...] = ()
    """Files of the VecNormalize of each .zip file, in their order; none for one without."""

    def with_normalization(self, names: Sequence[str]) -> list[Player]:
        """Returns players, with those models loaded that a file of normalization is given for.

        Raises:
            InvalidValue: if there is not one file of normalization for each .zip file.
            UsageError, OSError, DependencyNotInstalled: as `load_stable_baselines3`.
        """
        models = list(dict.fromkeys(name for name in names if name.endswith(".zip")))
        if not self.normalization:
            return list(names)
        if len(models) != len(self.normalization):
            raise InvalidValue(
                f"--normalization needs a file for each .zip file, {NO_FILE!r} for one without "
                f"a VecNormalize: got {len(self.normalization)} for {len(models)}"
            )
        from steer_env.policies.stable_baselines import load_stable_baselines3

        loaded: dict[str, Player] = {
            model: load_stable_baselines3(model, self.trust, normalization=file)
            for model, file in zip(models, self.normalization)
            if file != NO_FILE
        }
        return [loaded.get(name, name) for name in names]


@dataclass(frozen=True)
class PlayerOptions(ModelOptions):
    """Names of scripts, "random", pretrained policies, or .npz and .zip files."""

    pursuer: Names = ("pursuit",)
    """One or several pursuers."""

    evader: Names = ("evade",)
    """One or several evaders."""

    seed: int = 0
    """Seed of the first start."""

    def sides(self) -> tuple[list[Player], list[Player]]:
        """Returns the pursuers and the evaders; see `with_normalization`."""
        players = self.with_normalization((*self.pursuer, *self.evader))
        return players[: len(self.pursuer)], players[len(self.pursuer) :]


@dataclass(frozen=True)
class DrawingOptions:
    """What the pictures look like."""

    size: str = "600"
    """Size in pixels: a number for a square, or WIDTHxHEIGHT."""

    theme: str | None = None
    """Theme, light or dark: light by default, but a page follows its reader's browser."""

    annotations: str = ",".join(DEFAULT_ANNOTATIONS)
    """Names of annotations between commas (`info` lists them), all, or none."""

    def config(self) -> DrawingConfig:
        """Returns the settings of the drawing.

        Raises:
            UsageError: for a size that is not a number of pixels, and as `DrawingConfig`.
        """
        names: Any = self.annotations
        if names not in ("all", "none"):
            names = tuple(filter(None, names.split(",")))
        return DrawingConfig(_parsed_size(self.size), self.theme or "light", names)


@dataclass(frozen=True)
class FileOptions:
    """Files to write, at least one."""

    gif: str | None = None
    """Animation of the games side by side, one episode after the other."""

    mp4: str | None = None
    """The same as a video."""

    png: str | None = None
    """Picture of whole episodes, with a row for each seed."""

    svg: str | None = None
    """The same as vector graphics."""

    html: str | None = None
    """Page that plays all episodes in any browser, without a network."""

    fps: float | None = None
    """Frames a second; by default 15 in a .gif (at most 50), 30 in an .mp4 (at most 1000)."""

    seconds: float | None = None
    """Longest part of an episode in a .gif or .mp4."""

    moment: float | None = None
    """Show the game at this time, in seconds, in a .png or .svg, not whole episodes."""


def check_nothing_to_play(players: PlayerOptions, game: TeamGameOptions, episodes: int) -> None:
    """Raises an error for options that say what to play, where a recorded round is drawn.

    An option that is given with its default value passes: it looks as if it were not given.

    Raises:
        InvalidValue: if there are such options; it names them.
    """
    given = [
        name
        for options, defaults in ((players, PlayerOptions()), (game, TeamGameOptions()))
        for name, value in vars(options).items()
        if value != getattr(defaults, name)
    ]
    given += ["episodes"] if episodes != 1 else []
    if given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise InvalidValue(
            f"--round draws a round with players, game and seed of its own: omit {options}"
        )


PLAY_DRAWING = DrawingOptions(size="900x800", annotations="velocity,trail,capture")
"""The default drawing of a game for a person."""


def check_nothing_for_window(
    drawing: DrawingOptions,
    models: ModelOptions,
    rounds: int | None,
    save: str | None,
    sound: bool,
) -> None:
    """Raises an error for options of a window, where a page to play on is written.

    As in `check_nothing_to_play`, default values pass.

    Raises:
        InvalidValue: if there are such options; it names them.
    """
    is_default = {
        "size": drawing.size == PLAY_DRAWING.size,
        "annotations": drawing.annotations == PLAY_DRAWING.annotations,
        "trust": not models.trust,
        "normalization": not models.normalization,
        "rounds": rounds is None,
        "save": save is None,
        "sound": not sound,
    }
    given = [f"--{name}" for name, passes in is_default.items() if not passes]
    if given:
        raise InvalidValue(
            f"--html writes a page, which has no use for these: omit {', '.join(given)}"
        )


def _parsed_size(text: str) -> tuple[int, int]:
    try:
        sides = [int(side) for side in text.lower().split("x")]
        width, height = sides if len(sides) > 1 else sides * 2
    except ValueError:
        raise InvalidValue(
            f"--size must be pixels such as 600 or 800x600, got {text!r}"
        ) from None
    return width, height


# Parameters of commands: their fields become options without a prefix.
Game: TypeAlias = Annotated[GameOptions, OmitArgPrefixes]
TeamGame: TypeAlias = Annotated[TeamGameOptions, OmitArgPrefixes]
Players: TypeAlias = Annotated[PlayerOptions, OmitArgPrefixes]
Models: TypeAlias = Annotated[ModelOptions, OmitArgPrefixes]
Drawing: TypeAlias = Annotated[DrawingOptions, OmitArgPrefixes]
Files: TypeAlias = Annotated[FileOptions, OmitArgPrefixes]
