"""The colors of a drawing, light and dark.

They are of Okabe and Ito's (2008) palette, or near it, so that people with any color vision
can tell pursuers, evaders, forces and Apollonius circles apart; lighter ones in the dark.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue, from 0 to 255 (sRGB)."""


class Theme(NamedTuple):
    """What has which color."""

    background: Color  # around the arena
    ground: Color  # inside it
    grid: Color
    wall: Color
    obstacle: Color
    ink: Color  # of texts
    faint: Color  # of texts that matter less
    pursuer: Color
    evader: Color
    force: Color  # steering forces
    apollonius: Color  # Apollonius circles


THEMES: Mapping[str, Theme] = MappingProxyType(
    {
        "light": Theme(
            background=(243, 243, 239),
            ground=(253, 253, 251),
            grid=(236, 236, 232),
            wall=(84, 84, 90),
            obstacle=(188, 188, 192),
            ink=(48, 48, 54),
            faint=(104, 104, 110),
            pursuer=(213, 94, 0),
            evader=(0, 114, 178),
            force=(0, 158, 115),
            apollonius=(158, 84, 128),
        ),
        "dark": Theme(
            background=(16, 18, 22),
            ground=(26, 29, 34),
            grid=(39, 43, 49),
            wall=(150, 154, 160),
            obstacle=(84, 88, 96),
            ink=(232, 232, 228),
            faint=(152, 156, 162),
            pursuer=(255, 140, 66),
            evader=(86, 180, 233),
            force=(190, 240, 170),
            apollonius=(221, 148, 190),
        ),
    }
)
"""The themes by name."""
