"""Records to be analysed, found and shared out over processes."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache, partial
from itertools import chain
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from contree.cli.errors import BadInput, Failure
from contree.cli.output import say
from contree.cli.records import text_of
from contree.engine import EngineError, RecordError, read_record

if TYPE_CHECKING:
    from contree.analysis import Analysis
    from contree.analysis.solving import Analyst

_SAY_S: Final = 10.0
"""How far it is is not said more often."""
_ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz")


class Found(NamedTuple):
    """A record to be analysed."""

    event: str
    """The id of the event; of a record by itself, its folder."""
    name: str
    place: str
    """Where it is, for errors."""
    text: str


class How(NamedTuple):
    """How records are analysed."""

    worlds: int
    seed: str


class _Wrong(NamedTuple):
    """A record that cannot be analysed."""

    sentence: str


def records_in(paths: Sequence[Path]) -> list[Found]:
    """The records of files, and of the events in folders and archives. Raises Failure."""
    found: list[Found] = []
    for path in paths:
        if path.is_dir() or path.name.endswith(_ARCHIVES):
            found += _of_event(path)
        else:
            found.append(Found(str(path.parent), str(path), str(path), text_of(path)))
    return found


def analysed(how: How, records: Sequence[Found], workers: int) -> Generator[Analysis, None, None]:
    """The analyses of records in their order; how far it is, is said now and then.

    Raises Failure, naming file and line, at a record that is none. Its processes end with it:
    whoever may leave it before its end closes it.
    """
    from time import perf_counter

    from contree.testing.pool import WorkerLost, in_processes

    begun = told = perf_counter()
    done = 0
    try:
        # The first here: what is not compiled yet is then compiled once, not in every process.
        first, rest = records[:1], records[1:]
        work = partial(_analyse, how)
        with closing(in_processes(work, rest, workers)) as others:
            for result in chain(map(work, first), others if rest else ()):
                if isinstance(result, _Wrong):
                    raise Failure(result.sentence)
                done += 1
                now = perf_counter()
                if now - told > _SAY_S and done < len(records):
                    told = now
                    say(_how_far(done, len(records), now - begun))
                yield result
    except WorkerLost as error:
        raise Failure(str(error)) from None
    finally:
        if done < len(records) > 1:
            say(f"{done} of {len(records)} records were analysed.")


def _of_event(path: Path) -> Iterator[Found]:
    from contree.tournament.bundle import RECORDS, read_files
    from contree.tournament.errors import ResultsError

    try:
        files = read_files(path)
    except ResultsError as error:
        raise BadInput(str(error)) from None
    names = sorted(name for name in files if name.startswith(f"{RECORDS}/"))
    if not names:
        raise BadInput(
            f"The event {path} has no records yet: a board is disclosed when all its tables are "
            "over."
        )
    event = _id_of(files) or str(path)
    for name in names:
        text = files[name].decode("utf-8", errors="replace")
        yield Found(event, Path(name).stem, f"{path}/{name}", text)


def _analyse(how: How, found: Found) -> Analysis | _Wrong:
    try:
        record = read_record(found.text)
        return _analyst(how).analyse(record, found.name, event=found.event)
    except RecordError as error:
        return _Wrong(f"{found.place}, {error}")
    except (EngineError, ValueError) as error:
        return _Wrong(f"{found.place}: {error}.")


def _id_of(files: Mapping[str, bytes]) -> str:
    """The id that an event goes by; empty where its header does not tell."""
    from contree.tournament.export import HEADER

    try:
        found = json.loads(files[HEADER])["id"]
    except (KeyError, RecursionError, TypeError, ValueError):
        return ""
    return found if isinstance(found, str) else ""


@lru_cache(maxsize=1)
def _analyst(how: How) -> Analyst:
    """The one of this process, which takes one record after the other."""
    from contree.analysis.solving import Analyst

    return Analyst(worlds=how.worlds, seed=how.seed)


def _how_far(done: int, of: int, seconds: float) -> str:
    minutes = ceil((of - done) * seconds / done / 60)
    return f"{done} of {of} records, about {minutes} min left"
