//! Keeps a bot connected: hello, batches, heartbeats, and dialling again after a loss.

use std::error::Error;
use std::process::ExitCode;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::metadata::AsciiMetadataValue;
use tonic::{Code, Request, Status};

use crate::pb::play_service_client::PlayServiceClient;
use crate::pb::server_message::Message;
use crate::pb::{Delivery, HeartbeatAck, Hello, Leave, PlayResponse, Ready, Resign};
use crate::session::{Session, Word, message};
use crate::settings::{Settings, endpoint};
use crate::thinker::{Batch, Decide, think};

const PROTOCOL_VERSION: u32 = 1;
const PATIENCE: Duration = Duration::from_secs(30); // for a server that was never there
const RESUME_PATIENCE: Duration = Duration::from_secs(600); // for one that was
const FIRST_SILENCE: Duration = Duration::from_secs(10); // after the welcome the heartbeat counts
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const FAREWELL: Duration = Duration::from_secs(1);

/// Why there is no way to go on, in one sentence for people.
type Stop = String;

struct Player {
    settings: Settings,
    version: String,
    thinker: Sender<Batch>,
    /// The stream that is up.
    session: Mutex<Option<Arc<Session>>>,
}

struct Ending {
    reason: String,
    /// The server asks to be left alone for a while.
    crowded: bool,
}

