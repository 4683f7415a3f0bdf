// The sample bot as bots/README.md defines it. To make your own, replace decide().

#include "bot.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

using namespace contree::v1;

namespace {

constexpr int kPartnerBrings = 20;  // to a trump suit, before the partner has said anything
constexpr int kSupport = 30;        // to the strain that the partner has bid
constexpr int kContreAt = 60;       // the defence that doubles a contract in points
constexpr int kContreSlamAt = 20;   // the defence that doubles a contract in tricks

// Ranks as the numbers of the cards have them.
enum Rank { kNine = 2, kJack = 3, kQueen = 4, kKing = 5, kTen = 6, kAce = 7 };

constexpr std::array kPlainStrength{0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::array kTrumpStrength{0, 1, 6, 7, 2, 3, 4, 5};
constexpr std::array kPlainPoints{0, 0, 0, 2, 3, 4, 10, 11};
constexpr std::array kTrumpPoints{0, 0, 14, 20, 3, 4, 10, 11};

using Cards = std::vector<int>;  // as in contree.v1.Card: 1 to 32

int suit(int card) { return (card - 1) / 8; }
int rank(int card) { return (card - 1) % 8; }

bool is_trump(int card, Strain strain) { return suit(card) == strain - 1; }

bool in_trump_order(int card, Strain strain) {
  return strain == STRAIN_ALL_TRUMP || is_trump(card, strain);
}

int strength(int card, Strain strain) {
  return (in_trump_order(card, strain) ? kTrumpStrength : kPlainStrength)[rank(card)];
}

int points(int card, Strain strain) {
  return (in_trump_order(card, strain) ? kTrumpPoints : kPlainPoints)[rank(card)];
}

// Whether it takes the trick from a card that was played before.
bool beats(int card, int other, Strain strain) {
  if (suit(card) == suit(other)) return strength(card, strain) > strength(other, strain);
  return is_trump(card, strain);
}

bool same_pair(Seat one, Seat two) { return one % 2 == two % 2; }

template <typename List>
bool contains(const List& list, int card) {
  return std::find(list.begin(), list.end(), card) != list.end();
}

// --- the auction

// 25 for each card of the first rank and 15 more where the second is beside it.
int pairs(const Cards& hand, Rank first, Rank second) {
  int value = 0;
  for (int card : hand) {
    if (rank(card) == first) value += contains(hand, card + second - first) ? 40 : 25;
  }
  return value;
}

// What the pair may hope to make in this strain.
int worth(const Cards& hand, Strain strain) {
  if (strain == STRAIN_NO_TRUMP) return pairs(hand, kAce, kTen);
  if (strain == STRAIN_ALL_TRUMP) return pairs(hand, kJack, kNine);
  int value = kPartnerBrings;
  std::array<bool, 8> trumps{};
  for (int card : hand) {
    if (is_trump(card, strain)) {
      trumps[rank(card)] = true;
      value += 10;
    } else if (rank(card) == kAce) {
      value += 15;
    }
  }
  return value + 20 * trumps[kJack] + 10 * trumps[kNine] + 5 * trumps[kAce] +
         20 * (trumps[kKing] && trumps[kQueen]);
}

// What the hand has against a contract in this strain.
int defence(const Cards& hand, Strain strain) {
  int value = 0;
  for (int card : hand) {
    if (in_trump_order(card, strain)) {
      value += 20 * (rank(card) == kJack) + 10 * (rank(card) == kNine);
    } else {
      value += 20 * (rank(card) == kAce);
    }
  }
  return value;
}

bool doubles(const Cards& hand, const Bid& bid) {
  int enough = bid.level().has_points() ? kContreAt : kContreSlamAt;
  return defence(hand, bid.strain()) >= enough;
}

bool partner_bid(const SeatView& view, Strain strain) {
  const auto& calls = view.table().calls();
  return std::any_of(calls.begin(), calls.end(), [&](const PlacedCall& placed) {
    return placed.seat() != view.seat() && same_pair(placed.seat(), view.seat()) &&
           placed.call().has_bid() && placed.call().bid().strain() == strain;
  });
}

// The highest bid that the hand is worth, in the strain in which it is worth most.
const Call* best_bid(const SeatView& view, const Cards& hand, const Decision& decision) {
  const TableView& table = view.table();
  bool ours = table.has_contract() && same_pair(table.contract().taker(), view.seat());
  const Call* best = nullptr;
  int most = 0;
  for (int number = STRAIN_SPADES; number <= STRAIN_ALL_TRUMP; ++number) {
    Strain strain = static_cast<Strain>(number);
    if (ours && table.contract().bid().strain() != strain) continue;  // the partner has found one
    int value = worth(hand, strain) + (partner_bid(view, strain) ? kSupport : 0);
    const Call* highest = nullptr;
    for (const Call& call : decision.calls()) {
      const Bid& bid = call.bid();
      if (!call.has_bid() || bid.strain() != strain || !bid.level().has_points()) continue;
      int level = bid.level().points();
      if (level <= value && (!highest || level > highest->bid().level().points())) highest = &call;
    }
    if (highest && (!best || value > most)) {
      best = highest;
      most = value;
    }
  }
  return best;
}

Call say(const SeatView& view, const Decision& decision) {
  Cards hand(view.hand().begin(), view.hand().end());
  for (const Call& call : decision.calls()) {
    if (call.has_contre() && doubles(hand, view.table().contract().bid())) return call;
  }
  if (const Call* bid = best_bid(view, hand, decision)) return *bid;
  for (const Call& call : decision.calls()) {
    if (call.has_pass() || call.has_decline()) return call;
  }
  return decision.calls(0);
}

// --- the cards

// The cards in the hands of the others.
Cards unseen_by(const SeatView& view) {
  std::array<bool, 33> seen{};
  auto mark = [&](const auto& cards) {
    for (int card : cards) seen[card] = true;
  };
  mark(view.hand());
  mark(view.table().trick().cards());
  for (const Trick& trick : view.table().tricks()) mark(trick.cards());
  Cards unseen;
  for (int card = CARD_7S; card <= CARD_AC; ++card) {
    if (!seen[card]) unseen.push_back(card);
  }
  return unseen;
}

// The first in order: trumps last, then by points, then the weaker first, then by number.
int first(const Cards& cards, Strain strain, int points_sign) {
  return *std::min_element(cards.begin(), cards.end(), [&](int one, int two) {
    auto key = [&](int card) {
      return std::tuple(is_trump(card, strain), points_sign * points(card, strain),
                        strength(card, strain), card);
    };
    return key(one) < key(two);
  });
}

Cards filter(const Cards& cards, const std::function<bool(int)>& wanted) {
  Cards kept;
  std::copy_if(cards.begin(), cards.end(), std::back_inserter(kept), wanted);
  return kept;
}

int choose(const SeatView& view, const Cards& legal) {
  const TableView& table = view.table();
  Strain strain = table.contract().bid().strain();
  Cards trick(table.trick().cards().begin(), table.trick().cards().end());
  Cards unseen = unseen_by(view);
  auto cheapest = [&](const Cards& cards) { return first(cards, strain, 1); };
  auto richest = [&](const Cards& cards) { return first(cards, strain, -1); };
  auto trump = [&](int card) { return is_trump(card, strain); };
  auto master = [&](int card) {
    return std::none_of(unseen.begin(), unseen.end(), [&](int other) {
      return suit(other) == suit(card) && beats(other, card, strain);
    });
  };

  if (trick.empty()) {
    Cards masters = filter(legal, master);
    Cards trumps = filter(masters, trump);
    bool ours = same_pair(table.contract().taker(), view.seat());
    if (ours && !trumps.empty() && std::any_of(unseen.begin(), unseen.end(), trump)) {
      return richest(trumps);
    }
    Cards plain = filter(masters, std::not_fn(trump));
    return plain.empty() ? cheapest(legal) : richest(plain);
  }

  std::size_t best = 0;
  for (std::size_t at = 1; at < trick.size(); ++at) {
    if (beats(trick[at], trick[best], strain)) best = at;
  }
  bool last = trick.size() == 3;
  if (best + 2 == trick.size()) {  // the partner's
    return last || master(trick[best]) ? richest(legal) : cheapest(legal);
  }
  Cards winners = filter(legal, [&](int card) { return beats(card, trick[best], strain); });
  if (last && !winners.empty()) return cheapest(winners);
  Cards masters = filter(winners, master);
  return masters.empty() ? cheapest(legal) : richest(masters);
}

}  // namespace

Action decide(const SeatView& view, const Decision& decision) {
  Action action;
  if (decision.cards().empty()) {
    *action.mutable_call() = say(view, decision);
    return action;
  }
  int card = choose(view, Cards(decision.cards().begin(), decision.cards().end()));
  action.mutable_play()->set_card(static_cast<Card>(card));
  action.mutable_play()->set_announce(contains(decision.announceable(), card));
  return action;
}
