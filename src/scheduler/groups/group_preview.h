// GroupPreview is what the engine would decide about a PodGroup, member by member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"

namespace berth::scheduler::groups {

struct GroupPreview {
  enum class Outcome : uint8_t {
    kDone,           // No member waits for a node.
    kHeld,           // No member may be tried yet: `message` says what is missing.
    kFits,           // Members would be bound; those without a node have a message.
    kPreempts,       // Members would be bound once `victims` are evicted.
    kUnschedulable,  // None would be bound.
    kError,          // The cycle ends with an error.
  };

  // A member that has no node yet.
  struct Member {
    api::ObjectKey pod;
    std::string node = {};     // Where it would go; in a group that does not fit: where it could.
    std::string message = {};  // If it goes nowhere.
  };

  bool exists = false;               // There is a PodGroup, not only pods that name it.
  std::optional<int64_t> min_count;  // Of a gang.
  std::vector<std::string> topology_keys;
  size_t scheduled = 0;         // Members that have a node.
  std::vector<Member> members;  // The others, in the order in which they are tried.
  Outcome outcome = Outcome::kDone;
  std::string message;                  // As in the group's condition.
  std::vector<api::ObjectKey> victims;  // Most important first.
};

}  // namespace berth::scheduler::groups
