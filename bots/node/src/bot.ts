// The sample bot as bots/README.md defines it. To make your own, replace `decide`.

import type { Action } from './generated/contree/v1/Action.js';
import type { Bid__Output as Bid } from './generated/contree/v1/Bid.js';
import type { Call__Output as Call } from './generated/contree/v1/Call.js';
import type { Card__Output as CardName } from './generated/contree/v1/Card.js';
import type { Decision__Output as Decision } from './generated/contree/v1/Decision.js';
import type { Seat__Output as Seat } from './generated/contree/v1/Seat.js';
import type { SeatView__Output as SeatView } from './generated/contree/v1/SeatView.js';

const PARTNER_BRINGS = 20; // to a trump suit, before the partner has said anything
const SUPPORT = 30; // to the strain that the partner has bid
const CONTRE_AT = 60; // the defence that doubles a contract in points
const CONTRE_SLAM_AT = 20; // the defence that doubles a contract in tricks

const RANKS = '789JQKTA';
const SUITS = 'SHDC';
const STRAINS = [
  'STRAIN_SPADES',
  'STRAIN_HEARTS',
  'STRAIN_DIAMONDS',
  'STRAIN_CLUBS',
  'STRAIN_NO_TRUMP',
  'STRAIN_ALL_TRUMP',
] as const;
type Strain = (typeof STRAINS)[number];

const PLAIN_ORDER = '789JQKTA';
const TRUMP_ORDER = '78QKTA9J';
const PLAIN_POINTS: Record<string, number> = { A: 11, T: 10, K: 4, Q: 3, J: 2 };
const TRUMP_POINTS: Record<string, number> = { J: 20, 9: 14, A: 11, T: 10, K: 4, Q: 3 };

/** A card, with what its name says: 'CARD_TH' is the ten of hearts. */
interface Card {
  name: CardName;
  rank: string; // of '789JQKTA'
  suit: number; // in the order of the strains
  number: number; // 0 to 31
}

const PACK: Card[] = [...SUITS].flatMap((letter, suit) =>
  [...RANKS].map((rank, at) => ({
    name: `CARD_${rank}${letter}` as CardName,
    rank,
    suit,
    number: 8 * suit + at,
  })),
);
const CARDS = new Map<CardName, Card>(PACK.map((card) => [card.name, card]));

/**
 * Answers a turn. May be async.
 *
 * @param view all that this seat knows: hand, calls, contract, tricks ...
 * @param decision what it owes: one of `decision.calls`, or one of `decision.cards`
 */
export function decide(view: SeatView, decision: Decision): Action | Promise<Action> {
  if (!decision.cards.length) return { call: say(view, decision.calls) };
  const card = choose(view, decision.cards.map(known)).name;
  return { play: { card, announce: decision.announceable.includes(card) } };
}

// --- the auction

function say(view: SeatView, legal: Call[]): Call {
  const hand = view.hand.map(known);
  const bid = view.table?.contract?.bid;
  const contre = legal.find((call) => call.contre);
  if (contre && bid && doubles(hand, bid)) return contre;
  const modest = legal.find((call) => call.pass || call.decline);
  return bestBid(view, hand, legal) ?? modest ?? legal[0];
}

function doubles(hand: Card[], { level, strain }: Bid): boolean {
  const enough = level?.level === 'points' ? CONTRE_AT : CONTRE_SLAM_AT;
  return defence(hand, strain as Strain) >= enough;
}

/** The highest bid that the hand is worth, in the strain in which it is worth most. */
function bestBid(view: SeatView, hand: Card[], legal: Call[]): Call | undefined {
  const contract = view.table?.contract;
  const ours = contract && samePair(contract.taker, view.seat);
  let best: Call | undefined;
  let most = 0;
  for (const strain of STRAINS) {
    if (ours && contract.bid?.strain !== strain) continue; // the partner has found a strain
    const value = worth(hand, strain) + (partnerBid(view, strain) ? SUPPORT : 0);
    const afforded = legal.filter(
      ({ bid }) => bid?.strain === strain && bid.level?.level === 'points' && pointsOf(bid) <= value,
    );
    if (afforded.length && (!best || value > most)) {
      best = afforded.reduce((one, two) => (pointsOf(two.bid) > pointsOf(one.bid) ? two : one));
      most = value;
    }
  }
  return best;
}

function pointsOf(bid: Bid | null | undefined): number {
  return bid?.level?.points ?? 0;
}

function partnerBid({ seat, table }: SeatView, strain: Strain): boolean {
  return !!table?.calls.some(
    (placed) =>
      placed.seat !== seat &&
      samePair(placed.seat, seat) &&
      placed.call?.bid?.strain === strain,
  );
}

