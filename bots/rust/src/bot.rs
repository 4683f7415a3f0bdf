//! The sample bot as bots/README.md defines it. To make your own, replace `decide`.

use std::cmp::Reverse;

use crate::pb::call::Call as Said;
use crate::pb::level::Level::Points;
use crate::pb::{Action, Bid, Call, Decision, PlayCard, SeatView, Strain, action};

const PARTNER_BRINGS: i32 = 20; // to a trump suit, before the partner has said anything
const SUPPORT: i32 = 30; // to the strain that the partner has bid
const CONTRE_AT: i32 = 60; // the defence that doubles a contract in points
const CONTRE_SLAM_AT: i32 = 20; // the defence that doubles a contract in tricks

// Ranks as the numbers of the cards have them.
const NINE: usize = 2;
const JACK: usize = 3;
const QUEEN: usize = 4;
const KING: usize = 5;
const TEN: usize = 6;
const ACE: usize = 7;

const PLAIN_STRENGTH: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
const TRUMP_STRENGTH: [i32; 8] = [0, 1, 6, 7, 2, 3, 4, 5];
const PLAIN_POINTS: [i32; 8] = [0, 0, 0, 2, 3, 4, 10, 11];
const TRUMP_POINTS: [i32; 8] = [0, 0, 14, 20, 3, 4, 10, 11];

const STRAINS: [Strain; 6] = [
    Strain::Spades,
    Strain::Hearts,
    Strain::Diamonds,
    Strain::Clubs,
    Strain::NoTrump,
    Strain::AllTrump,
];

/// Answers a turn: with one of `decision.calls`, or with one of `decision.cards`. The view is all that
/// the seat knows.
pub fn decide(view: &SeatView, decision: &Decision) -> Action {
    let action = if decision.cards.is_empty() {
        action::Action::Call(say(view, &decision.calls))
    } else {
        let card = choose(view, &decision.cards).0;
        let announce = decision.announceable.contains(&card);
        action::Action::Play(PlayCard { card, announce })
    };
    Action {
        action: Some(action),
    }
}

// --- the auction

fn say(view: &SeatView, legal: &[Call]) -> Call {
    let hand = cards(&view.hand);
    let contract = view
        .table
        .as_ref()
        .and_then(|table| table.contract.as_ref());
    let wanted = |call: &&Call| match call.call {
        Some(Said::Contre(_)) => contract
            .and_then(|contract| contract.bid.as_ref())
            .is_some_and(|bid| doubles(&hand, bid)),
        _ => false,
    };
    let modest = |call: &&Call| matches!(call.call, Some(Said::Pass(_) | Said::Decline(_)));
    let chosen = legal
        .iter()
        .find(wanted)
        .or_else(|| best_bid(view, &hand, legal));
    chosen
        .or_else(|| legal.iter().find(modest))
        .unwrap_or(&legal[0])
        .clone()
}

fn doubles(hand: &[Card], bid: &Bid) -> bool {
    let enough = if points_of(bid).is_some() {
        CONTRE_AT
    } else {
        CONTRE_SLAM_AT
    };
    defence(hand, bid.strain()) >= enough
}

/// The highest bid that the hand is worth, in the strain in which it is worth most.
fn best_bid<'a>(view: &SeatView, hand: &[Card], legal: &'a [Call]) -> Option<&'a Call> {
    let contract = view
        .table
        .as_ref()
        .and_then(|table| table.contract.as_ref());
    let ours = contract.filter(|contract| same_pair(contract.taker, view.seat));
    let found = ours
        .and_then(|contract| contract.bid.as_ref())
        .map(Bid::strain);
    let mut best = None;
    let mut most = 0;
    for strain in STRAINS {
        if found.is_some_and(|found| found != strain) {
            continue; // the partner has found a strain
        }
        let value = worth(hand, strain)
            + if partner_bid(view, strain) {
                SUPPORT
            } else {
                0
            };
        let level = |call: &Call| match &call.call {
            Some(Said::Bid(bid)) if bid.strain() == strain => {
                points_of(bid).filter(|level| *level <= value)
            }
            _ => None,
        };
        let highest = legal
            .iter()
            .filter(|call| level(call).is_some())
            .max_by_key(|call| level(call));
        if highest.is_some() && (best.is_none() || value > most) {
            best = highest;
            most = value;
        }
    }
    best
}

fn points_of(bid: &Bid) -> Option<i32> {
    match bid.level.as_ref()?.level {
        Some(Points(points)) => Some(points),
        _ => None,
    }
}

fn partner_bid(view: &SeatView, strain: Strain) -> bool {
    view.table
        .iter()
        .flat_map(|table| &table.calls)
        .any(|placed| {
            placed.seat != view.seat
                && same_pair(placed.seat, view.seat)
                && matches!(
                    placed.call.as_ref().and_then(|call| call.call.as_ref()),
                    Some(Said::Bid(bid)) if bid.strain() == strain
                )
        })
}

/// What the pair may hope to make in this strain.
fn worth(hand: &[Card], strain: Strain) -> i32 {
    match strain {
        Strain::NoTrump => return pairs(hand, ACE, TEN),
        Strain::AllTrump => return pairs(hand, JACK, NINE),
        _ => {}
    }
    let mut trumps = [false; 8];
    let mut value = PARTNER_BRINGS;
    for card in hand {
        if card.is_trump(strain) {
            trumps[card.rank()] = true;
            value += 10;
        } else if card.rank() == ACE {
            value += 15;
        }
    }
    value
        + 20 * i32::from(trumps[JACK])
        + 10 * i32::from(trumps[NINE])
        + 5 * i32::from(trumps[ACE])
        + 20 * i32::from(trumps[KING] && trumps[QUEEN])
}

