"""Bots, instances and seats as servers name them to each other."""

from __future__ import annotations

from contree.peers.v1 import peers_pb2
from contree.server.host.session import Identity, InstanceKey, Session


def instance_to_pb(key: InstanceKey) -> peers_pb2.Instance:
    """An instance's name."""
    return peers_pb2.Instance(key_id=key.key_id, bot=key.bot, instance_id=key.instance_id)


def instance_from_pb(message: peers_pb2.Instance) -> InstanceKey:
    """An instance by its name."""
    return InstanceKey(message.key_id, message.bot, message.instance_id)


def bot_to_pb(session: Session) -> peers_pb2.Bot:
    """A bot that is connected here."""
    who = session.identity
    return peers_pb2.Bot(
        instance=instance_to_pb(who.key),
        version=who.bot_version,
        capacity=who.capacity,
        events=who.events,
        nonce=session.nonce,
    )


def identity_from_pb(message: peers_pb2.Bot) -> Identity:
    """Who a bot at another server is."""
    return Identity(
        message.instance.bot,
        message.version,
        message.instance.instance_id,
        message.capacity,
        events=message.events,
        key_id=message.instance.key_id,
    )