/** The points that the pair may hope to make in this strain. */
function worth(hand: Card[], strain: Strain): number {
  if (strain === 'STRAIN_NO_TRUMP') return pairs(hand, 'A', 'T');
  if (strain === 'STRAIN_ALL_TRUMP') return pairs(hand, 'J', '9');
  const extra: Record<string, number> = { J: 20, 9: 10, A: 5 };
  const trumps = hand.filter((card) => isTrump(card, strain));
  const ranks = trumps.map((card) => card.rank);
  const aces = hand.filter((card) => card.rank === 'A' && !isTrump(card, strain));
  return (
    PARTNER_BRINGS +
    sum(ranks, (rank) => 10 + (extra[rank] ?? 0)) +
    (ranks.includes('K') && ranks.includes('Q') ? 20 : 0) +
    15 * aces.length
  );
}

/** 25 for each card of the first rank and 15 more where the second is beside it. */
function pairs(hand: Card[], first: string, second: string): number {
  const suits = new Set(hand.filter(({ rank }) => rank === second).map(({ suit }) => suit));
  return sum(hand, ({ rank, suit }) => (rank !== first ? 0 : suits.has(suit) ? 40 : 25));
}

/** What the hand has against a contract in this strain. */
function defence(hand: Card[], strain: Strain): number {
  const atTrump: Record<string, number> = { J: 20, 9: 10 };
  return sum(hand, (card) =>
    inTrumpOrder(card, strain) ? (atTrump[card.rank] ?? 0) : card.rank === 'A' ? 20 : 0,
  );
}

// --- the cards

function choose(view: SeatView, legal: Card[]): Card {
  const contract = view.table?.contract;
  const strain = contract?.bid?.strain as Strain;
  const trick = view.table?.trick?.cards.map(known) ?? [];
  const unseen = unseenBy(view);
  const master = (card: Card) =>
    !unseen.some((other) => other.suit === card.suit && beats(other, card, strain));
  const trump = (card: Card) => isTrump(card, strain);
  const cheapest = (cards: Card[]) => first(cards, (a, b) => order(a, b, strain, 1));
  const richest = (cards: Card[]) => first(cards, (a, b) => order(a, b, strain, -1));

  if (!trick.length) {
    const masters = legal.filter(master);
    const trumps = masters.filter(trump);
    const ours = contract && samePair(contract.taker, view.seat);
    if (ours && trumps.length && unseen.some(trump)) return richest(trumps);
    const plain = masters.filter((card) => !trump(card));
    return plain.length ? richest(plain) : cheapest(legal);
  }

  const winning = trick.reduce((best, card) => (beats(card, best, strain) ? card : best));
  const last = trick.length === 3;
  if (winning === trick.at(-2)) {
    return last || master(winning) ? richest(legal) : cheapest(legal); // the partner's
  }
  const winners = legal.filter((card) => beats(card, winning, strain));
  if (last && winners.length) return cheapest(winners);
  const masters = winners.filter(master);
  return masters.length ? richest(masters) : cheapest(legal);
}

/** The cards in the hands of the others. */
function unseenBy({ hand, table }: SeatView): Card[] {
  const seen = new Set([
    ...hand,
    ...(table?.trick?.cards ?? []),
    ...(table?.tricks ?? []).flatMap((trick) => trick.cards),
  ]);
  return PACK.filter((card) => !seen.has(card.name));
}

/** Trumps last, then by points, then the weaker first, then by number. */
function order(a: Card, b: Card, strain: Strain, pointsSign: number): number {
  return (
    Number(isTrump(a, strain)) - Number(isTrump(b, strain)) ||
    pointsSign * (points(a, strain) - points(b, strain)) ||
    strength(a, strain) - strength(b, strain) ||
    a.number - b.number
  );
}

/** Whether it takes the trick from a card that was played before. */
function beats(card: Card, other: Card, strain: Strain): boolean {
  return card.suit === other.suit
    ? strength(card, strain) > strength(other, strain)
    : isTrump(card, strain);
}

function isTrump(card: Card, strain: Strain): boolean {
  return STRAINS[card.suit] === strain;
}

function inTrumpOrder(card: Card, strain: Strain): boolean {
  return strain === 'STRAIN_ALL_TRUMP' || isTrump(card, strain);
}

function strength(card: Card, strain: Strain): number {
  return (inTrumpOrder(card, strain) ? TRUMP_ORDER : PLAIN_ORDER).indexOf(card.rank);
}

function points(card: Card, strain: Strain): number {
  return (inTrumpOrder(card, strain) ? TRUMP_POINTS : PLAIN_POINTS)[card.rank] ?? 0;
}

function samePair(one: Seat, two: Seat): boolean {
  const northSouth = (seat: Seat) => seat === 'SEAT_NORTH' || seat === 'SEAT_SOUTH';
  return northSouth(one) === northSouth(two);
}

function known(name: CardName): Card {
  const card = CARDS.get(name);
  if (!card) throw new Error(`there is no card ${name}`);
  return card;
}

function first(cards: Card[], compare: (a: Card, b: Card) => number): Card {
  return [...cards].sort(compare)[0];
}

function sum<T>(values: T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
