"""From the environments' keywords to a game's configuration and its opponents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_number, unknown
from steer_env.game.config import ArenaConfig, GameConfig, RewardConfig, VehicleConfig
from steer_env.policies import pretrained
from steer_env.policies.loading import is_loadable, load_network
from steer_env.scripts.roster import ROSTER, name_of_script, short_name
from steer_env.scripts.script import Script
from steer_env.sides import Side


@runtime_checkable
class Policy(Protocol):
    """Whoever chooses actions from observations, with stable-baselines3's signature."""

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """Actions for a batch of observations, and the policy's next hidden state."""


Controller: TypeAlias = Script | Policy
OneOpponent: TypeAlias = str | Path | Controller | Callable[..., Any]
Opponent: TypeAlias = OneOpponent | Sequence[OneOpponent]

Weights: TypeAlias = Sequence[float] | NDArray[Any] | None

ACTION_TYPES = ("continuous", "discrete")

DEFAULT_VEHICLES: Mapping[str, Mapping[str, float]] = {
    "pursuer": {"max_speed": 4.0, "max_force": 12.0},
    "evader": {"max_speed": 3.6, "max_force": 12.0},
}
"""Calibrated: analytic pursuit catches the scripted evaders often, but not always."""


def game_config(
    *,
    pursuers: int = 1,
    evaders: int = 1,
    pursuer: VehicleConfig | Mapping[str, Any] | None = None,
    evader: VehicleConfig | Mapping[str, Any] | None = None,
    arena: str = "walls",
    arena_size: float = 20.0,
    obstacles: int | Sequence[Sequence[float]] = 0,
    capture_radius: float = 0.5,
    dt: float = 1 / 30,
    horizon: int = 600,
    solid: str = "nobody",
    reward: RewardConfig | Mapping[str, float] | None = None,
    randomize: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
) -> GameConfig:
    """The configuration that the environments' keywords describe.

    Raises:
        TypeError: for a value of the wrong type, or an unknown field in a dict.
        ValueError: for a value out of range; the message says what is valid.
    """
    discs = obstacles
    if isinstance(obstacles, Sequence) and not isinstance(obstacles, str):
        discs = tuple(tuple(disc) if isinstance(disc, Sequence) else disc for disc in obstacles)
    return GameConfig(
        pursuers=pursuers,
        evaders=evaders,
        pursuer=_vehicle("pursuer", pursuer),
        evader=_vehicle("evader", evader),
        arena=ArenaConfig(kind=arena, size=arena_size, obstacles=discs),  # type: ignore[arg-type]
        capture_radius=capture_radius,
        dt=dt,
        horizon=horizon,
        solid=solid,
        reward={} if reward is None else reward,  # type: ignore[arg-type]
        randomize={} if randomize is None else randomize,
    )


def given_game(game: GameConfig | Mapping[str, Any] | None) -> GameConfig:
    """The game itself, the one that a dict of keywords describes, or the usual one.

    Raises:
        TypeError: if it is none of these, or for an unknown keyword; it names the nearest.
        TypeError, ValueError: as `game_config`.
    """
    if isinstance(game, GameConfig):
        return game
    if game is not None and not isinstance(game, Mapping):
        raise InvalidType(
            "game must be a GameConfig, or a dict such as {'arena': 'torus'}, got "
            f"{game!r} ({type(game).__name__})"
        )
    check_keywords(game_config, game or {})
    return game_config(**(game or {}))


def _vehicle(side: str, given: VehicleConfig | Mapping[str, Any] | None) -> Any:
    if given is None or isinstance(given, Mapping):
        return {**DEFAULT_VEHICLES[side], **(given or {})}
    return given


def with_game_keywords(init: Callable[..., None]) -> Callable[..., None]:
    """Shows the keywords of `game_config` in the signature of a function that takes them."""
    own = inspect.signature(init).parameters.values()
    shown = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
    shown += inspect.signature(game_config).parameters.values()
    init.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return init


