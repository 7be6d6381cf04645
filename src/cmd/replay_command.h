// `berth replay`: runs a recording again and compares the decisions.
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

// Returns the exit code of the program.
int RunReplay(const ReplayCommandOptions& options, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
