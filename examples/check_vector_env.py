"""A checker for vector environments, the counterpart of Gymnasium's `check_env`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from inspect import isgeneratorfunction
from itertools import combinations, product
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space

from steer_env.envs.vector import AutoresetMode
from steer_env.errors import check_integer

MakeSingle: TypeAlias = Callable[[], gym.Env[Any, Any]]
MakeVector: TypeAlias = Callable[[int, AutoresetMode], VectorEnv[Any, Any, Any]]

_PARTS = ("observations", "rewards", "terminations", "truncations", "infos")


class VectorEnvError(AssertionError):
    """A vector environment breaks the rules that the message lists."""


def check_vector_env(
    make_single: MakeSingle,
    make_vector: MakeVector,
    *,
    num_envs: int = 4,
    steps: int = 500,
    seed: int = 0,
    modes: Sequence[AutoresetMode] = tuple(AutoresetMode),
) -> None:
    """Checks that a vector environment keeps Gymnasium's contract, bit for bit.

    Its spaces are those of the single environment, batched; its class's metadata is left alone;
    seeds that are an int s mean s, s + 1, ...; None goes on from the seed before; every step
    equals SyncVectorEnv's across episode ends, infos included, in each autoreset mode; a
    reset_mask resets only what it names; what is returned is never written to again; game 0
    does not depend on how many there are; closing twice is fine.

    Args:
        make_single: makes a single environment, wrapped as a user would have it.
        make_vector: makes the vector environment for a number of games and a mode.
        num_envs: games to check with, at least 2.
        steps: of every comparison; long enough for episodes to end.
        seed: of the games and of the sampled actions.
        modes: the autoreset modes that the vector environment supports.

    Raises:
        VectorEnvError: with a line for every rule that is broken.
    """
    check_integer("num_envs", num_envs, 2)
    check_integer("steps", steps, 1)
    faults: list[str] = []
    for mode, rule in product(modes, _RULES):
        check = _Check(make_single, make_vector, num_envs, steps, seed, mode)
        try:
            faults += [f"{mode.value}: {fault}" for fault in rule(check)]
        except Exception as error:
            faults.append(f"{mode.value}: {rule.__name__} raised {error!r}")
        for made in check.made:
            try:
                made.close()
            except Exception as error:
                faults.append(f"{mode.value}: close() raised {error!r}")
    if faults:
        raise VectorEnvError("\n".join(["the vector environment breaks the rules:", *faults]))


@dataclass
class _Check:
    """The rules for an autoreset mode: the methods that yield faults."""

    make_single: MakeSingle
    make: MakeVector
    num_envs: int
    steps: int
    seed: int
    mode: AutoresetMode
    made: list[Any] = field(default_factory=list)  # to be closed after a rule

    def make_vector(self, count: int = 0) -> Any:
        """The vector environment, with seeded actions."""
        self.made.append(envs := self.make(count or self.num_envs, self.mode))
        envs.action_space.seed(self.seed)
        return envs

    def make_sync(self) -> SyncVectorEnv:
        makers = [self.make_single] * self.num_envs
        self.made.append(sync := SyncVectorEnv(makers, autoreset_mode=self.mode))
        return sync

    def waits_for_reset(self, stepped: Any) -> bool:
        """True if a game has ended in a step, and only the caller resets it."""
        return self.mode is AutoresetMode.DISABLED and bool((stepped[2] | stepped[3]).any())

    def spaces_are_batched(self) -> Iterator[str]:
        single, envs = self.make_single(), self.make_vector()
        self.made.append(single)
        if envs.num_envs != self.num_envs:
            yield f"num_envs is {envs.num_envs}, asked for {self.num_envs}"
        for name in ("observation_space", "action_space"):
            one, many = getattr(envs, f"single_{name}"), getattr(envs, name)
            expected = getattr(single, name)
            if one != expected:
                yield f"single_{name} is {one}, the single environment's {expected}"
            if many != batch_space(one, self.num_envs):
                yield f"{name} is not single_{name}, batched"
        observations, info = envs.reset(seed=self.seed)
        if not envs.observation_space.contains(observations):
            yield "reset's observations are not in observation_space"
        if not isinstance(info, dict):
            yield f"reset's info is a {type(info).__name__}, not a dict"
        envs.close()  # and again after this rule

    def metadata_is_its_own(self) -> Iterator[str]:
        kind = type(self.make_vector().unwrapped)
        before = copy.deepcopy(kind.metadata)
        envs = self.make_vector()
        if envs.metadata.get("autoreset_mode") is not self.mode:
            yield f"metadata['autoreset_mode'] is {envs.metadata.get('autoreset_mode')!r}"
        envs.reset(seed=self.seed)
        if kind.metadata != before:
            yield "making an environment changed its class's metadata"

    def resets_equal_sync(self) -> Iterator[str]:
        envs, sync = self.make_vector(), self.make_sync()
        one_by_one = list(range(self.seed, self.seed + self.num_envs))
        cases: dict[str, Any] = {
            "an int as seed": self.seed,
            "a list as seed": one_by_one,
            "no seed": None,
            "no seed, again": None,
            "a list that ends in None as seed": [*reversed(one_by_one[1:]), None],
        }
        for what, seed in cases.items():
            ours, theirs = envs.reset(seed=seed), sync.reset(seed=seed)
            yield from _differences(f"reset with {what}", ours, theirs)

    def steps_equal_sync(self) -> Iterator[str]:
        envs, sync = self.make_vector(), self.make_sync()
        envs.reset(seed=self.seed), sync.reset(seed=self.seed)
        ended = 0
        for step in range(self.steps):
            actions = envs.action_space.sample()
            ours, theirs = envs.step(actions), sync.step(copy.deepcopy(actions))
            parts = zip(_PARTS, ours, theirs, strict=True)
            faults = [x for p, a, b in parts for x in _differences(f"step {step}: {p}", a, b)]
            yield from faults
            if faults:  # the games have come apart: what follows differs as well
                return
            over = theirs[2] | theirs[3]
            ended += int(over.sum())
            begins = over & (self.mode is AutoresetMode.DISABLED)
            begins[0] |= step == 0 and self.mode is not AutoresetMode.SAME_STEP
            if begins.any():
                yield from _differences(
                    f"step {step}: reset with a mask",
                    envs.reset(options={"reset_mask": begins.copy()}),
                    sync.reset(options={"reset_mask": begins.copy()}),
                )
        if ended == 0:
            yield f"no episode ended within {self.steps} steps; check with more of them"

    def returned_arrays_are_kept(self) -> Iterator[str]:
        envs = self.make_vector()
        returned: list[Any] = [envs.reset(seed=self.seed)]
        copies = copy.deepcopy(returned)
        while len(returned) < 4 and not (copies[1:] and self.waits_for_reset(copies[-1])):
            returned.append(envs.step(envs.action_space.sample()))
            copies.append(copy.deepcopy(returned[-1]))
        for step, (one, other) in enumerate(zip(returned, copies, strict=True)):
            yield from _differences(f"what step {step} had returned changed later", one, other)
        arrays = [leaf for _, leaf in leaves(returned) if isinstance(leaf, np.ndarray)]
        for one, other in combinations(arrays, 2):
            if np.shares_memory(one, other):
                yield f"returned arrays share memory (shape {one.shape}, dtype {one.dtype})"
                break

    def games_are_independent(self) -> Iterator[str]:
        many, one = self.make_vector(), self.make_vector(1)
        of_many, of_one = many.reset(seed=self.seed), one.reset(seed=self.seed)
        for _ in range(min(self.steps, 50)):
            if not _same(_game(of_many[0], 0), _game(of_one[0], 0)):
                yield f"game 0 among {self.num_envs} is not game 0 alone, with the same seed"
                break
            actions = many.action_space.sample()
            of_many, of_one = many.step(actions), one.step(actions[:1])
            if self.waits_for_reset(of_many):
                break


_RULES = tuple(filter(isgeneratorfunction, vars(_Check).values()))


def _game(batch: Any, index: int) -> dict[str, Any]:
    return {place: values[index] for place, values in leaves(batch)}


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays and other values in dicts, tuples, lists and arrays of objects."""
    has_objects = isinstance(value, np.ndarray) and value.dtype.hasobject
    if has_objects or isinstance(value, dict | tuple | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(entry, f"{place} [{key!r}]")
    else:
        yield place, value


def _same(one: Any, other: Any) -> bool:
    return next(_differences("", one, other), None) is None


def _differences(what: str, one: Any, other: Any) -> Iterator[str]:
    """A line for each part in which two nested values are not the same, bit for bit."""
    ours, theirs = dict(leaves(one)), dict(leaves(other))
    if ours.keys() != theirs.keys():
        found, wanted = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
        yield f"{what}: keys {sorted(found)} where SyncVectorEnv has {sorted(wanted)}"
    for place, first in ours.items():
        second = theirs.get(place)
        if place in theirs and not _is_equal(first, second):
            yield f"{what}{place}: {_text(first)} where SyncVectorEnv has {_text(second)}"


def _is_equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if not isinstance(one, np.ndarray):
        return bool(one == other)
    is_alike = one.dtype == other.dtype and one.shape == other.shape
    return is_alike and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def _text(value: Any) -> str:
    is_array = isinstance(value, np.ndarray)
    return f"{value.dtype} {value.shape} {value}" if is_array else repr(value)
