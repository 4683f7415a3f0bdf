"""An event as it is played: its file, those who take part, its schedule, its seed, its id."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

from contree.client import Board, BotSeat, Disclosure, Fixed, MatchSpec, Race, Seeded
from contree.engine import SEATS, Seat, commitment
from contree.tournament.bots import BotConfig
from contree.tournament.config import EventConfig
from contree.tournament.formats import Format
from contree.tournament.isolation import Isolation, Post
from contree.tournament.layout import lay_out, lay_out_race, race_seed
from contree.tournament.policy import policy_digest
from contree.tournament.schedule import Table, board_group, request_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that is fixed before the first card."""

    id: str
    config: EventConfig
    bots: tuple[BotConfig, ...]
    schedule: Format
    seed: bytes = field(repr=False)

    def group(self, board: int) -> str:
        """The disclosure group of a board."""
        return board_group(self.id, board)

    def instance(self, post: Post) -> str:
        """The instance id of a process that the runner starts, the same at each run of the event.

        Whoever knows it can take its seats and see their cards, so it follows from the seed:
        nobody else knows that before the end.
        """
        message = f"instance {self.id} {post.key}".encode()
        return hmac.digest(self.seed, message, hashlib.sha256)[:12].hex()

    def crew(self, table: Table, attempt: int) -> tuple[Post, ...]:
        """The posts that are to be filled for this attempt at a table, and are left after it."""
        if self.config.isolation is not Isolation.MATCH:
            return ()
        started = {bot.name for bot in self.bots if not bot.dials_in}
        posts = self._posts(table, attempt).values()
        return tuple(post for post in posts if post.bot in started)

    def match(self, table: Table, attempt: int) -> MatchSpec:
        """The match to be created for an attempt at a table; the same whenever it is asked for."""
        config = self.config
        name = request_id(self.id, table, attempt)
        mode: Board | Race
        deals: Fixed | Seeded
        if config.race is not None:
            mode, deals = config.race, Seeded(race_seed(self.seed, table.board), config.name)
        else:
            deal = lay_out(table, self.seed, config.name, config.rules).deal
            mode, deals = Board(table.board), Fixed(deal.dealer, deal.hands)
        return MatchSpec(
            request_id=name,
            seats={seat: self._seat(post) for seat, post in self._posts(table, attempt).items()},
            mode=mode,
            rules=config.preset or config.rules,
            deals=deals,
            time_control=config.time,
            fault_policy=config.faults,
            # Not the table too: whoever guesses a label finds its matches, and a table has a board.
            labels=(self.id,),
            disclosure_group=self.group(table.board),
            disclosure=Disclosure.WHEN_GROUP_RELEASED,
            watch=config.watch,
        )

    def _posts(self, table: Table, attempt: int) -> dict[Seat, Post]:
        """Who plays which seat of a table."""
        if self.config.race is not None:
            seats, dealt = lay_out_race(table), {seat: seat for seat in SEATS}
        else:
            layout = lay_out(table, self.seed, self.config.name, self.config.rules)
            seats, dealt = layout.seats, dict(layout.dealt)
        isolation, name = self.config.isolation, f"{table.id}/{attempt}"
        return {seat: isolation.post(bot, dealt[seat], name) for seat, bot in seats.items()}

    def _seat(self, post: Post) -> BotSeat:
        """A seat for the process that the runner started, or for the key of the bot that dials in,
        not for whoever gives its name.
        """
        one = next((one for one in self.bots if one.name == post.bot), None)
        dials_in, key = (False, "") if one is None else (one.dials_in, one.key)
        return BotSeat(post.bot, "" if dials_in else self.instance(post), key)

    def policy(self) -> dict[str, str]:
        """What becomes of what goes wrong: laid down, and published, before the first card."""
        faults, broken = self.config.faults, self.config.broken
        return {
            "fault": f"Of each seat {faults.illegal_strikes} illegal actions, "
            f"{faults.timeout_strikes} timeouts and {faults.protocol_strikes} messages against the "
            "protocol are forgiven, then the house plays it and the table counts.",
            "timeout": "A decision that is not made in time the house makes. An illegal action is "
            "refused, and the clock of its decision runs on.",
            "crash": "A bot that was started for the event and ends is started again and given "
            "back its seats; what it is asked meanwhile runs on its clock.",
            "broken bot": "A bot that does not start, does not come or ends again and again "
            + (
                "stops the event."
                if broken.stops
                else "forfeits the tables that it has not finished: its opponent marks "
                f"{broken.marks}, it marks nothing."
            ),
            "isolation": self._isolation(),
            "no result": "A table that was not started, was cancelled or failed with the service "
            "is played again from its first card, whoever was ahead. A board counts for a pairing "
            "when both its tables have a result.",
        }

    def _isolation(self) -> str:
        """What shares a memory with what, and what is known of it."""
        started = [bot for bot in self.bots if not bot.dials_in]
        said = [self.config.isolation.sentence] if started else []
        if guests := [bot.name for bot in self.bots if bot.dials_in]:
            said.append(f"Where {', '.join(guests)} run, and as how many processes, nobody checks.")
        boxed = [bot.name for bot in started if bot.sandboxed]
        if boxed:
            all_are = len(boxed) == len(started)
            said.append(
                f"{'All of them' if all_are else ', '.join(boxed)} run in a sandbox (bubblewrap): "
                "no network but the service, no files but their own."
            )
        elif started:
            said.append("No sandbox keeps processes of this machine from talking to each other.")
        return " ".join(said)

    def header(self, *, revealed: bool = False) -> dict[str, Any]:
        """What is published: the commitment before the event, the seed itself when it is over."""
        config = self.config
        times = asdict(config.time)
        header: dict[str, Any] = {
            "schema": 1,
            "id": self.id,
            "name": config.name,
            "contree": version("contree"),
            "boards": config.boards,
            "tables": self.schedule.opened({}).of_tables,
            "format": config.shape.to_dict(),
            "race": None if config.race is None else asdict(config.race),
            "bots": [bot.header() for bot in self.bots],
            "isolation": config.isolation.value,
            "time": {name: value for name, value in times.items() if value is not None},
            "faults": asdict(config.faults),
            "broken": asdict(config.broken),
            "policy": self.policy(),
            "policy_sha256": "",
            "seed_commitment": commitment(self.seed),
            "seed": self.seed.hex() if revealed else None,
            "watch": config.watch.value.replace("_", "-"),
            "label": config.name,
            "rules": config.played_rules.to_dict(),
        }
        return header | {"policy_sha256": policy_digest(header)}
