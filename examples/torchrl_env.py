"""N games as one batched environment of TorchRL, with a group of agents for each side."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.errors import InvalidType, needing

with needing("run: pip install torchrl", "torchrl"):
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase

from steer_env.envs.parallel_vector import BySide, ParallelVectorEnv, ends_of_games
from steer_env.envs.reset_options import check_seed
from steer_env.envs.vector import Info

FLAGS = "done", "terminated", "truncated"


class TorchRLEnv(EnvBase):  # type: ignore[misc]
    """N games, stepped by one compiled call, as a TorchRL environment of batch size (N,).

    Each side that learns is a group, "pursuer" or "evader", with the entries

    - ``(group, "observation")``: (N, players, features),
    - ``(group, "action")``: (N, players, 2), or (N, players) if they are discrete,
    - ``(group, "reward")``: (N, players, 1),
    - ``(group, "done")``, "terminated" and "truncated": (N, players, 1), of each player,
    - ``(group, "mask")``: (N, players), True for players in play,

    and beside the groups are ``"state"`` (N, numbers), which is `ParallelVectorEnv.state`, and
    "done", "terminated" and "truncated" (N, 1) of the games. An evader that is caught stays
    done until TorchRL resets its game.

    Args:
        num_envs: N.
        seed: of the first reset: game i gets seed + i.
        device: of the tensors; the games are on the CPU.
        **keywords: of `ParallelVectorEnv` but for `autoreset_mode`: learner="pursuer",
            opponent="evade", credit="own", pursuers=3 and so on.

    Attributes:
        games: the `ParallelVectorEnv` that it steps.
        group_map: the names of the agents in each group, as in `ParallelEnv`.

    Example:
        ``TorchRLEnv(64, pursuers=3, evaders=2).rollout(100, break_when_any_done=False)``
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        seed: int | None = None,
        device: Any = "cpu",
        **keywords: Any,
    ) -> None:
        if "autoreset_mode" in keywords:
            raise InvalidType("autoreset_mode is fixed: TorchRL resets the games that are over")
        games = ParallelVectorEnv(num_envs, autoreset_mode="Disabled", **keywords)
        super().__init__(device=device, batch_size=[num_envs])
        self.games = games
        self.group_map = {
            name: [f"{name}_{place}" for place in range(games.config.count(name))]
            for name in games.sides
        }
        self._set_seed(seed)
        observed, acted, rewarded = {}, {}, {}
        ended: dict[str, Any] = self._flag_specs()
        for name, agents in self.group_map.items():
            shape = games.num_envs, len(agents)
            observed[name] = Composite(
                observation=_spec(games.observation_spaces[name], *shape),
                mask=Categorical(2, shape=shape, dtype=torch.bool),
                shape=shape,
            )
            action = _spec(games.action_spaces[name], *shape)
            acted[name] = Composite(action=action, shape=shape)
            rewarded[name] = Composite(reward=Unbounded(shape=(*shape, 1)), shape=shape)
            ended[name] = Composite(self._flag_specs(len(agents)), shape=shape)
        observed["state"] = _spec(games.state_space, games.num_envs)
        self.observation_spec, self.action_spec, self.reward_spec, self.done_spec = (
            Composite(specs, shape=self.batch_size).to(self.device)
            for specs in (observed, acted, rewarded, ended)
        )

    def _flag_specs(self, *players: int) -> dict[str, Any]:
        shape = self.games.num_envs, *players, 1
        return {flag: Categorical(2, shape=shape, dtype=torch.bool) for flag in FLAGS}

    def _set_seed(self, seed: int | None) -> None:
        self._seed: int | None = check_seed(seed)

    def _reset(self, tensordict: TensorDictBase | None = None, **options: Any) -> TensorDict:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        given = None
        if chosen is not None and not chosen.all():
            given = {"reset_mask": chosen.reshape(-1).cpu().numpy()}
        seed, self._seed = self._seed, None
        observations, info = self.games.reset(seed=seed, options=given)
        return self._tensors(self._observed(observations, info))

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        actions = {
            name: tensordict.get((name, "action")).detach().cpu().numpy()
            for name in self.group_map
        }
        observations, rewards, terminations, truncations, info = self.games.step(actions)
        found = self._observed(observations, info)
        for name in self.group_map:
            # TorchRL's flags are states: a player that has been caught stays terminated.
            ended = _flags(terminations[name] | ~info["alive"][name], truncations[name])
            found[name] |= {**ended, "reward": rewards[name][..., None].astype(np.float32)}
        return self._tensors(found | _flags(*ends_of_games(terminations, truncations, info)))

    def _observed(self, observations: BySide, info: Info) -> dict[str, Any]:
        """The observations of all games, masks and states."""
        found: dict[str, Any] = {
            name: {"observation": observations[name], "mask": info["alive"][name]}
            for name in self.group_map
        }
        return found | {"state": self.games.state()}

    def _tensors(self, found: dict[str, Any]) -> TensorDict:
        for name, agents in self.group_map.items():
            shape = *self.batch_size, len(agents)
            found[name] = TensorDict(found[name], batch_size=shape)
        return TensorDict(found, batch_size=self.batch_size).to(self.device)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Closes the games. Closing twice is fine."""
        self.games.close()
        super().close(raise_if_closed=False)


def _spec(space: Any, *batch: int) -> Any:
    """The spec of a space for a batch of players or games."""
    if isinstance(space, spaces.Discrete):
        return Categorical(int(space.n), shape=batch)
    low, high = torch.as_tensor(space.low), torch.as_tensor(space.high)
    shape = *batch, *space.shape
    return Bounded(low.expand(shape), high.expand(shape), shape=shape)


def _flags(terminated: NDArray[np.bool_], truncated: NDArray[np.bool_]) -> BySide:
    """TorchRL's three flags, with its last axis of size 1."""
    flags = terminated | truncated, terminated, truncated
    return {name: flag[..., None] for name, flag in zip(FLAGS, flags)}
