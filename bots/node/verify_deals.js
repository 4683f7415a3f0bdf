// Deals the published vectors again, from docs/fairness.md and Node's crypto alone.
//
//     node verify_deals.js [VECTORS.json]
//
// Exit code 0 when all are reproduced, else 1 and the first that is not.

import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SEATS = [...'NESW'];
const SUITS = [...'SHDC'];
const RANKS = [...'789JQKTA'];
const WRITTEN = [...'ATKQJ987']; // the order in which a hand is written
const NUMBER_OF_CARDS = 32;

const card = (index) => RANKS[index % 8] + SUITS[Math.floor(index / 8)];
const indexOf = (text) => 8 * SUITS.indexOf(text[1]) + RANKS.indexOf(text[0]);

function field(text) {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function number(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const hmac = (seed, ...parts) =>
  createHmac('sha256', Buffer.from(seed, 'hex')).update(Buffer.concat(parts)).digest();

/** A function that draws numbers below n from stream(purpose, label, numbers). */
function drawing(seed, purpose, label, numbers) {
  const prefix = [field(purpose), field(label), ...numbers.map(number)];
  let block = 0;
  let bytes = [];
  return (n) => {
    for (;;) {
      if (!bytes.length) bytes = [...hmac(seed, ...prefix, number(block++))];
      const byte = bytes.shift();
      if (byte < 256 - (256 % n)) return byte % n;
    }
  };
}

/** Exchanges places k and j < k + 1, for k from the last place down to 1. */
function shuffle(places, below) {
  for (let k = places.length - 1; k > 0; k--) {
    const j = below(k + 1);
    [places[k], places[j]] = [places[j], places[k]];
  }
  return places;
}

const deck = ({ seed, label, board }) =>
  shuffle([...Array(NUMBER_OF_CARDS).keys()], drawing(seed, 'deck', label, [board]));

const cutSize = ({ seed, label, board, deal, cut_minimum: m }) =>
  m === null ? null : m + drawing(seed, 'cut', label, [board ?? deal])(33 - 2 * m);

/** The seat some turns after another one. */
const after = (seat, turns, direction) =>
  SEATS[(SEATS.indexOf(seat) + (direction === 'cw' ? turns : 3 * turns)) % 4];

function dealOut(pack, cut, dealer, { direction, packets }) {
  const top = cut === null ? [...pack] : [...pack.slice(cut), ...pack.slice(0, cut)];
  const hands = { N: [], E: [], S: [], W: [] };
  for (const size of packets) {
    for (let turn = 1; turn <= 4; turn++) {
      hands[after(dealer, turn, direction)].push(...top.splice(0, Number(size)));
    }
  }
  return Object.fromEntries(SEATS.map((seat) => [seat, written(hands[seat])]));
}

/** A hand as suits S.H.D.C. */
const written = (hand) =>
  SUITS.map((suit) => WRITTEN.filter((rank) => hand.includes(indexOf(rank + suit))).join('')).join('.');

function board(vector) {
  const pack = deck(vector);
  const cut = cutSize(vector);
  const dealer = after('N', (vector.board - 1) % 4, vector.direction);
  return {
    commitment: createHash('sha256').update(Buffer.from(vector.seed, 'hex')).digest('hex'),
    deck: pack.map(card).join(' '),
    cut,
    dealer,
    hands: dealOut(pack, cut, dealer, vector),
  };
}

function disguise({ seed, board: of, table, from }) {
  const below = drawing(seed, 'disguise', '', [of, table]);
  let suits;
  let rotation;
  do {
    suits = shuffle([0, 1, 2, 3], below);
    rotation = below(4);
  } while (rotation === 0 && suits.every((suit, place) => suit === place));
  const clad = (hand) => {
    const ranks = hand.split('.');
    return SUITS.map((_, image) => ranks[suits.indexOf(image)]).join('.');
  };
  const whence = (seat) => after(seat, 4 - rotation, 'cw');
  return {
    suits: suits.map((suit) => SUITS[suit]).join(''),
    rotation,
    dealer: after(from.dealer, rotation, 'cw'),
    hands: Object.fromEntries(SEATS.map((seat) => [seat, clad(from.hands[whence(seat)])])),
  };
}

const firstDealer = ({ seed, label }) => ({ dealer: SEATS[drawing(seed, 'dealer', label, [])(4)] });

const entropy = ({ seed, entropy: text }) => ({
  mixed: hmac(seed, field('entropy'), Buffer.from(text, 'utf8')).toString('hex'),
});

function gathered(vector) {
  const won = (side) => vector.tricks.filter(({ winner }) => (winner === vector.takers) === side);
  const pack = [...won(true), ...won(false)].flatMap(({ cards }) => cards.split(' '));
  const cut = cutSize(vector);
  return { pack: pack.join(' '), cut, hands: dealOut(pack.map(indexOf), cut, vector.dealer, vector) };
}

const COMPUTED = { boards: board, disguises: disguise, first_dealers: firstDealer, entropy, gathered };

const path = process.argv[2] ?? fileURLToPath(new URL('../../tests/data/deals.json', import.meta.url));
const vectors = JSON.parse(readFileSync(path, 'utf8'));
let count = 0;
for (const [kind, list] of Object.entries(vectors)) {
  for (const vector of list) {
    for (const [key, value] of Object.entries(COMPUTED[kind](vector))) {
      const [computed, published] = [JSON.stringify(value), JSON.stringify(vector[key])];
      if (computed !== published) {
        console.error(`${kind}, seed ${vector.seed}: ${key} is ${computed}, published is ${published}`);
        process.exit(1);
      }
    }
    count += 1;
  }
}
console.log(`all ${count} vectors are reproduced`);
