"""The opponents of a match: those that episodes draw from, and those that are leaving."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.envs.policy_player import PolicyPlayer
from steer_env.game.engine import Engine
from steer_env.game.state import UNSTARTED
from steer_env.players import Controller, Player
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.scripts.script import Script


class Opponent(NamedTuple):
    """One opponent.

    Attributes:
        player: what the caller passed.
        name: in pictures.
        controller: what plays.
        policy: what asks the controller, if it is a policy.
    """

    player: Player
    name: str
    controller: Controller
    policy: PolicyPlayer | None

    @property
    def script(self) -> Script | None:
        """The script, if it is one."""
        return self.controller if isinstance(self.controller, Script) else None

    def is_like(self, other: Opponent) -> bool:
        """Whether the other plays in the same way: an equal script, or the same policy."""
        if self.controller is other.controller:
            return True
        if self.script is not None:
            return self.script == other.script
        if not isinstance(self.player, str | Path):
            return self.player is other.player
        if isinstance(self.controller, NetworkPolicy | MixturePolicy) and (
            self.player == other.player
        ):
            return self.controller.is_equal(other.controller)  # its file may be another now
        return self.player == other.player


class Pool:
    """The opponents that episodes of an engine's games draw from.

    An opponent that is replaced plays on until no game has an episode with it any more. So
    does one that was asked for in a single episode only.

    Args:
        engine: made with the opponents' scripts.
        side: of the opponents.
        opponents: at least one.
        weights: the probability of each, (opponents,).

    Attributes:
        opponents: those that episodes draw from, in the order of their numbers.
        members: these, and then those that play out an episode.
    """

    def __init__(
        self,
        engine: Engine,
        side: int,
        opponents: Sequence[Opponent],
        weights: NDArray[np.float64],
    ) -> None:
        self._engine, self._side = engine, side
        self.opponents = self.members = tuple(opponents)
        engine.mixtures.set_weights(side, weights)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The probability of each opponent in episodes that begin from now on; a copy."""
        return self._engine.mixtures.weights(self._side)[: len(self.opponents)]

    @weights.setter
    def weights(self, weights: NDArray[np.float64]) -> None:
        others = len(self.members) - len(self.opponents)
        chances = np.concatenate([weights, np.zeros(others)])
        self._engine.mixtures.set_weights(self._side, chances)

    @property
    def playing(self) -> NDArray[np.int64]:
        """The number of the member that plays in each game, (N,); a copy."""
        return self._engine.state.script[self._side].copy()

    def replace(self, opponents: Sequence[Opponent], weights: NDArray[np.float64]) -> None:
        """Has episodes that begin from now on draw from other opponents."""
        self._change(opponents, weights, ())

    def let_play(self, opponents: Sequence[Opponent], games: NDArray[np.intp]) -> None:
        """Gives games that have just begun these opponents, one for each game."""
        different = list({id(opponent): opponent for opponent in opponents}.values())
        if None in map(self._number_of, different):
            self._change(self.opponents, self.weights, different)
        numbers = {id(opponent): self._number_of(opponent) for opponent in different}
        found = [numbers[id(opponent)] for opponent in opponents]
        self._engine.state.script[self._side][games] = found

    def _number_of(self, opponent: Opponent) -> int | None:
        alike = (n for n, member in enumerate(self.members) if member.is_like(opponent))
        return next(alike, None)

    def _change(
        self,
        opponents: Sequence[Opponent],
        weights: NDArray[np.float64],
        guests: Sequence[Opponent],
    ) -> None:
        """Makes the members anew: opponents, those that play, and guests; none twice."""
        begun = self._engine.state.phase != UNSTARTED
        playing = np.unique(self.playing[begun]).tolist()
        members: list[Opponent] = []
        for opponent in opponents:
            before = self._number_of(opponent)
            known = before is not None and not any(m.is_like(opponent) for m in members)
            # The policy that has played keeps its hidden states.
            policy = self.members[before].policy if known and before is not None else None
            members.append(opponent._replace(policy=policy or opponent.policy))
        for candidate in (*(self.members[number] for number in playing), *guests):
            if not any(member.is_like(candidate) for member in members):
                members.append(candidate)
        numbers = [
            next((n for n, new in enumerate(members) if new.is_like(old)), 0)
            for old in self.members
        ]
        chances = np.zeros(len(members))
        chances[: len(opponents)] = weights
        scripts = [member.script for member in members]
        self._engine.set_scripts(self._side, scripts, chances, np.array(numbers))
        self.opponents, self.members = tuple(members[: len(opponents)]), tuple(members)
