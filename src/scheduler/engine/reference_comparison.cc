#include "scheduler/engine/reference_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/reference/preemption.h"

namespace berth::scheduler::engine {
namespace {

template <typename T>
void CopyAll(const model::Cluster& cluster, reference::Table<T>& table) {
  table = cluster.objects<T>().all();
}

// An assumed pod counts as it was when it was scheduled; the API may have shown it changed.
api::Ref<api::Pod> AsDecided(const model::Cluster& cluster, const model::PodRecord& record,
                             const std::string& node) {
  auto pod = api::CopyToChange(*record.object);
  pod->spec = cluster.class_of(record).spec();
  pod->spec.node_name = node;
  pod->metadata.labels.clear();
  for (const model::Label& label : cluster.labels_of(record)) {
    pod->metadata.labels[cluster.symbols().Text(label.key)] = cluster.symbols().Text(label.value);
  }
  return pod;
}

void CopyPods(const model::Cluster& cluster, reference::Snapshot& snapshot) {
  cluster.pods().ForEach([&](const model::PodRecord& record) {
    if (record.state == model::PodState::kPending) return;
    const std::string& node = cluster.nodes().name(record.node);
    snapshot.placed[node][record.key()] =
        record.state == model::PodState::kBound ? record.object : AsDecided(cluster, record, node);
  });
  for (const auto& [node, pods] : cluster.nominations().by_node()) {
    auto& nominated = snapshot.nominated[cluster.symbols().Text(node)];
    for (model::PodId id : pods) nominated[cluster.pod(id).key()] = cluster.pod(id).object;
  }
}

void CopyStorage(const model::Cluster& cluster, reference::Snapshot& snapshot) {
  const model::Storage& storage = cluster.storage();
  for (const auto& [key, claim] : snapshot.claims) {
    if (auto current = storage.FindClaim(key); current != claim) {
      snapshot.assumed_claims[key] = std::move(current);
    }
  }
  for (const auto& [key, volume] : snapshot.volumes) {
    const model::StorageCatalog::Volume* listed = storage.catalog().FindVolume(key.name);
    if (auto current = storage.Current(*listed); current != volume) {
      snapshot.assumed_volumes[key] = std::move(current);
    }
  }
}

void CopyDevices(const model::Cluster& cluster, reference::Snapshot& snapshot) {
  const model::Devices& devices = cluster.devices();
  devices.claims().ForEach([&](const model::ClaimRef& claim) {
    snapshot.resource_claims[model::ClaimKey(*claim)] = claim;
  });
  devices.in_flight().ForEach([&](const model::ClaimRef& claim) {
    snapshot.devices.in_flight[claim->metadata.uid] = claim;
  });
  auto& classes = snapshot.devices.class_by_resource.emplace();
  devices.extended_resources().ForEach([&](const std::string& resource, const auto& device_class) {
    classes[resource] = device_class;
  });
}

}  // namespace

reference::Snapshot SnapshotOf(const model::Cluster& cluster) {
  reference::Snapshot snapshot;
  cluster.nodes().present().ForEach([&](size_t row) {
    const auto& node = cluster.nodes().info(model::NodeRow{static_cast<uint32_t>(row)}).object;
    snapshot.nodes[{"", node->metadata.name}] = node;
  });
  CopyAll(cluster, snapshot.namespaces);
  CopyAll(cluster, snapshot.services);
  CopyAll(cluster, snapshot.replication_controllers);
  CopyAll(cluster, snapshot.replica_sets);
  CopyAll(cluster, snapshot.stateful_sets);
  CopyAll(cluster, snapshot.volumes);
  CopyAll(cluster, snapshot.claims);
  CopyAll(cluster, snapshot.storage_classes);
  CopyAll(cluster, snapshot.csi_nodes);
  CopyAll(cluster, snapshot.csi_drivers);
  CopyAll(cluster, snapshot.csi_capacities);
  CopyAll(cluster, snapshot.attachments);
  CopyAll(cluster, snapshot.budgets);
  CopyAll(cluster, snapshot.device_classes);
  CopyAll(cluster, snapshot.resource_slices);
  CopyPods(cluster, snapshot);
  CopyStorage(cluster, snapshot);
  CopyDevices(cluster, snapshot);
  return snapshot;
}

void ShowAllocationsOf(const api::ObjectKey& group, const model::Cluster& cluster,
                       reference::Snapshot& snapshot) {
  const model::InFlightAllocations& in_flight = cluster.devices().in_flight();
  in_flight.ForEach([&](const model::ClaimRef& claim) {
    const std::string& uid = claim->metadata.uid;
    const auto shown = snapshot.resource_claims.find(model::ClaimKey(*claim));
    if (in_flight.FindOf(group, uid) == nullptr || shown == snapshot.resource_claims.end() ||
        shown->second->metadata.uid != uid || shown->second->status.allocation)
      return;
    shown->second = claim;
    snapshot.devices.in_flight.erase(uid);
  });
}

namespace {

// The order of reasons does not matter.
std::string Text(const framework::Verdict& verdict) {
  std::vector<std::string> reasons = verdict.reasons();
  std::ranges::sort(reasons);
  const std::string by = verdict.plugin().empty() ? "" : " by " + verdict.plugin();
  if (reasons.empty()) return fmt::format("{}{}", framework::ToString(verdict.code()), by);
  return fmt::format("{}{}: {}", framework::ToString(verdict.code()), by, fmt::join(reasons, ", "));
}

std::string TextWithoutPlugin(const framework::Verdict& verdict) {
  return Text(framework::Verdict(verdict.code(), verdict.reasons()));
}

std::string Text(const std::string& text) { return text.empty() ? "nothing" : text; }
std::string Text(bool flag) { return flag ? "yes" : "no"; }
std::string Text(int64_t number) { return fmt::format("{}", number); }
std::string Text(const std::vector<std::string>& names) {
  return fmt::format("[{}]", fmt::join(names, " "));
}

std::string Text(const std::vector<api::NodeSelectorRequirement>& requirements) {
  std::string text;
  for (const api::NodeSelectorRequirement& requirement : requirements) {
    text += fmt::format(" {} {} [{}]", requirement.key, requirement.op,
                        fmt::join(requirement.values, " "));
  }
  return text;
}

// Share IDs are random.
std::string Text(const api::DeviceRequestAllocationResult& result) {
  std::string text =
      fmt::format("{}={}/{}/{}", result.request, result.driver, result.pool, result.device);
  if (result.admin_access) text += *result.admin_access ? " with admin access" : " without";
  if (result.share_id) text += " shared";
  for (const auto& [name, amount] : result.consumed_capacity)
    text += fmt::format(" {}={}", name, amount.ToString());
  for (const api::DeviceToleration& toleration : result.tolerations)
    text += fmt::format(" tolerates {}:{}", toleration.key, toleration.effect);
  text += fmt::format(" until [{}] unless [{}]", fmt::join(result.binding_conditions, " "),
                      fmt::join(result.binding_failure_conditions, " "));
  return text;
}

std::string Text(const api::AllocationResult& allocation) {
  std::string text;
  for (const auto& result : allocation.results) text += Text(result) + "; ";
  for (const api::DeviceAllocationConfiguration& config : allocation.config) {
    text += fmt::format("config {} of {} for [{}]; ", config.source,
                        config.opaque ? config.opaque->driver : "nobody",
                        fmt::join(config.requests, " "));
  }
  if (!allocation.node_selector) return text + "all nodes";
  for (const api::NodeSelectorTerm& term : allocation.node_selector->terms)
    text += "nodes" + Text(term.match_fields) + Text(term.match_expressions);
  return text;
}

class Differ {
 public:
  template <typename T>
  void Expect(const std::string& what, const T& fast, const T& slow) {
    if (Text(fast) != Text(slow)) Add(what, Text(fast), Text(slow));
  }
  void Add(std::string what, std::string fast, std::string slow) {
    found_.push_back({std::move(what), std::move(fast), std::move(slow)});
  }
  // For each key of either map: both(key, fast, slow) or a difference.
  template <typename Fast, typename Slow, typename Both>
  void Join(std::string_view what, const std::map<std::string, Fast>& fast,
            const std::map<std::string, Slow>& slow, Both&& both) {
    for (const auto& [key, value] : fast) {
      if (const auto found = slow.find(key); found != slow.end()) {
        both(key, value, found->second);
      } else {
        Add(fmt::format("{} {}", what, key), "present", "absent");
      }
    }
    for (const auto& [key, value] : slow) {
      if (!fast.contains(key)) Add(fmt::format("{} {}", what, key), "absent", "present");
    }
  }
  ReferenceMismatches Take() { return std::move(found_); }

