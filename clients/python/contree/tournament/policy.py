"""The SHA-256 of what an event laid down for all that may go wrong: pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

PARTS: Final = ("time", "faults", "broken", "policy")
"""The parts of an event's header that say what costs what."""


def policy_digest(header: Mapping[str, Any]) -> str:
    """The digest of these parts as JSON with sorted keys and no blanks. KeyError without them."""
    laid_down = {part: header[part] for part in PARTS}
    text = json.dumps(laid_down, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
