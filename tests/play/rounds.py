"""Rounds that are played without a window."""

from __future__ import annotations

from steer_env.game.config import game_config
from steer_env.play.levels import Level, challenge
from steer_env.play.rounds import Round


class NotedRound(Round):
    """A round that notes the person's actions."""

    def __init__(self, challenge, seed):
        super().__init__(challenge, seed)
        self.actions = []

    def act(self, action):
        """Plays one step."""
        super().act(action)
        self.actions.append(action)


def faced(side, opponent, **keywords):
    """A challenge by an opponent with the limits of the game."""
    return challenge(side, Level("own", opponent), game_config(**keywords))


def straight_to(playing):
    """A push from the person to the first player of the other side."""
    players = playing.duel.record["players"]["body"]["position"]
    me, other = (0, -1) if playing.challenge.side == 0 else (-1, 0)
    return complex(players[other] - players[me])


def played(challenged, seed=0, push=straight_to):
    """A round to its end."""
    playing = NotedRound(challenged, seed)
    while not playing.duel.status.is_over:
        playing.push(push(playing))
    return playing


def replayed(challenged, seed, actions):
    """The round that follows from a start and a person's actions."""
    again = Round(challenged, seed)
    for action in actions:
        again.act(action)
    return again.history.recording()
