"""How often something may be asked: a bucket of permits that fills evenly. Pure; time comes in."""

from __future__ import annotations

from typing import Final, NamedTuple

_ROUNDING: Final = 1e-9
_FOR_LONG_S: Final = 3600.0


class Rate(NamedTuple):
    """So many at once, and so many a second in the long run."""

    burst: float
    per_second: float

    @classmethod
    def per_minute(cls, count: int) -> Rate:
        """So many in any minute, and as many at once after a quiet one."""
        return cls(float(count), count / 60)


class Bucket(NamedTuple):
    """The permits that were left at a time (in seconds)."""

    level: float
    at: float


def full(rate: Rate, now: float) -> Bucket:
    """A bucket from which nobody has taken."""
    return Bucket(rate.burst, now)


def take(bucket: Bucket, rate: Rate, now: float) -> tuple[Bucket, float]:
    """Take one permit: the bucket afterwards, and 0.0; or, when there is none, the bucket and the
    seconds after which there will be one if nobody else takes it.

    A clock that goes back gives no permits.
    """
    at = max(bucket.at, now)
    level = min(rate.burst, bucket.level + (at - bucket.at) * rate.per_second)
    if level >= 1.0 - _ROUNDING:
        return Bucket(max(0.0, level - 1.0), at), 0.0
    if rate.per_second <= 0.0 or rate.burst < 1.0:
        return Bucket(level, at), _FOR_LONG_S
    return Bucket(level, at), (1.0 - level) / rate.per_second
