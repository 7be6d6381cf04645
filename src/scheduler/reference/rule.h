// Rule is one plugin's rule for one pod and snapshot; NodeState is the node that it filters.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_claim.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/reference/reference_profile.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

struct HostPort {
  std::string ip;  // Never empty: 0.0.0.0 stands for all.
  std::string protocol;
  int32_t port = 0;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

// Returns the host ports of the pod's long-running containers.
std::vector<HostPort> HostPortsOf(const api::Pod& pod);

// NodeState is one node as one run of the filters sees it: with its pods, plus nominated pods or
// minus victims.
//
// It records its changes. Rules that count over the whole cluster in PreFilter adjust their counts
// by these changes, as kube-scheduler does, and not always exactly.
class NodeState {
 public:
  struct Change {
    api::Ref<api::Pod> pod;
    int by = 0;  // 1 if it was added, -1 if it was removed.
  };

  // Starts with the pods of the snapshot.
  NodeState(const Snapshot& snapshot, const api::Node& node);

  void Add(const api::Ref<api::Pod>& pod);
  // The pod must be present. Frees its host ports even if another pod uses the same ones: a node
  // has a set of ports, as in kube-scheduler.
  void Remove(const api::Ref<api::Pod>& pod);

  const api::Node& node() const { return *node_; }
  const std::string& name() const { return node_->metadata.name; }
  const api::StringMap& labels() const { return node_->metadata.labels; }
  const std::vector<api::Ref<api::Pod>>& pods() const { return pods_; }
  const std::set<HostPort>& used_ports() const { return used_ports_; }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  const api::Node* node_;
  std::vector<api::Ref<api::Pod>> pods_;
  std::set<HostPort> used_ports_;
  std::vector<Change> changes_;
};

// What rules are evaluated on.
struct EvaluationInput {
  const Snapshot& snapshot;
  const api::Pod& pod;
  const ReferenceProfile& profile;
  Instant now;
};

// The devices for one claim of a pod.
struct ClaimAllocation {
  std::string claim;  // Its name.
  api::AllocationResult allocation;
  friend bool operator==(const ClaimAllocation&, const ClaimAllocation&) = default;
};

// Scores by node name.
using Scores = std::map<std::string, int64_t>;

// Rule is called once for the whole cluster (PreFilter, PreScore), where it may count, and then for
// each node. Each call has a default for plugins without that extension point.
class Rule {
 public:
  explicit Rule(const EvaluationInput& input)
      : snapshot_(input.snapshot), pod_(input.pod), profile_(input.profile) {}
  virtual ~Rule() = default;

  struct PreFilterOutcome {
    framework::Verdict verdict;                       // Skip: the rule accepts every node.
    std::optional<std::set<std::string>> nodes = {};  // The only nodes to consider, if set.
  };
  virtual PreFilterOutcome PreFilter() { return {}; }

  // Decides whether the pod may run on the node.
  virtual framework::Verdict Filter(const NodeState&) const { return {}; }

  // Returns Skip if the rule gives no scores. `feasible` are the nodes to score.
  virtual framework::Verdict PreScore(const std::vector<const api::Node*>& /*feasible*/) {
    return {};
  }
  virtual int64_t Score(const api::Node&) const { return 0; }
  // Scales the scores of all feasible nodes to 0..100.
  virtual void Normalize(Scores&) const {}

  // Called if no node is left. DynamicResources only.
  virtual framework::Verdict PostFilter() const { return {}; }
  // Returns what the last Filter of the node would allocate. DynamicResources only.
  virtual std::vector<ClaimAllocation> AllocationsOn(const std::string& /*node*/) const {
    return {};
  }
  // Reports whether a Filter reached the bound of its search, so that its result is not meaningful.
  virtual bool gave_up() const { return false; }

 protected:
  const Snapshot& snapshot_;
  const api::Pod& pod_;
  const ReferenceProfile& profile_;
};

inline framework::Verdict Unschedulable(std::string reason) {
  return {framework::Code::kUnschedulable, std::move(reason)};
}
inline framework::Verdict Unresolvable(std::string reason) {
  return {framework::Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

// Joins errors as kube-scheduler does: "[first, second]".
std::string JoinErrors(const std::vector<std::string>& errors);

// Creates the plugin's rule; returns nullptr if the reference implementation does not have it.
std::unique_ptr<Rule> MakeRule(std::string_view plugin, const EvaluationInput& input);

}  // namespace berth::scheduler::reference