/// 25 for each card of the first rank and 15 more where the second is beside it.
fn pairs(hand: &[Card], first: usize, second: usize) -> i32 {
    let beside = |card: &Card| {
        hand.iter()
            .any(|other| other.suit() == card.suit() && other.rank() == second)
    };
    let value = |card: &Card| if beside(card) { 40 } else { 25 };
    hand.iter()
        .filter(|card| card.rank() == first)
        .map(value)
        .sum()
}

/// What the hand has against a contract in this strain.
fn defence(hand: &[Card], strain: Strain) -> i32 {
    let value = |card: &Card| match (card.in_trump_order(strain), card.rank()) {
        (true, JACK) | (false, ACE) => 20,
        (true, NINE) => 10,
        _ => 0,
    };
    hand.iter().map(value).sum()
}

// --- the cards

fn choose(view: &SeatView, legal: &[i32]) -> Card {
    let legal = cards(legal);
    let table = view.table.clone().unwrap_or_default();
    let contract = table.contract.unwrap_or_default();
    let strain = contract.bid.unwrap_or_default().strain();
    let trick = cards(&table.trick.unwrap_or_default().cards);
    let unseen = unseen_by(view);
    let cheapest = |cards: &[Card]| first(cards, |card| card.points(strain), strain);
    let richest = |cards: &[Card]| first(cards, |card| Reverse(card.points(strain)), strain);
    let is_master = |card: &Card| {
        !unseen
            .iter()
            .any(|other| other.suit() == card.suit() && other.beats(*card, strain))
    };

    let Some(mut winning) = trick.first().copied() else {
        let masters = filtered(&legal, is_master);
        let trumps = filtered(&masters, |card| card.is_trump(strain));
        let ours = same_pair(contract.taker, view.seat);
        if ours && !trumps.is_empty() && unseen.iter().any(|card| card.is_trump(strain)) {
            return richest(&trumps);
        }
        let plain = filtered(&masters, |card| !card.is_trump(strain));
        return if plain.is_empty() {
            cheapest(&legal)
        } else {
            richest(&plain)
        };
    };
    for card in &trick[1..] {
        if card.beats(winning, strain) {
            winning = *card;
        }
    }
    let last = trick.len() == 3;
    if trick.len() > 1 && winning == trick[trick.len() - 2] {
        let safe = last || is_master(&winning); // the partner's
        return if safe {
            richest(&legal)
        } else {
            cheapest(&legal)
        };
    }
    let winners = filtered(&legal, |card| card.beats(winning, strain));
    if last && !winners.is_empty() {
        return cheapest(&winners);
    }
    let masters = filtered(&winners, is_master);
    if masters.is_empty() {
        cheapest(&legal)
    } else {
        richest(&masters)
    }
}

/// The cards in the hands of the others.
fn unseen_by(view: &SeatView) -> Vec<Card> {
    let mut seen = view.hand.clone();
    if let Some(table) = &view.table {
        for trick in table.tricks.iter().chain(&table.trick) {
            seen.extend(&trick.cards);
        }
    }
    (1..=32)
        .filter(|card| !seen.contains(card))
        .map(Card)
        .collect()
}

/// The first in order: trumps last, then by points, then the weaker first, then by number.
fn first<K: Ord>(cards: &[Card], points: impl Fn(Card) -> K, strain: Strain) -> Card {
    let order = |card: &Card| {
        (
            card.is_trump(strain),
            points(*card),
            card.strength(strain),
            card.0,
        )
    };
    cards
        .iter()
        .copied()
        .min_by_key(order)
        .expect("there is always a card to play")
}

fn filtered(cards: &[Card], wanted: impl Fn(&Card) -> bool) -> Vec<Card> {
    cards.iter().copied().filter(wanted).collect()
}

fn cards(numbers: &[i32]) -> Vec<Card> {
    numbers.iter().copied().map(Card).collect()
}

fn same_pair(one: i32, two: i32) -> bool {
    one % 2 == two % 2
}

/// A card by its number in contree.v1.Card, 1 to 32.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Card(i32);

impl Card {
    fn suit(self) -> i32 {
        (self.0 - 1) / 8
    }

    fn rank(self) -> usize {
        (self.0 - 1) as usize % 8
    }

    fn is_trump(self, strain: Strain) -> bool {
        self.suit() == strain as i32 - 1
    }

    fn in_trump_order(self, strain: Strain) -> bool {
        strain == Strain::AllTrump || self.is_trump(strain)
    }

    fn strength(self, strain: Strain) -> i32 {
        (if self.in_trump_order(strain) {
            TRUMP_STRENGTH
        } else {
            PLAIN_STRENGTH
        })[self.rank()]
    }

    fn points(self, strain: Strain) -> i32 {
        (if self.in_trump_order(strain) {
            TRUMP_POINTS
        } else {
            PLAIN_POINTS
        })[self.rank()]
    }

    /// Whether it takes the trick from a card that was played before.
    fn beats(self, other: Card, strain: Strain) -> bool {
        if self.suit() == other.suit() {
            self.strength(strain) > other.strength(strain)
        } else {
            self.is_trump(strain)
        }
    }
}
