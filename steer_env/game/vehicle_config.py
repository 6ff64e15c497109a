"""The limits of vehicles."""

from __future__ import annotations

from dataclasses import dataclass

from steer_env import bounds
from steer_env.bounds import check_within
from steer_env.errors import InvalidValue, check_choice
from steer_env.game.dynamics import FORCED, MODELS

LIMITS = ("max_speed", "max_force", "mass", "radius")
"""The limits of a vehicle, which `randomize` can draw anew for every episode."""


@dataclass(frozen=True, kw_only=True)
class VehicleConfig:
    """The limits of one side's vehicles.

    Attributes:
        max_speed: meters a second, from 1e-6 to 1e6.
        max_force: newtons, from 1e-6 to 1e6.
        mass: kilograms, from 1e-6 to 1e6.
        radius: of the body, meters, 0 or from 1e-6 to less than a quarter of the arena's side.
        model: how it moves: "point_mass", "simple_motion", "car" or "double_integrator"; see
            `dynamics`.
        drag: of a point mass or a double integrator: how fast it slows down by itself, as a
            share of its velocity a second, 0 or from 1e-6 to 1e6: dv/dt = force / mass -
            drag * v. Its top speed is max_force / (mass * drag) where that is below
            ``max_speed``.
    """

    max_speed: float = 4.0
    max_force: float = 12.0
    mass: float = 1.0
    radius: float = 0.3
    model: str = "point_mass"
    drag: float = 0.0

    def __post_init__(self) -> None:
        for name in (*LIMITS, "drag"):
            value = check_within(bounds.VEHICLE[name], name, getattr(self, name))
            object.__setattr__(self, name, value)
        check_choice("model", self.model, MODELS)
        if self.drag > 0.0 and self.model not in FORCED:
            raise InvalidValue(
                f"drag slows masses down; a vehicle of the model {self.model!r} has the "
                f"speed that is asked for: drag must be 0, got {self.drag:g}"
            )
