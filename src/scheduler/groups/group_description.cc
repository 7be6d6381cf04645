#include "scheduler/groups/group_description.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "api/object.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/model/device_model.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/queue/unschedulable_pods.h"

namespace berth::scheduler::groups {
namespace {

// --- what filters do to a search ---

// Filters whose rejection of a node outlasts any further pod.
constexpr std::array<std::string_view, 7> kMonotoneFilters = {
    "NodeUnschedulable", "NodeName",         "TaintToleration",     "NodeAffinity",
    "NodePorts",         "NodeResourcesFit", "NodeDeclaredFeatures"};
// Filters for which it matters where other pods are, not how they came there.
constexpr std::array<std::string_view, 2> kFiltersByPlace = {"PodTopologySpread",
                                                             "InterPodAffinity"};

template <size_t kSize>
bool IsAmong(const std::array<std::string_view, kSize>& names, const framework::Plugin& plugin) {
  return std::ranges::find(names, plugin.name()) != names.end();
}

bool RequiresOthersNearby(const api::PodSpec& spec) {
  return spec.affinity && spec.affinity->pod_affinity &&
         !spec.affinity->pod_affinity->required.empty();
}

struct FilterTraits {
  bool monotone = true;
  bool depends_on_order = false;
};

// How the filters behave that may reject a pod of this class.
FilterTraits TraitsOf(framework::Attempt& attempt) {
  FilterTraits traits;
  for (const framework::FilterPlugin* filter : attempt.profile().filter()) {
    if (attempt.skipped_filters() & framework::PluginMask{1} << filter->slot()) continue;
    if (IsAmong(kMonotoneFilters, *filter)) continue;
    if (filter->name() == "InterPodAffinity" && !RequiresOthersNearby(attempt.cycle().spec()))
      continue;
    traits.monotone = false;
    // What others do is not known; volumes and devices are chosen when a pod is placed.
    if (!IsAmong(kFiltersByPlace, *filter)) traits.depends_on_order = true;
  }
  return traits;
}

// --- members that may stand for one another ---

// Returns the claim made for this entry of the pod's spec; null if there is none.
model::ClaimRef GeneratedClaim(const model::Cluster& cluster, const api::Pod& pod,
                               const std::string& name) {
  for (const api::PodResourceClaimStatus& status : pod.status.resource_claim_statuses) {
    if (status.name != name || !status.resource_claim_name) continue;
    return cluster.devices().FindClaim({pod.metadata.namespace_, *status.resource_claim_name});
  }
  return nullptr;
}

// Reports whether the claims that were made for the two pods request the same, and have nothing.
bool HaveEqualClaims(const model::Cluster& cluster, const api::Pod& a, const api::Pod& b) {
  return std::ranges::all_of(a.spec.resource_claims, [&](const api::PodResourceClaim& entry) {
    if (entry.resource_claim_name) return true;
    const model::ClaimRef of_a = GeneratedClaim(cluster, a, entry.name);
    const model::ClaimRef of_b = GeneratedClaim(cluster, b, entry.name);
    return of_a != nullptr && of_b != nullptr && !of_a->status.allocation &&
           !of_b->status.allocation && of_a->spec == of_b->spec;
  });
}

bool HasEphemeralVolumes(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const api::Volume& volume) {
    return std::holds_alternative<api::EphemeralSource>(volume.source);
  });
}

// ReadLabels numbers the labels of pods, as far as rules of the members read them: replicas often
// have a label with their index, which no selector asks for.
class ReadLabels {
 public:
  explicit ReadLabels(const std::vector<const model::PodRecord*>& members) {
    for (const model::PodRecord* member : members) {
      const api::PodSpec& spec = member->object->spec;
      if (spec.affinity) {
        Read(spec.affinity->pod_affinity);
        Read(spec.affinity->pod_anti_affinity);
      }
      for (const api::TopologySpreadConstraint& constraint : spec.topology_spread_constraints) {
        Read(constraint.label_selector);
        keys_.insert(constraint.match_label_keys.begin(), constraint.match_label_keys.end());
      }
    }
  }

