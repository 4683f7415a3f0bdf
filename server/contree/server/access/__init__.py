"""Who may do what: tokens, API keys, callers and their roles.

tokens  the text of a token: made, checked, taken out of logs      keys     what a key allows
guard   from a token to a caller; ends what a revoked key has open  callers  who calls
"""

from contree.server.access.callers import (
    ANONYMOUS,
    Caller,
    PermissionDenied,
    Unauthenticated,
    calling,
    current_caller,
)
from contree.server.access.guard import Guard
from contree.server.access.keys import (
    ALL_ROLES,
    ApiKey,
    Role,
    UnreadableKey,
    decode_key,
    encode_key,
)
from contree.server.access.tokens import (
    PREFIX,
    Token,
    hide_tokens,
    new_key_id,
    new_token,
    parse_token,
)

__all__ = [
    "ALL_ROLES",
    "ANONYMOUS",
    "PREFIX",
    "ApiKey",
    "Caller",
    "Guard",
    "UnreadableKey",
    "PermissionDenied",
    "Role",
    "Token",
    "Unauthenticated",
    "calling",
    "current_caller",
    "decode_key",
    "encode_key",
    "hide_tokens",
    "new_key_id",
    "new_token",
    "parse_token",
]
