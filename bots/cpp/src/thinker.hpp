// Decides in a thread of its own, so that heartbeats never wait for a bot that thinks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "session.hpp"

using Decider = std::function<contree::v1::Action(const contree::v1::SeatView&,
                                                  const contree::v1::Decision&)>;

class Thinker {
 public:
  Thinker(std::string name, Decider decide);

  /// Takes what wants thought of one batch of the server, and answers it with a batch.
  void ask(std::shared_ptr<Session> session, std::vector<contree::v1::ServerMessage> messages);

 private:
  struct Batch {
    std::shared_ptr<Session> session;
    std::vector<contree::v1::ServerMessage> messages;
  };
  struct Given {
    std::string decision_id;
    contree::v1::Action action;
  };

  [[noreturn]] void run();
  void answer(Session& session, const contree::v1::ServerMessage& message,
              contree::v1::PlayRequest& answers);
  void act(Session& session, const contree::v1::Turn& turn, contree::v1::PlayRequest& answers);
  void act_again(Session& session, const contree::v1::ActResult& result,
                 contree::v1::PlayRequest& answers);

  std::string name_;
  Decider decide_;
  std::map<std::string, Given> given_;  // the newest answer of each seat, for a turn sent again
  std::mutex mutex_;
  std::condition_variable asked_;
  std::deque<Batch> queue_;
};
