#include "explain/pod_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "explain/changed_cluster.h"
#include "explain/together.h"
#include "explain/workload.h"
#include "scheduler/engine/what_if.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"

namespace berth::explain {
namespace {

// Pods that are tried to be placed together, at most.
constexpr size_t kMostPlaced = 10'000;

// Pods with the same key get the same explanation.
std::string LikenessOf(const scheduler::model::Cluster& cluster, const api::Pod& pod) {
  if (!pod.spec.node_name.empty()) return "placed";
  const auto id = cluster.pods().Find(pod.metadata.namespace_, pod.metadata.name);
  if (!id.valid()) return pod.metadata.uid;
  const scheduler::model::PodRecord& record = cluster.pod(id);
  const ObjectName workload = WorkloadOf(cluster, pod).name;
  return fmt::format("{} {} {} {} {} {} {}",
                     workload.kind == "Pod" ? "" : workload.kind + workload.key.ToString(),
                     record.pod_class.index(), record.labels.index(), pod.spec.scheduler_name,
                     pod.status.nominated_node_name, fmt::join(pod.spec.scheduling_gates, " "),
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

// Pods without a workload are alike if their sentences are.
struct GroupKey {
  ObjectName workload;
  std::string obstacle;
  bool together = false;  // It is about pods that fit one by one only.

  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

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
    const bool stopped = group->decision.outcome != scheduler::groups::GroupPreview::Outcome::kFits;
    return causes_[*key] =
               stopped ? fmt::format("PodGroup {}: {}", key->ToString(), group->decision.message)
                       : "";
  }

 private:
  scheduler::engine::Engine& engine_;
  std::map<api::ObjectKey, std::string> causes_;
};

}  // namespace

class PodGrouping::State {
 public:
  State(scheduler::engine::Engine& engine, std::string profile, Instant now,
        const ExplainOptions& options)
      : engine_(engine),
        profile_(std::move(profile)),
        now_(now),
        options_(options),
        group_causes_(engine),
        placed_(engine) {}

  Result<PodGroups> Run(const std::vector<api::Ref<api::Pod>>& pods) {
    std::vector<api::Ref<api::Pod>> fitting;
    for (const api::Ref<api::Pod>& pod : pods) {
      auto known = Explained(*pod, pod);
      if (!known) return std::unexpected(known.error());
      if ((*known)->fits && fitting.size() < kMostPlaced) {
        fitting.push_back(pod);
      } else {
        Join(pod, **known, false);
      }
    }
    if (Status status = Place(fitting); !status) return std::unexpected(status.error());
    return Sorted(pods.size());
  }

  // Adds the fixes of the group, which is that of this number in the order of Sorted.
  Status AddFixes(size_t number, PodGroup& group) {
    const Members& members = *sorted_[number];
    // What is said of pods that are placed together holds while the others are placed.
    members.together ? PlaceAgain() : placed_.RevertTo(0);
    ExplainOptions options = options_;
    options.fixes = true;
    options.brief = true;
    auto explanation = ExplainPod(engine_, members.pods.front(), profile_, now_, options);
    if (!explanation) return std::unexpected(explanation.error());
    if (!explanation->fixes) return {};
    for (Fix& fix : explanation->fixes->fixes) {
      fix.of = std::min(group.pods, kMostTogether);
      fix.runs = CountTogether(engine_, fix, members.pods, !group.workload.key.name.empty(), now_);
    }
    for (Fix& fix : explanation->fixes->fixes) {
      if (group.workload.key.name.empty()) break;
      if (auto lower = LowerForAll(engine_, fix, members.pods, now_)) fix = *std::move(lower);
    }
    if (explanation->sentence.obstacle == "InterPodAffinity replicas") {
      auto fewer = FewerReplicas(engine_.cluster(), group.workload);
      if (fewer) explanation->fixes->fixes.insert(explanation->fixes->fixes.begin(), *fewer);
    }
    group.explanation.fixes = std::move(explanation->fixes);
    return {};
  }

 private:
  struct Known {
    std::string cause;
    PodExplanation explanation;
    bool fits = false;  // It is pending, fits, and waits for no others.
  };
  struct Members {
    PodGroup group;
    std::vector<api::Ref<api::Pod>> pods;  // The first ones.
    bool together = false;
  };

