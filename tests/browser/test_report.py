"""The report of an event in a real browser: `make test-browser`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import SCREENS, Browser
from tests.tournament.html_report.folders import make_folder
from tests.tournament.html_report.pages import Page

from contree.policy import CardStyle, rules_player, styled_player
from contree.tournament.formats import Kind, Shape
from contree.tournament.html_report import write_report
from contree.tournament.statistics.sprt import Design

pytestmark = pytest.mark.browser

OTHER = styled_player(cards=CardStyle(ruff=30.0, defence_trump=30.0))
WIDTHS = (390, 768, 1440)
SHAPES = {
    "round-robin": (Shape(), ("anna", "bert", "cleo", "dora"), 12),
    "swiss": (Shape(kind=Kind.SWISS, rounds=3), ("anna", "bert", "cleo", "dora", "emil"), 4),
    "knockout": (Shape(kind=Kind.KNOCKOUT), ("anna", "bert", "cleo", "dora", "emil"), 4),
    "sprt": (Shape(kind=Kind.SPRT, design=Design(every=10, least=20)), ("anna", "bert"), 60),
    "many": (Shape(), tuple(f"a-bot-with-a-long-name-{n:02}" for n in range(16)), 2),
}
WIDER = "return document.documentElement.scrollWidth - innerWidth"
SHOWN = "return document.querySelector('#explorer .tricks, #explorer .calls') !== null"


@pytest.fixture(scope="module", params=SHAPES)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    shape, bots, boards = SHAPES[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    # Bots that bid alike, so that tables part in the play too.
    players = {bot: (rules_player if n % 2 else OTHER) for n, bot in enumerate(bots)}
    return write_report(make_folder(folder, shape, bots=bots, boards=boards, players=players))


@pytest.fixture(scope="module", params=["alike", "at-random"])
def plain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables part in the play, or in the auction."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "at-random":
        return write_report(make_folder(folder, boards=12))
    players = {"x": rules_player, "y": OTHER, "z": rules_player}
    return write_report(make_folder(folder, boards=12, players=players))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_readable_at_any_width(
    browser: Browser, report: Path, width: int, scheme: str, tmp_path: Path
) -> None:
    document = boards(report)
    number, first, second = next(
        board[:3] for board in document["boards"] if board[6] and board[6][1]
    )
    pairing = f"{document['bots'][first]}~{document['bots'][second]}"
    browser.open(report, width, scheme, f"#board={pairing}/{number}")
    browser.wait_for(SHOWN)
    assert browser.log() == []
    assert browser.run("return document.querySelectorAll('td.parted').length") == 2
    assert browser.run(WIDER) <= 0, "the page itself does not scroll sideways"
    assert browser.run(_CUT) == [], "what does not fit can be scrolled to"
    assert browser.run(_FAINT) == []
    assert browser.run("return [...document.images].every(one => one.complete && one.naturalWidth)")
    folder = Path(os.environ.get(SCREENS) or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    name = report.parent.name.rstrip("0123456789")
    browser.screenshot(folder / f"{name}-{width}-{scheme}.png")


_CUT = """
// Elements that stick out of the page and of everything that could be scrolled.
return [...document.querySelectorAll('main *, header *')].filter(one =>
  one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.scroll, .sr')
).map(one => one.outerHTML.slice(0, 80));
"""
_TOP = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
_FAINT = """
// Letters whose contrast with what is behind them is below 4.5 (WCAG AA).
const parsed = text => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = one => {
  for (let at = one; at; at = at.parentElement) {
    const colour = parsed(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const opacity = one => one ? getComputedStyle(one).opacity * opacity(one.parentElement) : 1;
return [...document.querySelectorAll('body *')].filter(one =>
  !one.closest(':disabled') && one.checkVisibility()
  && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())
  && one.tagName !== 'OPTION' && one.tagName !== 'SCRIPT'
).filter(one => {
  const ground = behind(one), share = opacity(one);
  const colour = parsed(getComputedStyle(one).color).slice(0, 3)
    .map((v, i) => v * share + ground[i] * (1 - share));
  const [low, high] = [light(colour), light(ground)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05) < 4.5;
}).map(one => one.outerHTML.slice(0, 120));
"""


def boards(report: Path) -> dict[str, Any]:
    return Page(report.read_text("utf-8")).boards()


def choose(browser: Browser, name: str, value: str) -> None:
    browser.run(
        "const one = document.getElementById(arguments[0]); one.value = arguments[1];"
        "one.dispatchEvent(new Event('change'))",
        f"choose-{name}",
        value,
    )


def text(browser: Browser, selector: str) -> str:
    return str(browser.run("return document.querySelector(arguments[0]).innerText", selector))


@pytest.mark.parametrize("width", [390, 1440])
def test_a_chosen_board_is_shown_with_its_parting(
    browser: Browser, plain: Path, width: int
) -> None:
    document = boards(plain)
    number, first, second, points, at_a, at_b, parting = next(
        board
        for board in document["boards"]
        if board[0] > 4 and board[6] and board[6][1] == (plain.parent.name.startswith("alike"))
    )
    bots = [document["bots"][first], document["bots"][second]]
    browser.open(plain, width)
    browser.wait_for(SHOWN)
    choose(browser, "pairing", "~".join(bots))
    choose(browser, "board", str(number))
    assert text(browser, ".where").startswith(f"Board {number}, ")
    if points:
        assert bots[points < 0] in text(browser, ".where")
    said = text(browser, ".parting")
    assert "They parted" in said
    assert ["North", "East", "South", "West"][parting[3]] in said
    for letter, place in (("a", at_a), ("b", at_b)):
        table = f".table-{letter}"
        marks = document["tables"][place][:2]
        assert f"{bots[0]} {marks[0]}, {bots[1]} {marks[1]}" in text(browser, table)
        assert (
            browser.run("return document.querySelectorAll(arguments[0] + ' .parted').length", table)
            == 1
        ), "one decision is marked at each table"
        assert "◆" in text(browser, f"{table} .parted")
        done = parting[4 + "ab".index(letter)]
        if parting[1]:
            shown = done[0].replace("T", "10") + dict(zip("SHDC", "♠♥♦♣", strict=True))[done[1]]
            assert shown in text(browser, f"{table} .parted"), "what was played there"
        cards = browser.run(
            "return document.querySelectorAll(arguments[0] + ' .tricks td .card').length", table
        )
        assert cards == len(document["tables"][place][4][0][2].replace("+", ""))
    left, right = (browser.run(_TOP, f".table-{letter}") for letter in "ab")
    assert left == right, "side by side"
    assert browser.log() == []


def test_boards_can_be_gone_through_and_linked_to(browser: Browser, plain: Path) -> None:
    browser.open(plain, 1440)
    browser.wait_for(SHOWN)
    browser.run("document.getElementById('next').focus()")
    browser.driver.switch_to.active_element.send_keys("\ue007")  # Enter
    assert text(browser, ".where").startswith("Board 2, ")
    at = browser.run("return location.hash")
    browser.open(plain, 1440, fragment=at)
    browser.wait_for(SHOWN)
    assert text(browser, ".where").startswith("Board 2, ")
    choose(browser, "order", "swing")
    swings = sorted(abs(board[3]) for board in boards(plain)["boards"] if board[1:3] == [0, 1])
    shown = browser.run(
        "return [...document.getElementById('choose-board').options].map(o => o.text)"
    )
    assert len(shown) == len(swings)
    assert shown[0].split(": ")[1].strip("+\N{MINUS SIGN}").split(" ")[0] == f"{swings[-1]:g}"


def test_everything_can_be_reached_by_key(browser: Browser, plain: Path) -> None:
    browser.open(plain, 390)
    browser.wait_for(SHOWN)
    reached = []
    for _ in range(60):
        browser.driver.switch_to.active_element.send_keys("\ue004")  # Tab
        reached.append(
            browser.run("return document.activeElement.id || document.activeElement.className")
        )
    assert {"skip", "scroll", "choose-pairing", "choose-board", "next"} <= set(reached)


def test_nothing_is_asked_from_anywhere(browser: Browser, plain: Path) -> None:
    browser.open(plain, 1440)
    browser.wait_for(SHOWN)
    loaded = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in loaded if not name.startswith("data:")] == []


def test_a_script_that_comes_in_as_a_name_does_not_run(browser: Browser, tmp_path: Path) -> None:
    bots = ("x", "<img src=x onerror=document.title=1>", "z")
    browser.open(
        write_report(make_folder(tmp_path, bots=tuple(b.replace("/", "") for b in bots))), 1440
    )
    browser.wait_for(SHOWN)
    assert browser.run("return document.title") == "cup: results"
    assert browser.run("return document.querySelectorAll('img[src=x]').length") == 0
    assert browser.log() == []
