"""The log: its two forms, where library lines go, and what it never says."""

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest
import structlog

from contree.server.access import new_key_id, new_token
from contree.server.settings import Settings
from contree.server.telemetry import configure_logging, redact

pytestmark = pytest.mark.usefixtures("log_put_back")


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_one_json_object_per_event() -> None:
    stream = io.StringIO()
    configure_logging(Settings(log="json"), stream)
    structlog.get_logger().info("served", moves=3)
    (line,) = lines(stream)
    assert line["event"] == "served"
    assert line["moves"] == 3
    assert line["level"] == "info"
    assert line["timestamp"].endswith("Z")


def test_library_lines_come_out_alike() -> None:
    stream = io.StringIO()
    configure_logging(Settings(log="json"), stream)
    logging.getLogger("grpc").warning("stream of %s ended", "x")
    logging.getLogger("grpc").info("not for operators")
    (line,) = lines(stream)
    assert line["event"] == "stream of x ended"
    assert line["logger"] == "grpc"
    assert line["level"] == "warning"


def test_level_is_respected() -> None:
    stream = io.StringIO()
    configure_logging(Settings(log="json", log_level="error"), stream)
    structlog.get_logger().warning("quiet")
    logging.getLogger("asyncio").warning("quiet")
    structlog.get_logger().error("loud")
    assert [line["event"] for line in lines(stream)] == ["loud"]


def test_console_is_for_people() -> None:
    stream = io.StringIO()
    configure_logging(Settings(log="console"), stream)
    structlog.get_logger().info("served", moves=3)
    assert "served" in stream.getvalue()
    assert "moves=3" in stream.getvalue()
    assert "{" not in stream.getvalue()


def test_auto_is_json_where_nobody_looks() -> None:
    stream = io.StringIO()
    configure_logging(Settings(log="auto"), stream)
    structlog.get_logger().info("served")
    assert lines(stream)[0]["event"] == "served"


def test_secrets_are_hidden_everywhere() -> None:
    stream = io.StringIO()
    configure_logging(Settings(log="json"), stream)
    log = structlog.get_logger()
    log.info(
        "call with authorization: Bearer hunter2",
        token="hunter2",
        metadata=[("authorization", "bearer hunter2")],
        request={"seed": b"hunter2", "url": "redis://u:hunter2@h/0"},
    )
    logging.getLogger("redis").error("cannot reach redis://:hunter2@h:1")
    try:
        raise RuntimeError("Bearer hunter2")
    except RuntimeError as error:
        log.exception("failed", cause=error)
    assert len(lines(stream)) == 3
    assert "hunter2" not in stream.getvalue()


def test_redaction_keeps_the_rest() -> None:
    event = {"event": "x", "seat": "N", "count": 3, "seats": ("N", "S"), "Token": "t"}
    assert redact(None, "info", event) == {
        "event": "x",
        "seat": "N",
        "count": 3,
        "seats": ["N", "S"],
        "Token": "***",
    }


def test_tokens_are_known_by_their_look() -> None:
    """Wherever one turns up: lichess-bot #1133 logged it when it tried again."""
    stream = io.StringIO()
    configure_logging(Settings(log="json"), stream)
    token = new_token(new_key_id())
    secret = token.rpartition("_")[2]
    log = structlog.get_logger()
    log.info(f"retrying with {token}", url=f"https://x/?t={token}", bot_token="x" + secret)
    log.info("bytes", data=token.encode(), headers={"x": [token]})
    logging.getLogger("grpc").error("metadata was invalid: %s", [("authorization", token)])
    try:
        raise RuntimeError(token)
    except RuntimeError:
        log.exception("failed", key={"a": (token,)})
    assert len(lines(stream)) == 4
    assert secret not in stream.getvalue()
    assert "contree_***" in stream.getvalue()
    log.info("kept", metric="contree_moves_total", resume="1-0", path=Path("/x"))
    assert lines(stream)[-1]["metric"] == "contree_moves_total"


@pytest.mark.parametrize("log", ["json", "console"])
def test_a_log_that_nobody_reads_any_more_stops_nobody(log: Any) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    configure_logging(Settings(log=log), Closed())
    structlog.get_logger().info("served")
    logging.getLogger("grpc").warning("stream ended")
