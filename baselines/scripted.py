"""Hand-written policies with stable-baselines3's signature, acting from observations alone."""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from steer_env.game.forces import fill_forces
from steer_env.game.parts import fill_plain_forces
from steer_env.game.workspace import (
    BLOCK,
    Crowd,
    Scene,
    Workspace,
    copy_body,
    crowd_in,
    faulty_pair,
    make_workspace,
    scene_in,
)

from steer_env.actions import COASTING
from steer_env.envs.keywords import game_config
from steer_env.errors import InvalidValue, check_choice
from steer_env.game.arena import ARENAS, room
from steer_env.game.config import GameConfig
from steer_env.game.dynamics import MODELS, POINT_MASS, action_of_force
from steer_env.game.observation import (
    OBSTACLE_SIZE,
    OTHER_SIZE,
    OWN_SIZE,
    decode_me,
    decode_obstacle,
    decode_other,
    observation_layout,
    observation_scale,
)
from steer_env.game.state import PURSUER
from steer_env.scripts.roster import named_script
from steer_env.scripts.script import Script
from steer_env.scripts.table import PARTS, script_table
from steer_env.steering.compilation import compiled, compiled_entrance, records
from steer_env.steering.vectors import norm
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.wander import turn_wander_point


class ScriptedPolicy:
    """A hand-written script that sees only observations.

    It decides what the same script decides inside the loop, up to the observations' float32.
    Its wander points are the hidden state that `predict` takes and returns.

    Args:
        script: a `Script`, or a name of the roster.
        config: the game it plays; None for the default game.
        action_type: "continuous", or "discrete" for the nearest of the nine actions.
        side: "pursuer" or "evader"; None for the side that the behavior suits.
        seed: of its wandering.

    Raises:
        ValueError: if the name is not in the roster, or there is no such side.
    """

    def __init__(
        self,
        script: Script | str,
        config: GameConfig | None = None,
        action_type: str = "continuous",
        side: str | None = None,
        seed: int = 0,
    ) -> None:
        self.script = named_script(script) if isinstance(script, str) else script
        self.config = game_config() if config is None else config
        self.action_type = action_type
        self._generator = np.random.default_rng(seed)
        self._table = script_table([self.script], self.config.dt)
        self._scales = records(observation_scale(self.config))
        players = self.config.pursuers + self.config.evaders
        obstacles = self.config.arena.num_obstacles
        self._features = len(observation_layout(players, obstacles))
        if side is None:
            side = "pursuer" if self.script.chases else "evader"
        check_choice("side", side, ("pursuer", "evader"))
        sides = {"pursuer": self.config.pursuers, "evader": self.config.evaders}
        self._others = (players - sides[side], sides[side] - 1)
        self._model = MODELS.index(getattr(self.config, side).model)
        self._space = make_workspace(players, obstacles)

    def __getstate__(self) -> dict[str, Any]:
        """All but the table and the scratch space, which are made anew."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_table", "_space")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Makes the table and the scratch space anew: they hold addresses of this process."""
        self.__dict__.update(kept)
        self._table = script_table([self.script], self.config.dt)
        self._space = make_workspace(sum(self._others) + 1, self.config.arena.num_obstacles)

    @classmethod
    def for_env(cls, script: Script | str, env: Any, seed: int = 0) -> ScriptedPolicy:
        """The policy for an environment of this package, single or vector, wrapped or not."""
        chase = env.unwrapped
        space = getattr(chase, "single_action_space", chase.action_space)
        kind = "continuous" if isinstance(space, gym.spaces.Box) else "discrete"
        side = "pursuer" if chase.side == PURSUER else "evader"
        return cls(script, chase.config, kind, side, seed)

    def predict(
        self,
        observation: NDArray[np.float32],
        state: NDArray[np.complex128] | None = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], NDArray[np.complex128]]:
        """Chooses actions.

        Args:
            observation: (features,) or (N, features), or (..., players, features) for a team.
            state: what the last call returned; None at first.
            episode_start: where an episode begins; wandering starts afresh there.
            deterministic: makes no difference, since the script decides.

        Returns:
            The actions, (2,) or (N, 2) in float32 (discrete: () or (N,) in int64), and the
            state for the next call.

        Raises:
            ValueError: if the observations are not those of this policy's game.
            FloatingPointError: if a behavior of your own returned no number.
        """
        observation = np.asarray(observation, np.float32)
        if observation.ndim == 0 or observation.shape[-1] != self._features:
            raise InvalidValue(
                f"this policy plays a game with {self._features} features an observation, "
                f"got the shape {observation.shape}; was it made for another configuration?"
            )
        rows = np.ascontiguousarray(observation.reshape(-1, self._features))
        points = self._wander_points(len(rows), state, episode_start)
        turns = self._table["wander_step"][0] * self._generator.standard_normal(len(rows))
        dice = self._generator.random((len(rows), len(PARTS) * int(self._table["draws"][0])))
        actions = np.empty((len(rows), 2), np.float32)
        act_on_observations(
            rows,
            self._others,
            self._model,
            ARENAS.index(self.config.arena.kind),
            self.config.arena.half_size,
            self.config.dt,
            self._table,
            self._scales,
            points,
            turns,
            dice,
            actions,
            self._space,
        )
        if (pair := faulty_pair(self._space)) is not None:
            raise FloatingPointError(
                f"the behavior {self.script.behavior_name} raised an error, or returned None, "
                f"nan or infinity, for me = {pair[0]} and other = {pair[1]}"
            )
        shape = observation.shape[:-1]
        if self.action_type == "discrete":
            return self._nearest_discrete(actions).reshape(shape), points
        return actions.reshape(*shape, 2), points

    def _nearest_discrete(self, actions: NDArray[np.float32]) -> NDArray[np.int64]:
        # A steering force is the velocity change wanted within a second, a discrete push is
        # full force for one step: coast if that would overshoot by more than it mends.
        least = 0.5 * self.config.dt if self._model == POINT_MASS else 0.5
        angles = np.arctan2(actions[:, 1], actions[:, 0])
        pushes = 1 + np.rint(angles / (np.pi / 4)).astype(np.int64) % 8
        return np.where(np.linalg.norm(actions, axis=-1) < least, COASTING, pushes)

    def _wander_points(
        self, count: int, state: Any, episode_start: Any
    ) -> NDArray[np.complex128]:
        fresh = np.exp(1j * self._generator.uniform(-np.pi, np.pi, count))
        if state is None or np.shape(state) != (count,):
            return fresh
        if episode_start is None:
            return np.array(state, np.complex128)
        return np.where(np.resize(episode_start, count), fresh, state)


