"""Makes the page of what is left to learn: best script, best network, and a search, by game.

    PYTHONPATH=. python tools/headroom_page.py

writes `baselines/results/headroom.md` and `headroom.json`, in two hours on two cores; `--help`
shows options. With --games it measures these and keeps the others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from page_parts import how_made, made_by

from steer_env.baselines import best_response, compare, evaluate
from steer_env.baselines.known_players import best_answer, pretrained_of, scripts_of
from steer_env.baselines.statistics import Interval, jsonable
from steer_env.baselines.tables import Table, build_page, cell
from steer_env.baselines.tasks import EPISODES, HELD_OUT_SEED
from steer_env.cli import StatusLine, print_written, run_command
from steer_env.errors import check_choice
from steer_env.files import read_json, write_json, write_text
from steer_env.game.config import make_game
from steer_env.scenarios.registry import GAMES
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side

COMMAND = "python tools/headroom_page.py"
GAMES_SHOWN = ("walls", "agile_torus", "obstacles", "pack", "pack_obstacles", "tag")
_PAGE = Path("baselines/results/headroom.md")

_INTRODUCTION = """
How much is left to learn? Against one opponent, this page puts the best script and the best
network that we know next to a search (`steer-env exploit`), and next to them the generalist:
the script that was tuned for the game to be best over the benchmark's opponents for training.
The best were chosen on other initial states, among all scripts of the side and all pretrained
networks of the game. The search plays from the first of the same initial states, and knows the
rules and the opponent, but not future random draws. So what it gains over the better of the two
is a lower bound of how far that one is from a best response. Capture times are means in seconds
over 2,500 initial states, the seeds from 1,000,000 on, with 95% intervals. Differences are
paired by initial state. A pursuer wants less, an evader more. The opponent is the tuned script
of the game, or else the script, specialists aside, that does best against the game's own; the
default game has its own, too.

Three controls say whether a gain holds under other conditions: a quarter of the plans; half the
time step; and kicks of all velocities by 0.1 m/s at every decision, which nobody foresees. A
gain that small kicks take away hangs on exact distances. Gains are lower bounds, and their
intervals know nothing of larger ones that no start has shown: where one start in fifty has such
a gain, 90 of 100 hold the truth (simulated). None allows for the number of cells. Rows without
controls are older: from 128 initial states, not 16, and but for `tag` with a capture radius of
0.5 m, not 0.6 m.

In the default game the answer is robust: against the tuned scripts an evader gains 1.0 s and a
pursuer 0.5 s on all that we know, and about as much under each control.
"""


def _strongest(game: str, side: Side) -> str:
    """The tuned script of a game, or else the best against the game's own opponent.

    Specialists, `tuned/GAME/SIDE/OPPONENT`, are for rows of their own.
    """
    tuned = GAMES[game].tuned_script(side)
    if tuned in ROSTER:
        return tuned
    scripts = {name: one for name, one in scripts_of(side).items() if name.count("/") < 3}
    return best_answer(GAMES[game].opponents[side], side, scripts, game)[0]


def measure(game: str, side: Side, opponent: str, starts: int, budget: int) -> dict[str, Any]:
    """The capture times of one side of a game against one opponent, and their differences."""
    networks, scripts = pretrained_of(side, game), scripts_of(side)
    start = time.perf_counter()
    names = {"script": best_answer(opponent, side, scripts, game)[0]}
    if (tuned := GAMES[game].tuned_script(side)) in ROSTER:
        names["generalist"] = tuned
    if networks:
        names["network"] = best_answer(opponent, side, networks, game)[0]
    players = {**scripts, **networks}
    known = {
        kind: evaluate(*side.ordered(players[name], opponent), game, EPISODES, HELD_OUT_SEED)
        for kind, name in names.items()
    }
    times = {kind: one.mean_payoff for kind, one in known.items()}
    plain = make_game(game=game)
    finer = replace(plain, dt=0.5 * plain.dt, horizon=2 * plain.horizon)
    given: dict[str, Any] = {"side": side.name, "starts": starts, "budget": budget}
    with StatusLine(f"{game}, {side.name} against {opponent} ...") as line:
        found = best_response(opponent, plain, known=players, **given)
        gains = {"search": found.gain}
        # The same plans and players again, without a choice among all scripts.
        given["known"] = {one.name: one for one in found.players[1:]}
        given["known"] |= {name: players[name] for name in names.values()}
        for control, (config, changes) in {
            "a quarter of the plans": (plain, {"budget": budget // 4}),
            "half the time step": (finer, {}),
            "kicks": (plain, {"kicks": KICKS}),
        }.items():
            line.show(f"{game}, {side.name} against {opponent}: {control} ...")
            gains[control] = best_response(opponent, config, **{**given, **changes}).gain
    if networks:
        pair = known["network"], known["script"]
        gains["network"] = compare(*pair, side.name).difference
    return {
        "opponent": opponent,
        "names": names,
        "times": jsonable(times),
        "differences": jsonable(gains),
        "starts": starts,
        "budget": budget,
        "seconds": time.perf_counter() - start,
    }


def table(found: Mapping[str, Mapping[str, Any]]) -> Table:
    """A row for each opponent of each side of each game."""
    header = ("game, side, opponent", "generalist", "best script", "best network")
    header += ("network - script", *_GAINS.values())
    rows = []
    for title, one in found.items():
        cells = [title]
        for kind in _KINDS:
            name = f" (`{one['names'][kind]}`)" if kind in one["names"] else ""
            cells.append(_cell(one["times"].get(kind)) + name)
        cells += [_cell(one["differences"].get(kind), "+") for kind in ("network", *_GAINS)]
        rows.append(tuple(cells))
    return Table("", header, rows)


def _cell(found: Mapping[str, float] | None, sign: str = "") -> str:
    return cell(None if found is None else Interval(**found), f"{sign}.2f")


KICKS = 0.1  # m/s
_KINDS = ("generalist", "script", "network")
_GAINS = {
    "search": "gain of search, at least",
    "a quarter of the plans": "of a quarter of the plans",
    "half the time step": "at half the time step",
    "kicks": f"with kicks of {KICKS} m/s",
}


def main(
    games: tuple[str, ...] = GAMES_SHOWN,
    starts: int = 16,
    budget: int = 4096,
    out: Path = _PAGE,
) -> None:
    """Makes the page of what is left to learn.

    Args:
        games: Games to measure.
        starts: Starts from each of which a search plays.
        budget: Of the search, see `steer-env exploit`.
        out: The page; its numbers go into the .json file beside it.
    """
    for game in games:
        check_choice("game", game, GAMES)
    beside = out.with_suffix(".json")
    found: dict[str, Any] = read_json(beside)["found"] if beside.exists() else {}
    for game in games:
        for side in Side:
            opponents = [_strongest(game, side.other)]
            if game == GAMES_SHOWN[0]:
                opponents.insert(0, GAMES[game].opponents[side])
            for opponent in opponents:
                title = f"`{game}`, {side.name}, `{opponent}`"
                found[title] = measure(game, side, opponent, starts, budget)
                command = f"{COMMAND} --starts {starts} --budget {budget}"
                made = made_by(command, sum(one["seconds"] for one in found.values()))
                write_json(beside, {"made_by": made, "found": found})
    parts = _INTRODUCTION, table(found), how_made(made)
    write_text(out, build_page("What is left to learn", *parts))
    print_written(out, beside)


if __name__ == "__main__":
    run_command(main, "headroom_page.py", sys.argv[1:])
