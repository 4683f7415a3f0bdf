"""All languages decide alike."""

from __future__ import annotations

import json
import subprocess
from itertools import islice

import pytest
from google.protobuf.json_format import ParseDict
from tests.languages.folders import built, folder
from tests.languages.vectors import ALL_RULES, FILE, Vector, lines, positions, varied, vectors

from contree.bots.starter import decide
from contree.engine import DecisionKind
from contree.v1.observation_pb2 import Action
from contree.v1.play_service_pb2 import PlayRequest, PlayResponse, ServerMessage, Turn
from contree.wire import action_from_pb, decision_from_pb, seat_view_from_pb

FRESH_TURNS_OF_EACH_RULES = 400


def in_file() -> list[Vector]:
    """The vectors as the file has them."""
    read = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    return [
        Vector(ParseDict(one["turn"], Turn()), ParseDict(one["action"], Action())) for one in read
    ]


def answers(language: str, turns: list[Turn]) -> list[Action]:
    """What a bot answers, told all of them in one frame."""
    frame = PlayResponse(messages=[ServerMessage(turn=turn) for turn in turns])
    ran = subprocess.run(
        [*built(language), "--decide"],
        cwd=folder(language),
        input=frame.SerializeToString(),
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    acts = [message.act for message in PlayRequest.FromString(ran.stdout).messages]
    assert [(act.seat_ref, act.decision_id) for act in acts] == [
        (turn.seat_ref, turn.decision.id) for turn in turns
    ]
    return [act.action for act in acts]


def test_file_is_what_the_bot_in_python_decides() -> None:
    assert FILE.read_text("utf-8") == lines(vectors(varied())), (
        "run: python -m tests.languages.vectors"
    )


def test_file_has_all_kinds_of_decisions() -> None:
    wanted = {(turn.decision.kind, bool(turn.decision.announceable)) for turn, _ in in_file()}
    assert len(wanted) == len(DecisionKind) + 1
    said = {action.call.WhichOneof("call") for _, action in in_file() if action.HasField("call")}
    assert said == {"bid", "pass", "contre", "decline"}


def test_a_view_that_was_sent_is_decided_alike() -> None:
    """The turns hold all that the definition needs, so a bot needs no memory."""
    for rules in ALL_RULES:
        for view in islice(positions(rules, 3, "sent"), 60):
            ((turn, action),) = vectors([view])
            decision = decision_from_pb(turn.decision)
            again = seat_view_from_pb(turn.view, rules, decision)
            assert decide(again) == action_from_pb(action)


@pytest.mark.languages
@pytest.mark.timeout(2400)
def test_a_language_decides_as_the_definition_says(language: str) -> None:
    if language == "python":
        pytest.skip("the vectors are its own")
    views = [
        view
        for rules in ALL_RULES
        for view in islice(positions(rules, 20, f"fresh {language}"), FRESH_TURNS_OF_EACH_RULES)
    ]
    wanted = [*in_file(), *vectors(views)]
    got = answers(language, [vector.turn for vector in wanted])
    wrong = [
        f"{vector.turn}\nwanted {vector.action}\ngot {action}"
        for vector, action in zip(wanted, got, strict=True)
        if action != vector.action
    ]
    assert not wrong, f"{len(wrong)} of {len(wanted)}, such as\n{wrong[0]}"
