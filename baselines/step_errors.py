"""What the length of a step costs perfect play, in the games whose value is known.

Both players choose once in a step, so the perfect pair does not get exactly the value. By how
much it misses is the engine's error, and the floor of what `gap` can measure. That the error
falls as steps get shorter shows that the engine, the players and the value are of one game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scenarios import HELD_OUT_SEED
from baselines.solved_games import payoffs_from, starts_by_region, with_horizon
from baselines.tables import Table
from steer_env.envs.keywords import given_game
from steer_env.errors import check_integer
from steer_env.game.config import AnyGame, GameConfig
from steer_env.game.known_value import behavior_of_game
from steer_env.scripts.script import Script

STEPS_PER_SECOND = (15, 30, 60, 120)

MARGIN = 1.0 / 3.0
"""The least distance of the starts from where the value jumps, in capture radii."""

_ROUNDING = 1e-12  # below it an error has no order


@dataclass(frozen=True, eq=False)
class StepErrors:
    """The errors of perfect play in one game.

    Attributes:
        config: the game.
        errors: of each region, (S, N): |J - V| / V from N starts with each of the
            `STEPS_PER_SECOND`. Where a distance is the payoff, over V + capture radius.
    """

    config: GameConfig
    errors: Mapping[str, NDArray[np.float64]]

    def order(self, region: str) -> float | None:
        """The power of the step's length with which the mean error of a region falls.

        From the longest steps to the shortest; None where the error is that of rounding.
        """
        means = self.errors[region].mean(axis=1)
        if means.min() < _ROUNDING:
            return None
        return float(
            np.log(means[0] / means[-1]) / np.log(STEPS_PER_SECOND[-1] / STEPS_PER_SECOND[0])
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the mean and the largest errors by region and steps per second, for JSON."""
        return {
            region: {
                "starts": errors.shape[1],
                "order": self.order(region),
                **{
                    str(rate): {"mean": float(each.mean()), "largest": float(each.max())}
                    for rate, each in zip(STEPS_PER_SECOND, errors)
                },
            }
            for region, errors in self.errors.items()
        }


def step_errors(
    game: AnyGame = "homicidal_chauffeur", starts: int = 200, seed: int = HELD_OUT_SEED
) -> StepErrors:
    """Plays the perfect pair with steps of several lengths, from the same starts.

    Args:
        game: a solved game, as `gap` takes it.
        starts: in each region with a finite value; there may be none.
        seed: of the starts.

    Raises:
        TypeError, ValueError: as `gap`.
    """
    config = given_game(game, "game", "starts")
    count = check_integer("starts", starts, 1)
    perfect = Script(behavior=behavior_of_game(config))
    margin = MARGIN * config.capture_radius
    found = starts_by_region(config, count, margin, check_integer("seed", seed, 0))
    finite = {name: one for name, one in found.items() if np.isfinite(one[1]).all()}
    if not finite:
        return StepErrors(config, {})
    states = np.concatenate([states for states, _ in finite.values()])
    values = np.concatenate([values for _, values in finite.values()])
    soft = 0.0 if config.payoff == "time" else config.capture_radius
    errors = []
    for rate in STEPS_PER_SECOND:
        steps = round(config.horizon * config.dt * rate)
        finer = with_horizon(replace(config, dt=1.0 / rate, horizon=steps), values)
        payoffs, _ = payoffs_from(finer, (perfect, perfect), states)
        errors.append(np.abs(payoffs - values) / (values + soft))
    parts = np.split(np.array(errors), len(finite), axis=1)
    return StepErrors(config, dict(zip(finite, parts)))


def step_errors_table(found: Mapping[str, StepErrors]) -> Table:
    """A row for each region of each game: mean and largest error by step, and their order."""
    rows = []
    for game, one in found.items():
        for region, errors in one.errors.items():
            cells = [f"{each.mean():.0e} / {each.max():.0e}" for each in errors]
            order = one.order(region)
            rows.append((f"{game}, {region}", *cells, "" if order is None else f"{order:.1f}"))
    header = ("game, region", *(f"1/{rate} s" for rate in STEPS_PER_SECOND), "order")
    return Table(
        "The error of the perfect pair by the length of a step, mean / largest",
        header,
        rows,
        "As a share of V, or of V + capture radius where a distance is the payoff. The starts "
        "are at least a third of the capture radius away from where V jumps.",
    )
