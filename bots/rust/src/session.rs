//! One stream, as the reader and the thinker see it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use tokio::sync::mpsc::UnboundedSender;

use crate::pb::{ClientMessage, PlayRequest, SeatAssigned, client_message};

pub type Word = client_message::Message;

/// One stream and the seats it has.
pub struct Session {
    state: Mutex<State>,
}

struct State {
    /// None once this side has ended the stream.
    outbox: Option<UnboundedSender<PlayRequest>>,
    /// By seat_ref.
    seats: HashMap<u32, String>,
    /// Batches that are not answered yet.
    thinking: usize,
    welcomed: bool,
    /// The server is about to stop.
    leaving: bool,
}

impl Session {
    pub fn new(outbox: UnboundedSender<PlayRequest>) -> Session {
        Session {
            state: Mutex::new(State {
                outbox: Some(outbox),
                seats: HashMap::new(),
                thinking: 0,
                welcomed: false,
                leaving: false,
            }),
        }
    }

    /// Sends one batch. That it fails is noticed by whoever reads the stream.
    pub fn say(&self, messages: Vec<ClientMessage>) {
        if let (false, Some(outbox)) = (messages.is_empty(), &self.state().outbox) {
            let _ = outbox.send(PlayRequest { messages });
        }
    }

    /// Ends the stream in good order.
    pub fn finish(&self) {
        self.state().outbox = None;
    }

    /// A batch wants thought.
    pub fn ask(&self) {
        self.state().thinking += 1;
    }

    /// A batch is answered. When the server is about to stop and that was the last, the stream ends.
    pub fn answered(&self) {
        let mut state = self.state();
        state.thinking -= 1;
        state.end_if_left();
    }

    /// The server is about to stop: the stream ends when all that is owed is answered.
    pub fn leave(&self) {
        let mut state = self.state();
        state.leaving = true;
        state.end_if_left();
    }

    pub fn welcome(&self) {
        self.state().welcomed = true;
    }

    pub fn welcomed(&self) -> bool {
        self.state().welcomed
    }

    pub fn leaving(&self) -> bool {
        self.state().leaving
    }

    pub fn seat(&self, assigned: &SeatAssigned) {
        let name = format!("{} {}", assigned.match_id, assigned.seat);
        self.state().seats.insert(assigned.seat_ref, name);
    }

    pub fn unseat(&self, seat_ref: u32) {
        self.state().seats.remove(&seat_ref);
    }

    pub fn seat_refs(&self) -> Vec<u32> {
        self.state().seats.keys().copied().collect()
    }

    /// Names a seat for longer than a stream lasts.
    pub fn seat_name(&self, seat_ref: u32) -> String {
        let name = self.state().seats.get(&seat_ref).cloned();
        name.unwrap_or_else(|| format!("seat {seat_ref}"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics with this lock")
    }
}

impl State {
    fn end_if_left(&mut self) {
        if self.leaving && self.thinking == 0 {
            self.outbox = None;
        }
    }
}

pub fn message(word: Word) -> ClientMessage {
    ClientMessage {
        message: Some(word),
    }
}
