"""Without numba nothing of the search package can be tried but that it says so."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_WITHOUT = "test_without_numba.py"

collect_ignore: list[str] = (
    []
    if find_spec("numba")
    else [path.name for path in _HERE.glob("test_*.py") if path.name != _WITHOUT]
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == _HERE and item.path.name != _WITHOUT:
            item.add_marker("search")
            item.add_marker(pytest.mark.timeout(1800))
