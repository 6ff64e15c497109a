"""One episode or moment, for tests that compare other ways to play or to explain it."""

from steer_env.envs.keywords import given_game
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.game.annotations import Annotator
from steer_env.players import controllers_of, name_of


def trajectory(pursuer, evader, config=None, seed=0):
    """The recording of the episode that `evaluate` plays from a seed."""
    names = name_of(pursuer), name_of(evader)
    duel = Duel(given_game(config, "config"), *controllers_of(pursuer, evader, seed), names)
    return record_episode(duel, seed)


def annotations_of(record, config, scripts):
    """The annotations of all players in one record."""
    return Annotator(config, scripts).annotations(record)
