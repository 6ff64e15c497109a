"""Finds what is wrong with a state that somebody hands in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.arena import TORUS, WALLS
from steer_env.game.arena_config import OBSTACLE_GAP
from steer_env.game.config import LIMITS, GameConfig
from steer_env.game.dynamics import CAR
from steer_env.game.limits import KnownLimits
from steer_env.game.searching import SIGHTING_SIZE
from steer_env.game.solid import MOST_PASSES
from steer_env.game.state import OVER, PAST_COLUMNS, RUNNING, UNSTARTED
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vectors import TINY

_ROUNDING = 1e-9  # share; less than half a unit in the last place of an observation
_DRIFT = 1e-6  # share; rounding adds up over the steps
_CONTACT = 1e-6  # meters that a body may be inside an obstacle


class Damage(NamedTuple):
    """One thing that is wrong with a state.

    Attributes:
        field: its name.
        places: where it is out of range: (N,) games, or (N, players) or (N, obstacles).
        valid: what would be right.
        whose: what the second axis of places is.
    """

    field: str
    places: NDArray[np.bool_]
    valid: str
    whose: str = "player"

    def __str__(self) -> str:
        """What is wrong, in the first of the places."""
        game, *rest = np.argwhere(self.places)[0].tolist()
        place = f" ({self.whose} {rest[0]})" if rest else ""
        return f"{self.field} of game {game} is out of range{place}: it must be {self.valid}"


def check_records(
    records: object,
    dtype: np.dtype[Any],
    num_games: int,
    config: GameConfig,
    rules: np.void,
    limits: KnownLimits,
) -> None:
    """Raises an error for anything but the sound records of a number of games.

    Each field is checked by itself: whether the distance is that of the positions is not.

    Raises:
        InvalidType: if it is not an array with records of this dtype.
        InvalidValue: if their number is another, or they are damaged; the message names the
            field, the game and the player.
    """
    if not isinstance(records, np.ndarray) or records.dtype != dtype:
        got = getattr(records, "dtype", type(records).__name__)
        raise InvalidType(
            "a state is what get_state() returned from an environment with as many "
            "pursuers, evaders and obstacles as this one, as long delays, and scripts that "
            f"remember if this one has such; got {got}"
        )
    if records.shape != (num_games,):
        raise InvalidValue(f"the state must have shape {(num_games,)}, got {records.shape}")
    damage = find_damage(records, config, rules, limits)
    if damage is not None:
        raise InvalidValue(
            f"the state is damaged: {damage}; pass a state that get_state() returned, "
            "unchanged, from an environment with the same limits and opponents"
        )


def find_damage(
    state: NDArray[np.void], config: GameConfig, rules: np.void, limits: KnownLimits
) -> Damage | None:
    """The first thing in a state that this game cannot have; None if all is fine.

    The compiled loop trusts the state: an index out of range would read other memory, and what
    is beyond a bound may leave the observation's space, or become nan.

    Args:
        state: (N,) records of the right dtype.
        config: the game.
        rules: its record of rules.
        limits: that its vehicles may have.
    """
    with np.errstate(all="ignore"):  # numbers may be nan, or too large to square
        for find in (_in_games, _in_obstacles, _in_players, _in_motion, _in_past):
            for damage in find(state, config, rules, limits):
                if damage.places.any():
                    return damage
    return None


def damage_of_motion(
    state: NDArray[np.void], config: GameConfig, rules: np.void, limits: KnownLimits
) -> Damage | None:
    """`find_damage` in what the vehicles' motion is made of, and nothing else."""
    with np.errstate(all="ignore"):  # as in `find_damage`
        damages = _in_motion(state, config, rules, limits)
        return next((damage for damage in damages if damage.places.any()), None)


def _in_games(
    state: NDArray[np.void], config: GameConfig, rules: np.void, limits: KnownLimits
) -> Iterator[Damage]:
    game, players, horizon = state["game"], state["players"], config.horizon
    running = game["phase"] == RUNNING
    begun = game["phase"] != UNSTARTED
    steps = _outside(game["steps"], 0, horizon) | (running & (game["steps"] >= horizon))
    phases = (UNSTARTED, RUNNING, OVER)
    yield Damage("phase", _outside(game["phase"], UNSTARTED, OVER), f"one of {phases}")
    if not begun.all():
        played = (game["draws"] > 0) | (game["steps"] != 0) | _is_written(players).any(axis=1)
        yield Damage("phase", ~begun & played, f"{RUNNING} or {OVER}: the game has begun")
    yield Damage("steps", steps, f"from 0 to the horizon, {horizon}, and below it in play")
    farthest = 2.0 * np.sqrt(2.0) * _reach(state, config, limits)
    distance = _outside(game["distance"], 0.0, farthest * (1.0 + _ROUNDING))
    yield Damage("distance", distance, "one that fits into the arena")
    for side, name in ((PURSUER, "pursuer_script"), (EVADER, "evader_script")):
        last = int(rules["num_scripts"][side]) - 1
        yield Damage(name, _outside(game[name], 0, last), f"from 0 to {last}")
    active = players["active"]
    caught = (~active[:, config.pursuers :]).sum(axis=1)
    idle = begun[:, None] & ~active
    idle[:, config.pursuers :] = (running & (caught == config.evaders))[:, None]
    yield Damage("active", idle, "True of pursuers, and of an evader while the game runs")
    count = np.where(begun, game["captured"] != caught, game["captured"] != 0)
    yield Damage("captured", count, "the number of evaders that are not active")


