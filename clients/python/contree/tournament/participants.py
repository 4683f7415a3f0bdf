"""Who takes part: what bots need is looked for, and set up, before the event has an id."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from contree.tournament.bots import BotConfig
from contree.tournament.errors import ConfigError, ProcessError
from contree.tournament.processes import Child, environment_for, resolve
from contree.tournament.sandbox import check_sandbox

Note = Callable[[str], None]


async def participants(bots: Sequence[BotConfig], note: Note) -> tuple[BotConfig, ...]:
    """The bots that can play. Optional ones that cannot are left out, with a note.

    Raises ProcessError when a bot that is not optional cannot, and when one is to run in a sandbox
    and none can be made; ConfigError when fewer than two can play.
    """
    if any(bot.sandboxed for bot in bots):
        await check_sandbox()
    able = []
    for bot in bots:
        try:
            await _make_ready(bot, note)
        except ProcessError as error:
            if not bot.optional:
                raise
            note(f"{error} {bot.name} is optional, so the event goes on without it.")
        else:
            able.append(bot)
    if len(able) < 2:
        raise ConfigError("bots", f"only {len(able)} of them can play", "at least two")
    return tuple(able)


async def _make_ready(bot: BotConfig, note: Note) -> None:
    environment = environment_for(dict(bot.env))
    if bot.needs and shutil.which(bot.needs, path=environment.get("PATH", os.defpath)) is None:
        raise ProcessError(f"{bot.name} needs {bot.needs}, which is not installed.")
    if bot.setup and not (bot.setup_makes is not None and bot.setup_makes.exists()):
        await _set_up(bot, environment, note)
    if bot.command:
        resolve(bot.name, bot.command, bot.cwd, environment)


async def _set_up(bot: BotConfig, environment: Mapping[str, str], note: Note) -> None:
    shown = " ".join(bot.setup)
    note(f"Setting up {bot.name}: {shown}")
    with tempfile.TemporaryDirectory(prefix="contree-") as name:
        child = await Child.start(
            f"The setup of {bot.name}",
            bot.setup,
            log=Path(name) / "setup.log",
            cwd=bot.cwd,
            environment=environment,
        )
        try:
            async with asyncio.timeout(bot.setup_timeout):
                code = await child.wait()
        except TimeoutError:
            raise ProcessError(
                f"The setup of {bot.name} ({shown}) took longer than {bot.setup_timeout:g} s.",
            ) from None
        finally:
            await child.stop()
        if code:
            raise ProcessError(
                f"The setup of {bot.name} ({shown}) ended {child.ending}.", child.tail()
            )
        if bot.setup_makes is not None and not bot.setup_makes.exists():
            raise ProcessError(f"The setup of {bot.name} ({shown}) did not make {bot.setup_makes}.")
