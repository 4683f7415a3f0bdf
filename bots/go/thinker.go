package main

import (
	"fmt"
	"os"
	"strings"

	pb "starter/contreev1"
)

// thinker decides in a goroutine of its own, so that heartbeats never wait for a bot that thinks.
type thinker struct {
	name   string
	decide decider
	queue  chan batch
	given  map[string]given // the newest answer of each seat, for a turn that is sent again
}

// batch is what the server said at once and what wants thought.
type batch struct {
	session  *session
	messages []*pb.ServerMessage
}

type given struct {
	decisionID string
	action     *pb.Action
}

func newThinker(name string, decide decider) *thinker {
	t := &thinker{name: name, decide: decide, queue: make(chan batch, 1024), given: map[string]given{}}
	go t.run()
	return t
}

func (t *thinker) ask(s *session, messages []*pb.ServerMessage) {
	t.queue <- batch{s, messages}
}

// run answers each batch with a batch.
func (t *thinker) run() {
	for one := range t.queue {
		var answers []*pb.ClientMessage
		for _, message := range one.messages {
			if answer := t.answer(one.session, message); answer != nil {
				answers = append(answers, answer)
			}
		}
		one.session.say(answers...)
		one.session.pending(-1, false)
	}
}

func (t *thinker) answer(s *session, message *pb.ServerMessage) *pb.ClientMessage {
	switch content := message.GetMessage().(type) {
	case *pb.ServerMessage_Welcome:
		if content.Welcome.GetSeatsOwed() == 0 {
			clear(t.given)
		}
	case *pb.ServerMessage_Turn:
		turn := content.Turn
		seat, id := s.seatName(turn.GetSeatRef()), turn.GetDecision().GetId()
		answer, known := t.given[seat]
		if !known || answer.decisionID != string(id) {
			answer = given{string(id), t.decide(turn.GetView(), turn.GetDecision())}
			t.given[seat] = answer
		}
		return act(turn.GetSeatRef(), id, answer.action)
	case *pb.ServerMessage_ActResult:
		return t.actAgain(s, content.ActResult)
	case *pb.ServerMessage_MatchEnded:
		ended := content.MatchEnded
		delete(t.given, s.seatName(ended.GetSeatRef()))
		s.seats.Delete(ended.GetSeatRef())
		fmt.Printf("%s: match %s over, %s\n", t.name, ended.GetMatchId(), endOf(ended.GetMatchEnded()))
	}
	return nil
}

// actAgain reports an answer that was not taken. After an illegal one it plays anything legal, so that
// the game goes on.
func (t *thinker) actAgain(s *session, result *pb.ActResult) *pb.ClientMessage {
	switch result.GetStatus() {
	case pb.ActStatus_ACT_STATUS_ACCEPTED, pb.ActStatus_ACT_STATUS_DUPLICATE:
		return nil
	}
	what := strings.TrimPrefix(result.GetStatus().String(), "ACT_STATUS_")
	fmt.Fprintf(os.Stderr, "%s: %s action: %s\n", t.name, what, result.GetReason())
	decision := result.GetDecision()
	if result.GetStatus() != pb.ActStatus_ACT_STATUS_ILLEGAL || decision == nil {
		return nil
	}
	var action *pb.Action
	if cards := decision.GetCards(); len(cards) > 0 {
		action = cardAction(cards[0], false)
	} else {
		action = callAction(decision.GetCalls()[0])
	}
	t.given[s.seatName(result.GetSeatRef())] = given{string(decision.GetId()), action}
	return act(result.GetSeatRef(), decision.GetId(), action)
}

func (s *session) seatName(ref uint32) string {
	if name, known := s.seats.Load(ref); known {
		return name.(string)
	}
	return fmt.Sprintf("seat %d", ref)
}

func act(ref uint32, decisionID []byte, action *pb.Action) *pb.ClientMessage {
	return &pb.ClientMessage{Message: &pb.ClientMessage_Act{
		Act: &pb.Act{SeatRef: ref, DecisionId: decisionID, Action: action}}}
}

func endOf(ended *pb.MatchEnded) string {
	why := strings.ToLower(strings.TrimPrefix(ended.GetReason().String(), "END_REASON_"))
	why = strings.ReplaceAll(why, "_", " ")
	if scores := ended.GetScores(); scores != nil {
		return fmt.Sprintf("%s: %d-%d", why, scores.GetNorthSouth(), scores.GetEastWest())
	}
	return why
}
