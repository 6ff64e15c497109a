"""Joins a Ray cluster, or starts a Ray of this machine's own; its errors are one line each.

A Ray that is started here is for this process alone: it wants a token that nobody else has. A
cluster gets the source code of this project sent along, so that all its machines play the same
version, whatever is installed there; its dependencies must be installed.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gymnasium.error import DependencyNotInstalled

import steer_env
from steer_env.errors import InvalidValue, UsageError, to_install

PATIENCE = 5.0  # seconds to wait for a machine to answer
NOT_SENT = ["*.gif", "*.png", "*.svg", "*.html", "**/__pycache__", "**/results"]
"""Files of the packages that no worker needs."""

_MISSING = re.compile(r"No module named '[^']*'|cannot import name '[^']*'")


class ClusterError(UsageError, RuntimeError):
    """Something is wrong with the cluster or with one of its machines."""


def import_ray(address: str | None = None) -> Any:
    """Returns the package `ray`, to be `joined` at an address.

    Without one, the Ray that this process starts is to want a token that only this process has.
    Ray reads that when it is imported, so it is too late after that.

    Args:
        address: as `joined` takes it.

    Raises:
        gymnasium.error.DependencyNotInstalled: if it is not installed.
    """
    if given_address(address) is None and "ray" not in sys.modules:
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        import ray
    except ImportError as error:
        raise DependencyNotInstalled(f"Ray is not installed; {to_install('ray')}") from error
    return ray


@contextmanager
def joined(address: str | None = None) -> Iterator[Any]:
    """Yields `ray`, connected; a Ray that was connected before is used, and stays.

    Args:
        address: "HOST:PORT" of a cluster's head, "ray://HOST:PORT" of one far away, or "auto"
            for the one of this machine; None for that of the environment variable RAY_ADDRESS,
            or else a Ray of our own on this machine.

    Raises:
        gymnasium.error.DependencyNotInstalled: without Ray.
        ClusterError: if nobody answers at the address, or for another version of Ray or Python.
        ValueError: if it is not an address.
    """
    address = given_address(address)
    ray = import_ray(address)
    if ray.is_initialized():
        with translated(ray):
            yield ray
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is None:
        options |= {"address": "local", "include_dashboard": False, "num_cpus": os.cpu_count()}
    else:
        _check_answer(address)
        folders = [str(Path(file).parent) for file in (steer_env.__file__, __file__)]
        options["runtime_env"] = {"py_modules": folders, "excludes": NOT_SENT}
        options["address"] = address
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        ray.shutdown()  # of what it has begun
        where = "on this machine" if address is None else f"at {address}"
        is_refused = "Failed to connect" in str(error)  # Ray's only word on a missing token
        hint = "; if it wants a token, set RAY_AUTH_MODE=token" if is_refused else ""
        raise ClusterError(f"Ray {where} cannot be used: {_first_line(error)}{hint}") from error
    try:
        with translated(ray):
            yield ray
    finally:
        ray.shutdown()


def given_address(address: str | None) -> str | None:
    """The address of a cluster that is given, or else that of RAY_ADDRESS; None for none."""
    return address or os.environ.get("RAY_ADDRESS") or None


def describe(ray: Any) -> str:
    """Says how large the cluster is, such as "3 machines with 12 processors"."""
    machines = sum(node["Alive"] for node in ray.nodes())
    processors = int(ray.cluster_resources().get("CPU", 0))
    what = "machine" if machines == 1 else "machines"
    return f"{machines} {what} with {processors} processors"


@contextmanager
def translated(ray: Any) -> Iterator[None]:
    """Raises Ray's errors as one line; what a task raised is raised as if it were from here."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, Exception) else error
        _check_packages(cause)
        raise cause from None
    except ray.exceptions.RayError as error:
        _check_packages(error)
        raise ClusterError(f"Ray gave up: {_first_line(error)}") from error


def _check_packages(error: Exception) -> None:
    """Raises a ClusterError if a worker could not import something."""
    missing = _MISSING.search(str(error))
    if missing is not None:
        raise ClusterError(
            f"a worker lacks a package: {missing[0]}; install steer-env with its extra 'ray' "
            "on every machine of the cluster"
        ) from error


def _check_answer(address: str) -> None:
    """Asks whether anybody listens: Ray itself would try for minutes."""
    if address == "auto":
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise InvalidValue(
            "the address of a Ray cluster is HOST:PORT, ray://HOST:PORT or auto, got "
            f"{address!r}"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except OSError as error:
        raise ClusterError(
            f"nobody answers at {address} ({error}); `ray status` on the head of a cluster "
            "shows whether it runs, and `ray start --head` prints its address"
        ) from error


def _first_line(error: BaseException) -> str:
    """The first line of a message; all of them in one if the first only announces the rest."""
    lines = str(error).split("\n")
    words = " ".join(" ".join(lines).split())
    first = next((line.strip() for line in lines if line.strip()), type(error).__name__)
    return words if first.endswith(":") else first
