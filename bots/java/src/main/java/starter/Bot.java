package starter;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import contree.v1.Auction.Bid;
import contree.v1.Auction.Call;
import contree.v1.Auction.Contract;
import contree.v1.CardOuterClass.Card;
import contree.v1.CardOuterClass.Strain;
import contree.v1.Deal.Trick;
import contree.v1.Observation.Action;
import contree.v1.Observation.Decision;
import contree.v1.Observation.PlayCard;
import contree.v1.Observation.SeatView;
import contree.v1.Observation.TableView;
import contree.v1.Table.Seat;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The sample bot as bots/README.md defines it. To make your own, replace {@link #decide}. */
final class Bot {
  private static final int PARTNER_BRINGS = 20; // to a trump suit, before the partner has spoken
  private static final int SUPPORT = 30; // to the strain that the partner has bid
  private static final int CONTRE_AT = 60; // the defence that doubles a contract in points
  private static final int CONTRE_SLAM_AT = 20; // the defence that doubles a contract in tricks

  // Ranks as the numbers of the cards have them.
  private static final int NINE = 2;
  private static final int JACK = 3;
  private static final int QUEEN = 4;
  private static final int KING = 5;
  private static final int TEN = 6;
  private static final int ACE = 7;

  private static final int[] PLAIN_STRENGTH = {0, 1, 2, 3, 4, 5, 6, 7};
  private static final int[] TRUMP_STRENGTH = {0, 1, 6, 7, 2, 3, 4, 5};
  private static final int[] PLAIN_POINTS = {0, 0, 0, 2, 3, 4, 10, 11};
  private static final int[] TRUMP_POINTS = {0, 0, 14, 20, 3, 4, 10, 11};

  private static final List<Strain> STRAINS =
      List.of(
          Strain.STRAIN_SPADES,
          Strain.STRAIN_HEARTS,
          Strain.STRAIN_DIAMONDS,
          Strain.STRAIN_CLUBS,
          Strain.STRAIN_NO_TRUMP,
          Strain.STRAIN_ALL_TRUMP);

  private Bot() {}

  /** Answers a turn. The view is all that the seat knows. */
  static Action decide(SeatView view, Decision decision) {
    if (decision.getCardsCount() == 0) {
      return Action.newBuilder().setCall(say(view, decision.getCallsList())).build();
    }
    Card card = choose(view, decision.getCardsList());
    boolean announce = decision.getAnnounceableList().contains(card);
    PlayCard play = PlayCard.newBuilder().setCard(card).setAnnounce(announce).build();
    return Action.newBuilder().setPlay(play).build();
  }

  // --- the auction

  private static Call say(SeatView view, List<Call> legal) {
    List<Card> hand = view.getHandList();
    for (Call call : legal) {
      if (call.hasContre() && doubles(hand, view.getTable().getContract().getBid())) {
        return call;
      }
    }
    Call bid = bestBid(view, hand, legal);
    if (bid != null) {
      return bid;
    }
    for (Call call : legal) {
      if (call.hasPass() || call.hasDecline()) {
        return call;
      }
    }
    return legal.get(0);
  }

  private static boolean doubles(List<Card> hand, Bid bid) {
    int enough = bid.getLevel().hasPoints() ? CONTRE_AT : CONTRE_SLAM_AT;
    return defence(hand, bid.getStrain()) >= enough;
  }

  /** The highest bid that the hand is worth, in the strain in which it is worth most; or null. */
  private static Call bestBid(SeatView view, List<Card> hand, List<Call> legal) {
    Contract contract = view.getTable().getContract();
    boolean ours =
        view.getTable().hasContract() && samePair(contract.getTaker(), view.getSeat());
    Call best = null;
    int most = 0;
    for (Strain strain : STRAINS) {
      if (ours && contract.getBid().getStrain() != strain) {
        continue; // the partner has found a strain
      }
      int value = worth(hand, strain) + (partnerBid(view, strain) ? SUPPORT : 0);
      Call highest =
          legal.stream()
              .filter(call -> call.hasBid() && call.getBid().getStrain() == strain)
              .filter(call -> call.getBid().getLevel().hasPoints() && points(call) <= value)
              .max(comparingInt(Bot::points))
              .orElse(null);
      if (highest != null && (best == null || value > most)) {
        best = highest;
        most = value;
      }
    }
    return best;
  }

  private static int points(Call call) {
    return call.getBid().getLevel().getPoints();
  }

  private static boolean partnerBid(SeatView view, Strain strain) {
    return view.getTable().getCallsList().stream()
        .filter(placed -> placed.getSeat() != view.getSeat())
        .filter(placed -> samePair(placed.getSeat(), view.getSeat()))
        .map(placed -> placed.getCall())
        .anyMatch(call -> call.hasBid() && call.getBid().getStrain() == strain);
  }

  /** What the pair may hope to make in this strain. */
  private static int worth(List<Card> hand, Strain strain) {
    if (strain == Strain.STRAIN_NO_TRUMP) {
      return pairs(hand, ACE, TEN);
    }
    if (strain == Strain.STRAIN_ALL_TRUMP) {
      return pairs(hand, JACK, NINE);
    }
    boolean[] trumps = new boolean[8];
    int value = PARTNER_BRINGS;
    for (Card card : hand) {
      if (isTrump(card, strain)) {
        trumps[rank(card)] = true;
        value += 10;
      } else if (rank(card) == ACE) {
        value += 15;
      }
    }
    return value
        + (trumps[JACK] ? 20 : 0)
        + (trumps[NINE] ? 10 : 0)
        + (trumps[ACE] ? 5 : 0)
        + (trumps[KING] && trumps[QUEEN] ? 20 : 0);
  }

  /** 25 for each card of the first rank and 15 more where the second is beside it. */
  private static int pairs(List<Card> hand, int first, int second) {
    int value = 0;
    for (Card card : hand) {
      if (rank(card) == first) {
        Card beside = Card.forNumber(card.getNumber() + second - first);
        value += hand.contains(beside) ? 40 : 25;
      }
    }
    return value;
  }

  /** What the hand has against a contract in this strain. */
  private static int defence(List<Card> hand, Strain strain) {
    int value = 0;
    for (Card card : hand) {
      if (inTrumpOrder(card, strain)) {
        value += rank(card) == JACK ? 20 : rank(card) == NINE ? 10 : 0;
      } else {
        value += rank(card) == ACE ? 20 : 0;
      }
    }
    return value;
  }

  // --- the cards

  private static Card choose(SeatView view, List<Card> legal) {
    TableView table = view.getTable();
    Strain strain = table.getContract().getBid().getStrain();
    List<Card> trick = table.getTrick().getCardsList();
    Set<Card> unseen = unseenBy(view);
    Comparator<Card> cheapest = order(strain, 1);
    Comparator<Card> richest = order(strain, -1);
    Predicate<Card> trump = card -> isTrump(card, strain);
    Predicate<Card> master =
        card ->
            unseen.stream()
                .noneMatch(other -> suit(other) == suit(card) && beats(other, card, strain));

    if (trick.isEmpty()) {
      List<Card> masters = filter(legal, master);
      List<Card> trumps = filter(masters, trump);
      boolean ours = samePair(table.getContract().getTaker(), view.getSeat());
      if (ours && !trumps.isEmpty() && unseen.stream().anyMatch(trump)) {
        return first(trumps, richest);
      }
      List<Card> plain = filter(masters, trump.negate());
      return plain.isEmpty() ? first(legal, cheapest) : first(plain, richest);
    }

    Card winning = trick.get(0);
    for (Card card : trick) {
      if (beats(card, winning, strain)) {
        winning = card;
      }
    }
    boolean last = trick.size() == 3;
    if (trick.size() > 1 && winning == trick.get(trick.size() - 2)) { // the partner's
      return first(legal, last || master.test(winning) ? richest : cheapest);
    }
    Card best = winning;
    List<Card> winners = filter(legal, card -> beats(card, best, strain));
    if (last && !winners.isEmpty()) {
      return first(winners, cheapest);
    }
    List<Card> masters = filter(winners, master);
    return masters.isEmpty() ? first(legal, cheapest) : first(masters, richest);
  }

  /** The cards in the hands of the others. */
  private static Set<Card> unseenBy(SeatView view) {
    Set<Card> unseen = EnumSet.range(Card.CARD_7S, Card.CARD_AC);
    view.getHandList().forEach(unseen::remove);
    view.getTable().getTrick().getCardsList().forEach(unseen::remove);
    for (Trick trick : view.getTable().getTricksList()) {
      trick.getCardsList().forEach(unseen::remove);
    }
    return unseen;
  }

  /** Trumps last, then by points, then the weaker first, then by number. */
  private static Comparator<Card> order(Strain strain, int pointsSign) {
    return comparing((Card card) -> isTrump(card, strain))
        .thenComparing(card -> pointsSign * points(card, strain))
        .thenComparing(card -> strength(card, strain))
        .thenComparing(Card::getNumber);
  }

  private static Card first(List<Card> cards, Comparator<Card> order) {
    return cards.stream().min(order).orElseThrow();
  }

  private static List<Card> filter(List<Card> cards, Predicate<Card> wanted) {
    return cards.stream().filter(wanted).toList();
  }

  /** Whether it takes the trick from a card that was played before. */
  private static boolean beats(Card card, Card other, Strain strain) {
    if (suit(card) == suit(other)) {
      return strength(card, strain) > strength(other, strain);
    }
    return isTrump(card, strain);
  }

  private static int suit(Card card) {
    return (card.getNumber() - 1) / 8;
  }

  private static int rank(Card card) {
    return (card.getNumber() - 1) % 8;
  }

  private static boolean isTrump(Card card, Strain strain) {
    return suit(card) == strain.getNumber() - 1;
  }

  private static boolean inTrumpOrder(Card card, Strain strain) {
    return strain == Strain.STRAIN_ALL_TRUMP || isTrump(card, strain);
  }

  private static int strength(Card card, Strain strain) {
    return (inTrumpOrder(card, strain) ? TRUMP_STRENGTH : PLAIN_STRENGTH)[rank(card)];
  }

  private static int points(Card card, Strain strain) {
    return (inTrumpOrder(card, strain) ? TRUMP_POINTS : PLAIN_POINTS)[rank(card)];
  }

  private static boolean samePair(Seat one, Seat two) {
    return one.getNumber() % 2 == two.getNumber() % 2;
  }
}
