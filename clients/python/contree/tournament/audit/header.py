"""The first file of an event: what was laid down before its first card is whole. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from contree.engine import commitment
from contree.tournament.audit.kinds import check_header
from contree.tournament.errors import ConfigError
from contree.tournament.export import HEADER
from contree.tournament.manifest import Finding
from contree.tournament.policy import policy_digest
from contree.tournament.proof import UNREADABLE, EventProof

SCHEMA: Final = 1


def read_header(data: bytes | None, found: list[Finding]) -> Mapping[str, Any] | None:
    """The header, when nothing is wrong with it; else what is wrong is added to ``found``."""
    if data is None:
        found.append(Finding(HEADER, 0, "it is missing"))
        return None
    text = data.decode("utf-8", errors="replace")
    header = _parsed(text, found)
    if header is None:
        return None

    def wrong(key: str, problem: str) -> None:
        found.append(Finding(HEADER, line_with(text, key), problem))

    if header.get("schema") != SCHEMA:
        wrong("schema", f"this version reads headers of the schema {SCHEMA}")
        return None
    try:
        check_header(header)
        if policy_digest(header) != header["policy_sha256"]:
            wrong("policy_sha256", "it is not the SHA-256 of time, faults, broken and policy")
        seed = header["seed"]
        if seed is not None and commitment(bytes.fromhex(seed)) != header["seed_commitment"]:
            wrong("seed", "it is not the seed that was committed to")
        if not found:
            proof = EventProof.of(header, {}, Path())
            if proof.schedule.opened({}).of_tables != header["tables"]:
                wrong("tables", f"such an event has {proof.schedule.opened({}).of_tables} tables")
            if header["label"] != header["name"]:
                wrong("label", "the label of an event is its name")
    except ConfigError as error:
        wrong(error.key.partition(".")[0].partition("[")[0], str(error).removesuffix("."))
    except KeyError as error:
        wrong("", f"{error.args[0]} is missing")
    except UNREADABLE as error:
        wrong("", f"it is no header ({error})")
    return None if found else header


def _parsed(text: str, found: list[Finding]) -> Mapping[str, Any] | None:
    try:
        header = json.loads(text, object_pairs_hook=_once)
        if not isinstance(header, dict):
            raise ValueError("it is no object")
    except json.JSONDecodeError as error:
        found.append(Finding(HEADER, error.lineno, f"it is no JSON ({error.msg})"))
    except (ValueError, RecursionError) as error:
        found.append(Finding(HEADER, 0, f"it is no header ({error})"))
    else:
        return header
    return None


def line_with(text: str, key: str) -> int:
    """The line on which a key of the outermost object stands; 0 when it does not."""
    for number, line in enumerate(text.split("\n"), 1):
        if key and line.startswith(f'  "{key}":'):
            return number
    return 0


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys come once: which of two counts, readers do not agree on."""
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key is there twice")
    return values
