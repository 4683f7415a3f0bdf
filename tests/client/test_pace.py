"""How fast a bot is, in words for its log."""

from contree.client.pace import Pace


def test_the_decision_nearest_to_its_limit_is_told() -> None:
    pace = Pace()
    pace.took(0.5, 10.0)
    pace.took(0.4, 1.0)
    pace.took(0.1, 10.0)
    assert str(pace) == "3 decisions, 0.333 s each, at most 0.40 s of 1.00 s"


def test_without_decisions_there_is_nothing_to_tell() -> None:
    assert str(Pace()) == "0 decisions"


def test_a_clock_without_time_is_no_division_by_zero() -> None:
    pace = Pace()
    pace.took(0.2, 0.0)
    pace.took(0.1, 5.0)
    assert str(pace) == "2 decisions, 0.150 s each, at most 0.20 s of 0.00 s"
