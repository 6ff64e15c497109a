"""Ctrl-C ends our programs without a traceback, from their first import to their last line.

Python imports a package before it runs the package's ``__main__``, which takes seconds. So
steer_env, which the others import, calls `exit_while_loading` before it imports anything else,
and this module imports hardly more than Python itself does to start.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

_PACKAGES = ("steer_env", "baselines", "agents")
_SCRIPTS = ("steer-env", "steer-env.exe", "steer-env-script.py")
_PAUSE = 0.05


def running_program() -> str | None:
    """Returns the package whose program this process runs; None in a program of a user."""
    specification = getattr(sys.modules["__main__"], "__spec__", None)
    if specification is not None:  # python -m
        names = [specification.parent]
    elif sys.argv[:1] == ["-m"]:  # Python has not found the module yet
        names = [sys.orig_argv[-len(sys.argv)].partition(".")[0]]
    else:
        names = ["steer_env"] if os.path.basename((sys.argv or [""])[0]) in _SCRIPTS else []
    return next(filter(_is_ours, names), None)


def _is_ours(name: str) -> bool:
    """Whether a package stands beside this one: others have packages called agents, too."""
    folders = getattr(sys.modules.get(name), "__path__", [])
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return name in _PACKAGES and os.path.join(root, name) in map(os.path.abspath, folders)


def exit_while_loading() -> None:
    """Lets Ctrl-C end one of our programs at once, until `raise_interrupts`.

    Nothing needs to be cleaned up yet, and an exception would be caught or replaced by some of
    the modules that are imported. Does nothing in a program of a user.
    """
    if running_program() is not None:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))


def raise_interrupts() -> None:
    """Makes Ctrl-C raise a KeyboardInterrupt that nobody loses on its way.

    Modules of C replace one that is raised while they are imported, and callbacks of the
    compiler print it and go on; it is raised again then, after them. Does nothing in a program
    of a user.
    """
    if running_program() is not None:
        signal.signal(signal.SIGINT, _raise_after_imports)
        sys.unraisablehook = _raise_again


def _raise_after_imports(number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return _interrupt_soon()
        frame = frame.f_back
    raise KeyboardInterrupt


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    if unraisable.exc_type is KeyboardInterrupt:
        _interrupt_soon()
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_soon() -> None:
    import threading  # numpy has imported it long ago

    def interrupt() -> None:
        if hasattr(signal, "pthread_kill"):  # which wakes the main thread up, too
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(_PAUSE, interrupt)
    timer.daemon = True
    timer.start()
