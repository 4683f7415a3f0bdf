"""The costs of decisions in the report, in a real browser."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.browser.conftest import SCREENS, Browser
from tests.browser.test_report import _CUT, _FAINT, SHOWN, WIDER, choose, text
from tests.tournament.html_report.analysed import WORST, write_analysis
from tests.tournament.html_report.folders import make_folder

from contree.policy import CardStyle, rules_player, styled_player
from contree.tournament.html_report import write_report

pytestmark = pytest.mark.browser


def plain(shown: str) -> str:
    return shown.replace("\N{MINUS SIGN}", "-")


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analysed")
    other = styled_player(cards=CardStyle(ruff=30.0, defence_trump=30.0))
    players = {"anna": rules_player, "bert": other}
    make_folder(folder, bots=("anna", "bert"), boards=8, players=players)
    # Of the first board one table only was analysed.
    analysis = write_analysis(folder, folder / "a.jsonl", lambda name: name != "b0001-anna~bert-B")
    return write_report(folder, analysis=analysis)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_each_card_has_its_cost_and_the_worst_is_marked(
    browser: Browser, analysed: Path, width: int, scheme: str, tmp_path: Path
) -> None:
    browser.open(analysed, width, scheme, "#board=anna~bert/3")
    browser.wait_for(SHOWN)
    for table in (".table-a", ".table-b"):
        costs = browser.run(
            "return [...document.querySelectorAll(arguments[0] + ' .tricks small')]"
            ".map(one => [one.innerText, one.closest('tr').rowIndex])",
            table,
        )
        said = [(plain(shown).removeprefix(", cost").strip(), row) for shown, row in costs]
        assert said == [("-20", 1), ("▼-75", WORST // 4 + 1), ("(-40)", 5)]
        assert (
            browser.run(
                "return document.querySelectorAll(arguments[0] + ' td .worst').length", table
            )
            == 1
        )
        worst = plain(text(browser, f"{table} .worst-card"))
        assert f"Worst card of this table. Trick {WORST // 4 + 1}: " in worst
        assert "-75 ± 25, open -250, better " in worst
        assert "Par: 110" in text(browser, f"{table} .note")
        assert "this auction comes to +60 for " in text(browser, f"{table} .note")
    assert browser.run(
        "return [...document.querySelectorAll('.tricks small')].every(one =>"
        " one.getBoundingClientRect().right <= one.closest('td').getBoundingClientRect().right + 1)"
    ), "no cost sticks out of its cell"
    browser.run(
        "document.querySelectorAll('#explorer details').forEach(one => { one.open = true; })"
    )
    assert browser.run(WIDER) <= 0
    assert browser.run(_CUT) == []
    assert browser.run(_FAINT) == []
    assert browser.log() == []
    folder = Path(os.environ.get(SCREENS) or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    browser.screenshot(folder / f"costs-{width}-{scheme}.png")


def test_all_costs_can_be_read_by_key(browser: Browser, analysed: Path) -> None:
    browser.open(analysed, 390, fragment="#board=anna~bert/3")
    browser.wait_for(SHOWN)
    browser.run("document.getElementById('next').focus()")
    tab, enter = "\ue004", "\ue007"
    folded = []
    for _ in range(6):
        browser.driver.switch_to.active_element.send_keys(tab)
        if browser.run("return document.activeElement.tagName") == "SUMMARY":
            browser.driver.switch_to.active_element.send_keys(enter)
            folded.append(browser.run("return document.activeElement.parentNode.innerText"))
    assert len(folded) == 4, "calls and cards of two tables"
    assert folded[0].startswith("Calls that gave something away: 1")
    assert "-30, better pass" in plain(folded[0])
    assert folded[1].startswith("Cards that gave something away: 3")
    assert folded[1].count("Trick ") == 3


def test_boards_go_by_their_worst_cards(browser: Browser, analysed: Path) -> None:
    browser.open(analysed, 1440)
    browser.wait_for(SHOWN)
    choose(browser, "order", "cost")
    order = browser.run(
        "return [...document.getElementById('choose-board').options].map(o => o.value)"
    )
    assert sorted(order, key=int) == [str(n) for n in range(1, 9)]
    choose(browser, "board", "1")
    assert browser.run("return document.querySelectorAll('.table-a small.cost').length") == 3
    assert browser.run("return document.querySelectorAll('.table-b .cost').length") == 0
    assert "Par" not in text(browser, ".table-b"), "this one was not analysed"
    assert browser.log() == []
