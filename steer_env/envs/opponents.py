"""The opponents of learners."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import Player
from steer_env.policies.policy_player import PolicyPlayer
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

    def is_like(self, other: Opponent) -> bool:
        """True if the other plays in the same way: an equal script, or the same policy."""
        if isinstance(self.plays, Script):
            return self.plays == other.plays
        if not isinstance(self.player, str | Path):
            return self.player is other.player
        ours, is_same = self.plays.policy, self.player == other.player
        if isinstance(ours, NetworkPolicy | MixturePolicy):  # whose file may be another now
            return is_same and ours.is_equal(getattr(other.plays, "policy", None))
        return is_same
