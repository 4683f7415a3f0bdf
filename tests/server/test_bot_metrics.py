"""What is counted of bots: a label for registered ones only, so many of them; histograms."""

import pytest
from prometheus_client import CollectorRegistry

from contree.server.telemetry.bots import OTHER, BotMetrics

KEY = "k"


class Clock:
    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def shown(bots: BotMetrics) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(bots)
    return registry


def labels(bots: BotMetrics) -> set[str]:
    return {sample.labels["bot"] for family in bots.collect() for sample in family.samples}


def test_a_bot_without_a_key_has_no_label_of_its_own() -> None:
    bots = BotMetrics()
    bots.of("anybody", "").decided(0.1)
    bots.of("known", KEY).decided(0.2)
    assert labels(bots) == {OTHER, "known"}
    read = shown(bots).get_sample_value
    assert read("contree_bot_decision_seconds_count", {"bot": OTHER}) == 1
    assert read("contree_bot_decision_seconds_sum", {"bot": "known"}) == pytest.approx(0.2)


def test_no_more_labels_than_there_are_places() -> None:
    bots = BotMetrics(Clock(), most=3)
    for number in range(50):
        bots.of(f"bot-{number}", KEY).travelled(0.01)
    assert labels(bots) == {OTHER, "bot-0", "bot-1", "bot-2"}
    read = shown(bots).get_sample_value
    assert read("contree_bot_round_trip_seconds_count", {"bot": OTHER}) == 47


def test_a_bot_cannot_take_the_label_of_the_others() -> None:
    bots = BotMetrics()
    bots.of(OTHER, KEY).decided(1.0)
    assert bots.of(OTHER, KEY) is bots.of("stranger", "")


def test_who_is_gone_for_an_hour_gives_its_place_up() -> None:
    clock = Clock()
    bots = BotMetrics(clock, most=2)
    stays, goes = bots.of("stays", KEY), bots.of("goes", KEY)
    stays.connected += 1
    goes.decided(0.1)
    assert bots.of("new", KEY) is bots.of("stranger", ""), "both were here a moment ago"
    clock.at = 3000
    assert bots.of("new", KEY) is bots.of("stranger", ""), "less than an hour"
    clock.at = 3601
    assert bots.of("new", KEY) is not bots.of("stranger", "")
    assert labels(bots) == {OTHER, "stays", "new"}


def test_what_is_counted_keeps_a_place() -> None:
    clock = Clock()
    bots = BotMetrics(clock, most=1)
    bots.of("plays", KEY)
    for hour in range(1, 4):
        bots.of("plays", KEY).faults["timeout"] += 1
        clock.at = hour * 3601.0
        bots.of("new", KEY)
        assert labels(bots) == {OTHER, "plays"}


@pytest.mark.parametrize(
    ("seconds", "least"), [(0.0, "0.01"), (0.01, "0.01"), (0.011, "0.05"), (31.0, "+Inf")]
)
def test_buckets_are_cumulative_and_hold_their_bound(seconds: float, least: str) -> None:
    bots = BotMetrics()
    bots.of("b", KEY).decided(seconds)
    samples = [
        (sample.labels["le"], sample.value)
        for family in bots.collect()
        for sample in family.samples
        if sample.name.endswith("_bucket") and sample.labels["bot"] == "b"
    ]
    bounds = [bound for bound, _ in samples]
    first = bounds.index(least)
    assert [value for _, value in samples] == [0] * first + [1] * (len(bounds) - first)
    assert bounds[-1] == "+Inf"


def test_each_kind_of_fault_is_there_from_the_start() -> None:
    bots = BotMetrics()
    bots.of("b", KEY)
    read = shown(bots).get_sample_value
    assert read("contree_bot_faults_total", {"bot": "b", "kind": "timeout"}) == 0
    bots.of("b", KEY).faults["timeout"] += 1
    assert read("contree_bot_faults_total", {"bot": "b", "kind": "timeout"}) == 1
