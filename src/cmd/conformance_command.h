// ConformanceReport counts passed and failed cases by group, keeps the first differences of each,
// and prints them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/conformance_comparison.h"

namespace berth::cmd {

class ConformanceReport {
 public:
  // Keeps the first `limit` differences of each group.
  explicit ConformanceReport(size_t limit) : limit_(limit) {}

  // A case passed if it has no differences.
  void Add(const std::string& group, const std::string& name, const Differences& differences);

  size_t passed() const;
  size_t failed() const;

  // A line for each group, in the order in which they actual, with its first differences below it,
  // one in a line; last a line "N passed, N failed".
  std::string ToString() const;

 private:
  struct Group {
    std::string name;
    size_t passed = 0;
    size_t failed = 0;
    size_t differences = 0;
    std::vector<std::pair<std::string, Difference>> first;  // With the name of the case.
  };

  size_t limit_;
  std::vector<Group> groups_;
  std::map<std::string, size_t, std::less<>> index_;  // Into groups_, by name.
};

// `berth conformance`: runs recorded cases through the engine and compares what it decides.
struct ConformanceOptions {
  std::vector<std::string> files;
  std::vector<std::string> groups;     // All if empty.
  std::vector<std::string> scores_of;  // Plugins; all, and totals, if empty.
  size_t first = 3;                    // Differences to print for each group.
  bool paranoid = false;
};

// Returns the exit code of the program.
int RunConformance(const ConformanceOptions& options);

}  // namespace berth::cmd
