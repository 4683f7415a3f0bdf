"""``contree tournament cancel``: an event is over before its end, and nothing of it is lost.

What is said in the folder stays there: who runs the event again is told. A runner that has it open
is asked to stop, which cancels what it has in play; where there is none, what an earlier one left
at a service elsewhere is cancelled there.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from contree.client import HostClient
from contree.tournament.cancelling import LeftOver
from contree.tournament.errors import ResultsError
from contree.tournament.folder import EventFolder
from contree.tournament.status import status_of

_PATIENCE_S: Final = 60.0
_POLL_S: Final = 0.1


def cancel_event(folder: Path, reason: str = "") -> bool:
    """Cancel the event in a folder; whether a runner was stopped for it. Raises ResultsError when
    there is no such event, when it is over, or when its runner does not stop.
    """
    status = status_of(folder)
    if status.state == "complete":
        raise ResultsError(f"The event {status.event} is over: there is nothing to cancel.")
    EventFolder(folder).cancel(reason)
    if status.process is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(status.process, signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE_S
    while EventFolder.runner_of(folder) is not None:
        if time.monotonic() > deadline:
            raise ResultsError(
                f"The runner, process {status.process}, does not stop. The event counts as "
                "cancelled; stop the process."
            )
        time.sleep(_POLL_S)
    return True


async def cancel_left_over(server: str, event: str) -> int:
    """Cancel the matches of an event that are still open at a service; how many there were."""
    async with HostClient(server, None) as host:
        return (await LeftOver.clear(host, event)).unfinished
