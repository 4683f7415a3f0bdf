"""Passwords in URLs are shown nowhere, however they are written."""

from __future__ import annotations

import io
import json

import pytest
import structlog

from contree.server.settings import Settings
from contree.server.store import BadStoreUrl
from contree.server.store.settings import StoreSettings
from contree.server.telemetry import configure_logging
from contree.server.url_passwords import hide_passwords, hide_passwords_in

SHOWN = {
    "redis://h:1/0": "redis://h:1/0",
    "redis://ann@h:1/0": "redis://ann@h:1/0",
    "redis://:qx7zk9@h:1/0": "redis://:***@h:1/0",
    "rediss://u:qx7%40zk9@h/2?x=1": "rediss://u:***@h/2?x=1",
    "redis://u:qx7#zk9@h:1": "redis://u:***@h:1",
    "redis://u:qx7?zk9@h:1": "redis://u:***@h:1",
    "redis://:qx7/zk9@h:1/0": "redis://:***@h:1/0",
    "redis://[x:qx7zk9@h": "redis://[x:***@h",
    "redis+cluster://u:qx7zk9@h:1,i:2": "redis+cluster://u:***@h:1,i:2",
    "redis+cluster://u:qx7@zk9@h": "redis+cluster://u:***@h",
    "redis+sentinel://h/m/0?sentinel_password=qx7zk9&x=1": (
        "redis+sentinel://h/m/0?sentinel_password=***&x=1"
    ),
    "unix:///s?Password=qx7zk9": "unix:///s?Password=***",
}


@pytest.mark.parametrize("url", SHOWN)
def test_what_is_left_of_a_url(url: str) -> None:
    assert hide_passwords(url) == SHOWN[url]
    assert hide_passwords_in(f"to {url} in vain") == f"to {SHOWN[url]} in vain"


@pytest.mark.parametrize("url", SHOWN)
def test_a_setting_an_error_and_the_log(url: str, log_put_back: None) -> None:
    stream = io.StringIO()
    configure_logging(Settings(log="json", redis_url=url), stream)
    shown = [repr(Settings(redis_url=url))]
    try:
        StoreSettings.from_url(url)
    except BadStoreUrl as error:
        shown.append(str(error))
        structlog.get_logger().error("refused", url=url, error=error, text=f"dialled {url}")
    else:
        structlog.get_logger().error("refused", url=url, text=f"dialled {url}")
    shown.append(stream.getvalue())
    assert json.loads(stream.getvalue())["event"] == "refused"
    for text in shown:
        assert "qx7" not in text
        assert "zk9" not in text


def test_who_writes_a_password_as_it_is_is_told_how_to_write_it() -> None:
    with pytest.raises(BadStoreUrl, match=r"in a password / . # @ are written %2F"):
        StoreSettings.from_url("redis://u:qx7#zk9@h:1")
