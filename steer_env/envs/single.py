"""One game as a Gymnasium environment: the learner pursues, or it evades."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from steer_env.actions import action_space, engine_actions
from steer_env.envs.base import LearnerEnv, features_space
from steer_env.envs.reset_options import check_options, check_seed
from steer_env.errors import InUse
from steer_env.game.config.keywords import keyword_rows, make_game, takes_keywords_of
from steer_env.game.rules import observed_features
from steer_env.game.run.memory import NO_FAULT
from steer_env.game.run.runner import Outcome
from steer_env.game.run.turn import IN_USE, in_turn
from steer_env.sides import EVADER, PURSUER

Observation = NDArray[np.float32]

_NONE = np.float64(0.0)  # the outcome of a game that runs


class SingleEnv(LearnerEnv, gym.Env[Observation, Any]):
    """The base of `PursuitEnv` and `EvadeEnv`."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["human", "rgb_array"],
        "render_fps": 30,
    }

    @takes_keywords_of(LearnerEnv._set_up, make_game)
    def __init__(self, **keywords: Any) -> None:
        self._set_up(self.side, **keywords)
        self.action_space = action_space(self._action_type, self._players)
        features = self._engine.features(self.side)
        self.observation_space = features_space(features, self._players)  # type: ignore[assignment]
        self._prepare()
        self.closed = False

    _init = __init__

    def _prepare(self) -> None:
        # One game has the same arrays in every step: bind them to the compiled loop once.
        self._outcome: Outcome = self._engine.new_outcome(self.side)
        self._actions = np.zeros((1, self._players, 2), np.float32)
        self._action = self._actions[0, 0] if self._players == 1 else self._actions[0]
        # A float32 array of this shape needs no conversion.
        is_continuous = self._action_type == "continuous"
        self._continuous_shape = self._action.shape if is_continuous else None
        self._observation = self._outcome.observations.reshape(self.observation_space.shape)
        state = self._engine.state
        self._distance, self._captured = state.distance, state.captured
        self._counts = [*map(np.float64, range(self.config.evaders + 1))]

    @property
    def opponent_index(self) -> int:
        """The number of this episode's opponent among those of a mixture, or -1."""
        return int(self._playing()[0])

    @in_turn
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a new episode.

        Args:
            seed: an integer from 0 to 2**64 - 1; None goes on from the seed before.
            options: of this episode only: ``opponent``, one player; ``map``, the number of one
                of the game's maps; ``limits``, such as
                ``{"evader": {"max_speed": 3.0}}``, as `set_limits` takes them; ``start``, such
                as ``{"evader": {"position": (5.0, 0.0), "heading": 1.57, "speed": 2.0}}`` in
                meters, radians and m/s, for a team one or one for each; the rest is drawn.

        Returns:
            The observation and the info: ``distance`` (the mean over the free evaders of the
            distance in meters, from center to center, to the nearest pursuer; 0 once all are
            caught), ``captured`` (evaders caught) and ``outcome`` (a number, 0 until the game
            ends, of which ``env.unwrapped.config.outcome`` makes "captured", "escaped" (the
            last evader has reached a target), "time up" (at the horizon), "decided" (of another
            payoff) or an outcome of a scenario), all np.float64; for a team also ``alive``,
            which of its players are in play, (players,) bool.

        Raises:
            gymnasium.error.ClosedEnvironmentError: after `close`.
        """
        self.check_open()
        seed, given = check_seed(seed), check_options(options)
        self._begin(seed, [seed], self._everyone, given)
        return self._observe(), self._info()

    def _reseed(self, seed: int) -> None:
        super().reset(seed=seed)

    def _observe(self) -> Observation:
        self._engine.observe(self.side, into=self._outcome.observations)
        return self._observation.copy()

    def _info(self) -> dict[str, Any]:
        caught = self._counts[self._captured.item()]
        info = {"distance": self._distance[0], "captured": caught, "outcome": _NONE}
        if self._players > 1:
            info["alive"] = self._alive()[0]
        return info

    def _bind(self) -> Callable[[], int]:
        self.check_begun("step")
        actions = self._other.ordered(self._opponent_actions, self._actions)
        self._advance = self._engine.prepare_step(self._outcome, *actions, self.side)
        return self._advance

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Moves everyone for ``dt`` seconds.

        Args:
            action: continuous: float32 (2,); discrete: 0 to 8. A team has one each.

        Returns:
            Observation, reward, terminated (all evaders caught), truncated (time is
            up) and info, with the keys that `reset` explains.

        Raises:
            gymnasium.error.ResetNeeded: before `reset`, or after the episode's end.
            gymnasium.error.ClosedEnvironmentError: after `close`.
            InUse: while another thread uses the environment, as for all that changes it.
        """
        turn = self._engine.turn
        try:  # as `in_turn` does, which would take longer
            del turn.free
        except AttributeError:
            raise InUse(IN_USE) from None
        try:
            advance = self._advance or self._bind()
            if (
                type(action) is np.ndarray
                and action.dtype == np.float32
                and action.shape == self._continuous_shape
            ):
                self._action[...] = action
            else:
                shape = self._action.shape[:-1]
                self._action[...] = engine_actions(action, self._action_type, shape)
            if self._policies:
                self._ask_policies(self._actions, restart=False)
            fault = advance()
            if fault != NO_FAULT:
                self._engine.raise_fault(fault, self._actions)
            _, rewards, terminated, truncated = self._outcome
            if self.render_mode == "human":
                self.render()
            info, ended, cut = self._info(), terminated.item(), truncated.item()
            if ended or cut:
                info["outcome"] = self._engine.state.outcome[0]
            return self._observation.copy(), rewards.item(), ended, cut, info
        finally:
            turn.free = True

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Sets an attribute that a wrapper, or Gymnasium's vector environments, pass on.

        Raises:
            InvalidAttribute: for what cannot be assigned here, even if a wrapper would take it.
        """
        if force or hasattr(self, name) or self.is_fixed(name):
            setattr(self, name, value)
            return True
        return False

    def render(self) -> NDArray[np.uint8] | None:
        """Draws the game: an array (height, width, 3), or a window's next frame and None.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame.
            OSError: in mode "human" without a display, from the first step on.
            gymnasium.error.ResetNeeded: before `reset`.
        """
        frames = super().render()
        return None if frames is None else frames[0]

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        last = self._observation
        self._prepare()
        self._observation[...] = last


# skrl recognizes an environment by its direct bases.
class PursuitEnv(SingleEnv, gym.Env[Observation, Any]):
    """The learner pursues an evader that a scripted steering behavior moves.

    ## Description
    Two vehicles move in a square arena, the pursuer a little faster than the evader. Both are
    Reynolds' (1999) point masses: a steering force of at most ``max_force`` accelerates them,
    up to ``max_speed``. The pursuer catches the evader when their centers come within
    ``capture_radius``, at any moment of a step.

    ## Action Space
    ``Box(-1, 1, (2,), float32)``: the steering force forward and to the left, as a fraction
    of ``max_force`` in the own frame; cut to the unit disc. With ``action_type="discrete"``
    ``Discrete(9)``: 0 coasts, 1 to 8 apply full force in the directions 0, 45, ..., 315
    degrees, counter-clockwise from ahead.

    | model | forward | left |
    |---|---|---|
    | point_mass, double_integrator | force / max_force | force / max_force |
    | simple_motion | velocity / max_speed | velocity / max_speed |
    | car | no effect | turn rate / its largest |

    ## Observation Space
    ``Box(low, high, (21,), float32)``, directions in the own frame (forward, left):

    | index | feature | meaning |
    |---|---|---|
    {features}

    Each further player adds the latter 11, each obstacle 4 (presence, offset, radius). In an
    open plane without a target the place is 0. Scripts use no more themselves. Here all
    features are in [-1, 1] or [0, 1]; the scales are the same in every game, so that policies
    carry over, and in a larger one features go further, up to the bounds of
    ``observation_space``.

    The keyword ``observation`` chooses features (`steer-env info features` lists them), and
    sets their scales, noise, delay and limits of sight: `ObservationConfig` explains it. With
    ``{"nearest": 3}`` only the 3 nearest opponents, teammates and obstacles in sight have
    blocks: 88 features for any number of players. ``action={"noise": 0.05, "delay": 2}`` is for
    actions. Opponents see everything, unless a `Script` has ``sees="observed"``.

    ## Rewards
    The sum of three terms, each with a weight in ``reward``, and two more if there is a
    ``target``, see `TargetConfig`:

    - ``capture``: +1 for catching the evader, once (a share for each of several);
    - ``time``: -1 / horizon each step;
    - ``closing``: potential-based shaping, the distance won in arena diagonals.

    The game is zero-sum: the evader gets the negative. Benchmarks use capture rate and
    capture time, never reward.

    Functions can be further terms, for the learner alone: ``reward={"terms": [save_effort,
    (keep_away, -0.5)]}`` adds ``save_effort(transition) - 0.5 * keep_away(transition)``, see
    `steer_env.Transition`. A team's reward is the sum over its players that were in play when
    the step began. Terms that outweigh a capture, which counts 1, teach a learner to care for
    them alone.

    ## Starting State
    Places drawn uniformly, pursuers and evaders at least a quarter of the arena's side
    apart; random headings, at rest (a car at its speed). Limits in ``randomize``, the opponent
    of a mixture, and obstacles are drawn for each episode.

    ## Episode End
    Terminated when all evaders are caught; with another ``payoff``, when that is decided.
    Truncated after ``horizon`` steps (600: 20 s), or sooner by ``max_episode_steps``.

    ## Reproducibility
    The same version, seed and actions give the same trajectories, bit for bit, on every x86-64
    and 64-bit ARM machine, for any number of games and threads; not for user-defined functions
    that call ``sin``, ``exp`` or ``pow`` of another library.

    ## Arguments
    | argument | default | meaning |
    |---|---|---|
    {rows}

    Limits are max_speed, max_force, mass and radius; a dict of them may also have the model and
    the drag of a `VehicleConfig`. A team of learners has one action and one observation for
    each player.

    An opponent's name is one of the roster (``steer-env info opponents`` lists them), or of a
    pretrained policy of the other side, as "pretrained/evade/ppo"; a file is the path of a
    network's .npz. A policy is an object with ``predict``, asked with ``deterministic=True``,
    once a step. A named game has a default opponent of its own: `Scenario.opponents`.
    ``opponent_weights`` are numbers of at least 0, one for each opponent in the list.

    ``drawing={"size": (800, 600), "theme": "dark", "annotations": "all"}`` is for `render`;
    `steer_env.drawing.ANNOTATIONS` names the annotations.

    ## Vectorized
    ``gymnasium.make_vec("steer_env:Pursuit-v0", num_envs=1024)`` steps all games in one
    compiled call; see `steer_env.envs.vector.PursuitVectorEnv`. (Without the prefix
    "steer_env:" the id is known once the package is imported, in each process.)

    ## Version History
    - v0: the first version.

    Example:
        >>> import gymnasium
        >>> env = gymnasium.make("steer_env:Pursuit-v0", opponent=["evade", "flee"])
        >>> observation, info = env.reset(seed=0)
        >>> observation.shape, sorted(info)
        ((21,), ['captured', 'distance', 'outcome'])
    """

    side = PURSUER


_FEATURES = enumerate(observed_features(make_game()))
_TABLES = {
    "{rows}": keyword_rows(),
    "{features}": [(f"{k}", f"`{f.block}.{f.name}`", f.meaning) for k, f in _FEATURES],
}
for _place, _table in _TABLES.items():
    _rows = "\n    ".join(f"| {' | '.join(row)} |" for row in _table)
    PursuitEnv.__doc__ = str(PursuitEnv.__doc__).replace(_place, _rows)


class EvadeEnv(SingleEnv, gym.Env[Observation, Any]):
    """The learner evades a pursuer that a scripted steering behavior moves.

    ## Description
    The game of `PursuitEnv` from the other side: the learner is the slower vehicle, and
    wants to be free when time is up. Spaces, initial states and arguments are the same, seen
    by the evader; ``opponent`` is "pursuit" by default.

    ## Rewards
    The negative of the pursuer's: +1 / horizon each step, -1 when caught, and the distance
    won in arena diagonals.

    ## Episode End
    Terminated when caught (a team: when all are); truncated after 600 steps: got away.

    ## Version History
    - v0: the first version.
    """

    side = EVADER
