"""Where two messages differ first: the path of the field, and both values."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message


def first_difference(one: Message, other: Message, path: str = "") -> str | None:
    """The path of the first field in which two messages of a kind differ, with its two values;
    None when they are equal.
    """
    for field in one.DESCRIPTOR.fields:
        name = f"{path}.{field.name}" if path else field.name
        compare = _repeated if field.is_repeated else _single
        found = compare(field, one, other, name)
        if found is not None:
            return found
    return None


def _single(field: Any, one: Message, other: Message, name: str) -> str | None:
    mine, theirs = getattr(one, field.name), getattr(other, field.name)
    if field.has_presence:
        there = one.HasField(field.name)
        if there != other.HasField(field.name):
            return f"{name}: {'given or absent' if there else 'absent or given'}"
        if not there:
            return None
    if field.message_type is not None:
        return first_difference(mine, theirs, name)
    return None if mine == theirs else f"{name}: {_told(field, mine)} or {_told(field, theirs)}"


def _repeated(field: Any, one: Message, other: Message, name: str) -> str | None:
    mine, theirs = list(getattr(one, field.name)), list(getattr(other, field.name))
    for index, (left, right) in enumerate(zip(mine, theirs, strict=False)):
        at = f"{name}[{index}]"
        if field.message_type is not None:
            found = first_difference(left, right, at)
            if found is not None:
                return found
        elif left != right:
            return f"{at}: {_told(field, left)} or {_told(field, right)}"
    if len(mine) != len(theirs):
        return f"{name}: {len(mine)} or {len(theirs)} of them"
    return None


def _told(field: Any, value: object) -> str:
    if field.enum_type is None:
        return repr(value)
    known = field.enum_type.values_by_number.get(value)
    return str(value) if known is None else str(known.name)
