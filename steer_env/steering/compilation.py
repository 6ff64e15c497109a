"""The one decorator that turns a textbook function into machine code.

Set ``NUMBA_DISABLE_JIT=1`` before Python starts to run the same functions as
plain Python: that is how they are debugged, and how their coverage is measured.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import _dispatcher
from numba.core import types
from numba.core.caching import NullCache
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher
from numba.extending import overload
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

_numba: Any = numba  # its type stubs lag behind

JIT_ENABLED: bool = not _numba.config.DISABLE_JIT

# Without numba's run-time (_nrt) arrays are not counted, which costs atomic operations.
_OPTIONS = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "forceinline": False,
}


def compiled(function: Function) -> Function:
    """Compiles a scalar function with numba, and caches the machine code on disk.

    The function releases the interpreter's lock, divides like numpy (by zero: inf
    or nan, no exception) and reorders no arithmetic, so that results do not depend
    on the machine's vector width or on the number of threads. It is inlined where
    compiled code calls it. It may read and write arrays, but not make new ones.

    Called from Python with what cannot be compiled (a plain function as an argument, an
    object of a class of yours in place of a Vehicle, a list of vehicles), it runs as the
    plain Python that it is written in: slower by far, and with the same result.

    Args:
        function: a function of numbers, records, NamedTuples and compiled functions.

    Returns:
        The compiled function; the function itself when ``NUMBA_DISABLE_JIT=1``.
    """
    if not JIT_ENABLED:
        return function
    return _cached(_SteeringFunction(function))


def compiled_loop(function: Function) -> Function:
    """`compiled`, for a function that loops over many: called seldom, so not inlined.

    Only compiled code can call it: a door for Python, which would have to unwrap all the
    columns that such functions take, can take longer to compile than the function.
    """
    if not JIT_ENABLED:
        return function
    dispatcher: Any = CPUDispatcher(
        function, targetoptions=_OPTIONS | {"no_cpython_wrapper": True}
    )
    return dispatcher


def compiled_entrance(function: Function) -> Function:
    """`compiled_loop`, with a door for Python; it is cached, and with it all that it calls."""
    if not JIT_ENABLED:
        return function
    return _cached(CPUDispatcher(function, targetoptions=_OPTIONS))


_PACKAGE = __name__.partition(".")[0] + "."


class _SteeringFunction(CPUDispatcher):
    """A compiled function with two faces: a door for Python, and a twin to be inlined.

    Most functions are only ever called by compiled code, and a door for each would take
    half of the time that it takes to compile the loop.
    """

    def __init__(self, function: Any, *_: Any, **__: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS)
        parameters = inspect.signature(function).parameters
        # Again, with other settings than numba's: default values are passed as they are (as
        # "omitted" ones a call takes fifty times as long), and arguments that it does not
        # know reach _compile_for_args.
        _dispatcher.Dispatcher.__init__(
            self,
            self._tm.get_pointer(),  # type: ignore[attr-defined]
            len(parameters),
            True,  # keywords can be used
            tuple(parameters),
            function.__defaults__ or (),
            True,  # a fallback is allowed
            False,  # no *arguments
            False,  # types need not match exactly
        )
        self.is_ours = function.__module__.startswith(_PACKAGE)
        if self.is_ours:
            self._set_uuid(_name(function))  # type: ignore[attr-defined]
        self._refused: set[tuple[Any, ...]] = set()  # types that cannot be compiled
        self._twin = CPUDispatcher(
            function,
            targetoptions=_OPTIONS | {"forceinline": True, "no_cpython_wrapper": True},
        )

    @classmethod
    def _rebuild(cls, uuid: str, py_func: Any, **_: Any) -> Any:
        # Unpickles: a function that this process has already is that very one.
        known = cls._memo.get(uuid, cls._memo.get(_name(py_func)))  # type: ignore[attr-defined]
        if known is not None:
            return known
        made = cls(py_func)
        if not made.is_ours:
            made._set_uuid(uuid)  # type: ignore[attr-defined]
        return made

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self._twin.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self._twin.get_overload(sig)

    def _compile_for_args(self, *arguments: Any, **keywords: Any) -> Any:
        # The door has no machine code for arguments like these, yet.
        kinds = tuple(map(self._kind, arguments))
        if types.pyobject not in kinds and kinds not in self._refused:
            try:
                return super()._compile_for_args(*arguments, **keywords)  # type: ignore[misc]
            except TypingError:  # plain Python says in one line what is wrong
                self._refused.add(kinds)
        return lambda *_, **__: self.py_func(*map(_with_attributes, arguments))

    def compile(self, sig: Any) -> Any:
        """Compiles for the types of a signature, or loads that from the cache on disk."""
        # numba knows a function again in another process by its name, which we give it; it
        # would keep machine code for functions of a user's own for ever, and never find it.
        kinds = sig if isinstance(sig, tuple) else sig.args
        functions = (kind.dispatcher for kind in kinds if isinstance(kind, types.Dispatcher))
        if all(
            isinstance(function, _SteeringFunction) and function.is_ours
            for function in functions
        ):
            return super().compile(sig)
        cache: Any = self._cache
        self._cache: Any = NullCache()
        try:
            return super().compile(sig)
        finally:
            self._cache = cache

    def _kind(self, argument: Any) -> Any:
        kind = self.typeof_pyval(argument)
        is_sequence = isinstance(kind, (types.List, types.BaseTuple))
        return types.pyobject if is_sequence and not hasattr(argument, "_fields") else kind


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _with_attributes(argument: Any) -> Any:
    # Records whose fields are attributes, as they are in compiled code.
    if isinstance(argument, list):
        return [_with_attributes(member) for member in argument]
    if isinstance(argument, np.void):
        return argument.view((np.record, argument.dtype))
    if isinstance(argument, np.ndarray) and argument.dtype.names:
        return argument.view(np.recarray)
    return argument


def _cached(dispatcher: Any) -> Any:
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # neither the package's folder nor the user's is writable
        return dispatcher
    _watch_whole_package(dispatcher)
    return dispatcher


def is_compiled(function: object) -> bool:
    """Whether a function is one that compiled code can call."""
    return isinstance(function, CPUDispatcher)


def is_same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether two functions are one: ``is``, which the compiler does not know for functions."""
    return one is other


