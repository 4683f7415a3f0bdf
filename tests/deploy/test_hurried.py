"""The faster clock of the tests: what it divides, and what it leaves alone."""

import pytest
from tests.deploy import hurried
from tests.deploy.rules import ALERTS


@pytest.mark.parametrize(
    ("slow", "fast"), [("5s", "250ms"), ("1m", "3000ms"), ("10m", "30000ms"), ("30s", "1500ms")]
)
def test_durations(slow: str, fast: str) -> None:
    assert hurried.duration(slow) == fast


def test_ranges_offsets_and_ages_and_nothing_else() -> None:
    assert (
        hurried.expression("sum(increase(x[10m])) > 20 and y offset 10m > 0.25")
        == "sum(increase(x[30000ms])) > 20 and y offset 30000ms > 0.25"
    )
    assert (
        hurried.expression("contree_longest_overdue_table_seconds > 120")
        == "contree_longest_overdue_table_seconds > 6"
    )


def test_every_age_that_is_compared_is_divided() -> None:
    aged = [alert for alert in ALERTS if any(age in alert.expression for age in hurried.AGES)]
    assert aged
    assert all(hurried.expression(alert.expression) != alert.expression for alert in aged)
