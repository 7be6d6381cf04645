// NodeState is one node as a single run of the filters sees it: the pods that are on it, or would
// be if nominated pods arrived or victims went.
//
// It remembers how it came to be. ReferenceProfile that take stock of the whole cluster before they
// look at a node correct their stock by these changes, as kube-scheduler does, and not always
// exactly.
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

// The ports of the host that the pod's long-running containers take.
std::vector<HostPort> HostPortsOf(const api::Pod& pod);

class NodeState {
 public:
  struct Change {
    api::Ref<api::Pod> pod;
    int by = 0;  // 1 if it was added, -1 if it was removed.
  };

  // The node as it is.
  NodeState(const Snapshot& world, const api::Node& node);

  void Add(const api::Ref<api::Pod>& pod);
  // The pod must be there. Its host ports become free even if another pod has the same ones: a node
  // has a set of ports, whoever put them there.
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

// Rule is one plugin's rule, made for one input: where may this pod go in this world?
//
// A rule is asked once for the whole cluster (PreFilter, PreScore), where it may take stock, and
// then node by node. Each part has a default for the plugins that have nothing to say there.
struct EvaluationInput {
  const Snapshot& world;
  const api::Pod& pod;
  const ReferenceProfile& rules;
  Instant now;
};

// Scores by node name.
using Scores = std::map<std::string, int64_t>;

class Rule {
 public:
  explicit Rule(const EvaluationInput& input)
      : world_(input.world), pod_(input.pod), rules_(input.rules) {}
  virtual ~Rule() = default;

  struct PreFilterOutcome {
    framework::Verdict verdict;                       // Skip: the rule lets every node pass.
    std::optional<std::set<std::string>> nodes = {};  // Absent: any node may do.
  };
  virtual PreFilterOutcome PreFilter() { return {}; }

  // Whether the pod may go to the node.
  virtual framework::Verdict Filter(const NodeState&) const { return {}; }

  // Skip: the rule gives no scores. `feasible` are the nodes to score.
  virtual framework::Verdict PreScore(const std::vector<const api::Node*>& /*feasible*/) {
    return {};
  }
  virtual int64_t Score(const api::Node&) const { return 0; }
  // Brings the scores of all feasible nodes into 0..100.
  virtual void Normalize(Scores&) const {}

 protected:
  const Snapshot& world_;
  const api::Pod& pod_;
  const ReferenceProfile& rules_;
};

inline framework::Verdict Unschedulable(std::string reason) {
  return {framework::Code::kUnschedulable, std::move(reason)};
}
inline framework::Verdict Unresolvable(std::string reason) {
  return {framework::Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

// Several errors as one text, as kube-scheduler joins them: "[first, second]".
std::string JoinErrors(const std::vector<std::string>& errors);

// Makes the rule of the plugin; nullptr if the twin knows none of that name.
std::unique_ptr<Rule> MakeRule(std::string_view plugin, const EvaluationInput& input);

}  // namespace berth::scheduler::reference
