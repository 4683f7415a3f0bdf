"""The report of an event as one page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tournament.events import SEED
from tests.tournament.html_report.folders import change_header, make_folder
from tests.tournament.html_report.pages import Page

from contree.tournament.bot_endings import Ending, note_ending
from contree.tournament.documents import Derived
from contree.tournament.errors import ResultsError
from contree.tournament.folder import EventFolder
from contree.tournament.formats import Kind, Shape
from contree.tournament.html_report import report_text, write_report
from contree.tournament.isolation import Isolation
from contree.tournament.proof import EventProof
from contree.tournament.statistics.sprt import Design
from contree.tournament.tables import Attempt, TableFault, TableResult

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\"' & {{ 7 * 7 }} $x_1$"
FOUR = ("x", "y", "z", "w")


def page_of(folder: Path) -> Page:
    return Page(report_text(folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_folder(tmp_path_factory.mktemp("event"), boards=12)
    header = json.loads((folder / "event.json").read_text("utf-8"))
    policy = header["policy"] | {"isolation": Isolation.SEAT.sentence}
    change_header(folder, isolation="seat", policy=policy)
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Page:
    return page_of(folder)


def test_it_is_written_beside_the_results_the_same_each_time(folder: Path, page: Page) -> None:
    assert write_report(folder) == folder / "report.html"
    assert (folder / "report.html").read_text("utf-8") == page.source


def test_no_event(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no event"):
        report_text(tmp_path)


def test_every_number_is_that_of_the_other_files(folder: Path, page: Page) -> None:
    proof = EventProof.read(folder)
    standings = Derived.of(proof.schedule, proof.results).standings
    text = page.text.replace("\N{MINUS SIGN}", "-")
    for row in standings.rows:
        assert row.points is not None
        assert row.rating is not None
        digits = 1 if max(-row.points.low, row.points.high) < 1000 else 0
        low, high = row.points.low, row.points.high
        assert f"{row.points.mean:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]" in text
        assert f"{row.rating.mu:.1f} ±{2 * row.rating.sigma:.1f}" in text
    assert standings.gain is not None
    assert f"{standings.gain.ratio:.2f} [{standings.gain.low:.2f}, " in text
    tied = sum(m.tally.tied for pair, m in standings.meetings.items() if pair.first < pair.second)
    assert f"Tied boards: {tied} of 36." in text


def test_a_cell_of_the_cross_table_has_a_colour_only_where_all_intervals_say_so(
    tmp_path: Path,
) -> None:
    def change(result: TableResult) -> TableResult:
        # z loses clearly; x against y is won by an interval of its own, not by the common one.
        first, second = result.table.pairing
        if "z" in (first, second):
            swing = result.table.board ** (2 if first == "x" else 3) % 13
            return replace(result, marks=(1000 + 10 * swing, 0))
        return replace(result, marks=(170 if result.table.board % 2 else -30, 0))

    folder = make_folder(tmp_path, boards=12, change=change)
    proof = EventProof.read(folder)
    met = Derived.of(proof.schedule, proof.results).standings.meetings
    between = next(one for pair, one in met.items() if set(pair) == {"x", "y"} and pair[0] == "x")
    assert between.points is not None
    assert between.together is not None
    assert between.points.low > 0 > between.together.low, "the case that is meant"
    cells = [one for one in page_of(folder).all("td") if "num" in one.attributes.get("class", "")]
    coloured = [one.attributes["class"] for one in cells if "ahead" in one.attributes["class"]]
    assert len(coloured) == 2, "x and y against z, and not x against y"
    behind = [one for one in cells if "behind" in one.attributes["class"]]
    assert len(behind) == 2


def test_no_interval_no_number(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, boards=1)
    proof = EventProof.read(folder)
    for row in Derived.of(proof.schedule, proof.results).standings.rows:
        assert row.points is None
    page = page_of(folder)
    assert not re.search(r"[+\N{MINUS SIGN}]\d+\.\d", page.text.partition("Boards")[0])
    assert not [image for image in page.all("img") if "Means with" in image.attributes["alt"]]


def test_it_loads_nothing_and_runs_nothing_but_its_own(page: Page) -> None:
    for element in page.elements:
        for name, value in element.attributes.items():
            assert not name.startswith("on"), (element.tag, name)
            if name in {"src", "srcset", "href", "data", "action"}:
                assert value.startswith(("data:", "#")), (element.tag, value[:80])
    assert "http://" not in page.source.replace("http://www.w3.org", "")
    assert "https://" not in page.source
    for image in page.all("img"):
        svg = base64.b64decode(image.attributes["src"].partition(",")[2]).decode()
        assert not re.search(r"""(?:href|src)\s*=\s*["'](?!#)""", svg)
        assert image.attributes["alt"]
        assert int(image.attributes["width"]) > 0, "no shift when it comes"
        assert int(image.attributes["height"]) > 0


