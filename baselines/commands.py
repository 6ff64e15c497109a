"""The commands of ``steer-env`` that measure: functions with the help as docstrings."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tyro.conf import Positional

from steer_env.baselines.command_options import (
    PICTURES,
    PlotOptions,
    ResultOptions,
    SampleOptions,
    Theme,
    show_progress,
)
from steer_env.baselines.tasks import (
    BUDGET,
    EPISODES,
    EVADERS,
    HELD_OUT_SEED,
    PURSUERS,
    REGION_STARTS,
    held_out_seed,
)
from steer_env.cli import StatusLine, print_written
from steer_env.errors import InvalidValue
from steer_env.files import check_endings
from steer_env.options import GameChoice, SideOptions, TeamGameOptions, check_different
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.baselines.episodes import Episodes

SOLVED = GameChoice("homicidal_chauffeur")


def evaluate(
    players: SideOptions, game: TeamGameOptions, sample: SampleOptions, results: PlotOptions
) -> None:
    """Measures a pursuer against an evader.

    Without names the game's own players play.

    Args:
        out: Files: .npz, .csv (episodes), .json, .md, .tex (metrics), .png, .svg, .pdf
            (survival).
    """
    sample.check()
    results.check(".npz", ".csv")
    wanted = "name at most one player on each side, {}; crossplay takes several"
    (pair,) = players.in_game(game).pairs((1, 1), wanted=wanted)
    found = sample.play(pair, game.config())
    results.draw([found])
    results.show(found.to_dict(), found.table(), write=found.save)


def compare(
    players: SideOptions, game: TeamGameOptions, sample: SampleOptions, results: PlotOptions
) -> None:
    """Compares two policies of one side, from the same starts.

    Name two pursuers or two evaders; the differences are those of the first less the second.
    Without a name the opponent is the game's own.

    Args:
        out: Files: .json, .md, .tex (figures), .png, .svg, .pdf (survival of both).
    """
    from steer_env.baselines.comparison import compare as compare_evaluations

    sample.check()
    results.check()
    pairs = players.in_game(game).pairs(
        *((1, 2), (2, 1)),
        wanted="name two players on one side and at most one on the other, {}; such as "
        "--pursuer navigation pursuit",
    )
    first, second = (sample.play(pair, game.config()) for pair in pairs)
    side = Side.EVADER if first.pursuer == second.pursuer else Side.PURSUER
    comparison = compare_evaluations(first, second, side.name)
    results.draw([first, second])
    results.show(comparison.to_dict(), *(one.table() for one in (comparison, first, second)))


def crossplay(
    *,
    players: SideOptions = SideOptions(PURSUERS, EVADERS),
    game: TeamGameOptions,
    sample: SampleOptions,
    results: PlotOptions,
) -> None:
    """Plays every pursuer against every evader: table, ranking, and equilibrium.

    Args:
        out: Files: .json, .md, .tex (tables), .csv (one line a pair), .png, .svg, .pdf (heat
            map).
    """
    from steer_env.baselines.cross_play import (
        crossplay as play,
        numbers_of,
        save_pairs,
        tables_of_numbers,
    )

    sample.check()
    results.check(".csv")
    given = *players.players(), game.config(), sample.episodes, sample.seed
    with show_progress("pairs") as progress:
        numbers = numbers_of(play(*given, progress))
    results.draw(numbers)
    results.show(numbers, *tables_of_numbers(numbers), write=partial(save_pairs, numbers))


def gap(
    *,
    players: SideOptions = SideOptions(),
    game: GameChoice = SOLVED,
    results: ResultOptions,
    starts: int = REGION_STARTS,
    seed: int = HELD_OUT_SEED,
) -> None:
    """Measures the gap between a policy and perfect play.

    Name a pursuer or an evader; the other side plays perfectly. Solved games are simple_plane,
    homicidal_chauffeur, two_cars, drag, reach_avoid, two_on_one and perimeter_defense.

    Args:
        starts: Starts in each region of the solution.
        seed: Seed of the first start.
    """
    from steer_env.baselines.optimality import gap as measure_gap

    results.check()
    if (given := players.only(game)) is None:
        raise InvalidValue("a gap is a policy's: name it with --pursuer or --evader")
    side, name, policy = given
    with StatusLine("playing ..."):
        found = measure_gap(
            policy, {"game": game.scenario}, side.name, starts=starts, seed=seed, name=name
        )
    results.show(found.to_dict(), found.table())


def solution(
    *,
    game: GameChoice = SOLVED,
    theme: Theme = "light",
    out: tuple[Path, ...] = (Path("solution.png"),),
) -> None:
    """Draws the value of a solved game (see `gap`), as the pursuer sees it.

    Args:
        out: Pictures to write, at least one: .png, .svg, .pdf.
    """
    from steer_env.baselines import plots, solution_plots

    if not out:
        raise InvalidValue("there is no file to write; name one after --out")
    check_endings(out, PICTURES)
    with StatusLine("computing ..."):
        found = solution_plots.solution_map({"game": game.scenario})
    for path in out:
        plots.save(path, partial(solution_plots.value_figure, found), theme)
    print_written(*out)


def exploit(
    *,
    players: SideOptions = SideOptions(),
    game: TeamGameOptions,
    results: PlotOptions,
    starts: int = 100,
    budget: int = BUDGET,
    seed: int = HELD_OUT_SEED,
    kicks: float = 0.0,
    exact: bool = False,
) -> None:
    """Searches for the best response to a player, and measures its gain over known players.

    Name a pursuer or an evader; the search plays the other side. From each start it tries many
    plans of held actions and known scripts, and plans anew at every decision.

    Args:
        starts: Number of starts; with --exact, in each region of the solution.
        budget: Plans that are tried from each start; --exact needs none.
        seed: Seed of the first start.
        kicks: Random changes of all velocities at every decision, unforeseen: their standard
            deviation in m/s. A gain that small ones take away hangs on exact distances.
        exact: Compute it instead, by dynamic programming: in a solved game, against a player
            that sees the reduced state alone.
        out: Files: .json, .md, .tex; with --exact also .png, .svg, .pdf (where it loses).
    """
    from steer_env.baselines.best_responses import best_response
    from steer_env.baselines.exact_responses import exact_response

    (PlotOptions if exact else ResultOptions).check(results)
    if (named := players.only()) is None:
        raise InvalidValue("name the player to play against with --pursuer or --evader")
    side, _, opponent = named
    given: Any = {"starts": starts, "seed": seed}
    find: Any = partial(best_response, budget=budget, kicks=kicks)
    if exact:
        find = exact_response
        if kicks:
            raise InvalidValue(f"kicks={kicks:g} is for the search: leave --exact away")
    with show_progress("grids" if exact else "starts") as progress:
        given["progress"] = progress
        found = find(opponent, game.config(), side.other.name, **given)
    for path in (one for one in results.out if one.suffix in PICTURES):
        from steer_env.baselines import plots, solution_plots

        shown = solution_plots.loss_map(found)
        plots.save(path, partial(solution_plots.value_figure, shown), results.theme)
    results.show(found.to_dict(), found.table())


def benchmark(
    policies: Positional[tuple[str, ...]],
    results: ResultOptions,
    sample: SampleOptions = SampleOptions(EPISODES, held_out_seed()),
    task: str = "pursuer/walls",
    trust: bool = False,
    normalization: tuple[str, ...] = (),
) -> None:
    """Measures a policy by the benchmark protocol, beside the hand-written references.

    A report of the protocol uses the default episodes and seed.

    Args:
        policies: A name or a file; several files are training runs of one method.
        task: SIDE/GAME: pursuer or evader, and walls, agile_torus, obstacles or pack.
        trust: Load .zip and .pkl files. These can run any code.
        normalization: VecNormalize files, one per .zip, in the same order.
    """
    from steer_env.baselines.policies import NAMES
    from steer_env.baselines.protocol import benchmark as run_benchmark
    from steer_env.scripts.roster import short_name

    results.check()
    sample.check()
    scripted = [name for name in policies if short_name(name) in NAMES]
    if scripted and len(policies) > 1:
        raise InvalidValue(
            "several policies are training runs of one method, each in a file; measure "
            f"{scripted[0]!r} by itself"
        )
    check_different(policies)
    options = SideOptions(policies, None, trust, normalization)
    players = dict(zip(policies, options.loaded(policies)))
    with show_progress("evaluations") as progress:
        result = run_benchmark(players, task, sample.episodes, sample.seed, progress)
    results.show(result.to_dict(), *result.tables())


def table(
    evaluations: Positional[tuple[Path, ...]],
    results: ResultOptions,
    metrics: tuple[str, ...] = (),
) -> None:
    """Puts several evaluations into one table, a row for each.

    Evaluations of equal names, in one game and from the same starts, are training runs of one
    method, and make one row: their mean, with an interval over runs and starts.

    Args:
        evaluations: Files that `evaluate --out FILE.npz` or `Episodes.save` wrote.
        metrics: Columns, such as capture_rate; by default it and the mean capture time, or the
            mean distance.
    """
    from steer_env.baselines.comparison import table_of
    from steer_env.baselines.episodes import Episodes

    results.check()
    found = [Episodes.load(path) for path in evaluations]
    methods: dict[Any, list[Episodes]] = {}
    for one in found:
        key = one.pursuer, one.evader, repr(one.config), one.version, one["seed"].tobytes()
        methods.setdefault(key, []).append(one)
    numbers = {"evaluations": [one.to_dict() for one in found]}
    results.show(numbers, table_of(methods.values(), metrics))
