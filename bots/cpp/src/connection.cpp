#include "connection.hpp"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <iostream>

#include "settings.hpp"

using namespace contree::v1;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

namespace {

constexpr unsigned kProtocolVersion = 1;
constexpr Milliseconds kPatience = 30s;        // for a server that was never there
constexpr Milliseconds kResumePatience = 10min;  // for one that was
constexpr Milliseconds kFirstSilence = 10s;  // for the welcome; after that the heartbeat counts
constexpr Milliseconds kShortestPause = 100ms;
constexpr Milliseconds kLongestPause = 5s;
constexpr Milliseconds kFarewell = 1s;

/// Cancels a stream on which nothing was heard for too long.
class Watchdog {
 public:
  explicit Watchdog(grpc::ClientContext& context) : context_(context), limit_(kFirstSilence) {
    feed();
    thread_ = std::thread([this] { watch(); });
  }

  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void feed() {
    std::lock_guard lock(mutex_);
    due_ = Steady::now() + limit_;
  }

  void limit(Milliseconds silence) {
    std::lock_guard lock(mutex_);
    limit_ = silence;
    due_ = Steady::now() + limit_;
    changed_.notify_one();
  }

  bool bitten() {
    std::lock_guard lock(mutex_);
    return bitten_;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!over_ && Steady::now() < due_) changed_.wait_until(lock, due_);
    if (over_) return;
    bitten_ = true;
    context_.TryCancel();
  }

  grpc::ClientContext& context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Milliseconds limit_;
  Steady::time_point due_;
  bool over_ = false;
  bool bitten_ = false;
  std::thread thread_;
};

struct Ending {
  bool welcomed = false;
  bool leaving = false;
  bool crowded = false;  // the server asks to be left alone for a while
  std::string reason;
};

class Player {
 public:
  Player(Settings settings, std::string version, Decider decide)
      : settings_(std::move(settings)),
        version_(std::move(version)),
        thinker_(settings_.name, std::move(decide)) {}

