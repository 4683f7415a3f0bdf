"""How properties are tried: a machine that is busy is no fault of the code. And a log put back."""

import logging
import signal
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

settings.register_profile("contree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("contree")


def pytest_configure() -> None:
    """Ctrl-C means something to what tests start. It is ignored, and that is inherited, where they
    run in the background of a script.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def log_put_back() -> Iterator[None]:
    """For tests that set up the log of their process, which is the process of all tests."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
