"""How many decisions took about how long: counts by half octaves of milliseconds. Pure.

Place 0 counts decisions below 1 ms, place 2n - 1 those from 2^(n-1) ms on, place 2n those from 1.5
times that on, each up to the beginning of the next one that is: 1, 2, 3, 4, 6, 8, 12, 16 ms and so
on. (From 1 to 2 ms there is nothing between, so place 2 is always 0.)
"""

from __future__ import annotations


def counted(times: tuple[int, ...], milliseconds: int) -> tuple[int, ...]:
    """The counts with one more decision that took so long."""
    octave = milliseconds.bit_length()
    half = milliseconds >> (octave - 2) & 1 if octave > 1 else 0
    place = 2 * octave - 1 + half if octave else 0
    if place >= len(times):
        return times + (0,) * (place - len(times)) + (1,)
    return (*times[:place], times[place] + 1, *times[place + 1 :])
