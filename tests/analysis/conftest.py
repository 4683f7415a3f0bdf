"""What needs numba is collected only where it is installed, and run by `make test-search`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cli.conftest import contree  # noqa: F401 - a fixture

_HERE = Path(__file__).parent
_LIGHT = ("test_document.py", "test_totals.py", "test_without_numba.py")

collect_ignore: list[str] = (
    []
    if find_spec("numba")
    else [path.name for path in _HERE.glob("test_*.py") if path.name not in _LIGHT]
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == _HERE and item.path.name not in _LIGHT:
            item.add_marker("search")
            item.add_marker(pytest.mark.timeout(1800))
