"""Game steps per second of processor time among walls, with rays, beside VMAS.

    pip install vmas
    PYTHONPATH=. python tests/by_hand/beside_vmas.py

Two vehicles of the same radius, speed and force act at random among the same 45 walls, and both
observe themselves, each other and 16 rays of 8 m. VMAS (Bettini et al. 2022) has the walls as
lines, one physics step in a step, and no resets. The two take turns, on one thread.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from vmas import make_env
from vmas.simulator.core import Agent, Landmark, Line, Sphere, World
from vmas.simulator.scenario import BaseScenario
from vmas.simulator.sensors import Lidar

from steer_env import Map
from steer_env.envs.parallel_vector import ParallelVectorEnv

GAMES, REPEATS = 1024, 5
ROOMS = Map.rooms(1)[0]


class Rooms(BaseScenario):
    """The pursuit of our default game on a map, by VMAS."""

    def make_world(self, batch_dim: int, device: Any, **keywords: Any) -> World:
        """Makes both vehicles and the walls."""
        rays = keywords.pop("rays")
        half = ROOMS.half_size
        world = World(batch_dim, device, dt=1 / 30, x_semidim=half, y_semidim=half)
        for name, speed in (("pursuer", 4.0), ("evader", 3.6)):
            shown = {"entity_filter": lambda one: isinstance(one, Landmark)}
            sensors = [Lidar(world, n_rays=rays, max_range=8.0, **shown)] if rays else []
            body = {"shape": Sphere(0.3), "max_speed": speed, "u_multiplier": 12.0}
            world.add_agent(Agent(name, **body, sensors=sensors))
        for number, (begin, end) in enumerate(ROOMS.segments):
            line = Line(length=float(abs(end - begin)))
            world.add_landmark(Landmark(f"wall {number}", shape=line, collide=True))
        return world

    def reset_world_at(self, env_index: int | None = None) -> None:
        """Puts vehicles anywhere, and the walls where they are."""
        count = () if env_index is not None else (self.world.batch_dim,)
        for agent in self.world.agents:
            place = ROOMS.half_size * (2.0 * torch.rand((*count, 2)) - 1.0)
            agent.set_pos(place, batch_index=env_index)
        for wall, (begin, end) in zip(self.world.landmarks, ROOMS.segments):
            middle, along = (begin + end) / 2.0, end - begin
            place = torch.tensor([middle.real, middle.imag], dtype=torch.float32)
            wall.set_pos(place, batch_index=env_index)
            turn = math.atan2(along.imag, along.real)
            wall.set_rot(torch.tensor([turn], dtype=torch.float32), batch_index=env_index)

    def reward(self, agent: Agent) -> torch.Tensor:
        """1 for the pursuer at a capture, -1 for the evader."""
        return self.done().float() * (1.0 if agent.name == "pursuer" else -1.0)

    def observation(self, agent: Agent) -> torch.Tensor:
        """The own state, that of the other, and the rays."""
        (other,) = (one for one in self.world.agents if one is not agent)
        mine, others = agent.state, other.state
        parts = [mine.pos, mine.vel, others.pos - mine.pos, others.vel - mine.vel]
        return torch.cat([*parts, *(one.measure() for one in agent.sensors)], dim=-1)

    def done(self) -> torch.Tensor:
        """The games in which the evader is caught."""
        one, other = (agent.state.pos for agent in self.world.agents)
        return torch.linalg.vector_norm(one - other, dim=-1) < 0.5


def theirs(rays: int) -> Callable[[], object]:
    """A step of VMAS."""
    kept = {"device": "cpu", "continuous_actions": True, "seed": 0, "rays": rays}
    env = make_env(Rooms(), num_envs=GAMES, **kept)
    env.reset()
    actions = [2.0 * torch.rand(GAMES, 2) - 1.0 for _ in env.agents]
    return lambda: env.step(actions)


def ours(rays: int) -> Callable[[], object]:
    """A step of ours."""
    observation = {"lidar": {"rays": rays, "range": 8.0}} if rays else {}
    env = ParallelVectorEnv(num_envs=GAMES, num_threads=1, map=ROOMS, observation=observation)
    env.reset(seed=0)
    dice = np.random.default_rng(0)
    actions = {
        side: dice.uniform(-1.0, 1.0, (GAMES, 1, 2)).astype(np.float32)
        for side in ("pursuer", "evader")
    }
    return lambda: env.step(actions)


def seconds(call: Callable[[], object], count: int) -> float:
    """The processor time of a call, in seconds."""
    begin = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - begin) / count


def main() -> None:
    """Prints both speeds, without and with rays."""
    torch.set_num_threads(1)
    for rays in (0, 16):
        calls = (ours(rays), 200), (theirs(rays), 3)
        for call, count in calls:
            seconds(call, count)
        rounds = [[seconds(*one) for one in calls] for _ in range(REPEATS)]
        own, other = map(statistics.median, zip(*rounds))
        print(
            f"{rays} rays, {GAMES:,} games: {GAMES / own:,.0f} game steps per CPU second, "
            f"VMAS {GAMES / other:,.0f}: {other / own:.0f} times as many"
        )


if __name__ == "__main__":
    main()
