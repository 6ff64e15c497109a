"""Commands for the games whose value is known."""

from __future__ import annotations

import json as json_format
import time
from pathlib import Path
from typing import Any, Literal

from baselines.command_options import Name, check_different, players_of, show_progress
from baselines.optimality import MOST_STARTS
from baselines.optimality import gap as measure_gap
from baselines.optimality_pages import measure_players, players_table, write_page
from baselines.report import made_with
from baselines.scenarios import HELD_OUT_SEED
from baselines.step_errors import step_errors, step_errors_table
from baselines.tables import markdown, plain_text
from steer_env.command_options import Models
from steer_env.errors import InvalidValue, check_choice, check_integer
from steer_env.files import check_endings, write_json, write_text
from steer_env.sides import Side
from steer_env.suite import SOLVED


def gap(
    policy: Name,
    models: Models,
    game: str = "homicidal_chauffeur",
    side: Literal["pursuer", "evader"] = "pursuer",
    starts: int = 100,
    seed: int = HELD_OUT_SEED,
    nu: float | None = None,
    l: float | None = None,  # noqa: E741
    json: bool = False,
    out: tuple[Path, ...] = (),
) -> None:
    """Measures how far a policy is from perfect play, in a game whose value is known.

    Args:
        policy: A name (see `list`), or the path of an .npz or a Stable-Baselines3 .zip.
        game: A solved game: simple_plane, homicidal_chauffeur, two_cars or drag.
        side: The side that the policy plays.
        starts: Starts in each region of the solution.
        seed: Seed of the first start.
        nu: The evader's top speed over the pursuer's; by default the game's.
        l: The capture radius over the pursuer's turning radius; likewise.
        json: Print one JSON document.
        out: Files: .json, .md.
    """
    check_endings(out, (".json", ".md"))
    check_choice("game", game, SOLVED)
    check_integer("--starts", starts, 2, MOST_STARTS)
    player = players_of([policy], models)[policy]
    keywords = _keywords(game, nu, l)
    found = measure_gap(player, keywords, side, starts=starts, seed=seed, name=policy)
    for path in out:
        if path.suffix == ".json":
            write_json(path, found.to_dict())
        else:
            table = found.table()
            write_text(path, f"**{table.title}**\n\n{markdown(table)}\n{table.caption}\n")
    print(json_format.dumps(found.to_dict(), indent=2) if json else found)


def optimality(
    games: tuple[str, ...] = tuple(SOLVED),
    starts: int = 100,
    seed: int = HELD_OUT_SEED,
    out: Path | None = None,
) -> None:
    """Measures all known players of the solved games against perfect play.

    Every hand-written behavior and every pretrained policy takes part. Also measures what the
    length of a step costs perfect play, from twice as many starts.

    Args:
        games: Solved games; by default all.
        starts: Starts in each region of a solution.
        seed: Seed of the first start.
        out: Folder for README.md and optimality.json; made if it is missing.
    """
    check_different(games)
    for game in games:
        check_choice("game", game, SOLVED)
    check_integer("--starts", starts, 2, MOST_STARTS)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    begun, found = time.perf_counter(), {}
    pairs = [(game, side) for game in games for side in Side]
    with show_progress("games and sides") as progress:
        for number, (game, side) in enumerate(pairs):
            progress(number, len(pairs))
            found[game, side] = measure_players(SOLVED[game], side, starts, seed)
    for (game, side), players in found.items():
        print(plain_text(players_table(SOLVED[game], side, players)))
    errors = {game: step_errors(game, 2 * starts, seed) for game in games}
    print(plain_text(step_errors_table(errors)))
    if out is not None:
        given = "" if games == tuple(SOLVED) else f" --games {' '.join(games)}"
        command = f"optimality{given} --starts {starts} --seed {seed} --out {out}"
        made = made_with(command, time.perf_counter() - begun)
        print("wrote " + ", ".join(map(str, write_page(out, found, errors, made))))


def solution(
    models: Models,
    game: str = "homicidal_chauffeur",
    show: Literal["value", "trajectories", "gap", "arrows"] = "value",
    policy: str | None = None,
    side: Literal["pursuer", "evader"] | None = None,
    nu: float | None = None,
    l: float | None = None,  # noqa: E741
    psi: float | None = None,
    theme: Literal["light", "dark"] = "light",
    out: tuple[Path, ...] = (Path("solution.png"),),
) -> None:
    """Draws a game whose value is known, as the pursuer sees it.

    Args:
        game: A solved game: simple_plane, homicidal_chauffeur, two_cars or drag.
        show: The value's contours; trajectories; a policy's gap by start; or moves as arrows.
        policy: A name (see `list`) or a file, beside perfect play; the gap needs one.
        side: The side that the policy plays, or whose moves are drawn; by default the pursuer.
        nu: The evader's top speed over the pursuer's; by default the game's.
        l: The capture radius over the pursuer's turning radius; likewise.
        psi: The pursuer's heading in the evader's frame, in radians, by default pi / 2; only
            for two_cars.
        theme: Colors on white, or on a dark ground.
        out: Pictures to write, at least one: .png, .svg, .pdf.
    """
    from baselines import figure_style, solution_maps, solution_play, solution_plots

    if not out:
        raise InvalidValue("there is no file to write; name one after --out")
    check_endings(out, figure_style.FORMATS)
    check_choice("game", game, SOLVED)
    if psi is not None and game != "two_cars":
        raise InvalidValue("psi is for two cars; leave out --psi, or --game two_cars")
    if policy is None and show == "gap":
        raise InvalidValue("a gap is a policy's; name it with --policy")
    if policy is not None and show == "value":
        raise InvalidValue(
            "the value is that of perfect play; leave out --policy, or --show gap"
        )
    if side is not None and show == "value":
        raise InvalidValue("the value is the same for both sides; leave out --side")
    if side is not None and policy is None and show == "trajectories":
        raise InvalidValue(
            "both sides play perfectly; leave out --side, or name its policy with --policy"
        )
    keywords = _keywords(game, nu, l)
    given: Any = {"side": side, "psi": psi}
    given = {name: value for name, value in given.items() if value is not None}
    player = None if policy is None else players_of([policy], models)[policy]
    name = Path(policy).name if policy and policy.endswith((".npz", ".zip")) else policy
    found: Any
    if show == "value":
        found = solution_maps.solution_map(keywords, **given)
        draw: Any = solution_plots.value_figure
    elif show == "gap":
        assert player is not None
        found = solution_maps.gap_map(player, keywords, name=name, **given)
        draw = solution_plots.gap_figure
    elif show == "trajectories":
        found = solution_play.episode_pair(keywords, player, name=name, **given)
        draw = solution_plots.trajectories_figure
    else:
        found = solution_play.move_map(keywords, player, name=name, **given)
        draw = solution_plots.arrows_figure
    for path in out:
        figure_style.save(path, lambda: draw(found, theme))
    print("wrote " + ", ".join(map(str, out)))


def _keywords(game: str, nu: float | None, l: float | None) -> dict[str, Any]:  # noqa: E741
    ratios = {name: value for name, value in (("nu", nu), ("l", l)) if value is not None}
    return {"game": game, **ratios}