def _in_obstacles(
    state: NDArray[np.void], config: GameConfig, rules: np.void, limits: KnownLimits
) -> Iterator[Damage]:
    arena, discs = config.arena, state["obstacles"]
    begun = (state["game"]["phase"] != UNSTARTED)[:, None]
    center, radius = discs["center"], discs["radius"]
    if arena.obstacles == 0:
        return
    if isinstance(arena.obstacles, int):
        low, high = arena.obstacle_radius
        room = arena.half_size - OBSTACLE_GAP * limits.obstacle_gap
        small = begun & _outside(radius, low, high * (1.0 + _ROUNDING))
        yield Damage("radius", small, f"from {low:g} to {high:g} m", "obstacle")
        beyond = begun & ~(_farthest(center) <= room - radius + _ROUNDING * arena.half_size)
        yield Damage("center", beyond, "away from the arena's edge", "obstacle")
    else:
        listed = np.array(arena.obstacles).reshape(-1, 3)
        places = "that of the game's configuration"
        yield Damage("center", center != listed[:, 0] + 1j * listed[:, 1], places, "obstacle")
        yield Damage("radius", radius != listed[:, 2], places, "obstacle")


def _in_players(
    state: NDArray[np.void], config: GameConfig, rules: np.void, limits: KnownLimits
) -> Iterator[Damage]:
    game, players = state["game"], state["players"]
    begun, side = (game["phase"] != UNSTARTED)[:, None], _sides(state, config)
    scripts = np.where(
        side == PURSUER, game["pursuer_script"][:, None], game["evader_script"][:, None]
    )
    script = players["script"] != rules["first_script"][side] + scripts
    yield Damage("script", begun & script, "the row of the script that the side plays")
    models = begun & (players["model"] != rules["models"][side])
    yield Damage("model", models, "the one of the game's configuration")
    point = np.abs(np.abs(players["wander_point"]) - 1.0)
    yield Damage("wander_point", ~(point <= _DRIFT) & begun, "a unit vector")
    found = np.stack([players["body"][limit] for limit in LIMITS], axis=2)
    low, high = limits.lowest, limits.highest
    outside = begun[:, :, None] & _outside(found, low, high * (1.0 + _ROUNDING))
    for _, player, number in np.argwhere(outside)[:1].tolist():
        least, most = low[player, number], high[player, number]
        valid = f"{least:g}" if least == most else f"from {least:g} to {most:g}"
        yield Damage(LIMITS[number], outside[:, :, number], valid)


def _in_motion(
    state: NDArray[np.void], config: GameConfig, rules: np.void, limits: KnownLimits
) -> Iterator[Damage]:
    begun, body = (state["game"]["phase"] != UNSTARTED)[:, None], state["players"]["body"]
    position, velocity, heading = body["position"], body["velocity"], body["heading"]
    reach = _reach(state, config, limits)[:, None]
    room = reach - (body["radius"] if rules["arena"] == WALLS else 0.0)
    outside = begun & ~(_farthest(position) <= room + _ROUNDING * reach)
    yield Damage("position", outside, "inside the arena (open: where its steps can lead)")
    inside = np.zeros(position.shape, np.bool_)
    touches = _farthest(position) >= room - _CONTACT
    center, radius = state["obstacles"]["center"], state["obstacles"]["radius"]
    for number, place in enumerate(position.T if radius.size else ()):
        offset = center - place[:, None]
        if rules["arena"] == TORUS:
            offset = _nearest(offset, config.arena.size)
        gap = np.abs(offset) - radius - body["radius"][:, number, None]
        inside[:, number] = ((radius > 0.0) & (gap < -_CONTACT)).any(axis=1)
    yield Damage("position", begun & inside, "outside the obstacles")
    length = np.abs(np.abs(heading) - 1.0)
    yield Damage("heading", begun & ~(length <= _ROUNDING), "a unit vector")
    speed, limit = np.abs(velocity), body["max_speed"]
    too_fast = begun & ~(speed <= limit * (1.0 + _ROUNDING))
    yield Damage("velocity", too_fast, "no faster than max_speed")
    is_car = rules["models"][_sides(state, config)] == CAR
    stopped = begun & is_car & ~touches & ~(speed >= limit * (1.0 - _ROUNDING))
    # Pushed by others, or along an obstacle, it may no longer touch what has stopped it.
    if config.solid == "nobody" and config.arena.num_obstacles == 0:
        yield Damage("velocity", stopped, "max_speed, unless something stops the car")
    along = (velocity * heading.conj()).real
    sideways = begun & ~(along >= speed * (1.0 - _ROUNDING) - TINY)
    yield Damage("velocity", sideways, "along the heading")
    change = 2.0 * limit / config.dt * (1.0 + _DRIFT)
    hardest = begun & ~(np.abs(body["acceleration"]) <= change)
    yield Damage("acceleration", hardest, "at most 2 max_speed / dt")


