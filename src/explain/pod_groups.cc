#include "explain/pod_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"

namespace berth::explain {
namespace {

// Pods with the same key get the same explanation.
std::string LikenessOf(const scheduler::model::Cluster& cluster, const api::Pod& pod) {
  if (!pod.spec.node_name.empty()) return "placed";
  const auto id = cluster.pods().Find(pod.metadata.namespace_, pod.metadata.name);
  if (!id.valid()) return pod.metadata.uid;
  const scheduler::model::PodRecord& record = cluster.pod(id);
  return fmt::format("{} {} {} {} {} {}", record.pod_class.index(), record.labels.index(),
                     pod.spec.scheduler_name, pod.status.nominated_node_name,
                     fmt::join(pod.spec.scheduling_gates, " "),
                     pod.spec.pod_group_name.value_or(""));
}

std::string CauseOf(const PodExplanation& pod) {
  if (!pod.decision || pod.state == PodState::kRunning) return std::string(ToString(pod.state));
  std::string cause;
  if (pod.state == PodState::kGated) {
    cause = fmt::format("scheduling gates: {}; ", fmt::join(pod.gates, ", "));
  }
  if (pod.decision->outcome == Outcome::kFits) return cause + "fits";
  const ExplanationSummary& summary = pod.decision->explanation;
  if (!summary.pre_filter.empty()) {
    return fmt::format("{}{}: {}", cause, summary.pre_filter_plugin, summary.pre_filter);
  }
  if (pod.decision->outcome == Outcome::kError) return cause + pod.decision->message;
  std::set<std::string> reasons;
  for (const ExplanationSummary::Rejection& rejection : summary.rejections) {
    for (const std::string& reason : rejection.reasons) {
      reasons.insert(fmt::format("{}: {}", rejection.plugin, reason));
    }
  }
  if (pod.decision->outcome == Outcome::kPreempts) cause += "waits for preemption; ";
  return reasons.empty() ? cause + pod.decision->message
                         : fmt::format("{}{}", cause, fmt::join(reasons, "; "));
}

// GroupCauses knows what stops PodGroups; each is asked about once.
class GroupCauses {
 public:
  explicit GroupCauses(scheduler::engine::Engine& engine) : engine_(engine) {}

  // Returns what stops the pod's group; empty if it has none, or one that would be placed.
  Result<std::string> Find(const api::Pod& pod) {
    const auto key = scheduler::model::GroupNamedBy(pod);
    const bool waits = pod.spec.node_name.empty();
    if (!key || !waits || !engine_.cluster().features().has_groups()) return "";
    if (const auto known = causes_.find(*key); known != causes_.end()) return known->second;
    const auto group = ExplainGroup(engine_, *key);
    if (!group) return std::unexpected(group.error());
    const bool stopped = group->decision.outcome != scheduler::engine::GroupPreview::Outcome::kFits;
    return causes_[*key] =
               stopped ? fmt::format("PodGroup {}: {}", key->ToString(), group->decision.message)
                       : "";
  }

 private:
  scheduler::engine::Engine& engine_;
  std::map<api::ObjectKey, std::string> causes_;
};

}  // namespace

Result<PodGroups> GroupPods(scheduler::engine::Engine& engine,
                            const std::vector<api::Ref<api::Pod>>& pods, const std::string& profile,
                            Instant now, const ExplainOptions& options) {
  ExplainOptions without_fixes = options;
  without_fixes.fixes = false;
  without_fixes.group = false;
  struct Members {
    api::Ref<api::Pod> first;
    PodGroup group;
  };
  std::map<std::string, Members> by_cause;
  std::map<std::string, std::string> causes;  // By likeness.
  GroupCauses group_causes(engine);
  for (const api::Ref<api::Pod>& pod : pods) {
    const auto [cause, is_new] = causes.try_emplace(LikenessOf(engine.cluster(), *pod));
    std::optional<PodExplanation> explained;
    if (is_new) {
      auto explanation = ExplainPod(engine, pod, profile, now, without_fixes);
      if (!explanation) return std::unexpected(explanation.error());
      explained = *std::move(explanation);
      cause->second = CauseOf(*explained);
      const auto group_cause = group_causes.Find(*pod);
      if (!group_cause) return std::unexpected(group_cause.error());
      // A member that fits by itself waits for the others.
      const bool fits = explained->decision && explained->decision->outcome == Outcome::kFits;
      if (fits && !group_cause->empty()) cause->second = *group_cause;
    }
    Members& members = by_cause[cause->second];
    if (members.first == nullptr) {
      members.first = pod;
      members.group.cause = cause->second;
      members.group.explanation = *std::move(explained);
    }
    if (++members.group.pods <= PodGroup::kExamples) {
      members.group.examples.push_back({pod->metadata.namespace_, pod->metadata.name});
    }
  }
  std::vector<Members> sorted;
  for (auto& [cause, members] : by_cause) sorted.push_back(std::move(members));
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const Members& members) { return members.group.pods; });
  PodGroups groups;
  groups.pods = pods.size();
  for (Members& members : sorted) {
    if (options.fixes && groups.groups.size() < kGroupsWithFixes) {
      auto explanation = ExplainPod(engine, members.first, profile, now, options);
      if (!explanation) return std::unexpected(explanation.error());
      members.group.explanation = *std::move(explanation);
    }
    groups.groups.push_back(std::move(members.group));
  }
  return groups;
}

}  // namespace berth::explain
