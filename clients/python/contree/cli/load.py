"""Loading a bot from `MODULE:CLASS` in the author's own folder."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from contree.cli.errors import BadInput, Failure
from contree.cli.output import say

if TYPE_CHECKING:
    from contree.client import Bot

# Frames of contree, and of the import of the bot's module.
_OURS: Final = (str(Path(__file__).resolve().parents[1]), "<frozen importlib", importlib.__file__)


def load_bot(target: str, folder: Path) -> Any:
    """The bot that `target` names, made without arguments; `folder` is searched first.

    `CLASS` may also name a function that makes a bot, or a bot. Raises `BadInput` when there is no
    such bot, `Failure` when its own code fails, whose traceback is then shown.
    """
    module_name, colon, name = target.partition(":")
    if not colon or not name.isidentifier() or not _is_dotted_name(module_name):
        raise BadInput(f"{target!r} names no bot: write MODULE:CLASS, such as my_bot:MyBot.")
    module = _import(module_name, folder)
    try:
        found = getattr(module, name)
    except AttributeError:
        raise BadInput(_no_such_name(module, name)) from None
    except ModuleNotFoundError as error:  # a module may import what is asked of it
        raise Failure(f"{target} cannot be made: {error}.") from None
    bot = _run(found, target) if inspect.isclass(found) or inspect.isroutine(found) else found
    missing = _missing_method(bot)
    if missing is not None:
        raise BadInput(
            f"{target} is no bot, for it has no method {missing}(view): "
            "give it call(view) and play(view), or act(views)."
        )
    return bot


def make_known(name: str) -> Bot:
    """A new bot of those that come with contree. Raises `Failure` when something it needs is not
    there.
    """
    from contree.bots import BOTS

    try:
        return BOTS[name]()
    except ModuleNotFoundError as error:
        raise Failure(f"The bot {name} cannot be made: {error}.") from None


def own_traceback(error: BaseException) -> str | None:
    """The traceback of an error in a bot, without the frames of contree that called the bot.

    None when no frame is the bot's: then the error's own text says it all.
    """
    frames = traceback.TracebackException.from_exception(error)
    for number, frame in enumerate(frames.stack):
        if not frame.filename.startswith(_OURS):
            del frames.stack[:number]
            return "".join(frames.format()).rstrip()
    return None


def _missing_method(bot: Any) -> str | None:
    """A method that the bot needs and has not, nor the base class's stand-in replaced."""
    from contree.client import BatchBot, Bot

    kind = type(bot)
    if callable(getattr(bot, "act", None)) and getattr(kind, "act", None) is not BatchBot.act:
        return None
    if getattr(kind, "decide", Bot.decide) is not Bot.decide:
        return None
    for method, stand_in in (("call", Bot.call), ("play", Bot.play)):
        if not callable(getattr(bot, method, None)) or getattr(kind, method, None) is stand_in:
            return method
    return None


def _is_dotted_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _import(name: str, folder: Path) -> ModuleType:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name.endswith(".py"):
            raise BadInput(f"{name} is a file: write the module, {name[:-3]}:…") from None
        if name == missing or name.startswith(f"{missing}."):
            raise BadInput(
                f"There is no module {name!r} in {folder}: run this in the folder of "
                f"{name.replace('.', '/')}.py."
            ) from None
        if "pip install" in str(error):
            raise Failure(f"{name} cannot be imported: {error}.") from None
        raise Failure(
            f"{name} imports {missing}, which is not installed: pip install {missing}."
        ) from None
    except SyntaxError as error:
        raise BadInput(
            f"{error.filename or name} cannot be read, line {error.lineno}: {error.msg}."
        ) from None
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from None


def _run(make: Callable[[], Any], target: str) -> Any:
    try:
        inspect.signature(make).bind()
    except TypeError as error:
        raise BadInput(
            f"{target} cannot be made without arguments ({error}): give them defaults."
        ) from None
    except ValueError:
        pass  # it does not tell what it takes
    try:
        return make()
    except (Exception, SystemExit) as error:
        raise _broken(target, error) from None


def _broken(what: str, error: BaseException) -> Failure:
    say(own_traceback(error) or str(error))
    return Failure(f"{what} failed when it was loaded ({type(error).__name__}): see above.")


def _no_such_name(module: ModuleType, name: str) -> str:
    classes = [
        label
        for label, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]
    there = f"it has {', '.join(classes)}" if classes else "it has no class at all"
    return f"{module.__name__} ({module.__file__}) has no {name!r}: {there}."
