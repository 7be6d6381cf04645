// Applies a fix of `berth why` with kubectl, as the user, after asking; and watches whether the
// pods run then.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "explain/patches.h"

namespace berth::cmd {

struct ApplyOptions {
  bool yes = false;        // Do not ask.
  std::string kubeconfig;  // For kubectl; empty: its own defaults.
  std::string context;
};

// Prints the steps, asks on standard input, and runs their commands in order, until one fails. The
// error says what was not done.
Status ApplySteps(const std::vector<explain::Step>& steps, const ApplyOptions& options);

// How many of the pods that matter have a node and run.
struct RunningPods {
  size_t running = 0, pods = 0;
};

// Calls `look` every two seconds, and prints what changes, until all run. Fails after two minutes.
Status WatchUntilRunning(const std::function<Result<RunningPods>()>& look);

}  // namespace berth::cmd
