// The sample bot of contree in C++: see README.md.

#include <iostream>
#include <iterator>
#include <string_view>

#include "bot.hpp"
#include "connection.hpp"

using namespace contree::v1;

/// Reads a PlayResponse from standard input and writes the PlayRequest that answers its turns.
static int decide_from_stdin() {
  PlayResponse frame;
  if (!frame.ParseFromIstream(&std::cin)) {
    std::cerr << "starter-cpp: standard input is no contree.v1.PlayResponse" << std::endl;
    return 1;
  }
  PlayRequest answer;
  for (const ServerMessage& message : frame.messages()) {
    if (!message.has_turn()) continue;
    const Turn& turn = message.turn();
    Act* act = answer.add_messages()->mutable_act();
    act->set_seat_ref(turn.seat_ref());
    act->set_decision_id(turn.decision().id());
    *act->mutable_action() = decide(turn.view(), turn.decision());
  }
  return answer.SerializeToOstream(&std::cout) ? 0 : 1;
}

int main(int count, char** arguments) {
  if (count > 1 && std::string_view(arguments[1]) == "--decide") return decide_from_stdin();
  return run("starter-cpp", "1", decide);
}
