// ReportedProblems remembers what has been reported of undecodable objects, so that each problem is
// reported once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "api/undecodable_fields.h"

namespace berth::client {

// It is bounded: when it is full it forgets everything, and what is still there is reported again.
class ReportedProblems {
 public:
  static constexpr size_t kMaxRemembered = 4096;

  // Returns whether the problem of the object (by its uid, or a name if it has none) is new.
  bool Add(std::string_view object, std::string_view problem);
  size_t size() const { return hashes_.size(); }

 private:
  std::unordered_set<size_t> hashes_;
};

// Returns "spec.priority: expected an integer, found "high"; ..." for those fields of `object` that
// are new to `reported`; empty if none is.
std::string NewProblems(std::string_view object, const api::UndecodableFields& undecodable,
                        ReportedProblems& reported);

}  // namespace berth::client
