"""What packs are worth: their share of captures and mean time, against plain pursuit.

    PYTHONPATH=. python tools/pack_claims.py --episodes 2000

All rows of a game are played from the same starts. The first table has velocities that are
taken up at once ("simple_motion"), where the theorem of Voronoi pursuit holds; the others have
the masses of the default game. A time counts the whole episode where there is no capture.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from steer_env.baselines import evaluate
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.steering import voronoi_border
from steer_env.steering.vehicle import Vehicle

SPEED = 4.0
"""Of the hunters, in meters a second."""

SEED = 2_011  # the year of the theorem


class Claim(NamedTuple):
    """A pursuers' script in one game."""

    game: str
    evader: str
    pursuer: str
    captured: float  # share of the episodes
    time: float  # mean, in seconds


def _game(
    arena: str, hunters: int, speed: float, model: str, **keywords: Any
) -> dict[str, Any]:
    vehicles = {"pursuer": SPEED, "evader": speed}
    limits = {
        side: {"model": model, "max_speed": most, "max_force": 12.0}
        for side, most in vehicles.items()
    }
    return {"arena": arena, "pursuers": hunters, **limits, **keywords}


def _at_once(name: str) -> Script:
    """A script whose law reaches the desired velocity in one step of simple motion."""
    return replace(ROSTER[name], separation=0.0, walls=0.0, wander=0.0, response_time=1.0)


def measured(
    game: str,
    keywords: dict[str, Any],
    evader: tuple[str, Script],
    pursuers: dict[str, Script],
    episodes: int,
) -> Iterator[Claim]:
    """Plays some pursuers' scripts from the same starts."""
    config = game_config(**keywords)
    for name, script in pursuers.items():
        found = evaluate(script, evader[1], config, episodes, SEED)
        captured, time = found["captured"].mean(), found["time"].mean()
        yield Claim(game, evader[0], name, float(captured), float(time))


def simple_motion(episodes: int) -> Iterator[Claim]:
    """Velocities that are taken up at once, with a minute to capture."""
    names = ("pursuit", "encircle", "flank", "voronoi/now")
    for arena in ("walls", "torus", "open"):
        for share in (1.0, 1.2):
            for evader in ("evade", "escape"):
                other = evader, _at_once(evader)
                for hunters in (1, 3):
                    game = f"{hunters} in {arena}, evader {share:g} times as fast"
                    team = {
                        name: _at_once(name) for name in (names if hunters > 1 else names[:1])
                    }
                    speed = share * SPEED
                    keywords = _game(arena, hunters, speed, "simple_motion", horizon=1800)
                    yield from measured(game, keywords, other, team, episodes)


def masses(episodes: int) -> Iterator[Claim]:
    """Point masses at full force, within the default 20 s."""
    names = ("pursuit", "constant_bearing", "encircle", "flank", "voronoi/now", "voronoi")
    for arena in ("walls", "torus"):
        for share in (1.0, 1.5):
            for evader in ("evade/full_force", "escape/full_force"):
                for hunters in (1, 3):
                    game = f"{hunters} in {arena}, evader {share:g} times as fast"
                    team = {
                        f"{name}/full_force": ROSTER[f"{name}/full_force"]
                        for name in (names if hunters > 1 else names[:2])
                    }
                    keywords = _game(arena, hunters, share * SPEED, "point_mass")
                    other = evader, ROSTER[evader]
                    yield from measured(game, keywords, other, team, episodes)


PACKS: dict[str, dict[str, Any]] = {
    "3 v 2": {"pursuers": 3, "evaders": 2},
    "3 v 1, game pack": {"game": "pack"},
    "3 v 1, evader 4.4 m/s": {"pursuers": 3, "evader": {"max_speed": 4.4}},
    "3 v 3": {"pursuers": 3, "evaders": 3},
    "5 v 3": {"pursuers": 5, "evaders": 3},
}
MEMBERS = ("pursuit", "navigation")
TEAMS = ("pursuit/pack", "navigation/pack", "encircle", "flank", "voronoi")
EVADERS = ("evade/herd", "evade", "escape/herd")


def packs(episodes: int, end: str = "") -> Iterator[Claim]:
    """Packs and their members in the games of teams.

    Args:
        episodes: of each pair.
        end: of the names of all scripts: "" or "/full_force".
    """
    for game, keywords in PACKS.items():
        for evader in EVADERS:
            other = evader + end, ROSTER[evader + end]
            team = {name + end: ROSTER[name + end] for name in (*MEMBERS, *TEAMS)}
            yield from measured(game, keywords, other, team, episodes)


def share_surrounded(episodes: int) -> float:
    """The share of starts in the open plane in which the quarry's Voronoi cell is bounded."""
    config = game_config(**_game("open", 3, SPEED, "simple_motion"))
    engine = Engine(config, [ROSTER["idle"]], [ROSTER["idle"]], episodes)
    engine.seed(range(episodes))
    engine.start()
    count = 0
    for record in engine.get_state()["players"]["body"]:
        *hunters, quarry = (Vehicle(*body) for body in record.tolist())
        lengths = [
            voronoi_border(me, [mate for mate in hunters if mate is not me], quarry)[1]
            for me in hunters
        ]
        count += bool(np.isfinite(lengths).all())
    return count / episodes


def printed(claims: Iterator[Claim]) -> None:
    """Prints a Markdown table as it comes: a row for each game and evader."""
    last: tuple[str, str] | None = None
    for claim in claims:
        here = claim.game, claim.evader
        if here != last:
            print(f"\n| {claim.game} | {claim.evader} ", end="")
        found = f"{claim.pursuer}: {100 * claim.captured:.1f}%, {claim.time:.2f} s"
        print(f"| {found} ", end="", flush=True)
        last = here
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=2000)
    episodes = parser.parse_args().episodes
    print("## Simple motion", end="")
    printed(simple_motion(episodes))
    share = share_surrounded(episodes)
    print(f"\nIn the open plane {100 * share:.1f}% of the starts surround the quarry.")
    print("\n## Point masses at full force", end="")
    printed(masses(episodes))
    for end in ("", "/full_force"):
        print(f"\n## Packs and their members {end}", end="")
        printed(packs(episodes, end))


if __name__ == "__main__":
    main()