def test_the_policy_allows_what_the_page_has_and_no_more(page: Page) -> None:
    (policy,) = (
        one.attributes["content"]
        for one in page.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    scripts = [one for one in page.all("script") if "type" not in one.attributes]
    assert len(scripts) == 1
    for element in (*scripts, *page.all("style")):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert not [one for one in page.elements if "style" in one.attributes]


def test_whatever_comes_from_files_is_text(tmp_path: Path, page: Page) -> None:
    bots = ("x", HOSTILE.replace("/", "|"), "z")

    def change(result: TableResult) -> TableResult:
        return replace(
            result,
            match_id=HOSTILE,
            faults=(TableFault("x", "N", f"timeout{HOSTILE}", True, HOSTILE),),
            attempts=(Attempt(HOSTILE, HOSTILE, HOSTILE),),
            reason="forfeited" if result.table.board == 1 else result.reason,
            forfeited_by=(bots[1],) if result.table.board == 1 else (),
        )

    folder = make_folder(tmp_path, bots=bots, boards=2, change=change)
    change_header(
        folder,
        name=HOSTILE,
        policy={HOSTILE: HOSTILE},
        isolation=HOSTILE,
        contree=HOSTILE,
        policy_sha256=HOSTILE,
        watch=HOSTILE,
    )
    harmless, page = page, page_of(folder)
    known = {element.tag for element in harmless.elements}
    assert {element.tag for element in page.elements} <= known
    assert all(image.attributes["src"].startswith("data:") for image in page.all("img"))
    assert len([one for one in page.all("script") if "type" not in one.attributes]) == 1
    assert not any(name.startswith("on") for one in page.elements for name in one.attributes)
    assert page.all("h1")[0].text == HOSTILE, "neither lost nor run as a template"
    for image in page.all("img"):
        svg = base64.b64decode(image.attributes["src"].partition(",")[2]).decode()
        assert "<script" not in svg
        assert "onerror=alert" not in svg.replace("&lt;img src=x onerror=alert", "")


def test_cards_are_not_shown_before_the_seed_is(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, revealed=False)
    log = folder / "tables.jsonl"
    log.write_text("".join(log.read_text("utf-8").splitlines(keepends=True)[:13]), "utf-8")
    page = page_of(folder)
    assert SEED.hex() not in page.source
    assert "once the event is over" in page.text
    assert not page.all("script")
    assert "Not over: 13 of 18 tables have a result." in page.text
    assert "Ahead so far" in page.text


def test_an_event_without_a_result(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, revealed=False)
    (folder / "tables.jsonl").unlink()
    assert "Not over: 0 of 18" in page_of(folder).text


def test_faults_forfeits_and_attempts_are_listed(tmp_path: Path) -> None:
    def change(result: TableResult) -> TableResult:
        if result.table.board == 1:
            return replace(
                result, reason="forfeited", seats={}, forfeited_by=(result.table.pairing.second,)
            )
        return replace(
            result,
            faults=(TableFault(result.table.pairing.first, "N", "illegal_action", True, ""),),
            attempts=(Attempt("m9", "not_started", "The seat of North was not taken."),),
            overruns={"x": 3},
        )

    page = page_of(make_folder(tmp_path, change=change))
    assert "not started The seat of North was not taken. m9" in page.text
    assert "b0001-x~y-A y" in page.text, "forfeited"
    assert "* x: the house played on for it at 8 tables of 8; the points include that." in page.text
    (row,) = (line for line in page.text.split("Faults by kind")[1:] if "Illegal action" in line)
    # Tables; timeouts, illegal actions ...; replaced, saved by the allowance, forfeited.
    assert re.search(r"\bx 8 0 8 0 0 0 8 24 0\b", row)


def test_what_was_laid_down_is_printed(folder: Path, page: Page) -> None:
    text = page.text
    proof = EventProof.read(folder)
    assert proof.seed is not None
    assert proof.seed.hex() in text
    assert hashlib.sha256(proof.seed).hexdigest() in text
    assert text.count(Isolation.SEAT.sentence) == 1, "in the hashed words, and once"
    assert re.search(r"SHA-256 of the policy [0-9a-f]{64}", text)
    assert "Of each seat" in text


def test_how_bots_were_held_is_printed(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    limits = {"memory": 512 << 20, "cpu_time": 60.0, "cpus": 1}
    bots = [
        {"name": "x", "command": ["x"], "dials_in": False, "sandbox": "bubblewrap",
         "limits": limits},
        {"name": "y", "command": ["y", "-v"], "dials_in": False, "sandbox": "none", "limits": {}},
        {"name": "z", "command": [], "dials_in": True},
    ]  # fmt: skip
    change_header(folder, bots=bots, isolation="match", policy={})
    text = page_of(folder).text
    assert "x: x; sandbox bubblewrap; limits of each process: memory 512 MiB, cpu time 60 s" in text
    assert "y: y -v; no sandbox; no limits" in text
    assert "z: dials in" in text
    assert f"match: {Isolation.MATCH.sentence}" in text, "of an event without a policy for it"
    bots[0]["limits"] = {"memory": HOSTILE, "dragons": [1]}
    change_header(folder, bots=bots)
    assert "dragons" in page_of(folder).text


def test_processes_that_ended_are_listed(tmp_path: Path, page: Page) -> None:
    assert "Processes of started bots" not in page.text, "none did"
    folder = make_folder(tmp_path)
    for _ in range(2):
        ending = Ending("x", "x (north)", "killed by SIGKILL", restarted=True, last=HOSTILE)
        note_ending(EventFolder(folder).endings, ending)
    ending = Ending("y", HOSTILE, "with exit code 1", restarted=False)
    note_ending(EventFolder(folder).endings, ending)
    found = page_of(folder)
    assert "x x (north) killed by SIGKILL 2 2" in found.text
    assert "with exit code 1 1 0" in found.text
    assert found.text.count("onerror") == 1, "what a bot wrote last is not published"
    assert not any("onerror" in element.attributes for element in found.elements)


def test_rounds_of_a_swiss_event(tmp_path: Path) -> None:
    shape = Shape(kind=Kind.SWISS, rounds=2)
    page = page_of(make_folder(tmp_path, shape, bots=(*FOUR, "v"), boards=2))
    heads = [one.text for one in page.all("h3")]
    assert heads == ["Round 1", "Round 2"]
    assert "bye" in page.text
    assert "Match points" in page.text


def test_the_bracket_of_a_knockout(tmp_path: Path) -> None:
    page = page_of(make_folder(tmp_path, Shape(kind=Kind.KNOCKOUT), bots=FOUR, boards=2))
    assert [one.text for one in page.all("h3")] == ["Semi-finals", "Final"]
    won = [one for one in page.all("div") if one.attributes.get("class") == "side won"]
    assert len(won) == 3


def test_the_way_of_a_sequential_test(tmp_path: Path) -> None:
    shape = Shape(kind=Kind.SPRT, design=Design(every=10, least=20))
    folder = make_folder(tmp_path, shape, bots=("x", "y"), boards=40)
    page = page_of(folder)
    proof = EventProof.read(folder)
    report = proof.schedule.report(proof.results)
    assert f"{report.data['llr']:+.2f}".replace("-", "\N{MINUS SIGN}") in page.text
    plots = [one.attributes["alt"] for one in page.all("img")]
    assert any(alt.startswith("Log-likelihood ratio over") for alt in plots)
