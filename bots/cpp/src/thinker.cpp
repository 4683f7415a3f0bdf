#include "thinker.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>

using namespace contree::v1;

namespace {

/// The name of an enum's value without its prefix, in lower case; a newer server's as its number.
template <typename Enum>
std::string text_of(Enum value, const std::string& full_name, const std::string& prefix) {
  if (full_name.empty()) return std::to_string(static_cast<int>(value));
  std::string text = full_name.substr(prefix.size());
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return letter == '_' ? ' ' : std::tolower(letter); });
  return text;
}

std::string end_of(const MatchEnded& ended) {
  std::string why = text_of(ended.reason(), EndReason_Name(ended.reason()), "END_REASON_");
  if (!ended.has_scores()) return why;
  return why + ": " + std::to_string(ended.scores().north_south()) + "-" +
         std::to_string(ended.scores().east_west());
}

void add_act(unsigned ref, const std::string& decision_id, const Action& action,
             PlayRequest& answers) {
  Act* act = answers.add_messages()->mutable_act();
  act->set_seat_ref(ref);
  act->set_decision_id(decision_id);
  *act->mutable_action() = action;
}

}  // namespace

Thinker::Thinker(std::string name, Decider decide)
    : name_(std::move(name)), decide_(std::move(decide)) {
  std::thread([this] { run(); }).detach();  // until the process ends
}

void Thinker::ask(std::shared_ptr<Session> session, std::vector<ServerMessage> messages) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(session), std::move(messages)});
  }
  asked_.notify_one();
}

void Thinker::run() {
  for (;;) {
    std::unique_lock lock(mutex_);
    asked_.wait(lock, [this] { return !queue_.empty(); });
    Batch batch = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    PlayRequest answers;
    for (const ServerMessage& message : batch.messages) answer(*batch.session, message, answers);
    batch.session->say(answers);
    batch.session->pending(-1);
  }
}

void Thinker::answer(Session& session, const ServerMessage& message, PlayRequest& answers) {
  if (message.has_welcome()) {
    if (message.welcome().seats_owed() == 0) given_.clear();
  } else if (message.has_turn()) {
    act(session, message.turn(), answers);
  } else if (message.has_act_result()) {
    act_again(session, message.act_result(), answers);
  } else if (message.has_match_ended()) {
    const SeatMatchEnded& ended = message.match_ended();
    given_.erase(session.seat_name(ended.seat_ref()));
    session.unseat(ended.seat_ref());
    std::cout << name_ << ": match " << ended.match_id() << " over, "
              << end_of(ended.match_ended()) << std::endl;
  }
}

void Thinker::act(Session& session, const Turn& turn, PlayRequest& answers) {
  const std::string& id = turn.decision().id();
  std::string seat = session.seat_name(turn.seat_ref());
  auto given = given_.find(seat);
  if (given == given_.end() || given->second.decision_id != id) {
    Given made{id, decide_(turn.view(), turn.decision())};
    given = given_.insert_or_assign(seat, std::move(made)).first;
  }
  add_act(turn.seat_ref(), id, given->second.action, answers);
}

/// Reports an answer that was not taken. After an illegal one it plays anything legal, so that the game
/// goes on.
void Thinker::act_again(Session& session, const ActResult& result, PlayRequest& answers) {
  if (result.status() == ACT_STATUS_ACCEPTED || result.status() == ACT_STATUS_DUPLICATE) return;
  std::cerr << name_ << ": "
            << text_of(result.status(), ActStatus_Name(result.status()), "ACT_STATUS_")
            << " action: " << result.reason() << std::endl;
  if (result.status() != ACT_STATUS_ILLEGAL || !result.has_decision()) return;
  const Decision& decision = result.decision();
  Action action;
  if (decision.cards_size() > 0) {
    action.mutable_play()->set_card(decision.cards(0));
  } else {
    *action.mutable_call() = decision.calls(0);
  }
  given_.insert_or_assign(session.seat_name(result.seat_ref()), Given{decision.id(), action});
  add_act(result.seat_ref(), decision.id(), action, answers);
}
