"""The page and the demo are held to what the runner reads."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

import pytest

from contree.tournament.config import load_event, parse_event
from contree.tournament.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "run-a-tournament.md").read_text(encoding="utf-8")
BOTS = [{"name": "a"}, {"name": "b"}]
MINIMAL = {"name": "x", "boards": 1, "bots": BOTS}


def known(values: dict[str, object]) -> set[str]:
    """The keys that are offered where an unknown one is found."""
    with pytest.raises(ConfigError) as caught:
        parse_event({**MINIMAL, **values}, ROOT)
    return set(caught.value.expected.removeprefix("one of ").split())


def test_the_page_has_a_row_for_each_key_and_no_other() -> None:
    table = PAGE[: PAGE.index("## Guests")]
    rows = set(re.findall(r"^\| `([a-z0-9_.]+)` \|", table, re.MULTILINE))
    sections = {"time", "faults", "limits", "bots", "race"}
    sections |= {"gauntlet", "swiss", "knockout", "sprt"}
    keys = known({"odd": 1}) - sections
    keys |= {f"race.{key}" for key in known({"race": {"odd": 1}})}
    for name in ("gauntlet", "swiss", "knockout", "sprt"):
        own = {"bot": "a"} if name == "gauntlet" else {}
        given: dict[str, object] = {"format": name, "boards": 100, name: {**own, "odd": 1}}
        keys |= {f"{name}.{key}" for key in known(given)}
    keys |= {f"time.{key}" for key in known({"time": {"odd": 1}})}
    keys |= {f"faults.{key}" for key in known({"faults": {"odd": 1}})}
    keys |= {f"limits.{key}" for key in known({"limits": {"odd": 1}})}
    keys |= {f"bots.{key}" for key in known({"bots": [*BOTS, {"name": "c", "odd": 1}]})}
    assert rows == keys


def test_the_example_of_the_page_is_an_event() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    config = parse_event(tomllib.loads(example), ROOT)
    assert [bot.name for bot in config.bots] == ["mine", "house", "alice"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tournaments").glob("*.toml")), ids=lambda p: p.name
)
def test_events_that_come_with_contree_can_be_read(path: Path) -> None:
    assert load_event(path).boards >= 20


def test_the_demo_is_over_while_somebody_looks_on() -> None:
    """As many tables as a fresh machine plays in some minutes."""
    event = load_event(ROOT / "tournaments" / "demo.toml")
    tables = 2 * event.boards * math.comb(len(event.bots), 2)
    assert tables == 600


def test_the_demo_has_a_bot_in_node_that_may_be_missing() -> None:
    node = load_event(ROOT / "tournaments" / "demo.toml").bots[-1]
    assert (node.needs, node.optional) == ("node", True)
    assert node.setup_makes == node.cwd / node.command[-1], "it is built when it is set up"
    assert (node.cwd / "package.json").is_file()