def _in_past(
    state: NDArray[np.void], config: GameConfig, rules: np.void, limits: KnownLimits
) -> Iterator[Damage]:
    for name in PAST_COLUMNS:
        if name in (state.dtype.names or ()):
            yield Damage(name, ~np.isfinite(state[name]), "finite", "number")
    if "sightings" in (state.dtype.names or ()):
        yield from _in_sightings(state, config, limits)


def _in_sightings(
    state: NDArray[np.void], config: GameConfig, limits: KnownLimits
) -> Iterator[Damage]:
    players = state["players"].shape[1]
    kept = state["sightings"].reshape(len(state), players, SIGHTING_SIZE)
    number, step = kept[:, :, 0], kept[:, :, 1]
    wrong = _outside(number, 0, players) | (number != np.rint(number))
    yield Damage("sightings", wrong, f"the number of a player, from 1 to {players}, or 0")
    wrong = _outside(step, 0, state["game"]["steps"][:, None]) | (step != np.rint(step))
    yield Damage("sightings", wrong, "of a step that has been")
    vectors = kept[:, :, 2::2] + 1j * kept[:, :, 3::2]
    fastest = limits.highest[:, LIMITS.index("max_speed")].max()
    longest = np.array([np.inf, fastest, 1.0, 2.0 * fastest / config.dt]) * (1.0 + _DRIFT)
    far = _farthest(vectors[:, :, 0]) > _reach(state, config, limits)[:, None] * (1.0 + _DRIFT)
    wrong = far | (np.abs(vectors) > longest).any(axis=2)
    yield Damage("sightings", wrong, "where, and as fast as, a vehicle can be")


def _sides(state: NDArray[np.void], config: GameConfig) -> NDArray[np.int64]:
    """The side of each player, (players,)."""
    count = state["players"].shape[1]
    return np.where(np.arange(count) < config.pursuers, PURSUER, EVADER)


def _reach(
    state: NDArray[np.void], config: GameConfig, limits: KnownLimits
) -> NDArray[np.float64]:
    """How far from the middle a center can be along x or y in each game, in meters, (N,)."""
    reach = np.full(len(state), config.arena.half_size)
    if config.arena.kind != "open":
        return reach
    max_speed, _, _, radius = limits.highest.max(axis=0)
    farthest_step = config.dt * max_speed
    if config.solid != "nobody":  # in each pass, each of the others may push it twice
        others = config.pursuers + config.evaders - 1
        farthest_step += MOST_PASSES * others * 4.0 * radius
    return (reach + farthest_step * np.maximum(state["game"]["steps"], 0)) * (1.0 + _DRIFT)


def _farthest(place: NDArray[np.complex128]) -> NDArray[np.float64]:
    farthest: NDArray[np.float64] = np.maximum(np.abs(place.real), np.abs(place.imag))
    return farthest


def _is_written(players: NDArray[np.void]) -> NDArray[np.bool_]:
    """Whether a player has a number that is not 0, as none has before its first episode."""
    body = players["body"]
    columns = [players[name] for name in players.dtype.names or () if name != "body"]
    columns += [body[name] for name in body.dtype.names or ()]
    return np.any([column != 0 for column in columns], axis=0)


def _nearest(offset: NDArray[np.complex128], size: float) -> NDArray[np.complex128]:
    """Offsets to the nearest image on a torus."""
    return offset - size * (np.rint(offset.real / size) + 1j * np.rint(offset.imag / size))


def _outside(given: NDArray[Any], low: Any, high: Any) -> NDArray[np.bool_]:
    outside: NDArray[np.bool_] = ~((given >= low) & (given <= high))  # nan is outside
    return outside