@overload(is_same)
def _is_same_type(one, other):  # type: ignore[no-untyped-def]
    # To the compiler every function is a type of its own.
    return (lambda one, other: True) if one == other else (lambda one, other: False)


def records(array: NDArray[np.void]) -> NDArray[np.void]:
    """An array of records, or a view of it, whose fields are attributes as well.

    The compiler sees to that by itself; in plain Python only recarrays have them.
    """
    return array if JIT_ENABLED else array.view(np.recarray)


def entry_point(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Compiles a function for arguments like these, and returns it without type checks.

    Looking at the types of a dozen arrays costs more than a step of a game. The caller
    must pass arguments of the same types, dtypes and dimensions ever after; arrays of
    records may have any strides.
    """
    if not JIT_ENABLED:
        return function
    signature = tuple(_any_strides(_numba.typeof(argument)) for argument in arguments)
    function.compile(signature)  # type: ignore[attr-defined]
    return function.overloads[signature].entry_point  # type: ignore[attr-defined]


def _any_strides(kind: Any) -> Any:
    is_records = isinstance(kind, numba.types.Array) and isinstance(
        kind.dtype, numba.types.Record
    )
    return kind.copy(layout="A") if is_records else kind


def _watch_whole_package(dispatcher: Any) -> None:
    # numba invalidates a cached function when its own file changes, not when a file
    # that it calls into does; so the stamp that it compares covers all of our files.
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _package_stamp())


@cache
def _package_stamp() -> str:
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("steering", "game"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
