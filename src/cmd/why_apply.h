// Applies a fix of `berth why` with kubectl, as the user, after asking; and watches whether the
// pods run then.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
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

// How often `look` is called at most, and what passes between: two minutes together.
inline constexpr int kMostLooks = 60;
inline constexpr Duration kBetweenLooks = Duration::Seconds(2);

// Calls `look` until all pods run, and prints what changes. `pause` waits for the given
// time. Fails after kMostLooks, or if `look` does.
Status WatchUntilRunning(const std::function<Result<RunningPods>()>& look,
                         const std::function<void(Duration)>& pause);

}  // namespace berth::cmd
