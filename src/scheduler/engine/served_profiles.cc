#include "scheduler/engine/served_profiles.h"

#include <set>
#include <utility>

#include "api/object.h"
#include "scheduler/framework/extender.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {

framework::PluginMask ServedProfile::MaskOf(std::string_view plugin) const {
  if (plugin == framework::kExtenderPlugin) return queue::Rejectors::kExtender;
  for (const auto& known : profile->plugins()) {
    if (known->name() == plugin) return framework::PluginMask{1} << known->slot();
  }
  return 0;
}

queue::Rejectors ServedProfile::RejectorsIn(const framework::Diagnosis& diagnosis) const {
  queue::Rejectors rejectors;
  for (const std::string& plugin : diagnosis.rejected_by) rejectors.unschedulable |= MaskOf(plugin);
  for (const std::string& plugin : diagnosis.pending_on) rejectors.pending |= MaskOf(plugin);
  return rejectors;
}

ServedProfiles::ServedProfiles(const std::vector<framework::ProfileConfig>& configs,
                               Profiles profiles, model::Cluster& cluster, Workers* workers)
    : cluster_(cluster) {
  std::set<std::string> scheduler_names;
  for (size_t i = 0; i < profiles.size(); ++i) {
    auto results = std::make_unique<framework::ClassResultsCache>(*profiles[i], cluster, workers);
    // DIFFERS: without a configured percentage, every node is evaluated.
    std::optional<int32_t> percentage = configs[i].percentage_of_nodes_to_score;
    if (percentage.value_or(0) == 0 || percentage == 100) percentage.reset();
    by_scheduler_name_.emplace(profiles[i]->scheduler_name(), i);
    scheduler_names.insert(profiles[i]->scheduler_name());
    all_.push_back({std::move(profiles[i]), std::move(results), percentage});
  }
  cluster.mutable_groups().CountPendingPodsOf(std::move(scheduler_names));
}

std::vector<const framework::Profile*> ServedProfiles::plugins() const {
  std::vector<const framework::Profile*> plugins;
  for (const ServedProfile& served : all_) plugins.push_back(served.profile.get());
  return plugins;
}

std::optional<size_t> ServedProfiles::For(const api::Pod& pod) const {
  const auto found = by_scheduler_name_.find(pod.spec.scheduler_name);
  if (found == by_scheduler_name_.end()) return std::nullopt;
  return found->second;
}

void ServedProfiles::DropRemovedClasses() {
  if (removed_classes_ == cluster_.classes().removed()) return;
  removed_classes_ = cluster_.classes().removed();
  for (const ServedProfile& served : all_) served.results->DropRemovedClasses();
}

void ServedProfiles::Clear() {
  for (const ServedProfile& served : all_) served.results->Clear();
}

}  // namespace berth::scheduler::engine