/// Plays until the process is told to stop. The exit code is 0 after SIGTERM or SIGINT, 1 when there is
/// no way to go on. Reads the environment that bots/README.md lists.
pub fn run(name: &str, version: &str, decide: Decide) -> ExitCode {
    let settings = match Settings::from_environment(name) {
        Ok(settings) => settings,
        Err(stop) => {
            eprintln!("{name}: {stop}");
            return ExitCode::FAILURE;
        }
    };
    let called = settings.name.clone();
    let player = Arc::new(Player {
        thinker: think(&settings.name, decide),
        settings,
        version: version.to_owned(),
        session: Mutex::new(None),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let ended = runtime.expect("threads can be started").block_on(async {
        let mut terminated = signal(SignalKind::terminate()).expect("SIGTERM can be waited for");
        let mut interrupted = signal(SignalKind::interrupt()).expect("SIGINT can be waited for");
        let playing = tokio::spawn(player.clone().stay_connected());
        tokio::select! {
            stop = playing => Err(stop.unwrap_or("the bot has failed".to_owned())),
            _ = terminated.recv() => { player.leave().await; Ok(()) }
            _ = interrupted.recv() => { player.leave().await; Ok(()) }
        }
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("{called}: {stop}");
            ExitCode::FAILURE
        }
    }
}

impl Player {
    async fn stay_connected(self: Arc<Self>) -> Stop {
        let Settings { servers, name, .. } = &self.settings;
        let (mut last_seen, mut limit, mut pause) = (Instant::now(), PATIENCE, SHORTEST_PAUSE);
        let mut at = 0;
        loop {
            let dialled = Instant::now();
            let (outbox, said) = unbounded_channel();
            let session = Arc::new(Session::new(outbox));
            self.attach(Some(session.clone()));
            let requests = UnboundedReceiverStream::new(said);
            let ended = self.play_stream(&servers[at], &session, requests).await;
            self.attach(None);
            let Ending { reason, crowded } = match ended {
                Ok(ending) => ending,
                Err(stop) => return stop,
            };
            let welcomed = session.welcomed();
            if !welcomed || session.leaving() {
                at = (at + 1) % servers.len(); // one that merely broke is dialled where it was
            }
            if welcomed {
                println!("{name}: connection lost ({reason}), dialling again");
                (last_seen, limit) = (Instant::now(), RESUME_PATIENCE);
                if dialled.elapsed() > LONGEST_PAUSE {
                    pause = SHORTEST_PAUSE;
                }
            } else if last_seen.elapsed() > limit {
                let (servers, seconds) = (servers.join(","), limit.as_secs());
                return format!("cannot reach {servers} for {seconds} seconds ({reason})");
            }
            if crowded {
                pause = LONGEST_PAUSE;
            }
            // By chance, so that bots do not all come back at once.
            sleep(pause.mul_f64(rand::random_range(0.5..=1.0))).await;
            pause = LONGEST_PAUSE.min(2 * pause);
        }
    }

    /// One stream from hello to its end, which never means the end of a match.
    async fn play_stream(
        &self,
        server: &str,
        session: &Arc<Session>,
        requests: UnboundedReceiverStream<crate::pb::PlayRequest>,
    ) -> Result<Ending, Stop> {
        let endpoint = endpoint(server, FIRST_SILENCE)?;
        let channel = match endpoint.connect().await {
            Ok(channel) => channel,
            Err(error) => {
                return Ok(Ending {
                    reason: innermost(&error),
                    crowded: false,
                });
            }
        };
        let mut request = Request::new(requests);
        if !self.settings.token.is_empty() {
            let bearer = AsciiMetadataValue::try_from(format!("Bearer {}", self.settings.token));
            let mut bearer = bearer.map_err(|_| "the token has a character that no token has")?;
            bearer.set_sensitive(true);
            request.metadata_mut().insert("authorization", bearer);
        }
        session.say(vec![message(Word::Hello(self.hello()))]);
        let mut client = PlayServiceClient::new(channel);
        let mut stream = match timeout(FIRST_SILENCE, client.play(request)).await {
            Err(_) => return Ok(silent()),
            Ok(Err(status)) => return ending(server, &status),
            Ok(Ok(response)) => response.into_inner(),
        };
        let mut silence = FIRST_SILENCE;
        loop {
            match timeout(silence, stream.message()).await {
                Err(_) => return Ok(silent()),
                Ok(Err(status)) => return ending(server, &status),
                Ok(Ok(None)) => {
                    let reason = "the server closed the stream".to_owned();
                    return Ok(Ending {
                        reason,
                        crowded: false,
                    });
                }
                Ok(Ok(Some(frame))) => {
                    if let Some(heartbeat) = self.take(server, session, frame)? {
                        silence = 3 * heartbeat;
                    }
                }
            }
        }
    }

    fn hello(&self) -> Hello {
        Hello {
            protocol_version: PROTOCOL_VERSION,
            bot: self.settings.name.clone(),
            bot_version: self.version.clone(),
            instance_id: self.settings.instance.clone(),
            capacity: self.settings.capacity,
            delivery: Delivery::State as i32,
            ..Hello::default()
        }
    }

    /// Answers at once what needs no thought, and leaves the rest to the thinker. Returns the interval
    /// of heartbeats when it was told.
    fn take(
        &self,
        server: &str,
        session: &Arc<Session>,
        frame: PlayResponse,
    ) -> Result<Option<Duration>, Stop> {
        let name = &self.settings.name;
        let (mut answers, mut thoughts) = (Vec::new(), Vec::new());
        let (mut heartbeat, mut going_away) = (None, false);
        for content in frame.messages.into_iter().filter_map(|one| one.message) {
            match content {
                Message::Heartbeat(beat) => {
                    let ack = HeartbeatAck { nonce: beat.nonce };
                    answers.push(message(Word::HeartbeatAck(ack)));
                }
                Message::SeatAssigned(seat) => {
                    session.seat(&seat);
                    if seat.ready_owed {
                        answers.push(message(Word::Ready(Ready {
                            seat_ref: seat.seat_ref,
                        })));
                    }
                }
                Message::Welcome(welcome) => {
                    session.welcome();
                    let interval = welcome.heartbeat.and_then(|beat| beat.try_into().ok());
                    heartbeat = interval.filter(|interval: &Duration| !interval.is_zero());
                    println!("{name}: connected to {server}");
                    thoughts.push(Message::Welcome(welcome));
                }
                Message::Turn(_) | Message::ActResult(_) | Message::MatchEnded(_) => {
                    thoughts.push(content);
                }
                Message::Fault(fault) => {
                    eprintln!("{name}: charged with a fault: {}", fault.detail)
                }
                Message::Refused(refused) => {
                    eprintln!("{name}: not understood by the server: {}", refused.reason);
                }
                Message::GoAway(_) => going_away = true,
                Message::Superseded(_) => {
                    let instance = &self.settings.instance;
                    return Err(format!("another process plays as instance {instance} now"));
                }
                Message::Event(_) | Message::DealEnded(_) => {}
            }
        }
        session.say(answers);
        if !thoughts.is_empty() {
            session.ask();
            self.thinker
                .send((session.clone(), thoughts))
                .map_err(|_| "the bot has failed")?;
        }
        if going_away {
            session.leave();
        }
        Ok(heartbeat)
    }

    /// Gives up the seats that nobody can come back for.
    async fn leave(&self) {
        let session = self
            .session
            .lock()
            .expect("no thread panics with this lock")
            .clone();
        let Some(session) = session.filter(|one| one.welcomed() && !self.settings.returns) else {
            return;
        };
        let resign = |seat_ref| message(Word::Resign(Resign { seat_ref }));
        let mut words = vec![message(Word::Leave(Leave {}))];
        words.extend(session.seat_refs().into_iter().map(resign));
        session.say(words);
        session.finish();
        let deadline = Instant::now() + FAREWELL;
        while self.attached(&session) && Instant::now() < deadline {
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn attached(&self, session: &Arc<Session>) -> bool {
        let up = self
            .session
            .lock()
            .expect("no thread panics with this lock");
        up.as_ref().is_some_and(|one| Arc::ptr_eq(one, session))
    }

    fn attach(&self, session: Option<Arc<Session>>) {
        *self
            .session
            .lock()
            .expect("no thread panics with this lock") = session;
    }
}

fn silent() -> Ending {
    Ending {
        reason: "the server went silent".to_owned(),
        crowded: false,
    }
}

fn ending(server: &str, status: &Status) -> Result<Ending, Stop> {
    match status.code() {
        Code::InvalidArgument
        | Code::FailedPrecondition
        | Code::AlreadyExists
        | Code::Unauthenticated
        | Code::PermissionDenied
        | Code::Unimplemented => Err(format!("{server} refuses: {}", status.message())),
        code => Ok(Ending {
            reason: status.message().to_owned(),
            crowded: code == Code::ResourceExhausted,
        }),
    }
}

/// What an error is about in the end.
fn innermost(error: &dyn Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
