"""The tests of play, all over again."""

from tests.rpc.test_play import *  # noqa: F403
