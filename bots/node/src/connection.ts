// Keeps a bot connected: hello, turns in batches, heartbeats, and dialling again after a loss.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, Stop, type Bot, type Decide, type Session } from './answers.js';
import type { ClientMessage } from './generated/contree/v1/ClientMessage.js';
import {
  isCrowded,
  isHopeless,
  openStream,
  PROTOCOL_VERSION,
  readFrame,
  reasonOf,
  writeFrame,
  type Failure,
} from './protocol.js';

const PATIENCE_MS = 30_000; // for a server that was never there
const RESUME_PATIENCE_MS = 600_000; // for one that was
const FIRST_SILENCE_MS = 10_000; // for the welcome; after that the server's heartbeat counts
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const FAREWELL_MS = 1_000;

/** How a stream ended. */
interface Ending {
  reason: string;
  crowded?: boolean; // the server asks to be left alone for a while
  failure?: Error; // dialling again cannot help
}

/**
 * Plays until the process is told to stop, and then exits: 0 after SIGTERM or SIGINT, 1 when there
 * is no way to go on. Reads the environment that bots/README.md lists.
 */
export function run(author: { name: string; version: string; decide: Decide }): void {
  const name = process.env.CONTREE_BOT || author.name;
  const fail = (error: unknown) => {
    console.error(error instanceof Stop ? `${name}: ${error.message}` : error);
    process.exit(1);
  };
  try {
    const bot = { ...author, ...settings(), name };
    process.once('SIGTERM', () => leave(bot));
    process.once('SIGINT', () => leave(bot));
    stayConnected(bot).catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** Reads a PlayResponse from standard input and writes the PlayRequest that answers its turns. */
export async function decideFromStdin(decide: Decide): Promise<void> {
  const { messages } = readFrame(readFileSync(0));
  const answers: ClientMessage[] = [];
  for (const { turn } of messages) {
    if (!turn?.view || !turn.decision) continue;
    const action = await decide(turn.view, turn.decision);
    answers.push({ act: { seatRef: turn.seatRef, decisionId: turn.decision.id, action } });
  }
  process.stdout.write(writeFrame({ messages: answers }));
}

/** Gives up the seats that nobody can come back for, and exits. */
function leave({ session, returns }: Bot): void {
  if (!session?.welcomed || returns) process.exit(0);
  const resignations = [...session.seats.keys()].map((seatRef) => ({ resign: { seatRef } }));
  session.stream.write({ messages: [{ leave: {} }, ...resignations] });
  session.stream.end();
  session.stream.on('close', () => process.exit(0));
  setTimeout(() => process.exit(0), FAREWELL_MS);
}

async function stayConnected(bot: Bot): Promise<never> {
  let lastSeen = Date.now();
  let limit = PATIENCE_MS;
  let pause = SHORTEST_PAUSE_MS;
  for (;;) {
    const dialled = Date.now();
    const session = startSession(bot, bot.servers[0]);
    const { reason, crowded, failure } = await playStream(session);
    if (failure) throw failure;
    const { welcomed, leaving } = session;
    // A stream that broke is dialled again where it was, for its seats are there.
    if (!welcomed || leaving) bot.servers.push(...bot.servers.splice(0, 1));
    const now = Date.now();
    if (welcomed) {
      console.log(`${bot.name}: connection lost (${reason}), dialling again`);
      lastSeen = now;
      limit = RESUME_PATIENCE_MS;
      if (now - dialled > LONGEST_PAUSE_MS) pause = SHORTEST_PAUSE_MS;
    } else if (now - lastSeen > limit) {
      throw new Stop(`cannot reach ${bot.servers.join()} for ${limit / 1000} seconds (${reason})`);
    }
    if (crowded) pause = LONGEST_PAUSE_MS;
    await sleep(pause * (0.5 + Math.random() / 2)); // so that bots do not all come back at once
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

function startSession(bot: Bot, server: string): Session {
  const session = {
    bot,
    server,
    stream: openStream(server, bot.token),
    seats: new Map(),
    welcomed: false,
    leaving: false,
    silence: FIRST_SILENCE_MS,
  };
  bot.session = session;
  return session;
}

/** One stream from hello to its end, which never means the end of a match. */
function playStream(session: Session): Promise<Ending> {
  const { bot, server, stream } = session;
  return new Promise((resolve) => {
    let open = true;
    let thinking = 0; // messages whose answers are not ready
    let outbox: ClientMessage[] = [];
    let watchdog: NodeJS.Timeout | undefined;
    const send = () => {
      if (open && outbox.length) stream.write({ messages: outbox });
      outbox = [];
      if (open && session.leaving && !thinking) stream.end(); // all that was owed is answered
    };
    const say = (message: ClientMessage | undefined) => {
      thinking -= 1;
      if (!outbox.length) setImmediate(send); // together with what else is ready by then
      if (message) outbox.push(message);
    };
    const close = (ending: Ending) => {
      if (!open) return;
      open = false;
      clearTimeout(watchdog);
      stream.cancel();
      resolve(ending);
    };
    const listen = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => close({ reason: 'the server went silent' }), session.silence);
    };
    stream.on('data', ({ messages }) => {
      thinking += messages.length;
      for (const message of messages) {
        answer(session, message).then(say, (failure) => close({ reason: '', failure }));
      }
      listen();
    });
    stream.on('error', (error: Error) => {
      const failed = error as Failure;
      const reason = reasonOf(failed);
      const failure = isHopeless(failed) ? new Stop(`${server} refuses: ${reason}`) : undefined;
      close({ reason, crowded: isCrowded(failed), failure });
    });
    stream.on('end', () => close({ reason: 'the server closed the stream' }));
    listen();
    stream.write({ messages: [{ hello: hello(bot) }] });
  });
}

function hello({ name, version, instanceId, capacity }: Bot) {
  return {
    protocolVersion: PROTOCOL_VERSION,
    bot: name,
    botVersion: version,
    instanceId,
    capacity,
    delivery: 'DELIVERY_STATE' as const,
  };
}

/** What the environment says. */
function settings() {
  const { env } = process;
  const capacity = Number(env.CONTREE_CAPACITY || 0);
  if (!Number.isInteger(capacity) || capacity < 0) {
    throw new Stop('CONTREE_CAPACITY is not a number of seats');
  }
  return {
    servers: (env.CONTREE_SERVER || '127.0.0.1:50051').split(',').map((one) => one.trim()),
    instanceId: env.CONTREE_INSTANCE || randomUUID(), // the same after each loss
    returns: Boolean(env.CONTREE_INSTANCE),
    token: (env.CONTREE_TOKEN || tokenIn(env.CONTREE_TOKEN_FILE)).trim(),
    capacity,
    given: new Map(),
  };
}

function tokenIn(path: string | undefined): string {
  try {
    return path ? readFileSync(path, 'utf8') : '';
  } catch (error) {
    throw new Stop(`CONTREE_TOKEN_FILE cannot be read: ${(error as Error).message}`);
  }
}
