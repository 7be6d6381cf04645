#include <algorithm>
#include <cmath>

#include "api/pod_resources.h"
#include "base/saturating.h"
#include "scheduler/reference/devices/allocated_devices.h"
#include "scheduler/reference/devices/device_count.h"
#include "scheduler/reference/devices/extended_resources.h"
#include "scheduler/reference/pod_requests.h"
#include "scheduler/reference/rules.h"

namespace berth::scheduler::reference {
namespace {

// Amounts by resource name: cpu in millicores, everything else in units.
using Amounts = std::map<std::string, int64_t, std::less<>>;

// Negative quantities count as 0.
int64_t AmountOf(std::string_view name, const api::Quantity& quantity) {
  const int64_t amount = name == "cpu" ? quantity.MilliValue() : quantity.Value();
  return amount < 0 ? 0 : amount;
}

// Adds an amount to a sum, which saturates.
void AddTo(int64_t& sum, int64_t amount) { sum = SaturatingAdd(sum, amount); }

int64_t Get(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

// Reports whether NodeResourcesFit tracks the resource.
bool IsTracked(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         api::IsScalarResource(name);
}

Amounts ToAmounts(const api::ResourceList& list) {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    if (IsTracked(name)) amounts[name] = AmountOf(name, quantity);
  }
  return amounts;
}

// Returns the sum of the pods' requests.
Amounts Requested(const std::vector<api::Ref<api::Pod>>& pods, const model::Features& features) {
  Amounts sum;
  for (const auto& pod : pods) {
    for (const auto& [name, amount] : ToAmounts(RequestsOf(*pod, PlacedRequests(features)))) {
      AddTo(sum[name], amount);
    }
  }
  return sum;
}

// Likewise, but a container without a cpu or memory request counts with a default.
Amounts NonZeroRequested(const std::vector<api::Ref<api::Pod>>& pods,
                         const model::Features& features) {
  Amounts sum = Requested(pods, features);
  sum["cpu"] = sum["memory"] = 0;
  for (const auto& pod : pods) {
    const Amounts request = ToAmounts(NonZeroRequestsOf(*pod, features));
    AddTo(sum["cpu"], Get(request, "cpu"));
    AddTo(sum["memory"], Get(request, "memory"));
  }
  return sum;
}

// The use of one resource of one node, for scoring.
struct Usage {
  int64_t allocatable = 0;
  int64_t before = 0;  // In use without the pod.
  int64_t after = 0;   // In use with the pod.
  int64_t weight = 1;
};

// Counts devices for the scores of resources that are backed by a device class.
class BackingDevices {
 public:
  BackingDevices(const Snapshot& snapshot, const model::Features& features)
      : snapshot_(snapshot),
        features_(features),
        classes_(ClassesByResource(snapshot, features)),
        allocated_(GatherAllocatedDevices(snapshot, features)) {}

  // Adds to `allocatable` and `in_use` the devices that back any of `resources`, where the node
  // does not offer the resource otherwise.
  void AddTo(const api::Node& node, const std::vector<framework::ResourceWeight>& resources,
             Amounts& allocatable, Amounts& in_use) const {
    const auto is_backed = [&](const framework::ResourceWeight& resource) {
      return MayBeBackedByClass(resource.name) && classes_.contains(resource.name);
    };
    if (std::ranges::none_of(resources, is_backed)) return;
    for (const framework::ResourceWeight& resource : resources) {
      const auto device_class = classes_.find(resource.name);
      if (device_class == classes_.end() || Get(allocatable, resource.name) != 0) continue;
      const DeviceCount count =
          CountDevices(snapshot_, node, *device_class->second, allocated_, features_);
      if (count.capacity == 0) continue;
      allocatable[resource.name] = count.capacity;
      in_use[resource.name] = count.allocated;
    }
  }

  // Reports whether NodeResourcesFit leaves the resource to DynamicResources on a node that offers
  // `allocatable` of it.
  bool Serve(const std::string& resource, int64_t allocatable) const {
    return allocatable == 0 && classes_.contains(resource);
  }

