"""The title screen with all choices, and the list of best times."""

from __future__ import annotations

from functools import partial

from steer_env.drawing import Color
from steer_env.play.lines import Line, line, text
from steer_env.play.menu import Menu
from steer_env.play.screens import Screen
from steer_env.play.visit import Visit
from steer_env.sides import Side


def draw_title(screen: Screen, visit: Visit, sound: str) -> None:
    """Draws the rules, the choices, and the best time."""
    theme, menu = screen.theme, visit.menu
    challenge, side = menu.challenge, menu.side
    config, level = challenge.config, challenge.level
    speeds = [config.vehicles(each.name)[0].max_speed for each in Side]
    count = max(config.pursuers, config.evaders)
    they_go = f"{count} of them go" if count > 1 else "it goes"
    opponent = (
        ("against ", theme.faint),
        (challenge.opponent_name, theme.of(side.other)),
        (f": {level.text}", theme.ink),
    )
    levels = (
        screen.button(each.name, partial(menu.choose, side, each), is_filled=each is level)
        for each in menu.levels
    )
    lines = [
        _heading(screen),
        _sides(screen, visit),
        *(text(rule, theme.ink) for rule in _rules(menu)),
        Line((("Level ", theme.faint), *levels), 1.0, 0.5),
        Line(opponent),
        line(
            f"{they_go} {speeds[side.other]:.1f} m/s, you {speeds[side]:.1f} m/s; "
            f"capture radius {config.capture_radius:.2g} m",
            theme.faint,
        ),
        _start(screen, visit),
        line(_best_words(visit), theme.faint),
        Line(
            (
                screen.button("Begin", "return", "Enter", is_filled=True),
                screen.button("Best times", "b", "b"),
                screen.button(f"Sound: {sound}", "m", "m"),
                screen.button("Keys", "h", "h"),
                screen.button("Quit", "escape", "Esc"),
            ),
            size=0.9,
            space=0.6,
        ),
    ]
    for problem in filter(None, (menu.problem, visit.best_times.problem)):
        lines.append(text(problem, theme.pursuer, 0.9, 0.4))
    screen.draw_page(lines)


def draw_times(screen: Screen, visit: Visit) -> None:
    """Draws the best times of each level, which begin a round from their start."""
    theme = screen.theme
    lines = [
        line("Your best times", theme.ink, 1.8),
        _sides(screen, visit),
        text("Choose one to play its start again.", theme.faint),
    ]
    for level, times in visit.times:
        label: tuple[str, Color] = (f"{level.name}  ", theme.ink if times else theme.faint)
        buttons = (
            screen.button(
                f"{time.seconds:.1f} s",
                partial(visit.play_start, level, time.seed),
                f"start {time.seed}",
            )
            for time in times
        )
        nothing = () if times else (("no time yet", theme.faint),)
        lines.append(Line((label, *buttons, *nothing), 1.0, 0.5))
    lines.append(Line((screen.button("Back", "escape", "Esc", is_filled=True),), 1.0, 0.8))
    if visit.best_times.problem:
        lines.append(text(visit.best_times.problem, theme.pursuer, 0.9, 0.4))
    screen.draw_page(lines)


def _heading(screen: Screen) -> Line:
    theme = screen.theme
    name = (("Pursuit ", theme.pursuer), ("& ", theme.faint), ("Evasion", theme.evader))
    return Line(name, 2.2)


def _sides(screen: Screen, visit: Visit) -> Line:
    """Returns the choice of a side."""
    chosen = visit.menu.side
    buttons = (
        screen.button(
            each.name,
            partial(visit.choose_side, each),
            "" if each is chosen else "Tab",
            is_filled=each is chosen,
        )
        for each in Side
    )
    return Line((("You are the ", screen.theme.ink), *buttons), 1.2, 0.4)


def _start(screen: Screen, visit: Visit) -> Line:
    """Returns the choice of a start: a new one each time, or that of a seed."""
    seed = visit.next_seed
    return Line(
        (
            ("Start ", screen.theme.faint),
            screen.button(
                "new each time", partial(visit.draw_seed, False), is_filled=seed is None
            ),
            screen.button(
                "a number" if seed is None else str(seed),
                partial(visit.draw_seed, True),
                "0 to 9",
                is_filled=seed is not None,
            ),
        ),
        space=0.3,
    )


def _best_words(visit: Visit) -> str:
    """Returns the best time at the chosen level, and from the chosen start."""
    challenge, seed = visit.menu.challenge, visit.next_seed
    best = visit.best_times.of(challenge)
    if best is None:
        return "No best time yet"
    words = f"Your best: {best.seconds:.1f} s (start {best.seed})"
    here = None if seed is None else visit.best_times.of(challenge, seed)
    return f"{words}; from start {seed}: {here.seconds:.1f} s" if here else words


def _rules(menu: Menu) -> tuple[str, ...]:
    """Returns the rules, in three short sentences."""
    config = menu.challenge.config
    seconds, radius = f"{config.horizon * config.dt:g} s", f"{config.capture_radius:.2g} m"
    if menu.side is Side.PURSUER:
        quarry = "all evaders" if config.evaders > 1 else "the evader"
        goal = f"Catch {quarry} within {seconds}: the sooner, the better."
        how = f"To catch, come nearer than {radius}: your circle."
    else:
        goal = f"Stay free for {seconds}: the longer, the better."
        how = f"A pursuer nearer than {radius}, the circle, catches you."
    return goal, how, "You push, and glide on: brake by pushing back."
