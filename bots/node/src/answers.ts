// What each message of the server is answered with.

import { milliseconds, type Stream } from './protocol.js';
import type { Action } from './generated/contree/v1/Action.js';
import type { ActResult__Output as ActResult } from './generated/contree/v1/ActResult.js';
import type { ClientMessage } from './generated/contree/v1/ClientMessage.js';
import type { Decision__Output as Decision } from './generated/contree/v1/Decision.js';
import type { MatchEnded__Output as MatchEnded } from './generated/contree/v1/MatchEnded.js';
import type { SeatAssigned__Output as SeatAssigned } from './generated/contree/v1/SeatAssigned.js';
import type { SeatView__Output as SeatView } from './generated/contree/v1/SeatView.js';
import type { ServerMessage__Output as ServerMessage } from './generated/contree/v1/ServerMessage.js';
import type { Turn__Output as Turn } from './generated/contree/v1/Turn.js';

/** Why there is no way to go on, in one sentence for people. */
export class Stop extends Error {}

/** What an author writes. */
export type Decide = (view: SeatView, decision: Decision) => Action | Promise<Action>;

/** What stays the same over all streams. */
export interface Bot {
  servers: string[];
  name: string;
  version: string;
  instanceId: string;
  returns: boolean; // a later process may come back for the seats
  token: string;
  capacity: number;
  decide: Decide;
  given: Map<string, Given>; // the newest answer of each seat, for a turn that is sent again
  session?: Session;
}

interface Given {
  id: string;
  action: Promise<Action>;
}

/** One stream. */
export interface Session {
  bot: Bot;
  server: string;
  stream: Stream;
  seats: Map<number, SeatAssigned>; // by seat_ref
  welcomed: boolean;
  leaving: boolean; // the server is about to stop
  silence: number; // after so many milliseconds without a message the stream is dead
}

/**
 * The answer to one message, or undefined when it wants none. What needs no thought is answered at
 * once: a heartbeat must not wait for a bot that thinks.
 */
export async function answer(
  session: Session,
  message: ServerMessage,
): Promise<ClientMessage | undefined> {
  const { bot, seats } = session;
  if (message.welcome) {
    session.welcomed = true;
    session.silence = 3 * milliseconds(message.welcome.heartbeat) || session.silence;
    if (!message.welcome.seatsOwed) bot.given.clear();
    console.log(`${bot.name}: connected to ${session.server}`);
  } else if (message.heartbeat) {
    return { heartbeatAck: { nonce: message.heartbeat.nonce } };
  } else if (message.seatAssigned) {
    const { seatRef, readyOwed } = message.seatAssigned;
    seats.set(seatRef, message.seatAssigned);
    if (readyOwed) return { ready: { seatRef } };
  } else if (message.turn) {
    return act(session, message.turn);
  } else if (message.actResult) {
    return actAgain(session, message.actResult);
  } else if (message.matchEnded) {
    const { seatRef, matchId, matchEnded } = message.matchEnded;
    bot.given.delete(seatName(session, seatRef));
    seats.delete(seatRef);
    console.log(`${bot.name}: match ${matchId} over, ${endOf(matchEnded)}`);
  } else if (message.fault) {
    console.error(`${bot.name}: charged with a fault: ${message.fault.detail}`);
  } else if (message.refused) {
    console.error(`${bot.name}: not understood by the server: ${message.refused.reason}`);
  } else if (message.superseded) {
    throw new Stop(`another process plays as instance ${bot.instanceId} now`);
  } else if (message.goAway) {
    session.leaving = true;
  }
  return undefined; // also to what a newer server may say
}

/** Answers a decision; one that is asked again after a resume is answered alike. */
async function act(
  session: Session,
  { seatRef, view, decision }: Turn,
): Promise<ClientMessage | undefined> {
  if (!view || !decision) return undefined;
  const { given, decide } = session.bot;
  const seat = seatName(session, seatRef);
  const id = decision.id.toString('base64');
  let answer = given.get(seat);
  if (answer?.id !== id) {
    answer = { id, action: (async () => decide(view, decision))() };
    given.set(seat, answer);
  }
  return { act: { seatRef, decisionId: decision.id, action: await answer.action } };
}

/** After an illegal action: reports it, and plays anything legal so that the game goes on. */
function actAgain(
  session: Session,
  { seatRef, status, reason, decision }: ActResult,
): ClientMessage | undefined {
  if (status === 'ACT_STATUS_ACCEPTED' || status === 'ACT_STATUS_DUPLICATE') return undefined;
  console.error(`${session.bot.name}: ${String(status).replace('ACT_STATUS_', '')} action: ${reason}`);
  if (status !== 'ACT_STATUS_ILLEGAL' || !decision) return undefined;
  const [card] = decision.cards;
  const action: Action = card ? { play: { card } } : { call: decision.calls[0] };
  const id = decision.id.toString('base64');
  session.bot.given.set(seatName(session, seatRef), { id, action: Promise.resolve(action) });
  return { act: { seatRef, decisionId: decision.id, action } };
}

/** Names a seat for longer than a stream lasts. */
function seatName({ seats }: Session, seatRef: number): string {
  const seat = seats.get(seatRef);
  return seat ? `${seat.matchId} ${seat.seat}` : `seat ${seatRef}`;
}

function endOf(ended: MatchEnded | null): string {
  const why = String(ended?.reason).replace('END_REASON_', '').toLowerCase().replaceAll('_', ' ');
  return ended?.scores ? `${why}: ${ended.scores.northSouth}-${ended.scores.eastWest}` : why;
}