  /// Plays stream after stream; ends by throwing Stop.
  [[noreturn]] void stay_connected() {
    auto last_seen = Steady::now();
    Milliseconds limit = kPatience, pause = kShortestPause;
    std::size_t at = 0;
    for (;;) {
      auto dialled = Steady::now();
      Ending end = play_stream(settings_.servers[at]);
      // One that merely broke is dialled where it was, for its seats are there.
      if (!end.welcomed || end.leaving) at = (at + 1) % settings_.servers.size();
      auto now = Steady::now();
      if (end.welcomed) {
        std::cout << settings_.name << ": connection lost (" << end.reason << "), dialling again"
                  << std::endl;
        last_seen = now;
        limit = kResumePatience;
        if (now - dialled > kLongestPause) pause = kShortestPause;
      } else if (now - last_seen > limit) {
        auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit).count();
        throw Stop("cannot reach " + environment("CONTREE_SERVER", settings_.servers[0]) + " for " +
                   std::to_string(seconds) + " seconds (" + end.reason + ")");
      }
      if (end.crowded) pause = kLongestPause;
      // By chance, so that bots do not all come back at once.
      std::this_thread::sleep_for(pause * std::uniform_real_distribution<>(0.5, 1.0)(random_));
      pause = std::min(2 * pause, kLongestPause);
    }
  }

  /// Gives up the seats that nobody can come back for.
  void leave() {
    std::unique_lock lock(mutex_);
    std::shared_ptr<Session> session = session_;
    if (!session || settings_.returns || !session->welcomed()) return;
    PlayRequest words;
    words.add_messages()->mutable_leave();
    for (unsigned ref : session->seat_refs()) {
      words.add_messages()->mutable_resign()->set_seat_ref(ref);
    }
    session->say(words);
    session->finish();
    detached_.wait_for(lock, kFarewell, [&] { return session_ != session; });
  }

 private:
  /// One stream from hello to its end, which never means the end of a match.
  Ending play_stream(const std::string& server) {
    grpc::ClientContext context;
    if (!settings_.token.empty()) {
      context.AddMetadata("authorization", "Bearer " + settings_.token);
    }
    auto stub = PlayService::NewStub(open_channel(server));
    Watchdog watchdog(context);
    auto session = std::make_shared<Session>(stub->Play(&context));
    attach(session);
    session->say(hello());
    Ending end;
    PlayResponse frame;
    while (session->stream().Read(&frame)) {
      for (const ServerMessage& message : frame.messages()) {
        if (message.has_welcome()) {
          session->welcome();
          const auto& beat = message.welcome().heartbeat();
          Milliseconds heartbeat(beat.seconds() * 1000 + beat.nanos() / 1'000'000);
          if (heartbeat > 0ms) watchdog.limit(3 * heartbeat);
          std::cout << settings_.name << ": connected to " << server << std::endl;
        } else if (message.has_superseded()) {
          throw Stop("another process plays as instance " + settings_.instance + " now");
        }
      }
      watchdog.feed();
      take(session, frame);
    }
    session->finish();
    grpc::Status status = session->stream().Finish();
    attach(nullptr);
    end.welcomed = session->welcomed();
    end.leaving = session->leaving();
    end.crowded = status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
    end.reason = watchdog.bitten() ? "the server went silent"
                 : status.ok()     ? "the server closed the stream"
                                   : status.error_message();
    if (is_hopeless(status.error_code())) throw Stop(server + " refuses: " + end.reason);
    return end;
  }

  static bool is_hopeless(grpc::StatusCode code) {
    switch (code) {
      case grpc::StatusCode::INVALID_ARGUMENT:
      case grpc::StatusCode::FAILED_PRECONDITION:
      case grpc::StatusCode::ALREADY_EXISTS:
      case grpc::StatusCode::UNAUTHENTICATED:
      case grpc::StatusCode::PERMISSION_DENIED:
      case grpc::StatusCode::UNIMPLEMENTED:
        return true;
      default:
        return false;
    }
  }

  PlayRequest hello() const {
    PlayRequest batch;
    Hello* hello = batch.add_messages()->mutable_hello();
    hello->set_protocol_version(kProtocolVersion);
    hello->set_bot(settings_.name);
    hello->set_bot_version(version_);
    hello->set_instance_id(settings_.instance);
    hello->set_capacity(settings_.capacity);
    hello->set_delivery(DELIVERY_STATE);
    return batch;
  }

  /// Answers at once what needs no thought, and leaves the rest to the thinker.
  void take(const std::shared_ptr<Session>& session, const PlayResponse& frame) {
    PlayRequest answers;
    std::vector<ServerMessage> thoughts;
    bool going_away = false;
    for (const ServerMessage& message : frame.messages()) {
      switch (message.message_case()) {
        case ServerMessage::kHeartbeat:
          answers.add_messages()->mutable_heartbeat_ack()->set_nonce(message.heartbeat().nonce());
          break;
        case ServerMessage::kSeatAssigned:
          session->seat(message.seat_assigned());
          if (message.seat_assigned().ready_owed()) {
            answers.add_messages()->mutable_ready()->set_seat_ref(
                message.seat_assigned().seat_ref());
          }
          break;
        case ServerMessage::kWelcome:
        case ServerMessage::kTurn:
        case ServerMessage::kActResult:
        case ServerMessage::kMatchEnded:
          thoughts.push_back(message);
          break;
        case ServerMessage::kFault:
          std::cerr << settings_.name << ": charged with a fault: " << message.fault().detail()
                    << std::endl;
          break;
        case ServerMessage::kRefused:
          std::cerr << settings_.name << ": not understood by the server: "
                    << message.refused().reason() << std::endl;
          break;
        case ServerMessage::kGoAway:
          going_away = true;
          break;
        default:  // also what a newer server may say
          break;
      }
    }
    session->say(answers);
    if (!thoughts.empty()) {
      session->pending(+1);
      thinker_.ask(session, std::move(thoughts));
    }
    if (going_away) session->pending(0, true);
  }

  void attach(std::shared_ptr<Session> session) {
    std::lock_guard lock(mutex_);
    session_ = std::move(session);
    detached_.notify_all();
  }

  Settings settings_;
  std::string version_;
  Thinker thinker_;
  std::mt19937 random_{std::random_device{}()};
  std::mutex mutex_;
  std::condition_variable detached_;
  std::shared_ptr<Session> session_;  // the stream that is up
};

}  // namespace

int run(const std::string& name, const std::string& version, Decider decide) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // in all threads: one of them waits for these
  std::string called = environment("CONTREE_BOT", name);
  try {
    // Not destroyed: its thinker may be thinking when the process ends.
    auto* player = new Player(settings_from_environment(name), version, std::move(decide));
    std::thread([player, ends] {
      int which;
      sigwait(&ends, &which);
      player->leave();
      std::_Exit(0);
    }).detach();
    player->stay_connected();
  } catch (const Stop& stop) {
    std::cerr << called << ": " << stop.what() << std::endl;
    std::_Exit(1);
  }
}
