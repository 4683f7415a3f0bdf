"""The figures of a page: standings, ratings, time, the way of a sequential test. Pure.

Each says in words, for those who do not see it, what is in it; all numbers are in tables besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from contree.tournament.html_report.drawing import (
    FAINT,
    INK,
    MARKERS,
    MUTED,
    SERIES,
    Picture,
    picture,
)
from contree.tournament.html_report.timing import TimeUse
from contree.tournament.standings import Standing
from contree.tournament.statistics.ratings import Rating
from contree.tournament.statistics.sprt import Design, Look

_ROW: Final = 32
"""Height of a bot's row."""
_TOLD: Final = "●■◆▲▼✚✖★"
"""``MARKERS`` as letters."""
_LONGEST: Final = 16
"""Letters of a name that a narrow figure has room for."""


def standings_plot(rows: Sequence[Standing], unit: str) -> Picture | None:
    """The mean of each bot with its interval, the best on top."""
    shown = [(row.bot, row.points) for row in rows if row.points is not None]
    if not shown:
        return None

    def draw(axes: Axes, narrow: bool) -> None:
        places = range(len(shown), 0, -1)
        for place, (_, points) in zip(places, shown, strict=True):
            axes.plot([points.low, points.high], [place, place], color=SERIES[0], lw=3, alpha=0.55)
            axes.plot([points.mean], [place], "o", color=SERIES[0], ms=7)
        axes.axvline(0, color=MUTED, lw=0.8, ls=(0, (4, 3)), zorder=0)
        _rows(axes, [bot for bot, _ in shown], narrow)
        axes.set_xlabel(f"{unit}, with 95% interval")

    told = ", ".join(f"{bot} {p.mean:+.0f} ({p.low:+.0f} to {p.high:+.0f})" for bot, p in shown)
    height = 70 + _ROW * len(shown)
    return picture(f"Means with 95% intervals: {told}.", draw, height)


def ratings_plot(
    bots: Sequence[str], curve: Sequence[tuple[int, Mapping[str, Rating]]]
) -> Picture | None:
    """How ratings went from board to board, each within two sigma."""
    if not curve:
        return None
    last = curve[-1][1]

    band = min(0.13, 0.8 / len(last))  # so that many of them stay apart

    def draw(axes: Axes, narrow: bool) -> None:
        for number, bot in enumerate(bots):
            line = [(board, rated[bot]) for board, rated in curve if bot in rated]
            if not line:
                continue
            colour, marker = SERIES[number % len(SERIES)], MARKERS[number % len(MARKERS)]
            x = [board for board, _ in line]
            mu = [rating.mu for _, rating in line]
            low, high = [r.low for _, r in line], [r.high for _, r in line]
            axes.fill_between(x, low, high, color=colour, alpha=band, lw=0)
            dashed = (0, (5, 2)) if number // len(SERIES) % 2 else "-"
            axes.plot(x, mu, color=colour, lw=1.8, ls=dashed, marker=marker, ms=5, markevery=4)
        axes.set_xlabel("boards")
        axes.set_ylabel("rating, band of 2 sigma")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5 if narrow else 10))
        axes.grid(axis="y", color=FAINT, lw=0.6)
        _labels_at_end(axes, bots, last, narrow)

    ranked = sorted(last, key=lambda bot: -last[bot].mu)
    told = ", ".join(f"{bot} {last[bot].mu:.1f} ±{2 * last[bot].sigma:.1f}" for bot in ranked)
    alt = f"Ratings after each board with bands of two sigma; at the end {told}."
    height = max(320, 60 + 18 * len(last))
    return picture(alt, draw, height)


