"""Commands on their way through a cluster keep the order of their slot."""

from __future__ import annotations

from redis import exceptions as redis_errors

from contree.server.store.batch import Address, Batch
from contree.server.store.commands import ASKING, LOAD_ALL, Command, command

A: Address = ("a", 1)
B: Address = ("b", 1)


def holder(key: bytes) -> Address:
    if b"{lost}" in key:
        raise redis_errors.SlotNotCoveredError("nowhere")
    return A if key.startswith(b"{a}") else B


def batch(*keys: bytes) -> tuple[Batch, list[Command]]:
    commands = [command(b"GET", key) for key in keys]
    return Batch(commands), commands


def test_what_is_sent_again_takes_along_what_comes_after_it_for_its_slot() -> None:
    group, _ = batch(b"{a}1", b"{b}1", b"{a}2", b"{b}2", b"{a}3")
    assert group.groups(holder) == {A: [0, 2, 4], B: [1, 3]}
    group.take([0, 2, 4], [b"ok", redis_errors.TryAgainError("wait"), b"too early"])
    group.take([1, 3], [b"ok", b"ok"])
    assert group.failed() == [2]
    group.send_again([2])
    assert group.groups(holder) == {A: [2, 4]}
    group.take([2, 4], [b"ok", b"in time"])
    assert group.failed() == []
    assert group.replies == [b"ok", b"ok", b"ok", b"ok", b"in time"]


def test_a_detour_is_announced_and_scripts_are_sent_along() -> None:
    group, commands = batch(b"{a}1", b"{a}2")
    (whole,) = group.groups(holder).values()
    assert group.packed(A, whole) == (commands, [])
    group.detour(1, B)
    assert group.lacks_scripts(0)
    group.send_again([0])
    assert group.groups(holder) == {A: [0], B: [1]}
    assert group.packed(A, [0]) == ([*LOAD_ALL, commands[0]], [len(LOAD_ALL)])
    assert group.packed(B, [1]) == ([ASKING, commands[1]], [1])
    assert not group.lacks_scripts(0), "they were sent along already"
    group.detour(1, None)
    group.send_again([0])
    assert group.groups(holder) == {A: [0, 1]}


def test_a_slot_that_nobody_holds_concerns_its_own_commands_only() -> None:
    group, _ = batch(b"{a}1", b"{lost}1")
    assert group.groups(holder) == {A: [0]}
    group.take([0], [b"ok"])
    assert group.failed() == [1]
    assert group.sent == [A, None]
