// `berth replay`: replays a recording and compares the decisions.
#pragma once

#include <string>

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

struct ReplayCommandOptions {
  std::string file;
  bool paranoid = false;
};

// Returns the exit code.
int RunReplay(const ReplayCommandOptions& options, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
