"""The metrics: bounded labels, independent registries, names that the enums of the server use."""

from prometheus_client import generate_latest

from contree.engine.auction import DecisionKind
from contree.server.host.host import _LOSSES
from contree.server.match import EndReason, FaultKind, Stage
from contree.server.telemetry import Metrics
from contree.server.telemetry.labels import END_REASONS, FAULTS, KINDS, LOSSES, STATES


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_two_servers_count_apart() -> None:
    one, other = Metrics(), Metrics()
    one.moved("card", 0.1)
    assert value(one, "contree_moves_total", kind="card") == 1
    assert value(other, "contree_moves_total", kind="card") == 0


def test_label_values_are_those_of_the_server() -> None:
    assert {kind.value for kind in DecisionKind} == set(KINDS)
    assert {stage.value for stage in Stage} - {"ended"} == set(STATES)
    assert {reason.value for reason in EndReason} == set(END_REASONS)
    assert {kind.value for kind in FaultKind} == set(FAULTS)


def test_every_way_to_be_lost_is_counted() -> None:
    assert {"lease", "refused", "telling_failed"} == set(LOSSES)
    assert set(_LOSSES.values()) < set(LOSSES)


def test_every_series_is_there_from_the_start() -> None:
    metrics = Metrics(version="1.2.3", server_id="a")
    assert value(metrics, "contree_faults_total", kind="timeout") == 0
    assert value(metrics, "contree_tables", state="playing") == 0
    assert value(metrics, "contree_build_info", version="1.2.3", server_id="a") == 1


def test_shorthands_count_what_they_say() -> None:
    metrics = Metrics()
    metrics.frame("out", 5)
    metrics.committed(25, 0.002)
    assert value(metrics, "contree_frames_total", direction="out") == 1
    assert value(metrics, "contree_frame_messages_sum", direction="out") == 5
    assert value(metrics, "contree_commit_group_entries_sum") == 25
    assert value(metrics, "contree_commit_seconds_count") == 1


def test_every_metric_is_explained() -> None:
    for line in generate_latest(Metrics().registry).decode().splitlines():
        # Those of the process are named by the library.
        if line.startswith("# HELP contree_"):
            assert line.endswith("."), line
