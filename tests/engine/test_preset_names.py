"""No rule is decided by the name of a preset: the grep of the project's promise, and behaviour."""

import dataclasses
import random
import re
from pathlib import Path

import pytest

from contree.engine import (
    DEFAULT_PRESET,
    PRESET_NAMES,
    Game,
    Mode,
    RuleSet,
    SeededDeals,
    format_record,
    legal_of,
    parse_record,
    preset,
    project,
    rules_from_dict,
)
from contree.engine.record import Record
from contree.wire import rules_from_pb, rules_to_pb

ENGINE = Path(__file__).parent.parent.parent / "engine"
PATTERN = re.compile(r"contree-simple|contree-generale|coinche-|ffb-")
"""As in ``grep -rnE "contree-simple|coinche-|ffb-" engine --include=*.py``."""

ALLOWED = {
    # the list of the presets, the default, and an example in the docstring
    "contree/engine/presets.py": [
        'one\'s own may start from one: ``base = "ffb-mixte"`` and then only what differs.',
        *(f'"{name}",' for name in PRESET_NAMES),
        f'DEFAULT_PRESET: Final = "{DEFAULT_PRESET}"',
    ],
    # examples of records in docstrings
    "contree/engine/notation.py": ['[Rules "ffb-mixte"]'],
    "contree/engine/bgn_json_read.py": ['"rules": "ffb-mixte",'],
}
"""Every line that the grep may find, by file."""


def test_names_of_presets_decide_nothing() -> None:
    found = {}
    for path in sorted(ENGINE.rglob("*.py")):
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
        named = [line for line in lines if PATTERN.search(line)]
        if named:
            found[str(path.relative_to(ENGINE))] = named
    assert found == ALLOWED


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_a_preset_by_another_name_plays_the_same(name: str) -> None:
    rules = preset(name)
    renamed = dataclasses.replace(rules, name="x", source="y")
    assert rules_from_dict(renamed.to_dict()) == renamed
    for seed in range(5):
        ours, theirs = played(rules, seed), played(renamed, seed)
        assert ours.results == theirs.results
        assert ours.scores == theirs.scores
        text = format_record(Record.of(theirs, ["N", "E", "S", "W"]))
        assert parse_record(text).replay().results == ours.results
    message = rules_to_pb(renamed)
    assert rules_from_pb(message) == renamed
    same = {field.name for field in message.DESCRIPTOR.fields} - {"toml", "name"}
    for field in same:
        assert getattr(message, field) == getattr(rules_to_pb(rules), field)


def played(rules: RuleSet, seed: int) -> Game:
    """A few deals at random, every view asked what it allows."""
    rng = random.Random(seed)
    rules = dataclasses.replace(rules, deals_limit=3)
    game = Game.start(rules, SeededDeals(seed.to_bytes(32, "big")), Mode.RACE)
    while game.owed:
        seat = rng.choice(game.owed)
        legal = game.legal_actions(seat)
        assert set(legal_of(project(game, seat))) == set(legal)
        game = game.apply(seat, rng.choice(legal))
    return game
