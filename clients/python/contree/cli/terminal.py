"""What a terminal says of itself."""

from __future__ import annotations

import os


def is_light() -> bool:
    """Whether its background is light, as some say in COLORFGBG."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
