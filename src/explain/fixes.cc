#include "explain/fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "explain/change_finder.h"
#include "explain/changed_cluster.h"
#include "explain/node_changes.h"
#include "explain/pod_changes.h"
#include "explain/request_changes.h"
#include "scheduler/model/objects.h"

namespace berth::explain {
namespace {

using scheduler::engine::NodeFit;
using scheduler::engine::PodFit;
using scheduler::model::Cluster;
using scheduler::model::NodeRow;

// Nodes with the same obstacles that are searched, those that lack least first: a user who looks
// for one node to change needs no more. All are searched in small clusters.
constexpr size_t kNodesPerKind = 16;
constexpr size_t kSmallCluster = 64;
// Shapes of new nodes that are tried.
constexpr size_t kShapes = 16;
// Values of user-defined PriorityClasses are at most this.
constexpr int32_t kHighestUserPriority = 1'000'000'000;

// Returns a lower bound of the changes that the node needs. Obstacles are counted together if one
// change might remove them all: a label may matter to volumes, and a pod that moves leaves
// resources, ports and volumes behind. Rules about other pods are not counted: any change may
// matter to them.
size_t FewestChanges(const NodeFit& fit) {
  constexpr std::string_view kTaints[] = {"NodeUnschedulable", "TaintToleration"};
  constexpr std::string_view kLabels[] = {"NodeAffinity", "VolumeBinding", "VolumeZone",
                                          "DynamicResources"};
  constexpr std::string_view kUse[] = {"NodeResourcesFit", "NodePorts", "VolumeRestrictions",
                                       "NodeVolumeLimits"};
  const auto any_of = [&](std::span<const std::string_view> plugins) -> size_t {
    return std::ranges::any_of(plugins,
                               [&](std::string_view name) { return IsRejectedBy(fit, name); });
  };
  return std::max<size_t>(1, any_of(kTaints) + any_of(kLabels) + any_of(kUse));
}

// The topology keys by which the pod is kept apart from others, but for that of single nodes.
std::vector<std::string> TopologyKeys(const api::Pod& pod) {
  std::vector<std::string> keys;
  for (const auto& constraint : pod.spec.topology_spread_constraints) {
    keys.push_back(constraint.topology_key);
  }
  if (pod.spec.affinity && pod.spec.affinity->pod_anti_affinity) {
    for (const auto& term : pod.spec.affinity->pod_anti_affinity->required) {
      keys.push_back(term.topology_key);
    }
  }
  std::erase(keys, "kubernetes.io/hostname");
  return keys;
}

class FixSearch {
 public:
  FixSearch(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pod, Instant now,
            const FixOptions& options)
      : changed_(engine, pod, now), finder_(changed_), options_(options) {}

  FixReport Run() {
    for (size_t size = 1; size <= options_.max_changes && found_.empty(); ++size) {
      visited_.clear();
      Explore(size);
    }
    if (options_.node.empty()) {
      TryPriorities();
      TryNewNodes();
    }
    return Report();
  }

 private:
  // One of the fixes of the same kind.
  struct Found {
    Fix fix;
    size_t similar = 0;
  };

  bool HasBudget() {
    if (changed_.decisions() < options_.max_decisions) return true;
    complete_ = false;
    return false;
  }

  // Tries all sets of `left` more changes.
  void Explore(size_t left) {
    if (!HasBudget()) return;
    const PodFit fit = changed_.Evaluate("");
    if (fit.pre_filter.rejected()) {
      if (left == 0) return;
      for (const Change& change : finder_.ForPreFilter(fit.pre_filter.plugin())) {
        changed_.Make(change);
        if (FirstVisit("")) Explore(left - 1);
        changed_.Revert();
      }
      return;
    }
    if (!fit.pre_filter.ok()) return;
    if (left == 0) {
      const bool fits = std::ranges::any_of(fit.nodes, [&](const NodeFit& node) {
        return node.fits && (options_.node.empty() || node.node == options_.node);
      });
      if (fits) RecordChanges();
      return;
    }
    for (const NodeFit* node : InOrder(fit.nodes, left)) {
      if (!HasBudget()) return;
      ExploreNode(*node, left);
    }
  }

  void ExploreNode(const NodeFit& fit, size_t left) {
    if (fit.fits) {
      // With changes left, it was found before with fewer.
      if (left == 0) RecordChanges();
      return;
    }
    if (left == 0 || FewestChanges(fit) > left) return;
    for (const Change& change : finder_.ForNode(fit, left)) {
      if (!HasBudget()) return;
      changed_.Make(change);
      if (FirstVisit(fit.node)) {
        const PodFit after = changed_.Evaluate(fit.node);
        if (after.pre_filter.ok() && !after.nodes.empty()) ExploreNode(after.nodes[0], left - 1);
      }
      changed_.Revert();
    }
  }

