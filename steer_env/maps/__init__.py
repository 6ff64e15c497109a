"""Maps: worlds of solid polygons and thin walls."""

from steer_env.maps.cells import make_walls
from steer_env.maps.map import Map
from steer_env.maps.turning import make_ways

__all__ = ["Map", "make_walls", "make_ways"]
