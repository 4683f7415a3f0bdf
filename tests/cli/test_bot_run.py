"""`contree bot run` as a process, from the author's folder."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import HANGS_S, Ran, finish, processes_with, start
from tests.cli.test_serve import serving

from contree.cli.local import answers
from contree.engine import Seat, parse_record

FIRST = """
class MyBot:
    def call(self, view):
        return view.legal[0]
    def play(self, view):
        return view.legal[-1]
"""

pytestmark = pytest.mark.skipif(
    answers("127.0.0.1:50051"), reason="a server runs here at the default address"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An author's folder; temporary files go to it too."""
    (tmp_path / "my_bot.py").write_text(FIRST, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str) -> Ran:
    return finish(start("bot", "run", *arguments, cwd=folder, env=[("TMPDIR", str(folder))]))


def test_first_game(folder: Path) -> None:
    ran = run(folder, "my_bot:MyBot", "--practice", "--deals", "2")
    assert ran.code == 0, ran.err
    assert "No server at 127.0.0.1:50051: started one for this session at 127.0.0.1:" in ran.err
    assert "deal 1: " in ran.out
    assert "deal 2: " in ran.out
    assert "All deals are played: NS " in ran.out
    assert "Traceback" not in ran.err
    assert not processes_with(str(folder))
    assert not list(folder.glob("contree-*")), "the session's folder is left behind"


