// PriorityClasses caches the priority classes for the admission of pods: they are read from the
// store once per change, not once per pod.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/store.h"

namespace berth::apiserver::admission {

inline constexpr int64_t kHighestUserPriority = 1'000'000'000;

// The built-in priority classes.
struct SystemPriority {
  std::string_view name;
  int64_t value;
  std::string_view description;
};
inline constexpr std::array<SystemPriority, 2> kSystemPriorities = {{
    {"system-cluster-critical", 2'000'000'000,
     "Used for system critical pods that must run in the cluster, but can be moved to another "
     "node if necessary."},
    {"system-node-critical", 2'000'001'000,
     "Used for system critical pods that must not be moved from their current node."},
}};

struct PriorityClass {
  std::string name;  // Empty if there is no class.
  int64_t value = 0;
  std::string preemption_policy = "PreemptLowerPriority";
  bool global_default = false;
};

// Thread-safe.
class PriorityClasses {
 public:
  using Table = std::vector<PriorityClass>;  // By name.

  // Reads all classes from `store`. Must be called after each write to their collection; the last
  // of several concurrent calls wins, and it has read all of their writes.
  void Refresh(const store::Store& store);

  std::shared_ptr<const Table> table() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Table> table_ = std::make_shared<Table>();
};

// Returns null if there is no such class.
const PriorityClass* FindPriorityClass(const PriorityClasses::Table& table, std::string_view name);
// Returns the global default with the lowest value, or null.
const PriorityClass* DefaultPriorityClass(const PriorityClasses::Table& table);

}  // namespace berth::apiserver::admission
