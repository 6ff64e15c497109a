"""The methods of self-play: which earlier policies a generation trains against.

Training against the latest opponent only (independent reinforcement learning) forgets how to
beat the earlier ones, and may cycle. Fictitious play (Brown 1951; Heinrich, Lanctot and Silver
2015, ICML, with learned answers) trains against all earlier policies with equal chances,
prioritized fictitious self-play (Vinyals et al. 2019, Nature 575) more often against those that
it plays badly against, and policy-space response oracles (Lanctot et al. 2017, NeurIPS) against
the mixture in the equilibrium of all policies so far.

Every method begins with scripts: a generation can train against them as against earlier
policies. All methods alternate between the sides, and each generation's network goes on
from the one before, so at equal generations and steps they differ only in the opponents.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from steer_env.baselines import evaluate
from steer_env.baselines.cross_play import solve_matrix_game
from steer_env.scenarios.registry import suite_game
from steer_env.sides import Side

from ..training.training import VALIDATION_SEED

SCRIPTS = {
    Side.PURSUER: ("seek", "pursuit", "pursuit/intercept", "navigation", "pursuit/full_force"),
    Side.EVADER: ("flee", "evade", "wander", "evade/intercept", "evade/threatened"),
}
"""The scripts of each side that are in the population from the beginning, of one on one."""

_HERD = "escape/herd/full_force"
_PACKS = ("pursuit", "constant_bearing", "pursuit/pack", "encircle", "voronoi")
TEAM_SCRIPTS = {
    Side.PURSUER: tuple(f"{name}/full_force" for name in _PACKS),
    Side.EVADER: ("flee", "wander", "evade/full_force", "escape/full_force", _HERD),
}
"""The same for games with a team."""

_EPISODES = 500  # of each pair, to find the equilibrium
_LEAST_SHARE = 1e-3  # smaller shares of an equilibrium are not trained against


def first_scripts(game: str, side: Side) -> tuple[str, ...]:
    """The scripts of a side of a game that are in the population from the beginning."""
    found = suite_game(game)
    if not any(map(found.is_team, Side)):
        return tuple(SCRIPTS[side])
    # One evader's herd is escape/full_force once more.
    return tuple(x for x in TEAM_SCRIPTS[side] if x != _HERD or found.is_team(side))


class Population:
    """All policies so far: the scripts, and the networks of the generations.

    Pairs are played when they are first needed, from validation starts, and remembered.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self.scripts = {side: first_scripts(game, side) for side in Side}  # names
        # paths, oldest first
        self.networks: dict[Side, list[str]] = {side: [] for side in Side}
        self._payoffs: dict[tuple[str, str], float] = {}

    def members(self, side: Side) -> list[str]:
        """The names of a side's scripts, and the paths of its networks, oldest first."""
        return [*self.scripts[side], *self.networks[side]]

    def opponents(self, method: str, side: Side, hardness: float) -> dict[str, Any]:
        """The fields of a `Training` that choose its opponents, of a side, by a method."""
        if method == "psro":
            mixture = self.equilibrium(side, self.members(side))
            return {"opponent": tuple(mixture), "opponent_weights": tuple(mixture.values())}
        if method == "independent":
            return {"opponent": tuple(self.networks[side][-1:] or self.scripts[side])}
        found = {"opponent": tuple(self.members(side))}
        return {**found, "hardness": hardness} if method == "prioritized" else found

    def equilibrium(self, side: Side, own: Sequence[str]) -> dict[str, float]:
        """The chance of each of a side's policies in an equilibrium with all of the other's."""
        pursuers, evaders = side.ordered(own, self.members(side.other))
        for pair in product(pursuers, evaders):
            if pair not in self._payoffs:
                found = evaluate(*pair, self._game, _EPISODES, VALIDATION_SEED)
                self._payoffs[pair] = float(found.payoffs.mean())
        payoffs = np.array([[self._payoffs[p, e] for e in evaders] for p in pursuers])
        chances = solve_matrix_game(payoffs)[side]
        kept = np.where(chances < _LEAST_SHARE, 0.0, chances)
        return {name: float(p) for name, p in zip(own, kept / kept.sum()) if p > 0.0}
