// `berth conformance`: runs recorded cases through the engine and compares what it decides.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace berth {

struct ConformanceOptions {
  std::vector<std::string> files;
  std::vector<std::string> groups;     // All if empty.
  std::vector<std::string> scores_of;  // Plugins; all, and totals, if empty.
  size_t first = 3;                    // Differences to print for each group.
  bool paranoid = false;
};

// Returns the exit code of the program.
int RunConformance(const ConformanceOptions& options);

}  // namespace berth