 private:
  ReferenceMismatches found_;
};

// The errors with which the cycle may end.
std::set<std::string> PossibleErrors(const reference::Evaluation& slow) {
  std::set<std::string> errors{slow.error};
  if (slow.error.empty()) return errors;
  for (const auto& [name, at] : slow.nodes) {
    if (at.verdict.code() == framework::Code::kError) errors.insert(at.verdict.Message());
  }
  return errors;
}

std::string WhatOf(const std::string& node, const framework::Verdict& fast,
                   const framework::Verdict& slow) {
  const std::string& plugin = slow.plugin().empty() ? fast.plugin() : slow.plugin();
  return plugin.empty() ? "node " + node : fmt::format("node {}, plugin {}", node, plugin);
}

void CompareNodes(const Explanation& fast, const reference::Evaluation& slow, Differ& differ) {
  differ.Join(
      "node", fast.nodes, slow.nodes,
      [&](const std::string& name, const Explanation::Node& a, const reference::NodeEvaluation& b) {
        differ.Expect(WhatOf(name, a.verdict, b.verdict), a.verdict, b.verdict);
        differ.Expect(fmt::format("node {}, left out by PreFilter", name), a.excluded_by_pre_filter,
                      b.excluded_by_pre_filter);
        differ.Join(fmt::format("node {}, score of", name), a.scores, b.scores,
                    [&](const std::string& plugin, int64_t x, int64_t y) {
                      differ.Expect(fmt::format("node {}, plugin {}, score", name, plugin), x, y);
                    });
        differ.Expect(fmt::format("node {}, total score", name), a.total, b.total);
        std::map<std::string, api::AllocationResult> allocations;
        for (const reference::ClaimAllocation& allocation : b.allocations)
          allocations[allocation.claim] = allocation.allocation;
        differ.Join(fmt::format("node {}, allocation of", name), a.allocations, allocations,
                    [&](const std::string& claim, const auto& x, const auto& y) {
                      differ.Expect(fmt::format("node {}, allocation of {}", name, claim), x, y);
                    });
      });
}

std::vector<std::string> NamesOf(const std::vector<api::ObjectKey>& keys) {
  std::vector<std::string> names;
  for (const api::ObjectKey& key : keys) names.push_back(key.ToString());
  return names;
}

void ComparePreemption(const Explanation::Preemption& fast, const reference::Preemption& slow,
                       Differ& differ) {
  differ.Expect("preemption, eligible", fast.eligible, slow.eligible);
  differ.Join("preemption, candidate", fast.candidates, slow.candidates,
              [&](const std::string& node, const auto& a, const reference::Candidate& b) {
                std::vector<std::string> victims;
                for (const auto& victim : a.victims) victims.push_back(victim.pod);
                differ.Expect(fmt::format("node {}, plugin DefaultPreemption, victims", node),
                              victims, NamesOf(b.victims));
                differ.Expect(
                    fmt::format("node {}, plugin DefaultPreemption, budget violations", node),
                    a.budget_violations, static_cast<int64_t>(b.pdb_violations));
              });
  differ.Join(
      "preemption, rejected", fast.rejected, slow.rejected,
      [&](const std::string& node, const framework::Verdict& a, const framework::Verdict& b) {
        differ.Expect(fmt::format("node {}, plugin DefaultPreemption", node), TextWithoutPlugin(a),
                      TextWithoutPlugin(b));
      });
  differ.Expect("preemption, equally good nodes", fast.equally_good, slow.equally_good);
}

void CompareFailure(const Explanation& fast, const reference::Evaluation& slow, Differ& differ) {
  differ.Expect("message before preemption", fast.fit_error_before_post_filter,
                slow.fit_error_before_post_filter);
  differ.Expect("message", fast.fit_error, slow.fit_error);
  differ.Expect("plugins in the way", fast.rejected_by,
                std::vector(slow.unschedulable_plugins.begin(), slow.unschedulable_plugins.end()));
  if (fast.fit_error.empty() || slow.fit_error.empty()) return;
  differ.Expect("PostFilter", TextWithoutPlugin(fast.post_filter),
                TextWithoutPlugin(slow.post_filter));
  // Another PostFilter plugin may have run first; then preemption did not look for victims.
  Explanation::Preemption none;
  none.eligible = true;
  ComparePreemption(fast.preemption.value_or(none),
                    slow.preemption.value_or(reference::Preemption()), differ);
}

}  // namespace

std::string ReferenceMismatch::Text() const {
  return fmt::format("{}:\n    fast: {}\n    slow: {}", what, fast, slow);
}

ReferenceMismatches CompareWithReference(const Explanation& fast,
                                         const reference::Evaluation& slow) {
  Differ differ;
  if (!PossibleErrors(slow).contains(fast.error)) differ.Expect("error", fast.error, slow.error);
  if (!fast.error.empty() || !slow.error.empty()) return differ.Take();
  differ.Expect("PreFilter", fast.pre_filter, slow.pre_filter);
  if (fast.pre_filter.ok()) {
    const std::vector<std::string> any{"any"};
    differ.Expect("nodes named by PreFilter", fast.restricted_to.value_or(any),
                  slow.restricted_to.value_or(any));
  }
  // The others were not explained if one of them failed.
  if (!fast.nominated_node_fits || !fast.nodes.empty()) CompareNodes(fast, slow, differ);
  differ.Expect("nominated node fits", fast.nominated_node_fits, slow.nominated_node_fits);
  differ.Expect("best nodes", fast.best_nodes, slow.best_nodes);
  CompareFailure(fast, slow, differ);
  return differ.Take();
}

namespace {

void CompareChoice(const std::string& fast, const reference::Evaluation& slow,
                   const std::vector<std::string>& node_order, Differ& differ) {
  const auto first = std::ranges::find_if(node_order, [&](const std::string& node) {
    return std::ranges::find(slow.best_nodes, node) != slow.best_nodes.end();
  });
  differ.Expect("choice", fast, first == node_order.end() ? "" : *first);
}

void CompareVictims(const NamedDecision& fast, const reference::Preemption& slow,
                    const reference::ReferenceProfile& rules, Differ& differ) {
  const std::string what =
      fmt::format("node {}, plugin DefaultPreemption, choice", fast.nominated_node);
  const auto candidate = slow.candidates.find(fast.nominated_node);
  if (candidate == slow.candidates.end()) {
    const bool agreed = slow.candidates.empty() && fast.nominated_node.empty();
    if (!agreed) differ.Add(what, Text(fast.nominated_node), Text(slow.equally_good));
    return;
  }
  differ.Expect(what + " of victims", fast.victims, NamesOf(candidate->second.victims));
  const size_t wanted =
      reference::WantedCandidates(rules.preemption, slow.candidates.size() + slow.rejected.size());
  if (slow.candidates.size() <= wanted) {
    if (!reference::Contains(slow.equally_good, fast.nominated_node))
      differ.Add(what, fast.nominated_node, Text(slow.equally_good));
    return;
  }
  const bool none_need_suffer = std::ranges::any_of(
      slow.candidates, [](const auto& other) { return other.second.pdb_violations == 0; });
  if (none_need_suffer && candidate->second.pdb_violations > 0)
    differ.Add(what, fast.nominated_node, "a node where all disruption budgets are respected");
}

}  // namespace

ReferenceMismatches CompareDecision(const NamedDecision& fast, const reference::Evaluation& slow,
                                    const std::vector<std::string>& node_order,
                                    const reference::ReferenceProfile& rules) {
  Differ differ;
  CompareChoice(fast.node, slow, node_order, differ);
  if (!fast.node.empty() || !slow.best_nodes.empty()) return differ.Take();
  differ.Expect("cycle went wrong", fast.failed, !slow.error.empty());
  if (fast.failed || !slow.error.empty()) {
    if (!PossibleErrors(slow).contains(fast.message))
      differ.Expect("error", fast.message, slow.error);
    return differ.Take();
  }
  differ.Expect("message", fast.message, slow.fit_error);
  if (slow.preemption) CompareVictims(fast, *slow.preemption, rules, differ);
  return differ.Take();
}

}  // namespace berth::scheduler::engine
