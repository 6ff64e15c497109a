"""From the environments' keywords to a game's configuration and its opponents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from steer_env.errors import unknown
from steer_env.game.config import ArenaConfig, GameConfig, RewardConfig, VehicleConfig
from steer_env.game.roster import named_script
from steer_env.game.script import Script


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
Opponent: TypeAlias = str | Controller | Sequence[str | Controller]

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


def _vehicle(side: str, given: VehicleConfig | Mapping[str, Any] | None) -> Any:
    if given is None or isinstance(given, Mapping):
        return {**DEFAULT_VEHICLES[side], **(given or {})}
    return given


def check_keywords(function: Callable[..., Any], unknown_keywords: Mapping[str, Any]) -> None:
    """Raises a TypeError for keywords that a function does not have, naming the nearest."""
    parameters = inspect.signature(function).parameters.values()
    valid = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    for name in unknown_keywords:
        raise TypeError(unknown("keyword", name, valid))


def controllers(opponent: Opponent) -> tuple[Controller, ...]:
    """The scripts and policies that an `opponent` keyword asks for.

    Args:
        opponent: a name of the roster, a Script, a behavior of your own (see `Script`), a
            policy with `predict`, or a sequence of these, of which every episode draws one.

    Raises:
        TypeError: if it is none of these.
        ValueError: if a name is not in the roster, or the sequence is empty.
    """
    if isinstance(opponent, Sequence) and not isinstance(opponent, str):
        if len(opponent) == 0:
            raise ValueError("opponent must not be an empty list; name at least one")
        return tuple(_controller(member) for member in opponent)
    return (_controller(opponent),)


def _controller(opponent: Any) -> Controller:
    if isinstance(opponent, str):
        return named_script(opponent)
    if isinstance(opponent, Script) or (
        not isinstance(opponent, type) and callable(getattr(opponent, "predict", None))
    ):
        return opponent
    if callable(opponent) and not isinstance(opponent, type):
        return Script(behavior=opponent)
    raise TypeError(
        "opponent must be a name such as 'evade', a Script, a function (me, other) -> force, "
        "an object with predict(observation, state, episode_start, deterministic), or a list "
        "of these; "
        f"got {opponent!r} ({type(opponent).__name__})"
    )


def check_action_type(action_type: str) -> str:
    """Returns the action type.

    Raises:
        ValueError: if it is neither "continuous" nor "discrete".
    """
    if action_type not in ACTION_TYPES:
        raise ValueError(unknown("action_type", action_type, ACTION_TYPES))
    return action_type
