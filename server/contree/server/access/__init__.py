"""Who may do what: tokens, API keys, callers and their roles.

tokens  the text of a token: made, checked, taken out of logs      keys     what a key allows
guard   from a token to a caller; ends what a revoked key has open  callers  who calls
quotas  what a caller may have open and ask for                     limits   how often, purely
admission  when a call begins, of all callers in turn
peers   what a caller without a key is counted as
"""

from contree.server.access.admission import HELLO, Admission
from contree.server.access.callers import (
    ANONYMOUS,
    Caller,
    PermissionDenied,
    Unauthenticated,
    current_caller,
    set_caller,
)
from contree.server.access.guard import Guard
from contree.server.access.keys import (
    ALL_ROLES,
    ApiKey,
    Role,
    UnreadableKey,
    decode_key,
    encode_key,
    new_key,
)
from contree.server.access.peers import counted_as
from contree.server.access.quotas import Quota, Quotas, RateLimited
from contree.server.access.tokens import (
    Token,
    new_key_id,
    new_token,
    parse_token,
)

__all__ = [
    "ALL_ROLES",
    "ANONYMOUS",
    "HELLO",
    "Admission",
    "ApiKey",
    "Caller",
    "Guard",
    "UnreadableKey",
    "PermissionDenied",
    "Quota",
    "Quotas",
    "RateLimited",
    "Role",
    "Token",
    "Unauthenticated",
    "counted_as",
    "current_caller",
    "set_caller",
    "decode_key",
    "encode_key",
    "new_key",
    "new_key_id",
    "new_token",
    "parse_token",
]
