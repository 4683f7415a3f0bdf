package main

import (
	"slices"

	pb "starter/contreev1"
)

// The sample bot as bots/README.md defines it. To make your own, replace Decide.

const (
	partnerBrings = 20 // to a trump suit, before the partner has said anything
	support       = 30 // to the strain that the partner has bid
	contreAt      = 60 // the defence that doubles a contract in points
	contreSlamAt  = 20 // the defence that doubles a contract in tricks
)

// Ranks as the numbers of the cards have them.
const (
	nine  = 2
	jack  = 3
	queen = 4
	king  = 5
	ten   = 6
	ace   = 7
)

var (
	plainStrength = [8]int{0, 1, 2, 3, 4, 5, 6, 7}
	trumpStrength = [8]int{0, 1, 6, 7, 2, 3, 4, 5}
	plainPoints   = [8]int{0, 0, 0, 2, 3, 4, 10, 11}
	trumpPoints   = [8]int{0, 0, 14, 20, 3, 4, 10, 11}
)

// Decide answers a turn: with one of decision.Calls, or with one of decision.Cards. The view is all
// that the seat knows.
func Decide(view *pb.SeatView, decision *pb.Decision) *pb.Action {
	if len(decision.GetCards()) == 0 {
		return callAction(call(view, decision.GetCalls()))
	}
	card := chooseCard(view, decision.GetCards())
	return cardAction(card, slices.Contains(decision.GetAnnounceable(), card))
}

// The auction.

func call(view *pb.SeatView, legal []*pb.Call) *pb.Call {
	contract := view.GetTable().GetContract()
	for _, one := range legal {
		if one.GetContre() != nil && doubles(view.GetHand(), contract.GetBid()) {
			return one
		}
	}
	if bid := bestBid(view, legal); bid != nil {
		return bid
	}
	for _, one := range legal {
		if one.GetPass() != nil || one.GetDecline() != nil {
			return one
		}
	}
	return legal[0]
}

func doubles(hand []pb.Card, bid *pb.Bid) bool {
	enough := int32(contreAt)
	if bid.GetLevel().GetPoints() == 0 {
		enough = contreSlamAt
	}
	return defence(hand, bid.GetStrain()) >= enough
}

// bestBid is the highest bid that the hand is worth, in the strain in which it is worth most.
func bestBid(view *pb.SeatView, legal []*pb.Call) *pb.Call {
	contract := view.GetTable().GetContract()
	ours := contract != nil && samePair(contract.GetTaker(), view.GetSeat())
	var best *pb.Call
	most := int32(0)
	for strain := pb.Strain_STRAIN_SPADES; strain <= pb.Strain_STRAIN_ALL_TRUMP; strain++ {
		if ours && contract.GetBid().GetStrain() != strain {
			continue // the partner has found a strain
		}
		value := worth(view.GetHand(), strain)
		if partnerBid(view, strain) {
			value += support
		}
		var highest *pb.Call
		for _, one := range legal {
			level := one.GetBid().GetLevel().GetPoints()
			if one.GetBid().GetStrain() == strain && level > 0 && level <= value &&
				level > highest.GetBid().GetLevel().GetPoints() {
				highest = one
			}
		}
		if highest != nil && (best == nil || value > most) {
			best, most = highest, value
		}
	}
	return best
}

func partnerBid(view *pb.SeatView, strain pb.Strain) bool {
	return slices.ContainsFunc(view.GetTable().GetCalls(), func(placed *pb.PlacedCall) bool {
		return placed.GetSeat() != view.GetSeat() && samePair(placed.GetSeat(), view.GetSeat()) &&
			placed.GetCall().GetBid().GetStrain() == strain
	})
}

// worth is what the pair may hope to make in this strain.
func worth(hand []pb.Card, strain pb.Strain) int32 {
	switch strain {
	case pb.Strain_STRAIN_NO_TRUMP:
		return pairs(hand, ace, ten)
	case pb.Strain_STRAIN_ALL_TRUMP:
		return pairs(hand, jack, nine)
	}
	value := int32(partnerBrings)
	var trumps [8]bool
	for _, card := range hand {
		switch {
		case isTrump(card, strain):
			trumps[rank(card)] = true
			value += 10 + map[int]int32{jack: 20, nine: 10, ace: 5}[rank(card)]
		case rank(card) == ace:
			value += 15
		}
	}
	if trumps[king] && trumps[queen] {
		value += 20
	}
	return value
}

// pairs counts 25 for each card of the first rank and 15 more where the second is beside it.
func pairs(hand []pb.Card, first, second int) int32 {
	value := int32(0)
	for _, card := range hand {
		if rank(card) == first {
			value += 25
			if slices.Contains(hand, card+pb.Card(second-first)) {
				value += 15
			}
		}
	}
	return value
}

// defence is what the hand has against a contract in this strain.
func defence(hand []pb.Card, strain pb.Strain) int32 {
	value := int32(0)
	for _, card := range hand {
		if inTrumpOrder(card, strain) {
			value += map[int]int32{jack: 20, nine: 10}[rank(card)]
		} else if rank(card) == ace {
			value += 20
		}
	}
	return value
}

