// The line that tells how a cluster stands while `berth up` runs.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "cmd/up_counts.h"
#include "driver/driver_snapshot.h"

namespace berth {

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
  double Look(const driver::DriverSnapshot& snapshot, Instant now);

 private:
  uint64_t decisions_ = 0;
  Instant at_;
};

}  // namespace berth
