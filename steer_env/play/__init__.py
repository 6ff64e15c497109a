"""A game for a person: steer the pursuer or the evader against the computer."""
