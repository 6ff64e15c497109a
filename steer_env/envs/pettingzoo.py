"""A game whose players learn apart, as an environment of PettingZoo."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.actions import engine_actions
from steer_env.envs.parallel_vector import BySide, ParallelVectorEnv
from steer_env.envs.reset_options import OPTIONS, check_seed
from steer_env.envs.vector import Info
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_text,
    got,
    needing,
    unknown,
)
from steer_env.game.config import Game
from steer_env.game.config.keywords import check_keywords, takes_keywords_of
from steer_env.game.run.turn import Turn, in_turn
from steer_env.sides import EVADER

with needing("multi"):
    import pettingzoo


class ParallelEnv(pettingzoo.ParallelEnv):  # type: ignore[misc]
    """A game of pursuit and evasion in which every player is an agent of its own.

    Agents are "pursuer_0", "pursuer_1", ..., "evader_0", ..., without those of a side that an
    opponent plays. The game is that of `PursuitEnv`: each agent gets the observation of one
    player, in its own frame, and gives the action of one.

    An evader that is caught is terminated, and leaves `agents`; the episode ends once all are
    caught (all agents are terminated), or the time is up (truncated). The infos have for a
    pursuer ``caught``: a list of flags of the evaders that it caught in this step; for an
    evader ``caught_by``: flags of the pursuers that caught it, which are all that came within
    the capture radius. Every agent has ``distance``, ``captured`` and ``outcome``, as in
    `PursuitEnv`.

    `ParallelVectorEnv` plays many such games at once, with the same numbers, and explains the
    keywords. ``render_mode`` is None, "human" or "rgb_array".

    Attributes:
        possible_agents: all of them, the pursuers first.
        agents: those in play.
        state_space: of `state`.

    Example:
        >>> env = ParallelEnv(pursuers=2, evaders=1)
        >>> observations, infos = env.reset(seed=0)
        >>> env.agents
        ['pursuer_0', 'pursuer_1', 'evader_0']
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (PettingZoo's own is no ClassVar)
        "name": "steer_env_v0",
        "render_modes": ["human", "rgb_array"],
        "is_parallelizable": True,
    }

    @takes_keywords_of(ParallelVectorEnv.__init__, but=("autoreset_mode", "num_threads"))
    def __init__(self, **keywords: Any) -> None:
        check_keywords(ParallelEnv.__init__, keywords)
        self.render_mode = keywords.get("render_mode")
        if self.render_mode is not None:  # ParallelVectorEnv has more of them
            check_choice("render_mode", self.render_mode, self.metadata["render_modes"])
        self._action_type = keywords.get("action_type", "continuous")
        self._games = ParallelVectorEnv(1, autoreset_mode="Disabled", num_threads=1, **keywords)
        self.metadata = {**self.metadata, "render_fps": self._games.metadata["render_fps"]}
        self._turn = Turn()
        self._places = {
            f"{name}_{place}": (name, place)
            for name in self._games.sides
            for place in range(self.config.count(name))
        }
        self.possible_agents = list(self._places)
        self.agents: list[str] = []
        # Each agent has spaces of its own, so that each can be seeded alone.
        self.observation_spaces, self.action_spaces = (
            {agent: copy.deepcopy(space[name]) for agent, (name, _) in self._places.items()}
            for space in (self._games.observation_spaces, self._games.action_spaces)
        )
        self.state_space = self._games.state_space

    @property
    def config(self) -> Game:
        """The game."""
        return self._games.config

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, Box (features,)."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions, Box (2,) or Discrete(9)."""
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        check_choice("agent", check_text("agent", agent), self.possible_agents)
        return agent

    @in_turn
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, Info]]:
        """Begins a new episode, with all agents.

        Arguments and errors are those of `PursuitEnv.reset`. For unknown options there is a
        warning only, since PettingZoo asks environments to accept any.
        """
        if isinstance(options, Mapping):
            for name in sorted(options.keys() - {*OPTIONS}):
                gym.logger.warn(f"{unknown('reset option', name, OPTIONS)} It is ignored.")
            options = {name: value for name, value in options.items() if name in OPTIONS}
        observations, info = self._games.reset(seed=check_seed(seed), options=options)
        self.agents = self._in_play(info["alive"])
        return self._by_agent(observations), self._infos(info)

    @in_turn
    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, Info],
    ]:
        """Moves all players for ``dt`` seconds.

        Args:
            actions: of every agent in play, by its name; those of agents that have left are
                ignored, since some programs act for the whole group.

        Returns:
            Observations, rewards, terminations, truncations and infos of agents in play before.

        Raises:
            InvalidType, InvalidValue: for actions of an unknown agent, or without one that is
                in play; other errors are those of `PursuitEnv.step`.
        """
        if not self.agents:
            self._games.check_open()
            raise ResetNeeded("no agent is in play; call reset() to begin an episode")
        given = self._gathered(actions)
        observations, rewards, terminations, truncations, info = self._games.step(given)
        gained, terminated, truncated = (
            {agent: value.item() for agent, value in self._by_agent(values).items()}
            for values in (rewards, terminations, truncations)
        )
        seen, infos = self._by_agent(observations), self._infos(info)
        self.agents = [a for a in self.agents if not (terminated[a] or truncated[a])]
        return seen, gained, terminated, truncated, infos

    def _in_play(self, alive: BySide) -> list[str]:
        return [agent for agent, (name, place) in self._places.items() if alive[name][0, place]]

    def _by_agent(self, values: BySide) -> Info:
        """The values of the agents in play, from arrays with a row for each player."""
        places = self._places
        return {agent: values[places[agent][0]][0, places[agent][1]] for agent in self.agents}

    def _infos(self, info: Info) -> dict[str, Info]:
        captures, infos = info["captures"][0], {}
        both: Info = {"distance": float(info["distance"][0])}
        both |= {name: int(info[name][0]) for name in ("captured", "outcome")}
        for agent in self.agents:
            side, place = self._places[agent]
            if side == EVADER.name:
                infos[agent] = {"caught_by": captures[place].tolist(), **both}
            else:
                infos[agent] = {"caught": captures[:, place].tolist(), **both}
        return infos

    def _gathered(self, actions: Mapping[str, Any]) -> BySide:
        """The actions as arrays by side, with zeros for players that are out of play."""
        if not isinstance(actions, Mapping):
            raise InvalidType(f"actions must be a dict by agent, {got(actions)}")
        for agent in actions:
            self._known(agent)
        gathered: BySide = {
            name: np.zeros((1, self.config.count(name), *(space.shape or ())), space.dtype)
            for name, space in self._games.action_spaces.items()
        }
        for agent in self.agents:
            if agent not in actions:
                every = f"actions must have one of every agent in play, {self.agents}"
                raise InvalidValue(f"{every}; {agent!r} is missing")
            name, place = self._places[agent]
            # Only checked here: a side's actions are converted together.
            engine_actions(actions[agent], self._action_type, (), f"the action of {agent}")
            gathered[name][0, place] = actions[agent]
        return gathered

    def state(self) -> NDArray[np.float32]:
        """The whole game, (numbers,), see `ParallelVectorEnv.state`."""
        return self._games.state()[0]

    def get_state(self) -> NDArray[np.void]:
        """A copy of the whole state, an array of one record."""
        return self._games.get_state()

    @in_turn
    def set_state(self, state: NDArray[np.void]) -> dict[str, NDArray[np.float32]]:
        """Puts the game into a state of `get_state`, and returns the observations."""
        observations = self._games.set_state(state)
        self.agents = self._in_play(self._games.info()["alive"])
        return self._by_agent(observations)

    def render(self) -> NDArray[np.uint8] | None:
        """Draws the game: an array (height, width, 3), or a window's next frame and None."""
        frames = self._games.render()
        return frames[0] if isinstance(frames, tuple) else None

    def close(self) -> None:
        """Closes an open window. Closing twice is fine."""
        self._games.close()
