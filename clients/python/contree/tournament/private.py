"""What in a folder is nobody's that plays there: seeds, results, journals, tokens and keys.

A bot whose folder is its own may read all of it. One that is shown a folder in which the event
lies, such as ``cwd = "."``, would be shown whatever lies beside: other events with their seeds,
the tokens of other bots, the service's key.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_MOST_READ: Final = 64 << 10
"""Bytes; no token, key or event's file is larger."""
_NAMES: Final = re.compile(r".+\.(token|key)|\.env(\..+)?|\.netrc")
_SECRET: Final = re.compile(
    rb"contree_[0-9a-z]{12}_[0-9A-Za-z]{49}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_PACKAGES: Final = frozenset({"node_modules", "__pycache__", "site-packages", ".git"})
"""Folders of many files that others made; they are not looked through."""
_JOURNAL: Final = frozenset({"appendonlydir", "store.lock"})


def private_paths(folder: Path) -> Iterator[Path]:
    """Files and whole folders below a folder that no bot is to see; real paths, links are not
    followed.

    Files are recognised by what is in them (a token of the service, a private key, an event) or,
    whatever is in them, by their names: ``*.token``, ``*.key``, ``.env``. Folders are those of an
    event's results and of a service's journal.
    """
    for here, folders, names in os.walk(folder):
        path = Path(here)
        if path != folder and _is_private({*folders, *names}):
            yield path
            folders.clear()
            continue
        folders[:] = [name for name in folders if name not in _PACKAGES]
        yield from (path / name for name in names if _is_secret(path / name))


def _is_private(names: set[str]) -> bool:
    """Whether it is that of an event's results or of a journal."""
    results = "event.json" in names and names & {"seed", "tables.jsonl", "lock"}
    return bool(results or names >= _JOURNAL)


def _is_secret(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if _NAMES.fullmatch(path.name):
        return True
    try:
        if path.stat().st_size > _MOST_READ:
            return False
        content = path.read_bytes()
    except OSError:  # nor will the bot be able to read it, who is the same user
        return False
    return bool(_SECRET.search(content)) or (path.suffix == ".toml" and _is_event(content))


def _is_event(content: bytes) -> bool:
    try:
        bots = tomllib.loads(content.decode()).get("bots")
    except (ValueError, RecursionError):
        return False
    return isinstance(bots, list)
