// Keeps a bot connected: hello, batches, heartbeats, and dialling again after a loss.
#pragma once

#include <string>

#include "thinker.hpp"

/// Plays until the process is told to stop, and ends it: exit code 0 after SIGTERM or SIGINT. Returns 1
/// when there is no way to go on. Reads the environment that bots/README.md lists.
int run(const std::string& name, const std::string& version, Decider decide);
