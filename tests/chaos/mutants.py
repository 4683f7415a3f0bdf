"""Messages that nobody would write: a strategy for every field of a protocol message."""

from __future__ import annotations

from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import strategies as st

_DEPTH = 4
_Message = TypeVar("_Message", bound=Message)
_T = FieldDescriptor

_SCALARS: dict[int, st.SearchStrategy[Any]] = {
    _T.TYPE_BOOL: st.booleans(),
    _T.TYPE_BYTES: st.binary(max_size=40),
    _T.TYPE_DOUBLE: st.floats(),
    _T.TYPE_FLOAT: st.floats(width=32),
    _T.TYPE_INT32: st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(-1, 5),
    _T.TYPE_INT64: st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-1, 5),
    _T.TYPE_STRING: st.text(max_size=80) | st.sampled_from(["", "rules", "random", "ffb-mixte"]),
    _T.TYPE_UINT32: st.integers(0, (1 << 32) - 1) | st.integers(0, 5),
    _T.TYPE_UINT64: st.integers(0, (1 << 64) - 1) | st.integers(0, 5),
}


def messages(kind: type[_Message]) -> st.SearchStrategy[_Message]:
    """Messages of a kind with any of its fields set to anything that can be sent."""
    return _fields(_descriptor(kind), _DEPTH).map(lambda fields: kind(**fields))


def _descriptor(kind: type[Message]) -> Descriptor:
    descriptor: Any = kind.DESCRIPTOR
    assert isinstance(descriptor, Descriptor)
    return descriptor


def _fields(descriptor: Descriptor, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    """The arguments of a message's constructor. Of a oneof the last one given counts."""
    optional = {
        field.name: _values(field, depth)
        for field in descriptor.fields
        if depth or field.message_type is None
    }
    return st.fixed_dictionaries({}, optional=optional)


def _values(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    one: st.SearchStrategy[Any]
    if field.message_type is not None:
        # A mapping stands for a message.
        one = _fields(field.message_type, depth - 1)
    elif field.enum_type is not None:
        known = [value.number for value in field.enum_type.values]
        one = st.sampled_from(known) | st.integers(-5, 1000)
    else:
        one = _SCALARS[field.type]
    return st.lists(one, max_size=5) if field.is_repeated else one


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes with a few changed, some cut off or some added."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(0, 3))):
        changed[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    cut = draw(st.integers(0, len(data)))
    return bytes(changed[: cut or None]) + draw(st.binary(max_size=20))