  // Returns the same number for pods with the same values of these labels.
  uint32_t NumberOf(const model::PodRecord& pod) {
    if (keys_.empty()) return 0;
    const auto [known, is_new] = number_of_.try_emplace(pod.labels, 0);
    if (!is_new) return known->second;
    api::StringMap read;
    for (const auto& [key, value] : pod.object->metadata.labels) {
      if (keys_.contains(key)) read.emplace(key, value);
    }
    const auto next = static_cast<uint32_t>(numbers_.size());
    known->second = numbers_.try_emplace(std::move(read), next).first->second;
    return known->second;
  }

 private:
  void Read(const std::optional<api::LabelSelector>& selector) {
    if (!selector) return;
    for (const auto& [key, value] : selector->match_labels) keys_.insert(key);
    for (const auto& requirement : selector->match_expressions) keys_.insert(requirement.key);
  }
  void Read(const std::optional<api::PodAffinity>& affinity) {
    if (!affinity) return;
    for (const api::PodAffinityTerm& term : affinity->required) {
      Read(term.label_selector);
      keys_.insert(term.match_label_keys.begin(), term.match_label_keys.end());
      keys_.insert(term.mismatch_label_keys.begin(), term.mismatch_label_keys.end());
    }
  }

  std::set<std::string> keys_;
  std::unordered_map<model::LabelSetId, uint32_t> number_of_;
  std::map<api::StringMap, uint32_t> numbers_;
};

// MemberKinds sorts members into kinds.
class MemberKinds {
 public:
  MemberKinds(const model::Cluster& cluster, ReadLabels& labels)
      : cluster_(cluster), labels_(labels) {}

  // Returns the number of the pod's kind; the next one if it is the first of it.
  size_t Find(const model::PodRecord& pod) {
    const Key key{pod.pod_class, labels_.NumberOf(pod),
                  cluster_.affinity_terms().Matching(pod.labels), queue::SignatureOf(pod, 0).owner,
                  cluster_.nominations().NodeOf(pod.id)};
    std::vector<Kind>& alike = by_key_[key];
    if (!HasEphemeralVolumes(pod.object->spec)) {
      const size_t first = alike.size() - std::min(alike.size(), kMaxComparisons);
      for (size_t i = first; i < alike.size(); ++i) {
        if (HaveEqualClaims(cluster_, *alike[i].first->object, *pod.object)) return alike[i].number;
      }
    }
    alike.push_back({&pod, count_});
    return count_++;
  }

 private:
  // Of claims with those of other kinds: pods with more kinds of claims are rare, and treating two
  // as different is safe.
  static constexpr size_t kMaxComparisons = 16;

  // The class, the labels that members read, the terms of other pods that match them, the owner,
  // and the nominated node.
  using Key = std::tuple<model::PodClassId, uint32_t, std::vector<uint32_t>, std::string, Symbol>;
  struct Kind {
    const model::PodRecord* first;
    size_t number;
  };

  const model::Cluster& cluster_;
  ReadLabels& labels_;
  std::map<Key, std::vector<Kind>> by_key_;
  size_t count_ = 0;
};

// --- resources ---

using Scalars = std::vector<model::ScalarId>;

Scalars CheckedScalars(const GroupContext& context,
                       const std::vector<const model::PodRecord*>& kinds) {
  Scalars scalars;
  for (const model::PodRecord* pod : kinds) {
    for (const auto& scalar : context.cluster.pod_class(pod->pod_class).requests.scalars) {
      if (std::ranges::find(scalars, scalar.id) == scalars.end() &&
          context.cluster.nodes().columns().scalar(scalar.id) != nullptr &&
          context.profile.resource_filter()->ChecksScalar(context.cluster, scalar.id))
        scalars.push_back(scalar.id);
    }
  }
  return scalars;
}

std::vector<int64_t> AmountsOf(const model::ResourceVector& requests, const Scalars& scalars) {
  std::vector<int64_t> amounts = {requests.milli_cpu, requests.memory, requests.ephemeral_storage,
                                  1};
  for (model::ScalarId id : scalars) amounts.push_back(requests.ScalarAmount(id));
  return amounts;
}

