// `berth replay`: replays a recording and compares the decisions.
#pragma once

#include <string>

namespace berth::cmd {

struct ReplayCommandOptions {
  std::string file;
  bool paranoid = false;
};

// Returns the exit code.
int RunReplay(const ReplayCommandOptions& options);

}  // namespace berth::cmd
