// What each message of the server is answered with.

import { milliseconds } from './protocol.js';

/** Why there is no way to go on, in one sentence for people. */
export class Stop extends Error {}

/**
 * The answer to one message, or undefined when it wants none. What needs no thought is answered at
 * once: a heartbeat must not wait for a bot that thinks.
 */
export async function answer(session, message) {
  const { bot, seats } = session;
  const kind = message.message;
  const content = message[kind];
  switch (kind) {
    case 'welcome':
      session.welcomed = true;
      session.silence = 3 * milliseconds(content.heartbeat) || session.silence;
      if (!content.seatsOwed) bot.given.clear();
      console.log(`${bot.name}: connected to ${session.server}`);
      return undefined;
    case 'heartbeat':
      return { heartbeatAck: { nonce: content.nonce } };
    case 'seatAssigned':
      seats.set(content.seatRef, content);
      return content.readyOwed ? { ready: { seatRef: content.seatRef } } : undefined;
    case 'turn':
      return act(session, content);
    case 'actResult':
      return actAgain(session, content);
    case 'matchEnded':
      bot.given.delete(seatName(session, content.seatRef));
      seats.delete(content.seatRef);
      console.log(`${bot.name}: match ${content.matchId} over, ${endOf(content.matchEnded)}`);
      return undefined;
    case 'fault':
      console.error(`${bot.name}: charged with a fault: ${content.detail}`);
      return undefined;
    case 'refused':
      console.error(`${bot.name}: not understood by the server: ${content.reason}`);
      return undefined;
    case 'superseded':
      throw new Stop(`another process plays as instance ${bot.instanceId} now`);
    case 'goAway':
      session.leaving = true;
      return undefined;
    default:
      return undefined;
  }
}

/** Answers a decision; one that is asked again after a resume is answered alike. */
async function act(session, { seatRef, view, decision }) {
  const { bot } = session;
  const seat = seatName(session, seatRef);
  const id = decision.id.toString('base64');
  if (bot.given.get(seat)?.id !== id) {
    const action = (async () => bot.choose(view, decision, optionsOf(decision)))();
    bot.given.set(seat, { id, action });
  }
  const action = await bot.given.get(seat).action;
  return { act: { seatRef, decisionId: decision.id, action } };
}

/** After an illegal action: reports it, and plays anything legal so that the game goes on. */
function actAgain(session, { seatRef, decisionId, status, reason, decision }) {
  if (status === 'ACT_STATUS_ACCEPTED' || status === 'ACT_STATUS_DUPLICATE') return undefined;
  console.error(`${session.bot.name}: ${status.replace('ACT_STATUS_', '')} action: ${reason}`);
  if (status !== 'ACT_STATUS_ILLEGAL' || !decision) return undefined;
  const [action] = optionsOf(decision);
  const id = decisionId.toString('base64');
  session.bot.given.set(seatName(session, seatRef), { id, action });
  return { act: { seatRef, decisionId: decision.id, action } };
}

/** All that is allowed, as contree.v1.Action; a belote that can be announced is announced. */
function optionsOf({ calls, cards, announceable }) {
  return [
    ...calls.map((call) => ({ call })),
    ...cards.map((card) => ({ play: { card, announce: announceable.includes(card) } })),
  ];
}

/** Names a seat for longer than a stream lasts. */
function seatName({ seats }, seatRef) {
  const seat = seats.get(seatRef);
  return seat ? `${seat.matchId} ${seat.seat}` : `seat ${seatRef}`;
}

function endOf({ reason, scores }) {
  const why = reason.replace('END_REASON_', '').toLowerCase().replaceAll('_', ' ');
  return scores ? `${why}: ${scores.northSouth}-${scores.eastWest}` : why;
}
