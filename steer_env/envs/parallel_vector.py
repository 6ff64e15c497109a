"""N games whose players learn apart, on one side or on both, stepped by one compiled call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from steer_env.actions import action_space, engine_actions
from steer_env.envs.base import LearnerEnv, features_space
from steer_env.envs.vector import AutoresetMode, Info, VectorGames
from steer_env.errors import InvalidType, InvalidValue, check_choice, got
from steer_env.game.config import SIDES, Game, make_game
from steer_env.game.config.keywords import takes_keywords_of
from steer_env.game.look.global_state import encode_state, state_features
from steer_env.game.run.memory import Credit
from steer_env.game.run.turn import in_turn
from steer_env.sides import EVADER, PURSUER, Side

CREDITS = ("team", "own")
"""Ways to credit rewards to players, in the order of `TEAM` and `OWN`."""

BySide = dict[str, NDArray[Any]]
"""Arrays of the sides that learn, by their names, "pursuer" and "evader"."""


class ParallelVectorEnv(VectorGames):
    """N games in which each player of the sides that learn observes and acts for itself.

    All that goes in and comes out is a dict with an array for each side that learns, by its
    name: observations ``{"pursuer": (N, pursuers, features), "evader": (N, evaders,
    features)}``, actions (N, players, 2) (discrete: (N, players)), rewards, terminations and
    truncations (N, players).

    A player ends (terminated) when it is caught, or with the game; the others of its side play
    on. From the next step on its observations and rewards are 0, its actions are ignored, and
    ``info["alive"]`` is False for it, until the next episode of its game, which begins as
    ``autoreset_mode`` says: "NextStep", "SameStep" or "Disabled" (by the option ``reset_mask``
    of `reset`). In "SameStep" the last observations are in ``info["final_obs"]``, by side,
    where ``info["_final_obs"]`` (N,) is True, and the last info in ``info["final_info"]``.

    The infos hold, each with an entry for every game:

    - ``alive``: the players in play, by the name of the side, (N, players), also of a script;
    - ``captures``: the pursuers that caught an evader in this step, (N, evaders, pursuers): all
      that came within the capture radius;
    - ``distance``, ``captured`` and ``outcome``: (N,), as in `PursuitEnv`.

    Keywords as in `PursuitVectorEnv`, and:

    - ``learner``: "pursuer", "evader", or "both"; None for "both" without an opponent, and for
      "pursuer" with one.
    - ``opponent``: the player of the side that does not learn; None for the game's default.
    - ``credit``: "team": every player in play gets its side's reward, that of `PursuitEnv`; the
      game is zero-sum between the sides. "own": what it has achieved itself; see
      `give_credit` in `steer_env.game.run.reward_terms`.

    If both sides learn, they observe and act exactly, without noise, delays or reward terms.

    Attributes:
        sides: the names of the sides that learn.
        observation_spaces, action_spaces: of one player of each of these sides.
        state_space: of one game's `state`.
    """

    @takes_keywords_of(VectorGames._set_up_games, LearnerEnv._set_up, make_game)
    def __init__(
        self,
        num_envs: int = 1,
        *,
        learner: str | None = None,
        credit: str = "team",
        **keywords: Any,
    ) -> None:
        check_choice("credit", credit, CREDITS)
        self.credit = credit
        self.learner = checked_learner(learner, keywords.get("opponent") is not None)
        side = None if self.learner == "both" else Side.named(self.learner)
        if side is None and keywords.get("opponent_weights") is not None:
            raise InvalidValue("opponent_weights are those of opponents; both sides learn")
        self._set_up_games(side, num_envs, CREDITS.index(credit), **keywords)
        check_credit(credit, self.config)
        engine, sides = self._engine, self._sides
        self.sides = tuple(side.name for side in sides)
        self.observation_spaces: dict[str, spaces.Box] = {
            side.name: features_space(engine.features(side)) for side in sides
        }
        self.action_spaces = {name: action_space(self._action_type, 1) for name in self.sides}
        self.state_space = features_space(state_features(self.config))
        self.closed = False

    _init = __init__

    @cached_property  # so that copies of a new environment play different episodes
    def np_random(self) -> np.random.Generator:  # type: ignore[override]
        """Seeds games that `reset` gives no seed."""
        return seeding.np_random()[0]

    def _reseed(self, seed: int) -> None:
        self.np_random = seeding.np_random(seed)[0]

    @property
    def _credit(self) -> Credit:
        credit = self._engine.credit
        assert credit is not None  # `__init__` asks for it
        return credit

    @in_turn
    def step(self, actions: Mapping[str, Any]) -> tuple[BySide, BySide, BySide, BySide, Info]:
        """Steps all games, and returns fresh arrays.

        Errors as in `PursuitEnv.step`. No game has been stepped then.
        """
        if not self._has_begun:
            self.check_begun("step")
        if not isinstance(actions, Mapping):
            raise InvalidType(f"actions must be a dict by side, {self.sides}, {got(actions)}")
        if actions.keys() != {*self.sides}:
            for name in actions:
                check_choice("side in actions", name, self.sides)
            missing = {*self.sides} - actions.keys()
            raise InvalidValue(f"{missing.pop()!r} is missing in actions")
        sides, kind, given = self._sides, self._action_type, {}
        for side, name in zip(sides, self.sides):
            shape = self.num_envs, self.config.count(name)
            given[side] = engine_actions(actions[name], kind, shape, f"the {name}s' actions")
        if len(sides) == 1:
            outcomes = {sides[0]: self._step_games(given[sides[0]], self._restarts)}
        else:
            both = self._engine.step_both(given[PURSUER], given[EVADER], self._restarts)
            outcomes = dict(zip(sides, both))
        credit = self._credit
        rewards, terminations, truncations = (
            {side.name: values[side].copy() for side in sides}
            for values in (credit.rewards, credit.terminated, credit.truncated)
        )
        observations = {side.name: outcomes[side].observations for side in sides}
        info = self.info()
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            outcome = outcomes[sides[0]]
            over = outcome.terminated | outcome.truncated
            if over.any():
                info = self._restart(over, observations, info)
        if self.render_mode == "human":
            self.render()
        return observations, rewards, terminations, truncations, info

    def _renew_in_play(self) -> None:
        """Notes the players in play after a change without a step."""
        active, first = self._engine.state.active.T, self.config.pursuers
        pursuers, evaders = self._credit.in_play
        pursuers[...], evaders[...] = active[:, :first], active[:, first:]

    def _restart(self, over: NDArray[np.bool_], observations: BySide, final: Info) -> Info:
        """Begins the next episode of games that are over, and returns the info of all games."""
        last = {name: seen.copy() for name, seen in observations.items()}
        self._engine.start(over)
        for side in self._sides:
            self._engine.observe(side, over, observations[side.name])
        self._credit.captures[over] = False
        self._renew_in_play()
        ended = {"final_obs": last, "final_info": final}
        return {**self.info(), **ended, **{f"_{name}": over.copy() for name in ended}}

    def _observe(self) -> BySide:
        self._renew_in_play()
        observations = {}
        for side in self._sides:
            observations[side.name] = seen = self._engine.observe(side)
            seen[~self._credit.in_play[side]] = 0.0
        return observations

    def _infos(self, _: NDArray[np.bool_]) -> Info:
        return self.info()

    def info(self) -> Info:
        """The infos of the games now."""
        state, credit = self._engine.state, self._credit
        return {
            "alive": {name: flags.copy() for name, flags in zip(SIDES, credit.in_play)},
            "captures": credit.captures.copy(),
            "distance": state.distance.copy(),
            "captured": state.captured.copy(),
            "outcome": state.outcome.copy(),
        }

    def state(self) -> NDArray[np.float32]:
        """The global state of each game, (N, numbers): for critics that see everything.

        `steer_env.game.look.global_state` explains its numbers.

        Raises:
            gymnasium.error.ResetNeeded: before `reset`.
        """
        self.check_begun("state")
        engine = self._engine
        return encode_state(engine.state, engine.rules)

    def _note_begin(self, mask: NDArray[np.bool_]) -> None:
        self._credit.captures[mask] = False
        super()._note_begin(mask)


def check_credit(credit: str, config: Game) -> None:
    """Raises an InvalidValue if a game has no rewards of the players' own."""
    if credit == "team":
        return
    if config.payoff != "capture":
        raise InvalidValue(f"credit={credit!r} needs payoff='capture', got {config.payoff!r}")
    if config.target is not None:
        raise InvalidValue(f"credit={credit!r} knows nothing of targets; use credit='team'")
    if config.reward.terms or config.has_rule("reward"):
        raise InvalidValue(f"credit={credit!r} has no reward terms; use credit='team'")
    if config.has_rule("capture") or config.has_rule("ends"):
        raise InvalidValue(
            f"credit={credit!r} needs captures by distance, and no other ends; use "
            "credit='team'"
        )


def checked_learner(learner: object, has_opponent: bool) -> str:
    """The keyword `learner`, or its default."""
    if learner is None:
        return PURSUER.name if has_opponent else "both"
    check_choice("learner", learner, (*SIDES, "both"))
    if learner == "both" and has_opponent:
        raise InvalidValue("an opponent plays one side: give learner='pursuer' or 'evader'")
    return str(learner)


def ends_of_games(
    terminations: BySide, truncations: BySide, info: Info
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Terminated and truncated flags, each (N,), of the games of a `ParallelVectorEnv`."""
    # All players of a side are out of play only when the game is over.
    side, *_ = terminations
    truncated = np.any(truncations[side], axis=1)
    out_of_play = terminations[side] | ~info["alive"][side]
    return np.all(out_of_play, axis=1) & ~truncated, truncated