 private:
  const Snapshot& snapshot_;
  const model::Features& features_;
  const ClassByResource classes_;
  const AllocatedDevices allocated_;
};

// Returns the usage of the configured resources. Skips what the node does not have, and scalar
// resources that the pod does not request.
std::vector<Usage> UsageOf(const api::Node& node, Amounts in_use, const Amounts& requests,
                           const std::vector<framework::ResourceWeight>& resources,
                           const BackingDevices& devices) {
  std::vector<Usage> usages;
  Amounts allocatable = ToAmounts(node.status.allocatable);
  devices.AddTo(node, resources, allocatable, in_use);
  for (const auto& [name, weight] : resources) {
    const int64_t request = Get(requests, name);
    if (request == 0 && api::IsScalarResource(name)) continue;
    if (Get(allocatable, name) == 0) continue;
    const int64_t before = Get(in_use, name);
    usages.push_back({Get(allocatable, name), before, SaturatingAdd(before, request), weight});
  }
  return usages;
}

}  // namespace

int64_t ValueAt(const std::vector<framework::ShapePoint>& shape, int64_t x) {
  for (size_t i = 0; i < shape.size(); ++i) {
    const framework::ShapePoint& to = shape[i];
    if (x > to.utilization) continue;
    if (i == 0) return to.score;
    const framework::ShapePoint& from = shape[i - 1];
    return from.score +
           (to.score - from.score) * (x - from.utilization) / (to.utilization - from.utilization);
  }
  return shape.empty() ? 0 : shape.back().score;
}

namespace {

int64_t PercentOf(int64_t part, int64_t whole) { return MultiplyDivide(part, 100, whole); }

// Returns the weighted average of the resources' scores by the configured strategy.
int64_t Average(const framework::NodeResourcesFitArgs::ScoringStrategy& strategy,
                const std::vector<Usage>& usages) {
  const bool by_shape = strategy.type == "RequestedToCapacityRatio";
  std::vector<framework::ShapePoint> shape =
      strategy.shape.value_or(std::vector<framework::ShapePoint>{});
  for (framework::ShapePoint& point : shape) point.score *= 10;
  int64_t sum = 0;
  int64_t weights = 0;
  for (const Usage& usage : usages) {
    const int64_t full = usage.allocatable;
    const int64_t used = std::min(usage.after, full);
    int64_t score = PercentOf(full - used, full);  // LeastAllocated.
    if (strategy.type == "MostAllocated") score = PercentOf(used, full);
    if (by_shape) score = ValueAt(shape, PercentOf(used, full));
    // With RequestedToCapacityRatio, a resource with score 0 does not count.
    if (by_shape && score <= 0) continue;
    sum += score * usage.weight;
    weights += usage.weight;
  }
  if (weights == 0) return 0;
  if (!by_shape) return sum / weights;
  return std::llround(static_cast<double>(sum) / static_cast<double>(weights));
}

// NodeResourcesFit rejects nodes without enough free resources and scores by utilization.
class NodeResourcesFit final : public Rule {
 public:
  explicit NodeResourcesFit(const EvaluationInput& input)
      : Rule(input), devices_(input.snapshot, input.profile.features) {}

  PreFilterOutcome PreFilter() override {
    requests_ =
        ToAmounts(RequestsOf(pod_, {.skip_pod_level = !profile_.features.pod_level_resources}));
    return {};
  }

  // Reports all insufficient resources. Preemption cannot help if the node is too small even when
  // empty.
  framework::Verdict Filter(const NodeState& node_state) const override {
    std::vector<std::string> reasons;
    bool too_small = false;
    const api::ResourceList& offered = node_state.node().status.allocatable;
    const auto pods = offered.find("pods");
    const int64_t allowed = pods == offered.end() ? 0 : AmountOf("pods", pods->second);
    if (static_cast<int64_t>(node_state.pods().size()) + 1 > allowed)
      reasons.push_back("Too many pods");

    const Amounts allocatable = ToAmounts(offered);
    const Amounts in_use = Requested(node_state.pods(), profile_.features);
    for (const std::string& name : NamesInOrder()) {
      const int64_t request = Get(requests_, name);
      const int64_t all = Get(allocatable, name);
      if (request <= 0 || IsIgnored(name) || devices_.Serve(name, all)) continue;
      if (request <= all - Get(in_use, name)) continue;
      if (reasons.size() < framework::kMaxInsufficientResources)
        reasons.push_back("Insufficient " + name);
      if (request > all) too_small = true;
    }
    if (reasons.empty()) return {};
    return {too_small ? framework::Code::kUnschedulableAndUnresolvable
                      : framework::Code::kUnschedulable,
            reasons};
  }

