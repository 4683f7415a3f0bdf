"""The one door to numba: functions are compiled here, and stay plain typed Python to a reader.

Compiled code lives on int64 throughout. It is compiled at its first call, never at import.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
import numpy.typing as npt
from numba.extending import intrinsic

from contree.engine import cards, masks

__all__ = ["borrowed", "compiled", "next_random", "popcount", "rebound"]

A = TypeVar("A", bound=npt.NDArray[Any])
# Any: numba's own types know neither the attributes used here nor compiled calls.
_njit: Any = numba.njit
_intrinsic: Any = intrinsic

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function at its first call, to run without the interpreter's lock, and keep the
    result on disk for later processes.

    numba asks only the file of the function itself whether it has changed. What is compiled here
    calls into other files and takes their tables for constants, so all of them are in its stamp.
    """
    try:
        dispatcher = _njit(cache=True, nogil=True, forceinline=True)(function)
        file = dispatcher._cache._cache_file
        file._source_stamp = (file._source_stamp, _sources())
    except (AttributeError, RuntimeError):
        # Another numba: rather nothing on disk than something stale. Or no folder to write to.
        dispatcher = _njit(nogil=True, forceinline=True)(function)
    return dispatcher  # type: ignore[no-any-return]


def rebound(function: F, numbering: str, **names: object) -> F:
    """Compile a function of another module as it stands, with these globals in place of its own:
    compiled functions, and arrays for tuples, which compiled code would copy.

    ``numbering`` says of which kind the tables are: on disk, functions that differ in nothing but
    their globals are told apart by it.
    """
    own = types.FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    own.__qualname__ = f"{numbering}.{function.__qualname__}"
    return compiled(own)  # type: ignore[return-value]


@lru_cache(maxsize=1)
def _sources() -> bytes:
    """A digest of all files that compiled code comes from."""
    digest = sha256()
    for path in (
        Path(cards.__file__),
        Path(masks.__file__),
        *sorted(Path(__file__).parent.glob("*.py")),
    ):
        digest.update(path.read_bytes())
    return digest.digest()


def _count_bits(_context: Any, value: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return value(value), emit


_ctpop: Final[Any] = _intrinsic(_count_bits)


@compiled
def popcount(mask: int) -> int:
    """How many bits are set; ``popcount(bit - 1)`` is the place of a single bit."""
    return _ctpop(mask)  # type: ignore[no-any-return]


def _drop_owner(_context: Any, array: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        owner = values[0].type.elements[0](None)  # numba's array structure begins with it
        return builder.insert_value(values[0], owner, 0)

    return array(array), emit


_without_owner: Final[Any] = _intrinsic(_drop_owner)


@compiled
def borrowed(array: A) -> A:
    """The same array for use below this call, while the caller holds it.

    numba counts who holds an array, at each call and with atomic operations, which took two thirds
    of the solver's time. It does not count for an array whose owner it does not know.
    """
    return _without_owner(array)  # type: ignore[no-any-return]


@compiled
def next_random(state: int) -> int:
    """The next state of a random sequence (xorshift64); never 0 if the state is not. Its upper 32
    bits are what to use.
    """
    state ^= state << 13
    state ^= state >> 7 & _WITHOUT_SIGN  # a logical shift
    return state ^ state << 17


_WITHOUT_SIGN: Final = (1 << 57) - 1