  // Returns what is known about pods like `pod`, with those placed that were placed so far.
  Result<const Known*> Explained(const api::Pod& pod, const api::Ref<api::Pod>& ref) {
    std::optional<Sentence> trouble;
    if (options_.trouble && !pod.spec.node_name.empty()) trouble = options_.trouble(pod);
    const std::string likeness =
        fmt::format("{}{}{}", LikenessOf(engine_.cluster(), pod),
                    placed_.size() == 0 ? "" : " together", trouble ? " " + trouble->text : "");
    const auto [entry, is_new] = known_.try_emplace(likeness);
    if (!is_new) return &entry->second;
    ExplainOptions options = options_;
    options.fixes = false;
    options.group = false;
    auto explanation = ExplainPod(engine_, ref, profile_, now_, options);
    if (!explanation) return std::unexpected(explanation.error());
    const auto group_cause = group_causes_.Find(pod);
    if (!group_cause) return std::unexpected(group_cause.error());
    Known& known = entry->second;
    known.cause = CauseOf(*explanation);
    const bool pending = explanation->state == PodState::kPending;
    const bool fits = explanation->decision && explanation->decision->outcome == Outcome::kFits;
    // A member that fits by itself waits for the others.
    if (fits && !group_cause->empty()) {
      known.cause = *group_cause;
      explanation->sentence = {*group_cause, *group_cause};
    }
    known.fits = fits && pending && group_cause->empty() && engine_.Serves(pod) &&
                 !scheduler::model::GroupNamedBy(pod);
    if (trouble) explanation->sentence = *std::move(trouble);
    known.explanation = *std::move(explanation);
    return &known;
  }

  Status Place(const std::vector<api::Ref<api::Pod>>& fitting) {
    for (const api::Ref<api::Pod>& pod : fitting) {
      const auto decision = engine_.Preview(pod, now_);
      if (!decision) return std::unexpected(decision.error());
      if (decision->kind == scheduler::engine::Decision::Kind::kPlaced) {
        auto known = known_.find(LikenessOf(engine_.cluster(), *pod));
        Join(pod, known->second, false);
        bound_.push_back(BoundTo(*pod, decision->node));
        placed_.Put(bound_.back());
        continue;
      }
      auto known = Explained(*pod, pod);
      if (!known) return std::unexpected(known.error());
      Join(pod, **known, true);
    }
    return {};
  }

  void Join(const api::Ref<api::Pod>& pod, const Known& known, bool together) {
    const PodExplanation& why = known.explanation;
    GroupKey key{.workload = {}, .obstacle = why.sentence.text, .together = together};
    if (why.workload.name.kind != "Pod") {
      key.workload = why.workload.name;
      key.obstacle = why.sentence.obstacle;
    }
    Members& members = groups_[key];
    if (members.pods.empty()) {
      members.together = together;
      members.group.cause = known.cause;
      members.group.workload = key.workload;
      members.group.explanation = why;
      members.group.explanation.pod = {pod->metadata.namespace_, pod->metadata.name};
      members.group.explanation.uid = pod->metadata.uid;
    }
    if (members.pods.size() < kMostTogether) members.pods.push_back(pod);
    if (++members.group.pods <= PodGroup::kExamples) {
      members.group.examples.push_back({pod->metadata.namespace_, pod->metadata.name});
    }
  }

  void PlaceAgain() {
    if (placed_.size() > 0) return;
    for (const api::Ref<api::Pod>& pod : bound_) placed_.Put(pod);
  }

  PodGroups Sorted(size_t pods) {
    for (auto& [key, members] : groups_) sorted_.push_back(&members);
    std::ranges::stable_sort(sorted_, std::greater<>(),
                             [](const Members* members) { return members->group.pods; });
    PodGroups groups;
    groups.pods = pods;
    for (Members* members : sorted_) groups.groups.push_back(std::move(members->group));
    return groups;
  }

  scheduler::engine::Engine& engine_;
  const std::string profile_;
  const Instant now_;
  const ExplainOptions options_;
  GroupCauses group_causes_;
  std::vector<api::Ref<api::Pod>> bound_;  // Pods that fit, on their nodes...
  scheduler::engine::WhatIf placed_;       // ...in the model, or not.
  std::map<std::string, Known> known_;     // By likeness.
  std::map<GroupKey, Members> groups_;
  std::vector<Members*> sorted_;
};

PodGrouping::PodGrouping(scheduler::engine::Engine& engine, std::string profile, Instant now,
                         const ExplainOptions& options)
    : state_(std::make_unique<State>(engine, std::move(profile), now, options)) {}

PodGrouping::~PodGrouping() = default;

Status PodGrouping::Add(const std::vector<api::Ref<api::Pod>>& pods) {
  auto groups = state_->Run(pods);
  if (!groups) return std::unexpected(groups.error());
  groups_ = *std::move(groups);
  return {};
}

Status PodGrouping::FindFixes(size_t number) {
  return state_->AddFixes(number, groups_.groups[number]);
}

}  // namespace berth::explain