def _labels_at_end(
    axes: Axes, bots: Sequence[str], last: Mapping[str, Rating], narrow: bool
) -> None:
    """The names beside the ends of their lines, moved apart where they would overlap."""
    low, high = axes.get_ylim()
    step = (high - low) * 16 / (axes.get_figure().bbox.height - 55)  # type: ignore[union-attr]
    height = float("inf")
    for bot in sorted(last, key=lambda bot: -last[bot].mu):
        height = min(last[bot].mu, height - step)
        number = bots.index(bot)
        axes.annotate(
            f"{_TOLD[number % len(MARKERS)]} {_short(bot, narrow)}",
            xy=(1, height),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=SERIES[number % len(SERIES)],
            annotation_clip=False,
        )


def time_plot(times: Sequence[TimeUse], limit: float) -> Picture | None:
    """Milliseconds of a decision: the middle half of tables, and all but one in ten."""
    shown = [time for time in times if time.spread]
    if not shown:
        return None

    def draw(axes: Axes, narrow: bool) -> None:
        for place, time in zip(range(len(shown), 0, -1), shown, strict=True):
            p5, q1, median, q3, p95, most = (max(value, 0.01) for value in time.spread)
            axes.plot([p5, p95], [place, place], color=MUTED, lw=1.6)
            axes.plot([q1, q3], [place, place], color=SERIES[0], lw=8, alpha=0.55)
            axes.plot([median], [place], "|", color=INK, ms=13, mew=2)
            axes.plot([most], [place], "x", color=SERIES[1], ms=6, mew=1.6)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3) if narrow else (1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        if limit:
            axes.axvline(limit * 1000, color=SERIES[4], lw=1.2, ls=(0, (4, 3)))
        _rows(axes, [time.bot for time in shown], narrow)
        axes.set_xlabel("ms a decision (mean of a table)")

    told = ", ".join(f"{time.bot} {time.spread[2]:.1f}" for time in shown)
    height = 70 + _ROW * len(shown)
    alt = f"Milliseconds a decision, spread over tables; medians: {told}."
    return picture(alt, draw, height)


def sequential_plot(looks: Sequence[Look], design: Design, boards: int) -> Picture | None:
    """The likelihood ratio from look to look, between its bounds."""
    if not looks:
        return None

    def draw(axes: Axes, narrow: bool) -> None:
        x = [look.boards for look in looks]
        axes.plot(x, [look.llr for look in looks], color=SERIES[0], marker="o", ms=4, lw=1.8)
        for bound, name in ((design.upper, "H1 accepted"), (design.lower, "H0 accepted")):
            axes.axhline(bound, color=MUTED, lw=1.2, ls=(0, (4, 3)))
            axes.annotate(
                name,
                xy=(0.01, bound),
                xycoords=("axes fraction", "data"),
                xytext=(0, 4 if bound > 0 else -4),
                textcoords="offset points",
                va="bottom" if bound > 0 else "top",
                color=INK,
            )
        axes.axhline(0, color=FAINT, lw=0.8)
        values = [look.llr for look in looks]
        axes.set_ylim(min(design.lower, *values) - 0.8, max(design.upper, *values) + 0.8)
        axes.set_xlim(0, max(x[-1], boards if narrow else x[-1]) * 1.02)
        axes.set_xlabel("boards")
        axes.set_ylabel("LLR")

    alt = (
        f"Log-likelihood ratio over {looks[-1].boards} boards, at {looks[-1].llr:+.2f} in the end; "
        f"bounds {design.lower:+.2f} and {design.upper:+.2f}."
    )
    return picture(alt, draw, 300)


def _rows(axes: Axes, names: Sequence[str], narrow: bool) -> None:
    axes.set_ylim(0.4, len(names) + 0.6)
    axes.set_yticks(range(len(names), 0, -1), [_short(name, narrow) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=FAINT, lw=0.6)
    if axes.get_xscale() != "log":
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4 if narrow else 8))


def _short(name: str, narrow: bool) -> str:
    """A name without its middle, for names of one family differ at their ends."""
    if not narrow or len(name) <= _LONGEST:
        return name
    half = _LONGEST // 2
    return f"{name[: half - 1]}…{name[-half:]}"
