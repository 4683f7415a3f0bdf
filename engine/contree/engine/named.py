"""A quick way to make named tuples, for those of the path that each action takes."""

from typing import Final

__all__ = ["new"]

new: Final = tuple.__new__
"""``new(Kind, fields)`` takes half the time that ``Kind(*fields)`` does. Nothing counts the fields,
so they are all written, in order, defaults too."""