@compiled_entrance
def act_on_observations(
    rows: np.ndarray,
    others: tuple[int, int],
    model: int,
    arena: int,
    half_size: float,
    dt: float,
    table: np.ndarray,
    scales: np.ndarray,
    points: np.ndarray,
    turns: np.ndarray,
    dice: np.ndarray,
    actions: np.ndarray,
    space: Workspace,
) -> None:
    """The actions of a script that sees each row of observations.

    Args:
        rows: (N, features).
        others: how many opponents, and how many teammates after them, the rows tell of.
        model: how the own vehicle moves.
        arena: kind of the arena.
        half_size: half the side of its square, in meters.
        dt: length of a step, in seconds.
        table: the script, as an array of one record.
        scales: of the observations, as an array of one record.
        points: (N,) wander points; turned.
        turns: (N,) angles to turn them by, in radians.
        dice: (N, parts) draws from [0, 1).
        actions: (N, 2); written.
        space: scratch.
    """
    script, scale = table[0], scales[0]
    scene, crowd = scene_in(space), crowd_in(space)
    crowd.is_faulty[0] = False
    for first in range(0, len(rows), BLOCK):
        count = min(BLOCK, len(rows) - first)
        for k in range(count):
            row, index = rows[first + k], first + k
            points[index] = turn_wander_point(points[index], turns[index])
            scene.wander_point[k] = points[index]
            me = decode_me(row, arena, scale)
            scene.room[k] = room(arena, half_size, me.radius)
            look_at_me(scene, crowd, k, me)
            look_at_opponents(scene, crowd, k, me, row, others[0], arena, scale)
            look_around(crowd, k, me, row, others, arena, scale)
            for rank in range(dice.shape[1]):
                crowd.dice[rank, k] = dice[index, rank]
        if script.is_plain:
            fill_plain_forces(script, scene, count, range(script.num_parts))
        else:
            fill_forces(script, scene, crowd, count)
        for k in range(count):
            me = decode_me(rows[first + k], arena, scale)
            action = action_of_force(model, me, scene.force[k], dt)
            actions[first + k, 0] = action.real
            actions[first + k, 1] = action.imag


@compiled
def look_at_me(scene: Scene, crowd: Crowd, k: int, me: Vehicle) -> None:
    """Writes the own vehicle into an entry of a scene."""
    scene.position[k] = me.position
    scene.velocity[k] = me.velocity
    scene.heading[k] = me.heading
    scene.max_speed[k] = me.max_speed
    crowd.max_force[k] = me.max_force
    crowd.mass[k] = me.mass
    crowd.radius[k] = me.radius


@compiled
def look_at_opponents(
    scene: Scene,
    crowd: Crowd,
    k: int,
    me: Vehicle,
    row: np.ndarray,
    opponents: int,
    arena: int,
    scale: np.record,
) -> None:
    """Writes the nearest opponent of an observation into an entry of a scene."""
    scene.present[k] = False
    nearest = math.inf
    for number in range(opponents):
        block = row[OWN_SIZE + number * OTHER_SIZE :]
        present, other = decode_other(block, arena, scale, me)
        distance = norm(other.position - me.position)
        if present and distance < nearest:
            nearest = distance
            scene.present[k] = True
            scene.other_position[k] = other.position
            scene.other_velocity[k] = other.velocity
            scene.other_heading[k] = other.heading
            scene.other_max_speed[k] = other.max_speed
            scene.other_acceleration[k] = other.acceleration
            crowd.other_radius[k] = other.radius


@compiled
def look_around(
    crowd: Crowd,
    k: int,
    me: Vehicle,
    row: np.ndarray,
    others: tuple[int, int],
    arena: int,
    scale: np.record,
) -> None:
    """Writes the teammates and the obstacles of an observation into an entry of a crowd."""
    seen = 0
    for number in range(others[0], others[0] + others[1]):
        block = row[OWN_SIZE + number * OTHER_SIZE :]
        present, other = decode_other(block, arena, scale, me)
        if present:
            copy_body(other, crowd.neighbors[k, seen])
            seen += 1
    crowd.num_neighbors[k] = seen
    seen = 0
    for start in range(
        OWN_SIZE + (others[0] + others[1]) * OTHER_SIZE, len(row), OBSTACLE_SIZE
    ):
        present, center, radius = decode_obstacle(row[start:], arena, scale, me)
        if present:
            crowd.discs[k, seen].center = center
            crowd.discs[k, seen].radius = radius
            seen += 1
    crowd.num_discs[k] = seen