// In the order of AmountsOf. Both amounts may be huge: they do not overflow, for they are not
// negative.
std::vector<std::vector<int64_t>> FreeAmounts(const model::NodeColumns& columns,
                                              const Scalars& scalars) {
  std::vector<std::vector<int64_t>> free;
  const auto add = [&](const std::vector<int64_t>& allocatable,
                       const std::vector<int64_t>& requested) {
    std::vector<int64_t>& column = free.emplace_back(allocatable);
    for (size_t row = 0; row < column.size(); ++row) column[row] -= requested[row];
  };
  add(columns.allocatable_cpu, columns.requested_cpu);
  add(columns.allocatable_memory, columns.requested_memory);
  add(columns.allocatable_ephemeral, columns.requested_ephemeral);
  add(columns.allocatable_pods, columns.pod_count);
  for (model::ScalarId id : scalars)
    add(columns.scalar(id)->allocatable, columns.scalar(id)->requested);
  return free;
}

// Adds what members request and nodes have free, if a filter compares them.
void DescribeResources(const GroupContext& context,
                       const std::vector<const model::PodRecord*>& kinds, GroupProblem& problem) {
  if (context.profile.resource_filter() == nullptr) return;
  const Scalars scalars = CheckedScalars(context, kinds);
  problem.free = FreeAmounts(context.cluster.nodes().columns(), scalars);
  for (size_t i = 0; i < kinds.size(); ++i) {
    const model::PodClass& pod_class = context.cluster.pod_class(kinds[i]->pod_class);
    std::vector<int64_t>& requests = problem.kinds[i].requests;
    requests = AmountsOf(pod_class.requests, scalars);
    // What a pod is checked for and what it takes are the same but for pods that are resized.
    const std::vector<int64_t> taken = AmountsOf(pod_class.placed, scalars);
    for (size_t j = 0; j < requests.size(); ++j) requests[j] = std::min(requests[j], taken[j]);
  }
}

// --- equal nodes ---

// NodeClasses numbers nodes so that equal ones have the same number: what they are and hold is the
// same, except for labels that no other node has, such as the host name.
class NodeClasses {
 public:
  // `suitable` are sets of nodes that tell nodes apart by what their names and labels are.
  NodeClasses(const GroupContext& context, bool all_differ,
              const std::vector<model::NodeMask>& suitable, ReadLabels& labels)
      : context_(context), all_differ_(all_differ), suitable_(suitable), labels_(labels) {
    context.cluster.nodes().present().ForEach([&](size_t row) {
      for (const model::Label& label : Info(row).labels) ++nodes_with_[label];
    });
  }

  std::vector<uint32_t> Number() {
    std::vector<uint32_t> numbers(context_.cluster.nodes().rows());
    uint32_t next = 0;
    std::map<std::string, uint32_t> known;
    context_.nodes.ForEach([&](size_t row) {
      if (all_differ_) {
        numbers[row] = next++;
        return;
      }
      const auto [found, is_new] = known.try_emplace(Describe(row), next);
      if (is_new) ++next;
      numbers[row] = found->second;
    });
    return numbers;
  }

 private:
  const model::NodeInfo& Info(size_t row) const {
    return context_.cluster.nodes().info(model::NodeRow{static_cast<uint32_t>(row)});
  }

  std::string Describe(size_t row) const {
    const model::NodeInfo& info = Info(row);
    const model::NodeColumns& columns = context_.cluster.nodes().columns();
    std::string text;
    model::KeyWriter key(text);
    for (const auto* column :
         {&columns.allocatable_cpu, &columns.allocatable_memory, &columns.allocatable_ephemeral,
          &columns.allocatable_pods, &columns.requested_cpu, &columns.requested_memory,
          &columns.requested_ephemeral, &columns.pod_count})
      key.Put((*column)[row]);
    for (model::ScalarId id : columns.listed) {
      key.PutAll(columns.scalar(id)->allocatable[row], columns.scalar(id)->requested[row]);
    }
    key.Put(columns.taints[row].index());
    key.Put(columns.unschedulable.Test(row));
    key.Put(info.declared_features.size());
    for (Symbol feature : info.declared_features) key.Put(feature.index());
    key.Put(info.labels.size());
    for (const model::Label& label : info.labels) {
      key.Put(label.key.index());
      key.Put(nodes_with_.at(label) == 1);
      if (nodes_with_.at(label) > 1) key.Put(label.value.index());
    }
    for (const model::NodeMask& nodes : suitable_) key.Put(nodes.Test(row));
    DescribePods(info, key);
    // Nominated pods count on their nodes, too.
    if (!context_.cluster.nominations().PodsOn(info.name).empty()) key.Put(row);
    return text;
  }

