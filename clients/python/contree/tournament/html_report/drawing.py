"""Figures as images that a page holds in itself: matplotlib's SVG, in light and dark. Pure.

A figure is drawn for pages of three widths, so that its letters have about the same size in all.
Colours come from one palette: matplotlib writes them into the file, and a style sheet in it gives
each its counterpart for dark pages. The same figure gives the same bytes.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK: Final = "#1f2933"
MUTED: Final = "#66707c"
FAINT: Final = "#d5dae0"
SERIES: Final = (
    "#1b6ac9", "#b4530a", "#1d7f4e", "#8b3fc4", "#b3261e", "#0b7285", "#7a6200", "#c2257f",
)  # fmt: skip
"""Colours of bots, in the order of the file; each has a marker and a label besides."""
MARKERS: Final = "osD^vPX*"
_DARK: Final = {
    INK: "#e6e9ed",
    MUTED: "#9aa5b1",
    FAINT: "#3a424c",
    **dict(
        zip(
            SERIES,
            (
                "#79b0ff", "#f5a25d", "#5fd39a", "#cf9bf5", "#ff8f87", "#5fd0e3", "#dcc14a",
                "#ff8ac9",
            ),
            strict=True,
        )
    ),
}  # fmt: skip
WIDTHS: Final = (1120, 640, 350)
"""Of figures, in pixels: for wide pages, for tablets, for phones."""
_SETTINGS: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",  # letters stay letters
    "svg.hashsalt": "contree",  # ids that do not change from run to run
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same layout everywhere
    "font.size": 12,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.unicode_minus": True,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}

# Without a date, so that the same results give the same page.
_NO_METADATA: Final = dict.fromkeys(("Date", "Creator", "Format", "Type"))


class Image(NamedTuple):
    """A figure at one width."""

    data: str
    """SVG in base64."""
    width: int
    height: int


class Picture(NamedTuple):
    """A figure for pages of different widths."""

    wide: Image
    middle: Image
    narrow: Image
    alt: str
    """What there is to see, for those who do not see it."""


def picture(alt: str, draw: Callable[[Axes, bool], None], height: int) -> Picture:
    """Draw a figure of this height at all widths; ``draw`` is told whether it is the narrow one."""
    wide, middle, narrow = (_image(draw, width, height) for width in WIDTHS)
    return Picture(wide, middle, narrow, alt)


def _image(draw: Callable[[Axes, bool], None], width: int, height: int) -> Image:
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained", facecolor="none")
        axes = figure.add_subplot(facecolor="none")
        draw(axes, width == WIDTHS[-1])
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=_NO_METADATA)
    svg = text.getvalue()
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|\s*\n\s*", _blank, svg, flags=re.DOTALL)
    svg = svg[svg.index("<svg") :]
    opened = svg.index(">") + 1
    svg = f"{svg[:opened]}<style>{_STYLE}</style>{svg[opened:]}"
    return Image(base64.b64encode(svg.encode()).decode("ascii"), width, height)


def _blank(found: re.Match[str]) -> str:
    """A line break within a path or a tag parts words, elsewhere nothing."""
    return " " if found[0].isspace() else ""


def _dark() -> str:
    return "".join(
        f'[style*="{name}: {light}"]{{{name}:{dark}!important}}'
        for light, dark in _DARK.items()
        for name in ("fill", "stroke")
    )


_STYLE: Final = (
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif!important}"
    f"@media (prefers-color-scheme:dark){{{_dark()}}}"
)
