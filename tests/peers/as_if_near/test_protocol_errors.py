"""The tests of protocol errors, all over again."""

from tests.rpc.test_protocol_errors import *  # noqa: F403
