// ServedProfiles are the profiles of an engine, by number, with what the engine computes with them.
//
// Owned by the engine, used by whatever tries pods or names plugins. The profiles never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/object_fwd.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/queue/queue_entry.h"

namespace berth {
class Workers;
}

namespace berth::scheduler::engine {

struct ServedProfile {
  std::unique_ptr<framework::Profile> profile;
  std::unique_ptr<framework::ClassResultsCache> results;
  std::optional<int32_t> percentage_of_nodes_to_score;  // Absent: all are evaluated.

  // The plugins that the diagnosis names.
  queue::Rejectors RejectorsIn(const framework::Diagnosis& diagnosis) const;
  framework::PluginMask MaskOf(std::string_view plugin) const;
};

class ServedProfiles {
 public:
  using Profiles = std::vector<std::unique_ptr<framework::Profile>>;

  // `profiles` are those of `configs`, in the same order. `cluster` and `workers`, which may be
  // null, must outlive this.
  ServedProfiles(const std::vector<framework::ProfileConfig>& configs, Profiles profiles,
                 model::Cluster& cluster, Workers* workers);

  const ServedProfile& operator[](size_t number) const { return all_[number]; }
  size_t size() const { return all_.size(); }
  // Without what is computed with them.
  std::vector<const framework::Profile*> plugins() const;
  // The number of the profile that serves the pod's schedulerName, if any.
  std::optional<size_t> For(const api::Pod& pod) const;

  // Drops the results of classes that have left the model.
  void DropRemovedClasses();
  // Drops all results: they can be computed again.
  void Clear();

 private:
  const model::Cluster& cluster_;
  std::vector<ServedProfile> all_;
  std::unordered_map<std::string, size_t> by_scheduler_name_;
  uint64_t removed_classes_ = 0;  // When their results were last dropped.
};

}  // namespace berth::scheduler::engine
