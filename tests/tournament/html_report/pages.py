"""A page as a browser takes it apart."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """The elements of a page with the text directly in them."""

    source: str
    elements: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[Element] = []
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].text += data

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    @property
    def text(self) -> str:
        """All that can be read."""
        unread = {"script", "style"}
        parts = (element.text for element in self.elements if element.tag not in unread)
        return " ".join(" ".join(parts).split())

    def boards(self) -> dict[str, Any]:
        """What the board explorer is given."""
        (data,) = (one for one in self.all("script") if one.attributes.get("id") == "boards-data")
        return boards_in(data.text)


def boards_in(data: str) -> dict[str, Any]:
    """The document of the board explorer."""
    document: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(data)))
    return document
