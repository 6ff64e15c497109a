"""How a training ended: a concluding sentence, and the command that shows the policy."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from baselines import Interval, paired_rate_difference
from baselines.payoffs import CAPTURE_TIME, largest_payoff
from baselines.protocol import Result
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import DEFAULT_GAME, ENVIRONMENTS

_WORDS = {
    (CAPTURE_TIME, PURSUER): ("as fast as", "sooner than", "later than"),
    (CAPTURE_TIME, EVADER): ("as long as", "shorter than", "longer than"),
}
_DISTANCE_WORDS = ("as near as", "nearer than", "farther than")


def conclusion(result: Result) -> str:
    """A sentence: how the learned policy does, beside the first and the best reference.

    If the interval of a difference contains 0, it says "about as fast as", or the like.
    """
    references = dict.fromkeys((result.scenario.references[0], result.best_reference()))
    compared = [_compared(result, name, result.difference(name)) for name in references]
    rates = [name for name in references if _is_worse_by_rate(result, name)]
    side = Side.named(result.scenario.side)
    rarer = {
        PURSUER: "It captures less often than",
        EVADER: "It is captured more often than",
    }[side]
    addition = f" {rarer} {' and '.join(rates)}." if rates else ""
    return f"{_subject(result)}: {' and '.join(compared)}.{addition}"


def _subject(result: Result) -> str:
    """The start of the sentence: the opponent and the mean payoff."""
    scenario, mean = result.scenario, f"{result.trained.estimate:.2f} {result.payoff.unit}"
    opponents = scenario.opponents
    others = opponents[0] if len(opponents) == 1 else f"its {len(opponents)} opponents"
    learned = f"The learned {scenario.side}"
    played = [result.runs[name][0] for name in opponents]
    if result.payoff is not CAPTURE_TIME:
        verb = "gets within" if scenario.side == PURSUER.name else "ends at"
        return f"{learned} {verb} {mean} of {others} on average"
    rate = sum(found.capture_rate.estimate for found in played) / len(played)
    limit = largest_payoff(played[0].config)
    if scenario.side == PURSUER.name:
        if rate == 1.0:
            return f"{learned} catches {others} in {mean} on average"
        return (
            f"{learned} catches {others} in {rate:.1%} of the episodes, and in {mean} on "
            f"average, where a time-out counts as {limit:g} s"
        )
    return (
        f"{learned} survives {others} for {mean} on average, and is free after {limit:g} s in "
        f"{1.0 - rate:.1%} of the episodes"
    )


def _compared(result: Result, reference: str, difference: Interval) -> str:
    side = Side.named(result.scenario.side)
    same, smaller, larger = _WORDS.get((result.payoff, side), _DISTANCE_WORDS)
    unit, low, high = result.payoff.unit, difference.low, difference.high
    if low <= 0.0 <= high:
        interval = f"{difference.estimate:+.2f} {unit} [{low:+.2f}, {high:+.2f}]"
        return f"about {same} {reference} ({interval})"
    words = smaller if high < 0.0 else larger
    least, most = sorted((abs(low), abs(high)))
    size = abs(difference.estimate)
    return f"{size:.2f} {unit} [{least:.2f}, {most:.2f}] {words} {reference}"


def _is_worse_by_rate(result: Result, reference: str) -> bool:
    """Whether a single opponent is captured less often, or captures more often."""
    opponents, names = result.scenario.opponents, result.scenario.references
    if len(opponents) > 1 or result.payoff is not CAPTURE_TIME:
        return False
    ours = result.runs[opponents[0]][0]["captured"]
    theirs = result.references[opponents[0]][names.index(reference)]["captured"]
    found = paired_rate_difference(ours, theirs)
    return found.high < 0.0 if result.scenario.side == PURSUER.name else found.low > 0.0


def watch_command(result: Result, policy: Path) -> str:
    """The command that shows a policy beside the first reference against its first opponent."""
    scenario = result.scenario
    learned, first = [str(policy), scenario.references[0]], scenario.opponents[0]
    sides = Side.named(scenario.side).ordered(learned, [first])
    return watch_line(*sides, ENVIRONMENTS[scenario.environment].game.name)


def watch_line(pursuers: Sequence[str], evaders: Sequence[str], game: str) -> str:
    """The command that shows players of a game, for a shell in this folder."""
    words = ["--pursuer", *pursuers, "--evader", *evaders]
    words += [] if game == DEFAULT_GAME else ["--game", game]
    return shlex.join([_interpreter(), "-m", "steer_env", "watch", *words])


def _interpreter() -> str:
    """This interpreter, as a shell finds it: its environment may not be the active one."""
    if not sys.executable or shutil.which("python") == sys.executable:
        return "python"
    called, here = Path(sys.executable), Path.cwd()
    return str(called.relative_to(here) if called.is_relative_to(here) else called)
