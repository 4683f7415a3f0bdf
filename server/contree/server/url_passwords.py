"""URLs without their passwords, wherever they are shown: in settings, errors and logs.

Who writes a password into a URL may forget to encode it, so nothing here asks what the URL means:
rather too much is hidden than a part of a password shown.
"""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = "***"
_IN_QUERY: Final = re.compile(r"(?i)(?<=password=)[^&\s]*")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")


def hide_passwords(url: str) -> str:
    """The URL with ``***`` for all between the user's name and the last ``@``, and for whatever is
    called a password after that.
    """
    scheme, divider, rest = url.partition("://") if "://" in url else ("", "", url)
    user_info, at, place = rest.rpartition("@")
    user, colon, _ = user_info.partition(":")
    shown = f"{user}:{_HIDDEN}" if colon else user
    return _IN_QUERY.sub(_HIDDEN, f"{scheme}{divider}{shown}{at}{place}")


def hide_passwords_in(text: str) -> str:
    """The text with its URLs as ``hide_passwords`` shows them."""
    return _URL.sub(lambda url: hide_passwords(url[0]), text) if "://" in text else text
