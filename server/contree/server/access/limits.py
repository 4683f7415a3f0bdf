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


def take(bucket: Bucket, rate: Rate, now: float, count: float = 1.0) -> tuple[Bucket, float]:
    """Take permits: the bucket afterwards, and 0.0; or, when there are too few, the bucket and the
    seconds after which there will be enough if nobody else takes them.

    Never more are wanted than the bucket can hold. A clock that goes back gives no permits.
    """
    count = max(1.0, min(count, rate.burst))
    at = max(bucket.at, now)
    level = min(rate.burst, bucket.level + (at - bucket.at) * rate.per_second)
    if level >= count - _ROUNDING:
        return Bucket(max(0.0, level - count), at), 0.0
    if rate.per_second <= 0.0 or rate.burst < 1.0:
        return Bucket(level, at), _FOR_LONG_S
    return Bucket(level, at), (count - level) / rate.per_second
