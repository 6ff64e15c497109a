"""A mixed strategy: several networks as one policy that draws one of them every episode."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_array,
    check_flag,
    check_integer,
    check_number,
    check_sequence,
    check_texts,
    got,
)
from steer_env.players.archive import SavedPolicy, json_in, text_in
from steer_env.players.network import NetworkPolicy

FORMAT = "steer_env mixture 1"  # grows when older versions cannot read it
MOST_MEMBERS = 64

Weights: TypeAlias = Sequence[float] | NDArray[Any] | None


class MixturePolicy(SavedPolicy):
    """Networks of which one is drawn for every episode, with stable-baselines3's signature.

    In games where the best strategy is mixed, any single network can be exploited; a mixture
    hides which of its members plays, for all players of a team. Its hidden state is the number
    of the member that plays each game. The members are drawn and act from the seed of the
    policy, not from the chance of each game. Its metadata are those of the first member.

    Args:
        members: networks for the same observations and actions.
        chances: (members,), how often each is drawn, relative to the others; None for equal.
            The attribute has the probabilities.
        sampled: whether members sample their actions, even if they are asked for the most
            likely ones, as opponents are.
        seed: of the draws; and, if read from a file, of the members' own.
        names: of the members, for people; None for none.
    """

    KIND = "mixture"
    MAX_ARRAYS = MOST_MEMBERS * NetworkPolicy.MAX_ARRAYS + 4

    def __init__(
        self,
        members: Sequence[NetworkPolicy],
        chances: Weights = None,
        *,
        sampled: bool = False,
        seed: int = 0,
        names: Sequence[str] | None = None,
    ) -> None:
        self.members = _checked_members(members)
        count = len(self.members)
        self.chances = normalized_weights("chances", chances, count)
        self.sampled = check_flag("sampled", sampled)
        self.names = None if names is None else check_texts("names", names)
        if self.names is not None and len(self.names) != count:
            raise InvalidValue(f"names must be one for each of {count} members, got {names}")
        first, self._size = self.members[0], f"{count} networks"
        self.metadata = dict(first.metadata)
        self.observation_space, self.action_space = first.observation_space, first.action_space
        self._generator = np.random.default_rng(check_integer("seed", seed, 0))

    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Chooses actions, each by the member that plays that game.

        Arguments and errors are those of `NetworkPolicy.predict`, with observations (..., N,
        players, features) for teams, whose players share a member: one game of a team is (1,
        players, features). A member is drawn where ``episode_start``, (N,), is True. If the
        mixture is `sampled`, members sample also if asked to be deterministic.

        Returns:
            The actions, and the number of the member of each game, (N,), all axes before the
            players' as one.
        """
        observation = check_array("observation", observation, np.float32)
        shape = observation.shape[:-1]
        rows = observation.reshape(-1, observation.shape[-1] if observation.ndim else 1)
        players = shape[-1] if len(shape) > 1 else 1
        state = self._playing(len(rows) // max(players, 1), state, episode_start)
        playing, is_likely = np.repeat(state, players), deterministic and not self.sampled
        space = self.action_space
        actions = np.zeros((len(rows), *(space.shape or ())), space.dtype)
        for number in np.unique(playing):
            own = playing == number
            actions[own], _ = self.members[number].predict(rows[own], deterministic=is_likely)
        return actions.reshape((*shape, *actions.shape[1:])), state

    def takes(self, features: int) -> bool:
        """See `SavedPolicy.takes`."""
        return all(member.takes(features) for member in self.members)

    def _playing(self, games: int, state: Any, episode_start: Any) -> NDArray[np.int64]:
        """The member of each game, drawn where an episode begins."""
        drawn = self._generator.choice(len(self.members), games, p=self.chances)
        if state is None:
            return drawn
        starts = np.zeros(games, np.bool_) if episode_start is None else episode_start
        for what, given in (("state", state), ("episode_start", starts)):
            if np.shape(given) not in ((), (games,)):
                raise InvalidValue(
                    f"{what} must have an entry for each of the {games} games, got the shape "
                    f"{np.shape(given)}"
                )
        return np.where(starts, drawn, state).astype(np.int64)

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], seed: int = 0) -> MixturePolicy:
        """See `SavedPolicy.from_arrays`."""
        about = {"format", "chances", "sampled", "names"}
        if missing := about - arrays.keys():
            raise InvalidValue(f"it lacks the arrays {sorted(missing)}")
        if (kind := text_in(arrays, "format")) != FORMAT:
            raise InvalidValue(f"its format is {kind!r}, expected {FORMAT!r}")
        parts: dict[str, dict[str, NDArray[Any]]] = {}
        for name in arrays.keys() - about:
            member, _, part = name.partition("/")
            parts.setdefault(member, {})[part] = arrays[name]
        count = len(parts)
        if parts.keys() != {str(number) for number in range(count)}:
            raise InvalidValue("its members are not numbered from 0")
        if not any(np.array_equal(arrays["sampled"], flag) for flag in (0.0, 1.0)):
            raise InvalidValue("sampled must be 0 or 1")
        seeds = np.random.SeedSequence(check_integer("seed", seed, 0)).generate_state(count)
        return cls(
            [NetworkPolicy.from_arrays(parts[str(n)], int(seeds[n])) for n in range(count)],
            arrays["chances"],
            sampled=bool(arrays["sampled"]),
            seed=seed,
            names=json_in(arrays, "names"),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that its file holds, by name."""
        found: dict[str, Any] = {
            "format": FORMAT,
            "chances": self.chances,
            "sampled": np.float64(self.sampled),
            "names": json.dumps(self.names),
        }
        for number, member in enumerate(self.members):
            found |= {f"{number}/{name}": array for name, array in member.arrays().items()}
        return {name: np.asarray(array) for name, array in found.items()}


def _checked_members(members: Sequence[NetworkPolicy]) -> tuple[NetworkPolicy, ...]:
    for member in check_sequence("members", members):
        if not isinstance(member, NetworkPolicy):
            raise InvalidType(
                f"the members of a mixture are NetworkPolicies, got {type(member).__name__}; "
                "opponent=[...] with opponent_weights=[...] mixes players of any kind"
            )
    if not 1 <= len(members) <= MOST_MEMBERS:
        raise InvalidValue(f"a mixture has 1 to {MOST_MEMBERS} members, got {len(members)}")
    for name in ("observation_space", "action_space"):
        spaces = [getattr(member, name) for member in members]
        if any(space != spaces[0] for space in spaces):
            raise InvalidValue(f"the members of a mixture need the same {name}, got {spaces}")
    return tuple(members)


def normalized_weights(what: str, weights: Weights, count: int) -> NDArray[np.float64]:
    """Returns relative weights, or None for equal ones, as probabilities, (count,).

    Raises:
        InvalidType: if they are not a sequence of numbers.
        InvalidValue: for another length, a negative, nan or infinite weight, or only zeros.
    """
    if weights is None:
        weights = [1.0] * count
    is_array = isinstance(weights, np.ndarray) and weights.ndim == 1
    if isinstance(weights, str) or not (is_array or isinstance(weights, Sequence)):
        raise InvalidType(f"{what} must be a sequence of numbers, {got(weights)}")
    if len(weights) != count:
        raise InvalidValue(
            f"{what} must have one weight for each of {count}, got {len(weights)}"
        )
    checked = [
        check_number(f"{what}[{place}]", weight, 0.0) for place, weight in enumerate(weights)
    ]
    if max(checked) == 0.0:
        raise InvalidValue(f"{what} must not all be 0")
    # By the largest first, since the sum of large weights may be infinite.
    shares = np.array(checked) / max(checked)
    return shares / shares.sum()
