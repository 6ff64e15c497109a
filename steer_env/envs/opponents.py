"""The opponents of learners, and how often each plays."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import Player
from steer_env.policies.policy_player import Controller, PolicyPlayer
from steer_env.scripts.script import Script


class Opponent(NamedTuple):
    """One opponent: a script, or a policy that is asked."""

    player: Player  # as the caller passed it
    name: str  # in pictures
    plays: Script | PolicyPlayer

    @property
    def script(self) -> Script | None:
        """The script, or None for a policy."""
        return self.plays if isinstance(self.plays, Script) else None

    @property
    def controller(self) -> Controller:
        """The script or policy."""
        return self.plays if isinstance(self.plays, Script) else self.plays.policy

    def is_like(self, other: Opponent) -> bool:
        """True if the other plays in the same way: an equal script, or the same policy."""
        ours, theirs = self.controller, other.controller
        if isinstance(ours, Script):
            return ours == theirs
        if not isinstance(self.player, str | Path):
            return self.player is other.player
        is_same = self.player == other.player
        if isinstance(ours, NetworkPolicy | MixturePolicy):  # whose file may be another now
            return is_same and ours.is_equal(theirs)
        return is_same
