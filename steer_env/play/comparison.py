"""What others would have done from the same start."""

from __future__ import annotations

from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.episodes.recording import Recording
from steer_env.game.state import EVADER, PURSUER
from steer_env.play.levels import Challenge, first_that_fits

ANALYTIC = {PURSUER: "pursuit", EVADER: "evade"}
"""Reynolds' textbook player of either side."""

BEST_KNOWN = {
    PURSUER: ("pretrained/pursuit/mixture", "pursuit/full_force"),
    EVADER: ("pretrained/evade/mixture", "evade/threatened"),
}
"""The best player of either side against many opponents: learned, or where that does not fit
the game, written by hand."""


def others(challenge: Challenge, seed: int) -> tuple[Recording, Recording]:
    """What the analytic and the best known player would do in the person's place.

    They are the episodes that ``baselines.trajectory`` plays.

    Args:
        challenge: what the person faces.
        seed: of the start.
    """
    side, config = challenge.side, challenge.config
    first, second = (
        _episode(challenge, seed, *first_that_fits(names, side, config))
        for names in ((ANALYTIC[side],), BEST_KNOWN[side])
    )
    return first, second


def _episode(challenge: Challenge, seed: int, name: str, player: object) -> Recording:
    pair = (name, challenge.opponent_name)
    names = pair if challenge.side == PURSUER else pair[::-1]
    duel = Duel(challenge.config, *challenge.sides_with(player), names)  # type: ignore[arg-type]
    try:
        return record_episode(duel, seed)
    finally:
        duel.close()
