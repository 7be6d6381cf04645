// How a cluster stands: counts of its nodes and pods, and why pods wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apiserver/store/store.h"
#include "base/time.h"
#include "runtime/driver_snapshot.h"

namespace berth::cmd {

struct ClusterCounts {
  size_t nodes = 0;
  size_t pods = 0;      // All of them: the sum of those that follow, but `running`.
  size_t pending = 0;   // Without a node.
  size_t bound = 0;     // On a node, and not finished.
  size_t finished = 0;  // Succeeded or failed.
  size_t running = 0;   // Of those that are bound.
};

// Looks at every pod, but reads none: a millisecond for ten thousand.
ClusterCounts CountCluster(apiserver::store::Store& store);

// Pods that wait for the same reason.
struct PendingGroup {
  std::string message;  // Of the scheduler: "0/3 nodes are available: ..."
  size_t pods = 0;
  apiserver::store::ObjectName example;
};

struct PendingPods {
  std::vector<PendingGroup> groups;  // The largest first.
  size_t undecided = 0;              // The scheduler has not said anything about them.
};

// Reads every pod that has no node.
PendingPods GroupPendingPods(apiserver::store::Store& store);

// The line that tells how a cluster stands while `berth up` runs.
// "12,345".
std::string WithCommas(uint64_t number);

// "nodes 20 | pods: bound 48, running 48, pending 2 | 120 decisions/s".
std::string StatusText(const ClusterCounts& counts, double decisions_per_second);

// "placing pods [#########-----------]  4,500 of 10,000".
std::string ProgressText(size_t done, size_t all);

// StatusLine prints texts: over one another on a terminal, one below the other elsewhere.
class StatusLine {
 public:
  explicit StatusLine(bool terminal) : terminal_(terminal) {}
  ~StatusLine() { End(); }

  void Show(const std::string& text);
  // What is printed after this starts on a line of its own; on a terminal, the text is removed.
  void End();

 private:
  const bool terminal_;
  bool shown_ = false;
};

// DecisionRate says how many decisions a second there were between two looks.
class DecisionRate {
 public:
  double Look(const runtime::DriverSnapshot& snapshot, Instant now);

 private:
  uint64_t decisions_ = 0;
  Instant at_;
};

}  // namespace berth::cmd
