"""How a token looks, so that it is known wherever it turns up. What it means is in ``access``."""

from __future__ import annotations

import re
from typing import Final

PREFIX: Final = "contree_"
ID_LENGTH: Final = 12
# Whatever begins like a token is hidden, whole or not: half of one is worth hiding, too.
_LOOKS_LIKE_ONE: Final = re.compile(rf"{PREFIX}[0-9a-z]{{{ID_LENGTH}}}_[0-9A-Za-z]+", re.ASCII)


def hide_tokens(text: str) -> str:
    """The text with ``contree_***`` for each token in it."""
    return _LOOKS_LIKE_ONE.sub(f"{PREFIX}***", text) if PREFIX in text else text