def test_for_scripts(folder: Path) -> None:
    options = "--practice --deals 3 --preset coinche-annonce --opponents random --partner rules"
    ran = run(folder, "my_bot:MyBot", *options.split(), "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["rules"].startswith("coinche-annonce")
    assert told["deals"] == 3
    assert len(told["seats"]) == 1
    assert told["reason"] == "deals_played"


@pytest.mark.parametrize("rules", ["--preset ffb-mixte", "--rules house.toml"])
def test_practice_matches_one_after_the_other(folder: Path, rules: str) -> None:
    """Rules of one's own cannot be asked for with the greeting: these matches are made first."""
    (folder / "house.toml").write_text('name = "house"\nbase = "ffb-mixte"\ntarget = 700\n')
    options = f"--practice --deals 1 --matches 2 --json {rules}"
    ran = run(folder, "my_bot:MyBot", *options.split())
    assert ran.code == 0, ran.err
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert len({one["match_id"] for one in told}) == 2
    assert all(one["deals"] == 1 for one in told)


def test_a_bot_that_the_house_had_to_replace(folder: Path) -> None:
    """Each illegal answer is told once, and the exit code says that something was wrong."""
    illegal = FIRST.replace("view.legal[-1]", "(CARDS - set(view.hand)).pop()")
    cards = "from contree.engine import Card\nCARDS = {Card(i) for i in range(32)}\n"
    (folder / "my_bot.py").write_text(cards + illegal, encoding="utf-8")
    ran = run(folder, "my_bot:MyBot", "--practice", "--deals", "4", "--partner", "rules")
    assert ran.code == 1
    assert ran.err.count("is not allowed") == 3, ran.err
    assert ran.err.splitlines()[-1].startswith(
        "contree: The house played on for 1 seat of this bot: 3 illegal and 0 late answers of "
    )
    assert "Traceback" not in ran.err


def test_a_server_that_runs_is_used(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("server")) as server:
        options = ["--practice", "--deals", "1", "--server", server.address]
        ran = run(folder, "my_bot:MyBot", *options)
        assert ran.code == 0, ran.err
        assert "started one" not in ran.err
        watched = finish(
            start("watch", ran.err.split("of match ")[1][:22].strip(" ,"), *options[3:])
        )
    assert watched.code == 0, watched.err
    assert "MyBot" in watched.out


def test_a_bot_that_fails_at_the_table(folder: Path) -> None:
    # It bids what it may: a deal that is passed out has no cards to fail at.
    broken = FIRST.replace("view.legal[-1]", "self.best(view)").replace("legal[0]", "legal[-1]") + (
        "    def best(self, view):\n        return view.nonsense\n"
    )
    (folder / "my_bot.py").write_text(broken, encoding="utf-8")
    ran = run(folder, "my_bot:MyBot", "--practice", "--deals", "1")
    assert ran.code == 1
    *_, cause, sentence = ran.err.splitlines()
    assert cause == "AttributeError: 'View' object has no attribute 'nonsense'"
    assert sentence.startswith("contree: The bot MyBot ")
    assert "my_bot.py" in ran.err
    assert "contree/client" not in ran.err, "the SDK's frames are no help to an author"
    assert not processes_with(str(folder))


def test_a_bot_that_answers_nonsense(folder: Path) -> None:
    (folder / "my_bot.py").write_text(FIRST.replace("view.legal[0]", "42.5"), encoding="utf-8")
    ran = run(folder, "my_bot:MyBot", "--practice", "--deals", "1")
    assert ran.code == 1
    assert ran.err.splitlines()[-1].startswith("contree: The bot MyBot ")
    assert "Traceback" not in ran.err


def test_records_of_practice_are_kept(folder: Path) -> None:
    ran = run(
        folder,
        *["my_bot:MyBot", "--practice", "--deals", "1", "--matches", "2", "--records", "kept/here"],
    )
    assert ran.code == 0, ran.err
    kept = list((folder / "kept" / "here").iterdir())
    assert len(kept) == 2
    for path in kept:
        record = parse_record(path.read_text("utf-8"))
        assert record.names[Seat.NORTH] == "MyBot"
        assert f"record: kept/here/{path.name}" in ran.err


def test_the_record_of_a_bot_that_failed_is_kept(folder: Path) -> None:
    (folder / "my_bot.py").write_text(FIRST.replace("view.legal[0]", "view.no"), encoding="utf-8")
    ran = run(folder, "my_bot:MyBot", "--practice", "--deals", "1", "--records", ".")
    assert ran.code == 1
    assert "no attribute 'no'" in ran.err
    (kept,) = folder.glob("*.bgn")
    parse_record(kept.read_text("utf-8"))


@pytest.mark.parametrize(("level", "shown"), [("warning", 0), ("info", 1), ("debug", 2)])
def test_the_log_of_the_bot_beside_that_of_the_sdk(folder: Path, level: str, shown: int) -> None:
    logging = FIRST.replace("class", "import logging\nclass", 1).replace(
        "return view.legal[0]", "logging.getLogger(__name__).info('hm'); return view.legal[0]"
    )
    (folder / "my_bot.py").write_text(logging, encoding="utf-8")
    ran = run(folder, "my_bot:MyBot", "--practice", "--deals", "1", "--log", level)
    assert ran.code == 0, ran.err
    assert (" INFO hm\n" in ran.err) is (shown > 0)
    assert bool(re.search(r" decisions?, ", ran.err)) is (shown > 0)
    assert (" DEBUG seat " in ran.err) is (shown > 1)


def test_two_processes_of_one_name(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("server")) as server:
        options = ("bot", "run", "my_bot:MyBot", "--server", server.address)
        processes = [start(*options, cwd=folder)]
        try:
            said = [_until_connected(processes[0])]
            processes.append(start(*options, cwd=folder))
            processes.append(start(*options, "--instance", "meant", cwd=folder))
            said += [_until_connected(process) for process in processes[1:]]
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
                finish(process)
    told = [" named MyBot wait" in text for text in said]
    assert told == [False, True, False], said


def _until_connected(process: subprocess.Popen[str]) -> str:
    """What a bot says before and when it is connected."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if "connected to " in line:
            return said
    raise AssertionError(said)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--deals 3", "--deals is about practice: add --practice, or leave it out."),
        ("--preset ffb-mixte", "--preset is about practice: "),
        ("--records x", "--records is about practice: "),
        ("--practice --preset belote", "There is no preset 'belote': choose one of "),
        ("--practice --preset x.toml", "There is no rule file x.toml: check the path."),
        ("--practice --opponents me", "The house has no player 'me': write --opponents rules or "),
        ("--practice", "There is no module 'my_bot' in "),
    ],
)
def test_bad_input(contree: Contree, options: str, sentence: str) -> None:
    ran = contree("bot", "run", "my_bot:MyBot", *options.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"contree: {sentence}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"]
)
def test_a_waiting_bot_is_stopped(
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    number: signal.Signals,
    code: int,
) -> None:
    with serving(tmp_path_factory.mktemp("server")) as server:
        process = start("bot", "run", "my_bot:MyBot", "--server", server.address, cwd=folder)
        assert process.stderr is not None
        for line in process.stderr:
            if "connected to " in line:
                break
        process.send_signal(number)
        ran = finish(process)
    assert ran.code == code
    assert "Traceback" not in ran.err


def test_the_session_server_ends_with_a_killed_bot(folder: Path) -> None:
    slow = FIRST.replace("return view.legal[0]", "import time; time.sleep(60)")
    (folder / "my_bot.py").write_text(slow, encoding="utf-8")
    process = start(
        *("bot", "run", "my_bot:MyBot", "--practice"), cwd=folder, env=[("TMPDIR", str(folder))]
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("seat "):
            break
    process.kill()
    process.communicate()
    deadline = time.monotonic() + HANGS_S
    while processes_with(str(folder)):
        assert time.monotonic() < deadline, processes_with(str(folder))
        time.sleep(0.02)
