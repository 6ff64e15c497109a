"""Floor plan: a burglar looks for the way out of a flat, and a robot that cleans it wakes up.

The flat is floor_plan.pgm, an image as robots make it, with the .yaml of ROS' map_server. The
robot sees by lidar, and what it touches is caught; the burglar has won in the front door. To
read the image needs the extra "render".

    python examples/worlds/floor_plan.py
"""

import sys
from pathlib import Path

from steer_env import Map, Scenario, register
from steer_env.cli import main

FLAT = Map.from_image(Path(__file__).with_suffix(".yaml"), clearance=0.3, tolerance=0.05)


@register
class FloorPlan(Scenario):
    """The default game in a flat, so that pages in a browser can play it."""

    keywords = {
        "map": FLAT,
        "target": {"position": (7.2, -0.3), "radius": 0.7},
        "observation": {"lidar": {"rays": 32, "range": 6.0}},
        "pursuer": {"max_speed": 3.0, "radius": 0.25},
        "evader": {"max_speed": 3.2, "radius": 0.25},
        "capture_radius": 0.6,
    }
    opponents = {"pursuer": "reach/paths", "evader": "pursuit/paths"}


if __name__ == "__main__":  # you are the burglar, in your browser
    main(["play", "--game", "floor_plan", "--as", "evader", *sys.argv[1:]])
