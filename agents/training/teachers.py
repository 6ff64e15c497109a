"""The teachers of networks: a script, and a search in the states that a network gets into.

In each state the search tries, for each player, full force in every direction for one to three
segments of a plan, and then follows a base policy to the end of the episode (a rollout
algorithm, Bertsekas and Castanon 1999, J. of Heuristics 5). The best directions are taught, the
more firmly the more they gain (expert iteration, Anthony, Tian and Barber 2017, NeurIPS).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines import evaluate
from steer_env.baselines.known_players import scripts_of
from steer_env.baselines.measures import CAPTURE_TIME, payoff_of
from steer_env.baselines.planning import ACTION_REPEAT, Plans, Rollouts, complementary
from steer_env.envs.vector import NativeVectorEnv
from steer_env.errors import InvalidValue, unknown
from steer_env.game.config import Game
from steer_env.players.mixture import MixturePolicy
from steer_env.players.network import NetworkPolicy
from steer_env.players.player import Player
from steer_env.players.resolver import resolve
from steer_env.scripts.roster import ROSTER, named_script, short_name
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

from .run import Training

TOP_SPEED = 0.98  # the share of its top speed from which a vehicle is taught the longest push
TAUGHT = 128  # games in which players are taught at a time
EVERY = 4  # steps between two lessons
DIRECTIONS = 21  # of a single player; players of a team share them
FEWEST_DIRECTIONS = 12
SEGMENTS = (1, 2, 3)  # for which a push is held
SEGMENTS_OF_NETWORK = (1, 3)  # the same if a network is the base policy, which is slow
SECONDS = 5.0  # after which a search stops
MOST_BASE = 2  # base policies
BASE_EPISODES = 200  # from which they are chosen
_LEAST_WEIGHT = 0.02
_TIES = 1e-9  # seconds or meters


class ScriptTeacher:
    """Gives a script's actions in the states of other games.

    A script that wanders begins to wander anew in each state. It ignores the game's delays.
    """

    def __init__(self, games: NativeVectorEnv, script: Script) -> None:
        self._side, self._config = Side(games.side), games.config
        first = self._config.pursuers
        self._players = (slice(first), slice(first, None))[self._side]
        # The others stand still: what the script does depends on the state alone.
        players = [resolve("idle", self._side.other)], [resolve(script, self._side)]
        self._alone = Rollouts(self._config, self._side, *players, games.num_envs)

    def lesson(self, state: NDArray[np.void]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The actions to teach in a state of all games, (N, players, 2), and their weights.

        At top speed many pushes lead to the same velocity. A script's pushes are short there
        and swing from side to side, so their mean over similar states is close to zero: point
        masses without drag are taught the longest ones. Weights, (N, players), are 1 in play.
        """
        actions, is_there = self.actions(state)
        config = self._config
        vehicle = config.pursuer if self._side is PURSUER else config.evader
        if vehicle.model == "point_mass" and vehicle.drag == 0.0:
            players = state["players"][:, self._players]
            actions = firmest(players["body"], actions, config.dt)
        return actions, is_there.astype(np.float32)

    def actions(self, state: NDArray[np.void]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The script's actions, (N, players, 2), and flags of the active players."""
        alone = state.copy()
        alone["game"]["pursuer_script"] = alone["game"]["evader_script"] = 0
        self._alone.begin_at(alone)
        return self._alone.decisions(1)[:, 0], state["players"]["active"][:, self._players]


def firmest(
    bodies: NDArray[np.void], actions: NDArray[np.float32], dt: float
) -> NDArray[np.float32]:
    """The longest pushes that lead point masses to similar velocities as the given ones.

    If v is the velocity, d the direction of the next one, at nearly top speed, and k what a
    full push adds in a step, these are the pushes to the velocities beyond it, r d with
    |r d - v| = k. Slower vehicles and pushes are left as they are. Pushes are (..., 2): forward
    and left, as a share of max_force.
    """
    push = actions[..., 0] + 1j * actions[..., 1]
    gain = bodies["max_force"] / bodies["mass"] * dt
    velocity = bodies["velocity"] * bodies["heading"].conj()  # forward + i left
    wanted = velocity + gain * push
    speed = np.abs(wanted)
    is_fast = speed >= TOP_SPEED * bodies["max_speed"]
    is_fast &= (speed > 0.0) & (gain > 0.0)
    direction = wanted / np.where(is_fast, speed, 1.0)
    turned = velocity * direction.conj()
    reach = turned.real + np.sqrt(np.maximum(gain * gain - turned.imag * turned.imag, 0.0))
    firm = (reach * direction - velocity) / np.where(is_fast, gain, 1.0)
    push = np.where(is_fast, firm, push)
    return np.stack([push.real, push.imag], axis=-1).astype(np.float32)


def script_to_imitate(name: str, side: Side) -> Script:
    """The script of a name, after checking that a side can imitate it."""
    is_for_other = attrgetter("runs_away" if side is PURSUER else "chases")
    names = [one for one, script in ROSTER.items() if not is_for_other(script)]
    if short_name(name) not in names:
        raise InvalidValue(
            unknown(f"script of a {side.name} to imitate", name, names)
            + " imitate= stands for none."
        )
    script = named_script(name)
    if script.sees != "all":
        raise InvalidValue("a script that remembers what it saw cannot be imitated")
    return script


class SearchTeacher(ScriptTeacher):
    """Gives the actions of a base policy, and in some games better ones that a search finds.

    The network plays in `games`, against `opponents`: scripts, or one network. The base
    policies are scripts of its side.
    """

    def __init__(
        self, games: NativeVectorEnv, opponents: Sequence[Player], base: Sequence[Script]
    ) -> None:
        super().__init__(games, base[0])
        self._count, self._turn = self._config.count(self._side.name), 0
        self._taught = min(TAUGHT, games.num_envs)
        players = [resolve(one, self._side) for one in base]
        self._game = self._config, self._side, opponents
        self._of_base = Rollouts(*self._game, players, self._taught, len(base))
        is_time, dt = payoff_of(self._config.payoff) is CAPTURE_TIME, self._config.dt
        # The gain that is taught with the full weight, in seconds or meters.
        self._scale = 1.5 * ACTION_REPEAT * dt if is_time else 0.2 * self._config.capture_radius
        # A pursuer that is later than another by more than that is not looked at.
        is_race = is_time and self._side is PURSUER
        self._patience = round(2.0 * self._scale / dt) if is_race else None
        self._most_steps = round(SECONDS / dt) if is_time else None
        self.follow(*base)

    def follow(self, *base: Script | NetworkPolicy) -> None:
        """Makes scripts or a network the base policies, to improve on from now on."""
        players = [resolve(one, self._side) for one in base]
        is_script = np.array([one.script is not None for one in players])
        found = _candidates(self._count, len(base), all(is_script))
        self._player, self._direction, self._segments, self._base = found
        # The push of a base policy by itself is known of scripts alone.
        self._shows_base = (self._segments == 0) & is_script[self._base - 1]
        self._rollouts = Rollouts(*self._game, players, self._taught, len(self._player))

    def lesson(self, state: NDArray[np.void]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The actions to teach in a state of all games, and how firmly.

        Returns (N, players, 2) in float32, and weights (N, players): 0 in most games, where the
        actions are those of the base policy.
        """
        actions, is_there = self.actions(state)
        weights = np.zeros(is_there.shape)
        if self._turn % EVERY == 0:
            begin = self._turn // EVERY * self._taught
            chosen = (begin + np.arange(self._taught)) % len(state)
            actions[chosen], weights[chosen] = self._search(state[chosen])
            weights *= is_there
        self._turn += 1
        return actions, weights

    def _search(self, state: NDArray[np.void]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The best pushes found, (games, players, 2), and their weights, (games, players)."""
        self._of_base.begin_at(state)
        base_actions = self._of_base.decisions(np.arange(1, self._of_base.copies + 1))
        # The pushes of all candidates, (games, copies, players, 2). Of a network the first
        # script's stand for those of the other players. This is a copy.
        pushes = base_actions[:, np.minimum(self._base, self._of_base.copies) - 1]
        chosen = np.flatnonzero(self._segments > 0)
        pushes[:, chosen, self._player[chosen]] = self._direction[chosen]
        self._rollouts.begin_at(state)

        def segment(number: int) -> Plans:
            base = np.where(number < self._segments, 0, self._base)
            return Plans(pushes, np.broadcast_to(base, pushes.shape[:2]))

        payoffs = self._rollouts.play(
            segment,
            segments=int(self._segments.max()),
            patience=self._patience,
            most_steps=self._most_steps,
        )
        scores = self._rollouts.sign * payoffs
        best, common = scores.max(axis=1), np.median(scores, axis=1)
        spread = np.minimum((best - common) / self._scale, 1.0) + _LEAST_WEIGHT
        is_best = scores >= best[:, None] - _TIES
        # The push of each player by each candidate, as a direction.
        lengths = np.hypot(pushes[..., 0], pushes[..., 1])[..., None]
        directions = pushes / np.maximum(lengths, 1e-9)
        is_own = self._player[:, None] == np.arange(self._count)
        is_own = is_own & (self._segments > 0)[:, None] | self._shows_base[:, None]
        tried = (is_best[..., None] & is_own)[..., None]  # (games, copies, players, 1)
        mean = (directions * tried).sum(axis=1) / np.maximum(tried.sum(axis=1), 1)
        length = np.hypot(mean[..., 0], mean[..., 1])[..., None]
        is_tried = tried.any(axis=1)  # else another player's push is better
        found = np.where(is_tried, mean / np.maximum(length, 1e-9), base_actions[:, 0])
        return found.astype(np.float32), (length * is_tried)[..., 0] * spread[:, None]


def _candidates(players: int, base: int, are_scripts: bool) -> tuple[NDArray[Any], ...]:
    """The player, direction (2), segments (0 for none) and base policy of each candidate."""
    count = max(DIRECTIONS // players, FEWEST_DIRECTIONS)
    angles, numbers = 2.0 * np.pi * np.arange(count) / count, range(1, base + 1)
    segments = SEGMENTS if are_scripts else SEGMENTS_OF_NETWORK
    pushes = [
        (player, (np.cos(angle), np.sin(angle)), held, one)
        for player, held, one, angle in product(range(players), segments, numbers, angles)
    ]
    pushes += [(0, (0.0, 0.0), 0, one) for one in numbers]
    player, direction, held, number = map(np.array, zip(*pushes))
    return player, direction.astype(np.float32), held, number


def teacher_of(training: Training, games: NativeVectorEnv) -> Any:
    """The teacher of a training's preset: it gives a `lesson` in a state of the games."""
    side, preset = training.side, training.read_preset()
    if not preset.search:
        return ScriptTeacher(games, script_to_imitate(preset.imitate, side))
    opponents = [resolve(one, side.other) for one in training.study.opponents]
    if preset.imitate:
        return SearchTeacher(games, opponents, [script_to_imitate(preset.imitate, side)])
    return SearchTeacher(games, opponents, best_together(games.config, side, opponents))


def check_opponents(opponents: Sequence[Player]) -> None:
    """Raises an InvalidValue if a search cannot teach against these opponents."""
    if any(isinstance(one.policy, MixturePolicy) for one in opponents) or (
        len(opponents) > 1 and any(one.script is None for one in opponents)
    ):
        raise InvalidValue(
            "a search plays against scripts, or against one network: leave the others out, or "
            "train by rewards"
        )


def best_together(config: Game, side: Side, opponents: Sequence[Player]) -> list[Script]:
    """The known scripts that together do best against the opponents."""
    scripts, episodes = scripts_of(side), -(-BASE_EPISODES // len(opponents))
    scores, sign = {}, 1.0 if side is EVADER else -1.0
    for name, one in scripts.items():
        pairs = [side.ordered(one, other) for other in opponents]
        payoffs = [evaluate(*pair, config, episodes).payoffs for pair in pairs]
        scores[name] = sign * np.concatenate(payoffs)
    return [scripts[name] for name in complementary(scores, MOST_BASE)]