  // Identifies the changes so far, in any order.
  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const Change& change : changed_.changes()) {
      keys.push_back(fmt::format("{} {} {}", ToString(change.kind), change.subject, change.amount));
    }
    std::ranges::sort(keys);
    return keys;
  }

  // Reports whether these changes were not tried for the node yet.
  bool FirstVisit(const std::string& node) {
    std::vector<std::string> keys = Keys();
    keys.push_back(node);
    return visited_.insert(std::move(keys)).second;
  }

  // The pod fits on some node: records the fix, if it is one, once.
  void RecordChanges() {
    if (verified_.insert(Keys()).second) Record(changed_.Verify());
  }

  // Returns the nodes to search, in the order of how little they seem to lack.
  std::vector<const NodeFit*> InOrder(const std::vector<NodeFit>& nodes, size_t left) {
    struct Candidate {
      size_t obstacles;
      double missing;
      const NodeFit* fit;
    };
    const Cluster& cluster = changed_.cluster();
    const api::ResourceList requests = RequestsOf(cluster, changed_.pod());
    std::vector<Candidate> candidates;
    for (const NodeFit& fit : nodes) {
      if (!options_.node.empty() && fit.node != options_.node) continue;
      if (FewestChanges(fit) > left && !fit.fits) continue;
      const NodeRow row = cluster.nodes().Find(cluster.symbols().Find(fit.node));
      double missing = static_cast<double>(cluster.nodes().info(row).object->spec.taints.size());
      for (const Shortage& shortage : ShortagesOf(cluster, requests, row)) {
        missing += 1 + shortage.part();
      }
      candidates.push_back({fit.rejections.size(), missing, &fit});
    }
    std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
      return std::tie(a.obstacles, a.missing) < std::tie(b.obstacles, b.missing);
    });
    std::map<std::vector<std::string>, size_t> seen;  // By the plugins that reject the node.
    std::vector<const NodeFit*> order;
    for (const Candidate& candidate : candidates) {
      std::vector<std::string> plugins;
      for (const auto& verdict : candidate.fit->rejections) plugins.push_back(verdict.plugin());
      if (++seen[plugins] > kNodesPerKind && candidates.size() > kSmallCluster) {
        complete_ = false;
        continue;
      }
      order.push_back(candidate.fit);
    }
    return order;
  }

  // Finds the lowest priority with which the pod would preempt others. The higher the priority, the
  // more pods it may preempt.
  void TryPriorities() {
    const Cluster& cluster = changed_.cluster();
    const int32_t own = changed_.pod().priority();
    std::set<int32_t> above;  // Priorities just above those of others.
    cluster.pods().ForEach([&](const scheduler::model::PodRecord& other) {
      const int32_t priority = other.object->priority();
      if (priority >= own && priority < kHighestUserPriority) above.insert(priority + 1);
    });
    if (above.empty()) return;
    const std::vector<int32_t> values(above.begin(), above.end());
    if (!WithPriority(values.back(), "")) return;
    size_t fails = 0, works = values.size() - 1;
    if (WithPriority(values[0], "")) works = 0;
    while (works - fails > 1) {
      const size_t middle = fails + (works - fails) / 2;
      (WithPriority(values[middle], "") ? works : fails) = middle;
    }
    const auto [value, name] = ClassFor(values[works]);
    Record(WithPriority(value, name));
  }

  // Returns the lowest PriorityClass that is high enough; without a name if there is none.
  std::pair<int32_t, std::string> ClassFor(int32_t priority) const {
    std::pair<int32_t, std::string> best{priority, ""};
    for (const auto& [key, known] : changed_.cluster().objects<api::PriorityClass>().all()) {
      if (known->value < priority || known->value > kHighestUserPriority ||
          known->preemption_policy == "Never") {
        continue;
      }
      if (best.second.empty() || known->value < best.first) best = {known->value, key.name};
    }
    return best;
  }

  std::optional<Fix> WithPriority(int32_t priority, const std::string& name) {
    if (!HasBudget()) return std::nullopt;
    changed_.Make(RaisePriority(changed_.pod(), priority, name));
    std::optional<Fix> fix = changed_.Verify();
    changed_.Revert();
    return fix;
  }

  // Tries a new node of each shape, the smallest first.
  void TryNewNodes() {
    const Cluster& cluster = changed_.cluster();
    std::map<std::string, NodeRow> shapes;
    cluster.nodes().present().ForEach([&](size_t r) {
      const NodeRow row{static_cast<uint32_t>(r)};
      shapes.emplace(ShapeOf(*cluster.nodes().info(row).object), row);
    });
    // Of equal nodes rather one that is open.
    std::vector<std::tuple<int64_t, bool, std::string, NodeRow>> order;
    for (const auto& [shape, row] : shapes) {
      const api::NodeSpec& spec = cluster.nodes().info(row).object->spec;
      order.emplace_back(cluster.nodes().columns().allocatable_cpu[row.index()],
                         spec.unschedulable || !spec.taints.empty(), cluster.nodes().name(row),
                         row);
    }
    std::ranges::sort(order);
    if (order.size() > kShapes) order.resize(kShapes);
    std::vector<std::string> keys = TopologyKeys(changed_.pod());
    keys.insert(keys.begin(), "");
    for (const std::string& key : keys) {
      for (const auto& [cpu, closed, name, row] : order) {
        if (!HasBudget()) return;
        if (TryNewNode(row, key)) return;
      }
    }
  }

  // Tries a node like that of the row, in a domain of its own if `key` is not empty.
  bool TryNewNode(NodeRow row, const std::string& key) {
    const Cluster& cluster = changed_.cluster();
    const api::Node& like = *cluster.nodes().info(row).object;
    if (!key.empty() && !like.metadata.labels.contains(key)) return false;
    changed_.Make(AddNodeLike(cluster, like, row, key));
    std::optional<Fix> fix = changed_.Verify();
    changed_.Revert();
    if (!fix || fix->node != fix->changes[0].object.key.name) return false;
    Record(std::move(fix));
    return true;
  }

  // Fixes of one kind differ in the node, or in how much they change: the smallest is retained.
  void Record(std::optional<Fix> fix) {
    if (!fix) return;
    std::string kind;
    for (const Change& change : fix->changes) {
      const bool of_pod = change.object.kind == "Pod";
      kind += fmt::format("{} {};", ToString(change.kind), of_pod ? change.subject : "");
    }
    const auto known = found_.find(kind);
    if (known == found_.end()) {
      found_.emplace(std::move(kind), Found{*std::move(fix)});
      return;
    }
    if (fix->node != known->second.fix.node) ++known->second.similar;
    if (AmountOfFix(*fix) < AmountOfFix(known->second.fix)) known->second.fix = *std::move(fix);
  }

  static double AmountOfFix(const Fix& fix) {
    double sum = 0;
    for (const Change& change : fix.changes) sum += change.amount;
    return sum;
  }

  // The smaller, the better. Nodes are closed to others for a reason: unless that is what decides,
  // changes that open them come last, each in its list.
  size_t RankOf(const Fix& fix) const {
    size_t sum = 0;
    for (const Change& change : fix.changes) {
      auto rank = static_cast<size_t>(change.kind);
      const bool tolerates = change.kind == ChangeKind::kTolerate;
      const bool opens =
          change.kind == ChangeKind::kUncordon || change.kind == ChangeKind::kRemoveTaint;
      if (options_.opens_nodes && (tolerates || opens)) rank = 1;
      if (!options_.opens_nodes && tolerates) rank = static_cast<size_t>(ChangeKind::kAddLabel);
      if (!options_.opens_nodes && opens) rank = static_cast<size_t>(ChangeKind::kUncordon);
      sum += rank;
    }
    return sum;
  }

  FixReport Report() {
    FixReport report;
    for (auto& [kind, found] : found_) {
      found.fix.similar = found.similar;
      report.fixes.push_back(std::move(found.fix));
    }
    std::ranges::stable_sort(report.fixes, {}, [this](const Fix& fix) {
      return std::tuple(AudienceOf(fix), fix.changes.size(), RankOf(fix));
    });
    // Of each list the first.
    std::map<Audience, size_t> counts;
    std::erase_if(report.fixes, [&](const Fix& fix) {
      return ++counts[AudienceOf(fix)] > options_.max_fixes / 2;
    });
    report.decisions = changed_.decisions();
    report.complete = complete_ && finder_.complete();
    return report;
  }

  ChangedCluster changed_;
  ChangeFinder finder_;
  const FixOptions options_;
  std::map<std::string, Found> found_;           // By kind.
  std::set<std::vector<std::string>> visited_;   // Changes and a node.
  std::set<std::vector<std::string>> verified_;  // Changes with which the pod fits on some node.
  bool complete_ = true;
};

}  // namespace

Audience AudienceOf(const Fix& fix) {
  const bool author = std::ranges::all_of(fix.changes, [](const Change& change) {
    // A new PriorityClass is one of the cluster.
    const bool existing_class = change.kind == ChangeKind::kRaisePriority && change.created.empty();
    return change.kind < ChangeKind::kAddLabel || existing_class;
  });
  return author ? Audience::kAuthor : Audience::kAdministrator;
}

Result<FixReport> FindFixes(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pod,
                            Instant now, const FixOptions& options) {
  if (!engine.Serves(*pod)) {
    return Fail(fmt::format("no profile serves schedulerName \"{}\"", pod->spec.scheduler_name));
  }
  return FixSearch(engine, pod, now, options).Run();
}

}  // namespace berth::explain
