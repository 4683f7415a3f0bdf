"""System calls that programs in a sandbox are refused, as a filter that ``bwrap --seccomp`` takes.

Namespaces leave ways between sandboxes open: a vsock port is none of the network's namespace, and
two programs that see one file, such as the interpreter's, see each other's locks on it and can be
told when the other opens it. With ``flock`` one of two partners reads the other's hand for certain.
Here the kernel refuses such calls, each with an error that programs know from systems that lack it.
What is left cannot be refused: the load that one makes and the other measures.

On files of their own programs miss ``flock``, and may not ask for the locks of others (``F_GETLK``,
as SQLite's WAL mode does). They may set the locks of ``fcntl`` and wait for them: on a file that
nobody may write those can only be shared, and tell nothing. A sandbox takes no call of another
architecture (32 bits, x32).
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping
from typing import Final, NamedTuple

# Codes of classic BPF (linux/bpf_common.h), and what a filter answers (linux/seccomp.h).
_LOAD: Final = 0x20
_IF_EQUAL: Final = 0x15
_IF_AT_LEAST: Final = 0x35
_RETURN: Final = 0x06
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
# Offsets in struct seccomp_data. All arguments looked at are C ints: the lower half is all.
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_FIRST: Final = 16
_SECOND: Final = 24
_FOREIGN: Final = 0x40000000
"""Calls of x32 have this bit."""

_FAMILIES: Final = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
"""Of sockets; by the last programs learn what networks there are, those of the sandbox."""
_COMMANDS: Final = {
    5: errno.EINVAL,  # F_GETLK
    36: errno.EINVAL,  # F_OFD_GETLK
    1024: errno.EINVAL,  # F_SETLEASE
    1026: errno.EINVAL,  # F_NOTIFY
}
"""Of ``fcntl``: those that tell what others do with a file."""


class _Machine(NamedTuple):
    audit: int
    """AUDIT_ARCH_* of linux/audit.h."""
    socket: int
    fcntl: int
    refused: Mapping[str, int]


_SINCE_2019: Final = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427}
"""From then on calls have one number on all machines."""
_GENERIC: Final = _SINCE_2019 | {
    "inotify_init1": 26,
    "flock": 32,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "perf_event_open": 241,
    "fanotify_init": 262,
    "bpf": 280,
    "userfaultfd": 282,
}
_MACHINES: Final = {
    "x86_64": _Machine(
        0xC000003E,
        41,
        72,
        _SINCE_2019
        | {
            "flock": 73,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "inotify_init": 253,
            "inotify_init1": 294,
            "perf_event_open": 298,
            "fanotify_init": 300,
            "bpf": 321,
            "userfaultfd": 323,
        },
    ),
    "aarch64": _Machine(0xC00000B7, 198, 25, _GENERIC),
    "riscv64": _Machine(0xC00000F3, 198, 25, _GENERIC),
}
_ERRORS: Final = {"flock": errno.ENOLCK}
"""What is answered where it is not ENOSYS, "there is no such call"."""


def seccomp_filter(machine: str = "") -> bytes | None:
    """The filter for a machine as ``platform.machine()`` names it, by default this one; None where
    its calls are not known here.
    """
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    code = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_IF_EQUAL, known.audit, 1, 0),
        _refuse(errno.ENOSYS),
        _step(_LOAD, _NUMBER),
        _step(_IF_AT_LEAST, _FOREIGN, 0, 1),
        _refuse(errno.ENOSYS),
    ]
    for name, number in known.refused.items():
        code += _when(number, [_refuse(_ERRORS.get(name, errno.ENOSYS))])
    families = [_step(_LOAD, _FIRST)]
    for family in _FAMILIES.values():
        families += _when(family, [_step(_RETURN, _ALLOW)])
    code += _when(known.socket, [*families, _refuse(errno.EAFNOSUPPORT)])
    commands = [_step(_LOAD, _SECOND)]
    for command, error in _COMMANDS.items():
        commands += _when(command, [_refuse(error)])
    code += _when(known.fcntl, [*commands, _step(_RETURN, _ALLOW)])
    return b"".join([*code, _step(_RETURN, _ALLOW)])


def _when(value: int, then: list[bytes]) -> list[bytes]:
    """Steps for one value of what was loaded last; others skip them."""
    return [_step(_IF_EQUAL, value, 0, len(then)), *then]


def _refuse(error: int) -> bytes:
    return _step(_RETURN, _ERRNO | error)


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    """A struct sock_filter."""
    return struct.pack("=HBBI", code, if_so, if_not, value)
