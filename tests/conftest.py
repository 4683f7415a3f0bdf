"""How properties are tried: a machine that is busy is no fault of the code. And a log put back."""

import logging
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

settings.register_profile("contree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("contree")


@pytest.fixture
def log_put_back() -> Iterator[None]:
    """For tests that set up the log of their process, which is the process of all tests."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
