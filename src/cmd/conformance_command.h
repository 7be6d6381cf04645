// The result of `berth conformance`, which runs recorded cases through the engine.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/conformance_comparison.h"

namespace berth::cmd {

// ConformanceReport counts passed and failed cases per group, with the first differences
// of each.
class ConformanceReport {
 public:
  // Stores the first `limit` differences of each group.
  explicit ConformanceReport(size_t limit) : limit_(limit) {}

  // A case passed if it has no differences.
  void Add(const std::string& group, const std::string& name, const Differences& differences);

  size_t passed() const;
  size_t failed() const;

  // Returns a line per group, in order of first appearance, each followed by its first differences,
  // one per line; the last line is "N passed, N failed".
  std::string ToString() const;

 private:
  struct Group {
    std::string name;
    size_t passed = 0;
    size_t failed = 0;
    size_t differences = 0;
    std::vector<std::pair<std::string, Difference>> first;  // With the name of the case.
  };

  Group& FindOrAdd(const std::string& name);

  size_t limit_;
  std::vector<Group> groups_;
  std::map<std::string, size_t, std::less<>> index_;  // Into groups_, by name.
};

}  // namespace berth::cmd
