// Keeps a bot connected: hello, turns in batches, heartbeats, and dialling again after a loss.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, Stop } from './answers.js';
import { isHopeless, openStream, PROTOCOL_VERSION, reasonOf } from './protocol.js';

const PATIENCE_MS = 30_000; // without a server for so long, the bot gives up
const FIRST_SILENCE_MS = 10_000; // for the welcome; after that the server's heartbeat counts
const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const FAREWELL_MS = 1_000;

/**
 * Plays until the process is told to stop, and then exits: 0 after SIGTERM or SIGINT, 1 when there
 * is no way to go on. Reads CONTREE_SERVER, CONTREE_BOT, CONTREE_INSTANCE, CONTREE_TOKEN or
 * CONTREE_TOKEN_FILE, and CONTREE_CAPACITY.
 */
export function run({ name, version = '', choose }) {
  const { env } = process;
  const bot = {
    servers: (env.CONTREE_SERVER || '127.0.0.1:50051').split(',').map((one) => one.trim()),
    name: env.CONTREE_BOT || name,
    version,
    instanceId: env.CONTREE_INSTANCE || randomUUID(), // the same after each loss
    returns: Boolean(env.CONTREE_INSTANCE), // a later process may come back for the seats
    token: env.CONTREE_TOKEN || tokenIn(env.CONTREE_TOKEN_FILE),
    capacity: Number(env.CONTREE_CAPACITY || 0),
    choose,
    given: new Map(), // the newest answer of each seat, for a turn that is sent again
  };
  process.once('SIGTERM', () => leave(bot));
  process.once('SIGINT', () => leave(bot));
  stayConnected(bot).catch((error) => {
    console.error(error instanceof Stop ? `${bot.name}: ${error.message}` : error);
    process.exit(1);
  });
}

/** Gives up the seats that nobody can come back for, and exits. */
function leave({ session, returns }) {
  if (!session?.welcomed || returns) process.exit(0);
  const resignations = [...session.seats.keys()].map((seatRef) => ({ resign: { seatRef } }));
  session.stream.write({ messages: [{ leave: {} }, ...resignations] });
  session.stream.end();
  session.stream.on('close', () => process.exit(0));
  setTimeout(() => process.exit(0), FAREWELL_MS);
}

async function stayConnected(bot) {
  let lastSeen = Date.now();
  let pause = SHORTEST_PAUSE_MS;
  for (;;) {
    const dialled = Date.now();
    const { welcomed, leaving, reason, failure } = await playStream(bot, bot.servers[0]);
    if (failure) throw failure;
    // A stream that broke is dialled again where it was, for its seats are there.
    if (!welcomed || leaving) bot.servers.push(bot.servers.shift());
    const now = Date.now();
    if (welcomed) {
      console.log(`${bot.name}: connection lost (${reason}), dialling again`);
      lastSeen = now;
    } else if (now - lastSeen > PATIENCE_MS) {
      const seconds = PATIENCE_MS / 1000;
      throw new Stop(`cannot reach ${bot.servers.join()} for ${seconds} seconds (${reason})`);
    }
    if (welcomed && now - dialled > LONGEST_PAUSE_MS) pause = SHORTEST_PAUSE_MS;
    await sleep(pause * (0.5 + Math.random() / 2)); // so that bots do not all come back at once
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** One stream from hello to its end, which never means the end of a match. */
function playStream(bot, server) {
  const stream = openStream(server, bot.token);
  const session = {
    bot,
    server,
    stream,
    seats: new Map(), // seat_ref -> SeatAssigned
    welcomed: false,
    leaving: false, // the server is about to stop
    silence: FIRST_SILENCE_MS, // after so long without a message the stream is dead
  };
  bot.session = session;
  return new Promise((resolve) => {
    let open = true;
    let thinking = 0; // messages whose answers are not ready
    let outbox = [];
    let watchdog;
    const send = () => {
      if (open && outbox.length) stream.write({ messages: outbox });
      outbox = [];
      if (open && session.leaving && !thinking) stream.end(); // all that was owed is answered
    };
    const say = (message) => {
      thinking -= 1;
      if (!outbox.length) setImmediate(send); // together with what else is ready by then
      if (message) outbox.push(message);
    };
    const close = (reason, failure) => {
      if (!open) return;
      open = false;
      clearTimeout(watchdog);
      stream.cancel();
      const { welcomed, leaving } = session;
      resolve({ welcomed, leaving, reason, failure });
    };
    const listen = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => close('the server went silent'), session.silence);
    };
    stream.on('data', ({ messages }) => {
      listen();
      thinking += messages.length;
      for (const message of messages) {
        answer(session, message).then(say, (failure) => close(failure.message, failure));
      }
    });
    stream.on('error', (error) => {
      const reason = reasonOf(error);
      close(reason, isHopeless(error) ? new Stop(`${server} refuses: ${reason}`) : undefined);
    });
    stream.on('end', () => close('the server closed the stream'));
    listen();
    stream.write({ messages: [{ hello: hello(bot) }] });
  });
}

function hello({ name, version, instanceId, capacity }) {
  return {
    protocolVersion: PROTOCOL_VERSION,
    bot: name,
    botVersion: version,
    instanceId,
    capacity,
    delivery: 'DELIVERY_STATE',
  };
}

function tokenIn(path) {
  return path ? readFileSync(path, 'utf8').trim() : '';
}