// The cards.

func chooseCard(view *pb.SeatView, legal []pb.Card) pb.Card {
	table := view.GetTable()
	strain := table.GetContract().GetBid().GetStrain()
	trick := table.GetTrick().GetCards()
	unseen := unseenBy(view)
	master := func(card pb.Card) bool {
		return !slices.ContainsFunc(unseen, func(other pb.Card) bool {
			return suit(other) == suit(card) && beats(other, card, strain)
		})
	}
	trump := func(card pb.Card) bool { return isTrump(card, strain) }
	plain := func(card pb.Card) bool { return !isTrump(card, strain) }

	if len(trick) == 0 {
		masters := filter(legal, master)
		ours := samePair(table.GetContract().GetTaker(), view.GetSeat())
		if trumps := filter(masters, trump); ours && len(trumps) > 0 && slices.ContainsFunc(unseen, trump) {
			return richest(trumps, strain)
		}
		if side := filter(masters, plain); len(side) > 0 {
			return richest(side, strain)
		}
		return cheapest(legal, strain)
	}

	best := 0
	for at := range trick {
		if at > 0 && beats(trick[at], trick[best], strain) {
			best = at
		}
	}
	last := len(trick) == 3
	if best == len(trick)-2 { // the partner's
		if last || master(trick[best]) {
			return richest(legal, strain)
		}
		return cheapest(legal, strain)
	}
	winners := filter(legal, func(card pb.Card) bool { return beats(card, trick[best], strain) })
	if last && len(winners) > 0 {
		return cheapest(winners, strain)
	}
	if masters := filter(winners, master); len(masters) > 0 {
		return richest(masters, strain)
	}
	return cheapest(legal, strain)
}

// unseenBy are the cards in the hands of the others.
func unseenBy(view *pb.SeatView) []pb.Card {
	var seen [33]bool
	mark := func(cards []pb.Card) {
		for _, card := range cards {
			seen[card] = true
		}
	}
	mark(view.GetHand())
	mark(view.GetTable().GetTrick().GetCards())
	for _, trick := range view.GetTable().GetTricks() {
		mark(trick.GetCards())
	}
	var unseen []pb.Card
	for card := pb.Card_CARD_7S; card <= pb.Card_CARD_AC; card++ {
		if !seen[card] {
			unseen = append(unseen, card)
		}
	}
	return unseen
}

// cheapest is the card to give away: no trump if possible, few points, weak.
func cheapest(cards []pb.Card, strain pb.Strain) pb.Card {
	return slices.MinFunc(cards, func(a, b pb.Card) int { return order(a, b, strain, 1) })
}

// richest is the card to bring home: no trump if possible, many points.
func richest(cards []pb.Card, strain pb.Strain) pb.Card {
	return slices.MinFunc(cards, func(a, b pb.Card) int { return order(a, b, strain, -1) })
}

func order(a, b pb.Card, strain pb.Strain, pointsSign int) int {
	if isTrump(a, strain) != isTrump(b, strain) {
		if isTrump(a, strain) {
			return 1
		}
		return -1
	}
	if difference := points(a, strain) - points(b, strain); difference != 0 {
		return pointsSign * difference
	}
	if difference := strength(a, strain) - strength(b, strain); difference != 0 {
		return difference
	}
	return int(a - b)
}

// beats tells whether a card takes the trick from one that was played before it.
func beats(card, other pb.Card, strain pb.Strain) bool {
	if suit(card) == suit(other) {
		return strength(card, strain) > strength(other, strain)
	}
	return isTrump(card, strain)
}

func suit(card pb.Card) int { return int(card-1) / 8 }
func rank(card pb.Card) int { return int(card-1) % 8 }

func isTrump(card pb.Card, strain pb.Strain) bool { return suit(card) == int(strain)-1 }

func inTrumpOrder(card pb.Card, strain pb.Strain) bool {
	return strain == pb.Strain_STRAIN_ALL_TRUMP || isTrump(card, strain)
}

func strength(card pb.Card, strain pb.Strain) int {
	if inTrumpOrder(card, strain) {
		return trumpStrength[rank(card)]
	}
	return plainStrength[rank(card)]
}

func points(card pb.Card, strain pb.Strain) int {
	if inTrumpOrder(card, strain) {
		return trumpPoints[rank(card)]
	}
	return plainPoints[rank(card)]
}

func samePair(a, b pb.Seat) bool { return a%2 == b%2 }

func filter(cards []pb.Card, wanted func(pb.Card) bool) []pb.Card {
	var kept []pb.Card
	for _, card := range cards {
		if wanted(card) {
			kept = append(kept, card)
		}
	}
	return kept
}

func callAction(call *pb.Call) *pb.Action {
	return &pb.Action{Action: &pb.Action_Call{Call: call}}
}

func cardAction(card pb.Card, announce bool) *pb.Action {
	return &pb.Action{Action: &pb.Action_Play{Play: &pb.PlayCard{Card: card, Announce: announce}}}
}
