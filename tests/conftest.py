"""How properties are tried, and how little the log of a test costs: a machine that is busy is no
fault of the code. And what is put back.
"""

import logging
import os
import signal
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

# The same examples in every run, so that a change is judged by what it changed; others with FULL=1.
settings.register_profile(
    "contree",
    deadline=None,
    derandomize=not os.environ.get("FULL"),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("contree")


def pytest_configure() -> None:
    """Ctrl-C and a terminal that is closed mean something to what tests start. They are ignored,
    and that is inherited, where tests run in the background of a script, or below nohup.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # Not the default, which would end the tests themselves; a handler is not inherited.
        signal.signal(signal.SIGHUP, lambda *_: None)
    _log_plainly()


def _log_plainly() -> None:
    """The log of tests that set up none. By default structlog draws each frame of a traceback with
    all its variables, which takes seconds for the tables of a server.
    """
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])


@pytest.fixture
def log_put_back() -> Iterator[None]:
    """For tests that set up the log of their process, which is the process of all tests."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
    _log_plainly()