def check_keywords(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raises an InvalidType for a keyword that a function lacks, with the nearest match."""
    valid = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    for name in given:
        if name not in valid:
            raise InvalidType(unknown("keyword", name, valid))


def controllers(opponent: Opponent, side: int) -> tuple[Controller, ...]:
    """The scripts and policies that an `opponent` keyword asks for.

    Args:
        opponent: a name of the roster or of a pretrained policy, the path of a network's .npz
            file, a Script, a behavior of your own (see `Script`), a policy with `predict`, or a
            sequence of these, of which every episode draws one.
        side: PURSUER or EVADER, which the opponent is to play.

    Raises:
        TypeError: if it is none of these.
        ValueError: if there is no such name, the sequence is empty, a file is damaged or not
            safe to load, or a trained policy is made for the other side.
        FileNotFoundError: if there is no such file.
    """
    if isinstance(opponent, Sequence) and not isinstance(opponent, str):
        if len(opponent) == 0:
            raise InvalidValue("opponent must not be an empty list; name at least one")
        return tuple(_controller(member, side) for member in opponent)
    return (_controller(opponent, side),)


def _controller(opponent: Any, side: int) -> Controller:
    if is_loadable(opponent):
        return load_network(opponent, side=Side(side))
    if isinstance(opponent, str):
        if (name := short_name(opponent)) in ROSTER:
            return ROSTER[name]
        valid = (*ROSTER, *pretrained.names())
        raise InvalidValue(
            f"{unknown('opponent', opponent, valid)} Or the path of a network's .npz file."
        )
    if isinstance(opponent, Script) or (
        not isinstance(opponent, type) and callable(getattr(opponent, "predict", None))
    ):
        return opponent
    if callable(opponent) and not isinstance(opponent, type):
        return Script(behavior=opponent)
    raise InvalidType(
        "opponent must be a name such as 'evade', the path of an .npz file, a Script, a "
        "function (me, other) -> force, an object with predict(observation, state, "
        "episode_start, deterministic), or a list of these; "
        f"got {opponent!r} ({type(opponent).__name__})"
    )


def name_of_controller(controller: Controller) -> str:
    """What a controller is called in pictures and reports, in short."""
    if isinstance(controller, Script):
        return name_of_script(controller)
    name = getattr(controller, "name", None)
    return name if isinstance(name, str) else type(controller).__name__


def normalized_weights(weights: Weights, opponents: int) -> NDArray[np.float64]:
    """The probability of each opponent in a mixture, (opponents,), that weights ask for.

    Args:
        weights: the `opponent_weights` keyword: a number for each opponent, 0 for never; None
            for equal chances.
        opponents: how many there are.

    Raises:
        TypeError: if it is no sequence, or holds something that is no number.
        ValueError: if its length is another, a weight is negative, nan or infinite, or all
            are 0.
    """
    if weights is None:
        weights = [1.0] * opponents
    is_array = isinstance(weights, np.ndarray) and weights.ndim == 1
    if isinstance(weights, str) or not (is_array or isinstance(weights, Sequence)):
        raise InvalidType(
            "opponent_weights must be a sequence of numbers, one for each opponent, or None "
            f"for equal chances; got {weights!r} ({type(weights).__name__})"
        )
    if len(weights) != opponents:
        raise InvalidValue(
            "opponent_weights must hold one weight for each opponent in the list `opponent`: "
            f"{opponents}, got {len(weights)}"
        )
    checked = [
        check_number(f"opponent_weights[{place}]", weight, 0.0)
        for place, weight in enumerate(weights)
    ]
    if max(checked) == 0.0:
        raise InvalidValue(
            "opponent_weights must not all be 0: give at least one opponent a chance"
        )
    # By the largest first, since the sum of large weights may be infinite.
    shares = np.array(checked) / max(checked)
    return shares / shares.sum()


def check_action_type(action_type: str) -> str:
    """Returns the action type.

    Raises:
        ValueError: if it is neither "continuous" nor "discrete".
    """
    if action_type not in ACTION_TYPES:
        raise InvalidValue(unknown("action_type", action_type, ACTION_TYPES))
    return action_type


def check_render_mode(render_mode: str | None, valid: Sequence[str]) -> str | None:
    """Returns the render mode.

    Raises:
        ValueError: if it is not None and not among the valid ones.
    """
    if render_mode is not None and render_mode not in valid:
        raise InvalidValue(unknown("render_mode", render_mode, valid))
    return render_mode
