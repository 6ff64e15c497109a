"""A recorded episode, and its standing at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import Game
from steer_env.game.state import OVER
from steer_env.rendering.annotations import Annotations, Annotator
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side


class Status:
    """The standing of an episode at the moment of a record of `state_dtype`."""

    def __init__(self, record: np.void, config: Game) -> None:
        self.record, self.config, game = record, config, record["game"]
        self.seconds = float(game["steps"] * config.dt)
        self.is_over = bool(game["phase"] == OVER)
        self.is_captured = bool(game["captured"] == config.evaders)  # all of them
        self.declared = self._declared() if config.has_rule("ends") else ""

    def _declared(self) -> str:
        """The outcome that the scenario has declared, "" for another one or none."""
        name = self.config.outcome(self.record["game"]["outcome"])
        if name == "escaped" and self.config.reached(self.record["players"]).any():
            return ""
        return "" if name in ("captured", "time up") else name

    @property
    def winner(self) -> Side:
        """The side that has won, or would if the episode ended now."""
        if self.declared:
            return self.config.outcomes[self.declared]
        return PURSUER if self.is_captured else EVADER

    @property
    def result(self) -> str:
        """The result so far in a few words, such as "caught after 4.2 s"."""
        game = self.record["game"]
        seconds = f"{self.seconds:.1f} s"
        if self.declared:
            return f"{self.declared} after {seconds}"
        if self.is_captured:
            return f"caught after {seconds}"
        how_far = f"still free after {seconds}"
        if self.is_over:
            how_far = f"got away ({round(self.seconds, 1):g} s)"
        evaders, safe = self.config.evaders, self.config.reached(self.record["players"]).sum()
        if safe > 0:
            those = "" if evaders == 1 else f", {safe} of {evaders}"
            how_far = f"reached the target after {seconds}{those}"
        return how_far + (f", {game['captured']} of {evaders} caught" if evaders > 1 else "")


@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """An episode of T steps, ended or still running.

    Attributes:
        scripts: those of the pursuer and the evader; None for a policy or a person.
        states: (T + 1,) records of `state_dtype`.
        forces: (T + 1, players), in newtons: `Engine.forces` of the step that led to each
            moment; 0 at the start.
    """

    names: tuple[str, str]
    config: Game
    seed: int
    scripts: tuple[Script | None, Script | None]
    states: NDArray[np.void]
    forces: NDArray[np.complex128]

    def __repr__(self) -> str:
        return f"Recording({self.title}, seed {self.seed}: {self.status.result})"

    @property
    def title(self) -> str:
        """The names of both players, such as "pursuit vs evade"."""
        return " vs ".join(self.names)

    @property
    def outcome(self) -> str:
        """The result with the names, such as "pursuit caught evade after 4.2 s"."""
        (pursuer, evader), result = self.names, self.status.result
        if self.config.evaders == 1 and result.startswith("caught"):
            return f"{pursuer} caught {evader} {result.removeprefix('caught ')}"
        if self.config.evaders == 1 and result.startswith("got away"):
            return result.replace("got away", f"{evader} got away from {pursuer}")
        return f"{self.title}: {result}"

    @property
    def times(self) -> NDArray[np.float64]:
        """The times of the moments, (T + 1,), in seconds."""
        return np.arange(len(self.states), dtype=np.float64) * self.config.dt

    @property
    def positions(self) -> NDArray[np.complex128]:
        """The positions, (T + 1, players), in meters, wrapped on a torus."""
        return self.states["players"]["body"]["position"]

    @cached_property
    def corners(self) -> NDArray[np.complex128]:
        """Corners of the box around all positions until each moment, (T + 1, 2)."""
        return running_corners(self.positions)

    @property
    def status(self) -> Status:
        """The standing at the last moment."""
        return Status(self.states[-1], self.config)

    def annotations(self, moment: int) -> list[Annotations]:
        """The annotations of each player at a moment from 0 to T, as `Annotator` makes them."""
        return self._annotator.annotations(self.states[moment])

    @cached_property
    def _annotator(self) -> Annotator:
        pursuer, evader = self.scripts
        return Annotator(self.config, ([pursuer], [evader]))


def running_corners(positions: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Corners, (moments, 2), of the box around all positions, (moments, players), so far."""
    x, y = positions.real, positions.imag
    left, low = (np.minimum.accumulate(part.min(axis=1)) for part in (x, y))
    right, high = (np.maximum.accumulate(part.max(axis=1)) for part in (x, y))
    return np.stack([left + 1j * low, right + 1j * high], axis=1)
