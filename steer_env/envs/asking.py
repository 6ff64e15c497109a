"""Asks policies what they do, and checks what they answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.envs.actions import DIRECTIONS, engine_actions
from steer_env.envs.keywords import Policy


def check_spaces(policy: Policy, features: int) -> None:
    """Raises a ValueError if a policy says that it was made for another kind of game.

    Args:
        policy: looked at for ``observation_space`` and ``action_space``, as
            stable-baselines3's models have them; it need not have any.
        features: of an observation in this game.
    """
    seen = getattr(policy, "observation_space", None)
    if isinstance(seen, spaces.Space) and seen.shape != (features,):
        raise ValueError(
            f"{name_of(policy)} was made for observations of shape {seen.shape}, and this "
            f"game's have {(features,)}: is it for other numbers of players or obstacles?"
        )
    acts = getattr(policy, "action_space", None)
    fits = isinstance(acts, spaces.Box) and acts.shape == (2,)
    fits |= isinstance(acts, spaces.Discrete) and int(acts.n) == len(DIRECTIONS)
    if isinstance(acts, spaces.Space) and not fits:
        raise ValueError(
            f"{name_of(policy)} was made for actions of {acts}; one vehicle's are "
            f"Box(-1, 1, (2,)) or Discrete({len(DIRECTIONS)})"
        )


def ask(
    policy: Policy, rows: NDArray[np.float32], state: Any, episode_start: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], Any]:
    """What a policy does, in the engine's form, and its next hidden state.

    Args:
        policy: asked once for all the rows.
        rows: (N, features) observations; copied, so that the policy may keep them.
        state: what it returned before; None at first.
        episode_start: (N,): where an episode begins.

    Returns:
        Actions (N, 2) in float32, and the state.

    Raises:
        TypeError: if it does not return a pair, or its actions are no numbers.
        ValueError: if they have another shape, or are not finite.
    """
    answer = policy.predict(
        rows.copy(), state=state, episode_start=episode_start.copy(), deterministic=True
    )
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise TypeError(
            f"{name_of(policy)} must return (actions, state) from predict, got {answer!r}"
        )
    actions = np.asarray(answer[0])
    kind = "discrete" if actions.dtype.kind in "iu" else "continuous"
    try:
        converted = engine_actions(actions, kind, len(rows), 1)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{name_of(policy)} returned actions that do not fit: {error}"
        ) from error
    if not np.isfinite(converted).all():
        raise ValueError(f"{name_of(policy)} returned actions that are not finite")
    return converted.reshape(len(rows), 2), answer[1]


def name_of(policy: Policy) -> str:
    """How a policy is called in messages."""
    return f"the policy {policy!r}"
