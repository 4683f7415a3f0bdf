"""Loading a bot from its author's folder: what works, and a sentence for what does not."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from contree.cli.errors import BadInput, Failure
from contree.cli.load import load_bot, own_traceback

GOOD = """
class {name}:
    def call(self, view): return view.legal[0]
    def play(self, view): return view.legal[0]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder whose modules are forgotten afterwards."""
    before, path = set(sys.modules), sys.path[:]
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) is not None:
            where = str(sys.modules[name].__file__)
            if where.startswith(str(tmp_path)):
                del sys.modules[name]


def write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


def test_a_class(folder: Path) -> None:
    write(folder, "load_a", GOOD.format(name="MyBot"))
    assert type(load_bot("load_a:MyBot", folder)).__name__ == "MyBot"


def test_a_function_and_a_ready_made_bot(folder: Path) -> None:
    write(folder, "load_b", GOOD.format(name="MyBot") + "def make(): return MyBot()\nbot = MyBot()")
    assert type(load_bot("load_b:make", folder)).__name__ == "MyBot"
    assert load_bot("load_b:bot", folder) is load_bot("load_b:bot", folder)


def test_a_batch_bot_and_one_that_decides(folder: Path) -> None:
    write(
        folder,
        "load_c",
        "from contree.client import BatchBot, Bot\n"
        "class Batch(BatchBot):\n    def act(self, views): return []\n"
        "class Decides(Bot):\n    def decide(self, turn): return turn.view.legal[0]\n",
    )
    load_bot("load_c:Batch", folder)
    load_bot("load_c:Decides", folder)


def test_a_module_in_a_package(folder: Path) -> None:
    (folder / "load_pack").mkdir()
    write(folder / "load_pack", "inner", GOOD.format(name="MyBot"))
    load_bot("load_pack.inner:MyBot", folder)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("load_d", "'load_d' names no bot: write MODULE:CLASS, such as my_bot:MyBot."),
        ("load_d.py:", "'load_d.py:' names no bot: "),
        ("a b:C", "'a b:C' names no bot: "),
        ("load_nowhere:C", "There is no module 'load_nowhere' in "),
        ("load_d.py:C", "load_d.py is a file: write the module, load_d:"),
        ("load_d.more:C", "There is no module 'load_d.more' in "),
        ("load_d:Other", "load_d ("),
        ("load_d:Mute", "load_d:Mute is no bot, for it has no method play(view): "),
        ("load_d:Silent", "load_d:Silent is no bot, for it has no method call(view): "),
        ("load_d:Batch", "load_d:Batch is no bot, for it has no method call(view): "),
        ("load_d:Needy", "load_d:Needy cannot be made without arguments (missing a required "),
        ("load_syntax:C", f"{{folder}}{'/'}load_syntax.py cannot be read, line 2: "),
    ],
)
def test_what_cannot_be_loaded(folder: Path, target: str, sentence: str) -> None:
    write(
        folder,
        "load_d",
        "from contree.client import BatchBot, Bot\n"
        "class Mute(Bot):\n    def call(self, view): return view.legal[0]\n"
        "class Silent(Bot): pass\n"
        "class Batch(BatchBot): pass\n"
        "class Needy(Bot):\n    def __init__(self, depth): pass\n",
    )
    write(folder, "load_syntax", "x = 1\nclass class\n")
    with pytest.raises(BadInput) as caught:
        load_bot(target, folder)
    assert caught.value.sentence.startswith(sentence.format(folder=folder))
    assert caught.value.code == 2


def test_a_missing_name_is_answered_with_those_there(folder: Path) -> None:
    write(folder, "load_e", GOOD.format(name="MyBot") + "from pathlib import Path")
    with pytest.raises(BadInput, match=r"has no 'MyBt': it has MyBot\.$"):
        load_bot("load_e:MyBt", folder)


def test_a_package_that_the_bot_lacks(folder: Path) -> None:
    write(folder, "load_f", "import not_there_at_all")
    with pytest.raises(Failure, match=r"^load_f imports not_there_at_all, which is not installed"):
        load_bot("load_f:C", folder)


def test_a_bot_that_fails_shows_its_own_traceback_only(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        folder, "load_g", "class C:\n    def __init__(self): self.fail()\n    def fail(self): 1/0"
    )
    with pytest.raises(Failure, match=r"^load_g:C failed when it was loaded \(ZeroDivisionError"):
        load_bot("load_g:C", folder)
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback (most recent call last):\n")
    assert shown.count("load_g.py") == 2
    assert "cli/load.py" not in shown
    assert shown.rstrip().endswith("ZeroDivisionError: division by zero")


def test_traceback_of_an_error_without_frames() -> None:
    assert own_traceback(ValueError("x")) is None