  void DescribePods(const model::NodeInfo& info, model::KeyWriter& key) const {
    std::vector<std::tuple<uint32_t, uint32_t, bool>> pods;
    for (model::PodId id : info.pods) {
      const model::PodRecord& pod = context_.cluster.pod(id);
      pods.emplace_back(pod.pod_class.index(), labels_.NumberOf(pod), pod.terminating());
    }
    std::ranges::sort(pods);
    key.Put(pods.size());
    for (const auto& [pod_class, labels, leaves] : pods) key.PutAll(pod_class, labels, leaves);
  }

  const GroupContext& context_;
  const bool all_differ_;
  const std::vector<model::NodeMask>& suitable_;
  ReadLabels& labels_;
  std::map<model::Label, size_t> nodes_with_;
};

struct Evaluated {
  model::NodeMask nodes;     // On which the pod fits now.
  model::NodeMask suitable;  // That filters do not reject which look at the node alone.
  FilterTraits traits;
};

std::optional<Evaluated> Evaluate(const GroupContext& context, const model::PodRecord& pod) {
  const auto results = context.results.For(pod);
  framework::Attempt attempt(context.cluster, context.profile, *results, pod);
  attempt.ConfineTo(&context.nodes);
  attempt.cycle().set_date(context.now);
  const framework::Verdict pre_filter = attempt.PreFilter();
  const model::NodeMask none(context.cluster.nodes().rows());
  Evaluated evaluated{none, none, {}};
  if (pre_filter.rejected()) {
    evaluated.traits = {.monotone = false, .depends_on_order = true};
    return evaluated;
  }
  if (!pre_filter.ok() || !attempt.Filter().ok()) return std::nullopt;
  evaluated.nodes = attempt.feasible();
  evaluated.suitable = attempt.candidates();
  if (!attempt.FilterWithoutRivals(evaluated.suitable).ok()) return std::nullopt;
  evaluated.traits = TraitsOf(attempt);
  return evaluated;
}

}  // namespace

std::optional<model::NodeMask> NodesFor(const GroupContext& context, const model::PodRecord& pod) {
  auto evaluated = Evaluate(context, pod);
  if (!evaluated) return std::nullopt;
  return std::move(evaluated->nodes);
}

std::optional<GroupProblem> DescribeGroup(const GroupContext& context,
                                          const std::vector<const model::PodRecord*>& members,
                                          size_t needed) {
  GroupProblem problem;
  problem.needed = needed;
  problem.monotone = true;
  ReadLabels labels(members);
  MemberKinds sorted(context.cluster, labels);
  std::vector<const model::PodRecord*> kinds;  // One of each.
  std::vector<model::NodeMask> suitable;       // Selectors may ask for labels that are unique.
  for (size_t i = 0; i < members.size(); ++i) {
    const size_t kind = sorted.Find(*members[i]);
    // Its nomination, which others respect, ends when it is placed.
    if (context.cluster.nominations().NodeOf(members[i]->id).valid()) problem.monotone = false;
    if (kind == kinds.size()) {
      auto evaluated = Evaluate(context, *members[i]);
      if (!evaluated) return std::nullopt;
      problem.monotone = problem.monotone && evaluated->traits.monotone;
      problem.depends_on_order = problem.depends_on_order || evaluated->traits.depends_on_order;
      kinds.push_back(members[i]);
      suitable.push_back(std::move(evaluated->suitable));
      problem.kinds.push_back({{}, {}, std::move(evaluated->nodes)});
    }
    problem.kinds[kind].members.push_back(i);
  }
  DescribeResources(context, kinds, problem);
  // Volumes and devices are not compared.
  const bool all_differ = problem.depends_on_order;
  problem.node_class = NodeClasses(context, all_differ, suitable, labels).Number();
  if (!problem.monotone) {
    for (MemberKind& kind : problem.kinds) kind.nodes = context.nodes;
  }
  return problem;
}

}  // namespace berth::scheduler::groups