  int64_t Score(const api::Node& node) const override {
    const framework::NodeResourcesFitArgs::ScoringStrategy& strategy =
        profile_.fit.scoring_strategy;
    const Amounts in_use = NonZeroRequested(NodeState(snapshot_, node).pods(), profile_.features);
    return Average(strategy,
                   UsageOf(node, in_use, RequestsForScore(), strategy.resources, devices_));
  }

 private:
  // Pod-level resources do not count here, as in kube-scheduler.
  Amounts RequestsForScore() const {
    return ToAmounts(RequestsOf(pod_, {.skip_pod_level = true, .defaults = DefaultRequests()}));
  }

  std::vector<std::string> NamesInOrder() const {
    std::vector<std::string> names = {"cpu", "memory", "ephemeral-storage"};
    for (const auto& [name, amount] : requests_) {
      if (!Contains(names, name)) names.push_back(name);
    }
    return names;
  }

  bool IsIgnored(const std::string& name) const {
    if (!api::IsExtendedResource(name)) return false;
    return Contains(profile_.fit.ignored_resources, name) ||
           Contains(profile_.fit.ignored_resource_groups, name.substr(0, name.find('/')));
  }

  const BackingDevices devices_;
  Amounts requests_;
};

// NodeResourcesBalancedAllocation prefers nodes whose resources are used in equal fractions.
class NodeResourcesBalancedAllocation final : public Rule {
 public:
  explicit NodeResourcesBalancedAllocation(const EvaluationInput& input)
      : Rule(input), devices_(input.snapshot, input.profile.features) {}

  framework::Verdict PreScore(const std::vector<const api::Node*>&) override {
    requests_ = ToAmounts(RequestsOf(pod_, PlacedRequests(profile_.features)));
    for (const auto& [name, weight] : profile_.balanced_allocation.resources) {
      if (Get(requests_, name) != 0) return {};
    }
    return framework::Verdict::Skip();
  }

  // Returns 75 if the pod does not change the balance.
  int64_t Score(const api::Node& node) const override {
    const std::vector<Usage> usages =
        UsageOf(node, Requested(NodeState(snapshot_, node).pods(), profile_.features), requests_,
                profile_.balanced_allocation.resources, devices_);
    return 50 + (50 + Balance(usages, &Usage::after) - Balance(usages, &Usage::before)) / 2;
  }

 private:
  // Returns 100 if the same fraction of every resource is used, less the more they differ.
  static int64_t Balance(const std::vector<Usage>& usages, int64_t Usage::* in_use) {
    std::vector<double> fractions;
    for (const Usage& usage : usages) {
      const double fraction =
          static_cast<double>(usage.*in_use) / static_cast<double>(usage.allocatable);
      fractions.push_back(std::min(fraction, 1.0));
    }
    return static_cast<int64_t>((1 - Deviation(fractions)) * 100);
  }

  static double Deviation(const std::vector<double>& fractions) {
    if (fractions.size() < 2) return 0;
    if (fractions.size() == 2) return std::abs((fractions[0] - fractions[1]) / 2);
    const auto count = static_cast<double>(fractions.size());
    double mean = 0;
    for (double fraction : fractions) mean += fraction;
    mean /= count;
    double squares = 0;
    for (double fraction : fractions) squares += (fraction - mean) * (fraction - mean);
    return std::sqrt(squares / count);
  }

  const BackingDevices devices_;
  Amounts requests_;
};

}  // namespace

std::unique_ptr<Rule> MakeNodeResourcesFit(const EvaluationInput& input) {
  return std::make_unique<NodeResourcesFit>(input);
}

std::unique_ptr<Rule> MakeNodeResourcesBalancedAllocation(const EvaluationInput& input) {
  return std::make_unique<NodeResourcesBalancedAllocation>(input);
}

}  // namespace berth::scheduler::reference
