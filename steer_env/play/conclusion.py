"""Concludes a round in a sentence: how the person did beside the others."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.episodes.history import History
from steer_env.episodes.status import Status
from steer_env.play.best_times import BestTime, is_better
from steer_env.play.rounds import Rival, Round
from steer_env.sides import Side


def conclude(played: Round, rivals: Sequence[Rival], others: Sequence[History]) -> str:
    """Returns a sentence about a round that is over, and how others did from its start.

    Args:
        played: the round.
        rivals: the others.
        others: their episodes, in the same order.
    """
    parts = comparisons(played, rivals, others)
    return f"{headline(played)}: {', '.join(parts)}." if parts else f"{headline(played)}."


def comparisons(played: Round, rivals: Sequence[Rival], others: Sequence[History]) -> list[str]:
    """Returns how each of the others did beside the person; see `conclude`."""
    mine, side = played.duel.status, played.challenge.side
    several = played.challenge.config.evaders > 1
    return [
        _comparison(side, mine, rival.title, other.status(other.last), several)
        for rival, other in zip(rivals, others)
    ]


def headline(played: Round) -> str:
    """Returns the end of a round in a few words."""
    status, config = played.duel.status, played.challenge.config
    seconds = f"{status.seconds:.1f} s"
    if played.challenge.side is Side.EVADER:
        return f"Caught after {seconds}" if status.is_captured else f"Free for {seconds}"
    if status.is_captured:
        return f"{'All caught' if config.evaders > 1 else 'Caught'} in {seconds}"
    if config.evaders > 1:
        caught = status.record["game"]["captured"]
        return f"{caught} of {config.evaders} caught in {seconds}"
    return f"Not caught in {seconds}"


def _comparison(side: Side, mine: Status, name: str, theirs: Status, several: bool) -> str:
    """Returns how another player did beside the person."""
    seconds = f"{theirs.seconds:.1f} s"
    if mine.is_captured and theirs.is_captured:
        # Of the times that are shown, so that the sentence fits them.
        late = round(round(mine.seconds, 1) - round(theirs.seconds, 1), 1)
        if side is Side.PURSUER:
            words = "behind" if late > 0 else "ahead of"
        else:
            words = "longer than" if late > 0 else "shorter than"
        level = "level with" if side is Side.PURSUER else "as long as"
        return f"{abs(late):.1f} s {words} {name}" if late else f"{level} {name}"
    if side is Side.EVADER:
        return (
            f"{name} is caught after {seconds}" if theirs.is_captured else f"{name} gets away"
        )
    quarry = "them all" if several else "it"
    if theirs.is_captured:
        return f"{name} catches {quarry} in {seconds}"
    return f"{name} does not catch {quarry}"


def best_text(played: Round, best: BestTime | None, start: BestTime | None) -> str:
    """Returns how a round that is over compares with the person's earlier ones.

    Args:
        played: the round.
        best: the best time before it, from any start.
        start: the best time before it from the same start.
    """
    parts = []
    is_best, is_start_best = is_better(played, best), is_better(played, start)
    if is_best:
        parts.append(f"Your new best{_before(best)}.")
    if start and is_start_best and start != best:
        parts.append(f"Your new best from this start{_before(start)}.")
    elif start and not is_start_best:
        parts.append(f"Your best from this start: {start.seconds:.1f} s.")
    if best and not is_best and best != start:
        parts.append(f"Your best: {best.seconds:.1f} s.")
    return " ".join(parts)


def _before(time: BestTime | None) -> str:
    return f" (before: {time.seconds:.1f} s)" if time else ""
