"""Anna leads the quarry: she runs to where it will be, with all the force that she has."""

from steer_env.steering import norm, scale, seek, unit


def chase(me, other):
    """The force, in newtons."""
    seconds = norm(other.position - me.position) / me.max_speed
    force = seek(me, other.position + seconds * other.velocity)
    return scale(unit(force), me.max_force)
