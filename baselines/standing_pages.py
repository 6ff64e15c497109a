"""Pages and tables of the standings: one table of all games, and a page for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.pages import build_page, bullets, how_made
from baselines.standings import FAIR, LEAST_ROOM, Standing
from baselines.statistics import Interval
from baselines.tables import Table, pairs_table
from steer_env.files import write_json, write_text
from steer_env.policies.loading import is_pretrained
from steer_env.sides import Side
from steer_env.suite import DEFAULT_GAME, SUITE

_BEST = 3  # players of each side on a game's page, besides those at the equilibrium


def suite_numbers(found: Sequence[Standing], made: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all standings, and how they were made, for JSON."""
    games = {standing.game.name: standing.to_dict() for standing in found}
    return {"made_by": dict(made), "rule": rule(), "games": games}


def suite_table(found: Sequence[Standing]) -> Table:
    """Returns the table of all games, one in a line."""
    header = (
        "game",
        "what is hard",
        "value [s]",
        "captured",
        *(f"{side.name}s' {kind} [s]" for side in Side for kind in ("headroom", "shortfall")),
        *(f"leading {side.name}" for side in Side),
        "fits the rule",
    )
    rows = [
        (
            f"`{standing.game.name}`",
            standing.game.challenge,
            f"{standing.value:.2f}",
            f"{standing.captured:.1%}",
            *(
                _room(rooms[side], side)
                for side in Side
                for rooms in (standing.headroom, standing.shortfall)
            ),
            *(_leader(standing, side) for side in Side),
            standing.verdict,
        )
        for standing in found
    ]
    return Table(
        "Leading players in each game of the suite",
        header,
        rows,
        "Value: mean capture time if both sides mix their players as well as they can; a "
        "time-out counts as the time limit. Captured: share of episodes then. Headroom: by how "
        "much a side's learned players improve the value over its hand-written ones. "
        "Shortfall: by how much the latter improve it over its learned ones. After a "
        "leading player stands its share in the mixture. 95 % intervals; those of headrooms "
        "are wider than they need to be. The estimates are biased towards players that were "
        "lucky in these starts.",
    )


def rule() -> str:
    """Returns the rule by which games are chosen, in words."""
    low, high, least = (100.0 * share for share in (*FAIR, LEAST_ROOM))
    return (
        "A game belongs to the suite if both sides have a fair chance among the best known "
        f"players (from {low:g} to {high:g} % captured at the equilibrium), and if "
        "neither hand-written steering nor learning has solved it: the headroom or the "
        f"shortfall of at least one side is at least {least:g} % of the time limit. The "
        "estimates decide, not their intervals. "
        f"`{DEFAULT_GAME}`, the game to begin with, is exempt."
    )


def write_pages(out: Path, found: Sequence[Standing], numbers: Mapping[str, Any]) -> list[Path]:
    """Writes a page for each game into a folder, and README.md and suite.json of all games.

    With some of the games, the latter two are not written.

    Args:
        out: the folder, which exists.
        found: the standings.
        numbers: as `suite_numbers` returns them.

    Returns:
        The files written.
    """
    pages = {out / f"{standing.game.name}.md": game_page(standing) for standing in found}
    is_whole = {standing.game.name for standing in found} == SUITE.keys()
    if is_whole:
        pages[out / "README.md"] = suite_page(found, numbers["made_by"])
    for path, text in pages.items():
        write_text(path, text)
    if is_whole:
        write_json(out / "suite.json", numbers)
    return [*pages, *([out / "suite.json"] if is_whole else [])]


def suite_page(found: Sequence[Standing], made: Mapping[str, Any]) -> str:
    """Returns the page of all games, with links to their own pages."""
    table = suite_table(found)
    names = [standing.game.name for standing in found]
    rows = [(f"[`{name}`]({name}.md)", *row[1:]) for name, row in zip(names, table.rows)]
    unfit = [_misfit(standing) for standing in found if standing.verdict == "no"]
    return build_page(
        table.title,
        f"Starts from the seeds {made['seeds'][0]} to {made['seeds'][1]} for every pair.",
        table._replace(title="", rows=rows),
        "## The rule",
        rule(),
        bullets(*unfit),
        how_made(made),
    )


def game_page(standing: Standing) -> str:
    """Returns the page of one game."""
    game, played = standing.game, standing.played
    keywords = ", ".join(f"{name}={value!r}" for name, value in game.keywords.items())
    main = played.among(*(_main_players(standing, side) for side in Side))
    pairs = pairs_table(main.to_dict())
    return build_page(
        f"The suite: `{game.name}`",
        f"What is hard: {game.challenge}.",
        f"Keywords: `{keywords}`." if keywords else "The default game, without keywords.",
        "## Leading players",
        f"At the equilibrium the mean capture time is {standing.value:.2f} s, and "
        f"{100.0 * standing.captured:.1f} % of the episodes end with a capture, among "
        f"{len(played.pursuers)} pursuers and {len(played.evaders)} evaders.",
        *(_players_table(standing, side) for side in Side),
        _misfit(standing) if standing.verdict == "no" else "",
        "## Main pairs",
        f"{pairs.title}.",
        pairs._replace(title=""),
        "## What is open",
        game.question,
    )


def _misfit(standing: Standing) -> str:
    reasons = "; ".join(standing.departures)
    return f"`{standing.game.name}` does not fit the rule of the suite: {reasons}."


def _room(room: Interval | None, side: Side) -> str:
    return _none_learned(side) if room is None else f"{room:.2f}"


def _none_learned(side: Side) -> str:
    return f"no learned {side.name} yet"


def _leader(standing: Standing, side: Side) -> str:
    name, share = next(iter(standing.mixture(side).items()))
    return f"`{name}` ({share:.0%})"


def _main_players(standing: Standing, side: Side) -> list[str]:
    """The players at the equilibrium, the best single ones, and the best hand-written one."""
    script = standing.guarantee(side, standing.scripts(side)).player
    best = standing.ranking(side)[:_BEST]
    return list(dict.fromkeys((*standing.mixture(side), *best, script)))


def _players_table(standing: Standing, side: Side) -> Table:
    mixture, rows = standing.mixture(side), []
    for name in _main_players(standing, side):
        kind = "learned" if is_pretrained(name) else "hand-written"
        share = f"{mixture[name]:.0%}" if name in mixture else ""
        _, opponent, time = standing.guarantee(side, [name])
        rows.append((f"`{name}`", kind, share, f"{time:.2f}", f"`{opponent}`"))
    script = standing.guarantee(side, standing.scripts(side)).player
    return Table(
        "",
        (side.name, "kind", "in equilibrium", "worst mean capture time [s]", "against"),
        rows,
        f"The best hand-written {side.name} is `{script}`.",
    )
