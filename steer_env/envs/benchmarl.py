"""The games as tasks of BenchMARL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gymnasium.error import DependencyNotInstalled

try:
    from benchmarl.environments.common import TaskClass
    from tensordict import TensorDictBase
    from torchrl.data import Composite
except ImportError as error:
    raise DependencyNotInstalled(
        "benchmarl is not installed; run: pip install benchmarl"
    ) from error

from steer_env.envs.torchrl import TorchRLEnv
from steer_env.errors import InvalidType


class PursuitTask(TaskClass):  # type: ignore[misc]
    """A game as a task of BenchMARL, which its `Experiment` takes.

    Its environments are `TorchRLEnv`: the games of a worker are stepped together, each side
    that learns is a group, and a group's actions are continuous or discrete, as the experiment
    prefers and its algorithm can. Critics and mixers that see everything get the global
    state. The logs have the share of the episodes' ends that were captures of all evaders,
    ``capture_rate``.

    Args:
        name: of the task in the logs.
        config: keywords of `TorchRLEnv`: {"pursuers": 3, "opponent": "evade"} and so on; None
            for the default game, in which both sides learn.

    Raises:
        InvalidType: for a keyword that the experiment sets.

    Example:
        ``Experiment(task=PursuitTask("3_vs_1", {"pursuers": 3, "opponent": "evade"}), ...)``
    """

    def __init__(self, name: str = "pursuit", config: Mapping[str, Any] | None = None) -> None:
        given = dict(config or {})
        for keyword in ("num_envs", "action_type", "seed", "device"):
            if keyword in given:
                raise InvalidType(f"{keyword} is the experiment's; set it in its config")
        super().__init__(name, given)

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], TorchRLEnv]:
        """A function that makes N games."""
        keywords = {
            **self.config,
            "action_type": "continuous" if continuous_actions else "discrete",
        }
        return lambda: TorchRLEnv(num_envs, seed=seed, device=device, **keywords)

    def supports_continuous_actions(self) -> bool:
        """True: a force."""
        return True

    def supports_discrete_actions(self) -> bool:
        """True: eight directions and none."""
        return True

    def has_render(self, env: Any) -> bool:
        """Whether the task's keywords have a render mode with pixels."""
        return self.config.get("render_mode") in ("rgb_array", "mosaic")

    @staticmethod
    def render_callback(experiment: Any, env: Any, data: TensorDictBase) -> Any:
        """The pixels of the first game, (height, width, 3)."""
        frames = env.base_env.games.render()
        return frames[0] if isinstance(frames, tuple) else frames

    def max_steps(self, env: Any) -> int:
        """The longest episode, in steps."""
        return int(self.config.get("max_episode_steps") or env.base_env.games.config.horizon)

    def group_map(self, env: Any) -> dict[str, list[str]]:
        """The names of each side's agents."""
        return dict(env.group_map)

    def observation_spec(self, env: Any) -> Composite:
        """What the agents of each group observe."""
        return _entries(env, "observation")

    def info_spec(self, env: Any) -> None:
        """None: the environments have no infos."""

    def state_spec(self, env: Any) -> Composite:
        """The global state."""
        return Composite(state=env.full_observation_spec_unbatched["state"].clone())

    def action_spec(self, env: Any) -> Composite:
        """What the agents of each group can do."""
        return env.full_action_spec_unbatched

    def action_mask_spec(self, env: Any) -> None:
        """None: every action is possible at any time."""

    @staticmethod
    def env_name() -> str:
        """The name of the environment in the logs."""
        return "steer_env"

    @staticmethod
    def log_info(batch: TensorDictBase) -> dict[str, float]:
        """The share of the episodes that ended with the capture of all evaders."""
        ends = int(batch["next", "done"].sum())
        captures = int(batch["next", "terminated"].sum())
        return {"capture_rate": captures / ends} if ends else {}


def _entries(env: Any, entry: str) -> Composite:
    """The specs of one entry of every group."""
    spec = env.full_observation_spec_unbatched
    groups = {
        group: Composite({entry: spec[group, entry].clone()}, shape=spec[group].shape)
        for group in env.group_map
    }
    return Composite(groups)
