//! Decides in a thread of its own, so that heartbeats never wait for a bot that thinks.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::pb::server_message::Message;
use crate::pb::{
    Act, ActResult, ActStatus, Action, ClientMessage, Decision, EndReason, MatchEnded, PlayCard,
    SeatView, Turn, action,
};
use crate::session::{Session, Word, message};

/// What an author writes.
pub type Decide = fn(&SeatView, &Decision) -> Action;

/// What the server said at once and what wants thought, and where to answer it.
pub type Batch = (Arc<Session>, Vec<Message>);

struct Thinker {
    name: String,
    decide: Decide,
    /// The newest answer of each seat, for a turn that is sent again.
    given: HashMap<String, (Vec<u8>, Action)>,
}

/// Starts to think; each batch that is sent there is answered with a batch.
pub fn think(name: &str, decide: Decide) -> Sender<Batch> {
    let (ask, asked) = channel();
    let thinker = Thinker {
        name: name.to_owned(),
        decide,
        given: HashMap::new(),
    };
    thread::spawn(move || thinker.run(asked));
    ask
}

impl Thinker {
    fn run(mut self, asked: Receiver<Batch>) {
        for (session, messages) in asked {
            let answers = messages
                .into_iter()
                .filter_map(|one| self.answer(&session, one));
            session.say(answers.collect());
            session.answered();
        }
    }

    fn answer(&mut self, session: &Session, message: Message) -> Option<ClientMessage> {
        match message {
            Message::Welcome(welcome) if welcome.seats_owed == 0 => self.given.clear(),
            Message::Turn(turn) => return self.act(session, turn),
            Message::ActResult(result) => return self.act_again(session, result),
            Message::MatchEnded(ended) => {
                self.given.remove(&session.seat_name(ended.seat_ref));
                session.unseat(ended.seat_ref);
                let how = end_of(&ended.match_ended.unwrap_or_default());
                println!("{}: match {} over, {how}", self.name, ended.match_id);
            }
            _ => {}
        }
        None
    }

    fn act(&mut self, session: &Session, turn: Turn) -> Option<ClientMessage> {
        let (view, decision) = (turn.view?, turn.decision?);
        let seat = session.seat_name(turn.seat_ref);
        let given = self.given.get(&seat).filter(|(id, _)| *id == decision.id);
        let action = match given {
            Some((_, action)) => action.clone(),
            None => (self.decide)(&view, &decision),
        };
        self.given
            .insert(seat, (decision.id.clone(), action.clone()));
        Some(act(turn.seat_ref, decision.id, action))
    }

    /// Reports an answer that was not taken. After an illegal one it plays anything legal, so that the
    /// game goes on.
    fn act_again(&mut self, session: &Session, result: ActResult) -> Option<ClientMessage> {
        let status = ActStatus::try_from(result.status);
        if matches!(status, Ok(ActStatus::Accepted | ActStatus::Duplicate)) {
            return None;
        }
        let what = match status {
            Ok(status) => status
                .as_str_name()
                .trim_start_matches("ACT_STATUS_")
                .to_owned(),
            Err(_) => result.status.to_string(), // a newer server's
        };
        eprintln!("{}: {what} action: {}", self.name, result.reason);
        let decision = result
            .decision
            .filter(|_| status == Ok(ActStatus::Illegal))?;
        let legal = match decision.cards.first() {
            Some(card) => action::Action::Play(PlayCard {
                card: *card,
                announce: false,
            }),
            None => action::Action::Call(decision.calls.first()?.clone()),
        };
        let action = Action {
            action: Some(legal),
        };
        let seat = session.seat_name(result.seat_ref);
        self.given
            .insert(seat, (decision.id.clone(), action.clone()));
        Some(act(result.seat_ref, decision.id, action))
    }
}

pub fn act(seat_ref: u32, decision_id: Vec<u8>, action: Action) -> ClientMessage {
    message(Word::Act(Act {
        seat_ref,
        decision_id,
        action: Some(action),
    }))
}

fn end_of(ended: &MatchEnded) -> String {
    let why = match EndReason::try_from(ended.reason) {
        Ok(reason) => reason
            .as_str_name()
            .trim_start_matches("END_REASON_")
            .to_lowercase(),
        Err(_) => ended.reason.to_string(), // a newer server's
    };
    let why = why.replace('_', " ");
    match &ended.scores {
        Some(scores) => format!("{why}: {}-{}", scores.north_south, scores.east_west),
        None => why,
    }
}
