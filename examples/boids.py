# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[own,render]"]
# ///
"""200 boids at 60 Hz in your own pygame program: the steering functions in your own njit.

    python examples/boids.py
    SDL_VIDEODRIVER=dummy python examples/boids.py --frames 300 --picture boids.png

The boids flock as Reynolds (1987) describes it, leave the window on one side and come back on
the other, and flee from the mouse. With `--frames` there is no waiting between frames: it
prints how long one takes.
"""

import argparse
import time

import numba
import numpy as np
import pygame
from pygame import Vector2

from steer_env.steering import VEHICLE, alignment, apply_force, cohesion, flee, seek, separation

SIZE = (1280, 720)  # pixels
SCALE = 20.0  # pixels a meter
DT = 1 / 60  # seconds


def to_meters(pixels: Vector2) -> complex:
    """The vector (x, y) is the complex number x + iy."""
    return complex(*pixels / SCALE)


def to_pixels(meters: complex) -> Vector2:
    """The other way round; y points down in both."""
    return Vector2(meters.real, meters.imag) * SCALE


def make_boids(count: int, generator: np.random.Generator) -> np.ndarray:
    """Boids all over the window, an array of records."""
    boids = np.zeros(count, VEHICLE)
    width, height = np.array(SIZE) / SCALE
    boids["position"] = generator.uniform(0, width, count)
    boids["position"] += 1j * generator.uniform(0, height, count)
    boids["heading"] = np.exp(1j * generator.uniform(0, 2 * np.pi, count))
    boids["velocity"] = 4.0 * boids["heading"]
    boids["max_speed"], boids["max_force"], boids["mass"] = 7.0, 15.0, 1.0
    return boids


@numba.njit(error_model="numpy")
def step(boids, size, mouse):
    """Returns the boids one frame later; size is width + height * 1j, in meters."""
    moved, others = boids.copy(), boids[1:].copy()
    for number in range(len(boids)):
        if number > 0:
            others[number - 1] = boids[number - 1]  # so `others` lacks this boid only
        me = boids[number]
        force = 8 * separation(me, others, 0.5, 1.8)
        force += 8 * alignment(me, others, 1.0, 4.0, -0.5) + 5 * cohesion(me, others, 1.0, 5.0)
        force += seek(me, me.position + me.heading) + 3 * flee(me, mouse, 6.0)
        velocity, heading = apply_force(me, force, DT)
        place = me.position + velocity * DT
        moved[number].position = complex(place.real % size.real, place.imag % size.imag)
        moved[number].velocity, moved[number].heading = velocity, heading
    return moved


def draw(screen: pygame.Surface, boids: np.ndarray) -> None:
    """Draws each boid as an arrowhead, colored by its course."""
    screen.fill((16, 18, 22))
    for boid in boids:
        place, ahead = to_pixels(boid["position"]), to_pixels(boid["heading"])
        color = pygame.Color(0)
        color.hsva = (ahead.angle_to(Vector2(1, 0)) % 360, 55, 100, 100)
        corners = (0.7 * ahead, 0.45 * ahead.rotate(140), 0.45 * ahead.rotate(-140))
        pygame.draw.polygon(screen, color, [place + corner for corner in corners])


def main() -> None:
    """Shows them until the window is closed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boids", type=int, default=200)
    parser.add_argument("--frames", type=int, help="end after so many frames, and time them")
    parser.add_argument("--picture", help="a PNG file for the last frame")
    options = parser.parse_args()
    pygame.display.init()
    screen, clock = pygame.display.set_mode(SIZE), pygame.time.Clock()
    boids = make_boids(options.boids, np.random.default_rng(0))
    size, mouse = to_meters(Vector2(SIZE)), complex(np.inf, 0)
    step(boids, size, mouse)  # compiles it
    begin, frame = time.perf_counter(), 0
    while frame != options.frames:
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            break
        if pygame.mouse.get_focused():
            mouse = to_meters(Vector2(pygame.mouse.get_pos()))
        boids, frame = step(boids, size, mouse), frame + 1
        draw(screen, boids)
        pygame.display.flip()
        if options.frames is None:
            clock.tick(1 / DT)
    milliseconds = 1000 * (time.perf_counter() - begin) / max(frame, 1)
    print(f"{options.boids} boids: {milliseconds:.2f} ms a frame, {frame} frames")
    if options.picture:
        pygame.image.save(screen, options.picture)


if __name__ == "__main__":
    main()
