"""Vehicles for tests: made, turned and mirrored."""

import cmath

from steer_env.steering import Vehicle, advance


def vehicle(position=0, velocity=0, heading=1, max_speed=1, max_force=1, acceleration=0):
    """A Vehicle whose acceleration may be given."""
    return Vehicle(position, velocity, heading, max_speed, max_force, acceleration=acceleration)


def moving(position, velocity, **limits):
    """A vehicle that faces the way it moves."""
    velocity = complex(velocity)
    heading = velocity / abs(velocity) if velocity else 1
    return vehicle(position, velocity, heading, **limits)


def rotated(me, angle, shift=0j):
    """The vehicle after a rotation of the plane about the origin, and a shift."""
    turn = cmath.exp(1j * angle)
    return me._replace(
        position=me.position * turn + shift,
        velocity=me.velocity * turn,
        heading=me.heading * turn,
        acceleration=me.acceleration * turn,
    )


def mirrored(me):
    """The vehicle in a mirror along the x axis."""
    return me._replace(
        position=me.position.conjugate(),
        velocity=me.velocity.conjugate(),
        heading=me.heading.conjugate(),
        acceleration=me.acceleration.conjugate(),
    )


def played(bodies, forces, steps, dt=1 / 60):
    """All vehicles after each step; the force on each is a function of all of them."""
    for _ in range(steps):
        pushes = [force(*bodies) for force in forces]
        bodies = [advance(one, push, dt) for one, push in zip(bodies, pushes)]
        yield bodies
