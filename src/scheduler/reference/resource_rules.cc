#include "scheduler/reference/resource_rules.h"

#include <algorithm>
#include <cmath>

#include "api/pod_resources.h"

namespace berth::scheduler::reference {
namespace {

// Amounts by resource name: cpu in thousandths, everything else in whole units.
using Amounts = std::map<std::string, int64_t, std::less<>>;

int64_t AmountOf(std::string_view name, const api::Quantity& quantity) {
  return name == "cpu" ? quantity.MilliValue() : quantity.Value();
}

int64_t Get(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

// The resources that count: these three and the scalar ones.
bool Counts(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         api::IsScalarResource(name);
}

Amounts ToAmounts(const api::ResourceList& list) {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    if (Counts(name)) amounts[name] = AmountOf(name, quantity);
  }
  return amounts;
}

// What the pods have asked for.
Amounts Requested(const std::vector<api::Ref<api::Pod>>& pods) {
  Amounts sum;
  for (const auto& pod : pods) {
    for (const auto& [name, amount] : ToAmounts(api::PodRequests(*pod, {.use_status = true}))) {
      sum[name] += amount;
    }
  }
  return sum;
}

// The same, where each container without a cpu or memory request counts for a small default.
Amounts NonZeroRequested(const std::vector<api::Ref<api::Pod>>& pods) {
  Amounts sum = Requested(pods);
  sum["cpu"] = sum["memory"] = 0;
  for (const auto& pod : pods) {
    const api::NonZeroRequest request = api::PlacedNonZeroRequest(*pod);
    sum["cpu"] += request.milli_cpu;
    sum["memory"] += request.memory;
  }
  return sum;
}

// One resource of one node, as scores see it.
struct Share {
  int64_t allocatable = 0;
  int64_t before = 0;  // In use without the pod.
  int64_t after = 0;   // In use with the pod.
  int64_t weight = 1;
};

// The shares of the configured resources. Left out: what the node does not have, and scalar
// resources that the pod does not ask for.
std::vector<Share> SharesOf(const api::Node& node, const Amounts& in_use, const Amounts& wanted,
                            const std::vector<framework::ResourceWeight>& resources) {
  std::vector<Share> shares;
  const Amounts allocatable = ToAmounts(node.status.allocatable);
  for (const auto& [name, weight] : resources) {
    const int64_t want = Get(wanted, name);
    if (want == 0 && api::IsScalarResource(name)) continue;
    if (Get(allocatable, name) == 0) continue;
    const int64_t before = Get(in_use, name);
    shares.push_back({Get(allocatable, name), before, before + want, weight});
  }
  return shares;
}

// The line through the points, flat before the first and after the last.
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

// The average of the resources' scores by the configured strategy.
int64_t Average(const framework::NodeResourcesFitArgs::ScoringStrategy& strategy,
                const std::vector<Share>& shares) {
  const bool by_shape = strategy.type == "RequestedToCapacityRatio";
  std::vector<framework::ShapePoint> shape =
      strategy.shape.value_or(std::vector<framework::ShapePoint>{});
  for (framework::ShapePoint& point : shape) point.score *= 10;
  int64_t sum = 0;
  int64_t weights = 0;
  for (const Share& share : shares) {
    const int64_t full = share.allocatable;
    const int64_t used = std::min(share.after, full);
    int64_t score = (full - used) * 100 / full;  // LeastAllocated.
    if (strategy.type == "MostAllocated") score = used * 100 / full;
    if (by_shape) score = ValueAt(shape, used * 100 / full);
    // Here a resource that scores nothing does not count at all.
    if (by_shape && score <= 0) continue;
    sum += score * share.weight;
    weights += share.weight;
  }
  if (weights == 0) return 0;
  if (!by_shape) return sum / weights;
  return std::llround(static_cast<double>(sum) / static_cast<double>(weights));
}

class NodeResourcesFit final : public Rule {
 public:
  using Rule::Rule;

  PreFilterOutcome PreFilter() override {
    wanted_ = ToAmounts(api::PodRequests(pod_, {}));
    return {};
  }

  // Names everything that is short. Preemption cannot help where the node is too small even when
  // empty.
  framework::Verdict Filter(const NodeState& node_state) const override {
    std::vector<std::string> reasons;
    bool too_small = false;
    const api::ResourceList& offered = node_state.node().status.allocatable;
    const auto pods = offered.find("pods");
    const int64_t allowed = pods == offered.end() ? 0 : pods->second.Value();
    if (static_cast<int64_t>(node_state.pods().size()) + 1 > allowed)
      reasons.push_back("Too many pods");

    const Amounts allocatable = ToAmounts(offered);
    const Amounts in_use = Requested(node_state.pods());
    for (const std::string& name : NamesInOrder()) {
      const int64_t want = Get(wanted_, name);
      const int64_t all = Get(allocatable, name);
      if (want <= 0 || IsIgnored(name) || want <= all - Get(in_use, name)) continue;
      reasons.push_back("Insufficient " + name);
      if (want > all) too_small = true;
    }
    if (reasons.empty()) return {};
    return {too_small ? framework::Code::kUnschedulableAndUnresolvable
                      : framework::Code::kUnschedulable,
            reasons};
  }

  int64_t Score(const api::Node& node) const override {
    const framework::NodeResourcesFitArgs::ScoringStrategy& strategy = rules_.fit.scoring_strategy;
    const Amounts in_use = NonZeroRequested(NodeState(world_, node).pods());
    return Average(strategy, SharesOf(node, in_use, WantedForScore(), strategy.resources));
  }

 private:
  // Pod-level resources are not looked at here, as in kube-scheduler.
  Amounts WantedForScore() const {
    const api::ResourceList defaults = {{"cpu", api::Quantity::FromMilli(api::kDefaultMilliCpu)},
                                        {"memory", api::Quantity::FromValue(api::kDefaultMemory)}};
    return ToAmounts(api::PodRequests(pod_, {.skip_pod_level = true, .non_missing = defaults}));
  }

  std::vector<std::string> NamesInOrder() const {
    std::vector<std::string> names = {"cpu", "memory", "ephemeral-storage"};
    for (const auto& [name, amount] : wanted_) {
      if (!Contains(names, name)) names.push_back(name);
    }
    return names;
  }

  bool IsIgnored(const std::string& name) const {
    if (!api::IsExtendedResource(name)) return false;
    return Contains(rules_.fit.ignored_resources, name) ||
           Contains(rules_.fit.ignored_resource_groups, name.substr(0, name.find('/')));
  }

  Amounts wanted_;
};

class NodeResourcesBalancedAllocation final : public Rule {
 public:
  using Rule::Rule;

  framework::Verdict PreScore(const std::vector<const api::Node*>&) override {
    wanted_ = ToAmounts(api::PodRequests(pod_, {.use_status = true}));
    for (const auto& [name, weight] : rules_.balanced_allocation.resources) {
      if (Get(wanted_, name) != 0) return {};
    }
    return framework::Verdict::Skip();
  }

  // 75 if the pod leaves the balance as it is.
  int64_t Score(const api::Node& node) const override {
    const std::vector<Share> shares = SharesOf(node, Requested(NodeState(world_, node).pods()),
                                               wanted_, rules_.balanced_allocation.resources);
    return 50 + (50 + Balance(shares, &Share::after) - Balance(shares, &Share::before)) / 2;
  }

 private:
  // 100 if the same fraction of every resource is in use, less the further they lie apart.
  static int64_t Balance(const std::vector<Share>& shares, int64_t Share::* in_use) {
    std::vector<double> fractions;
    for (const Share& share : shares) {
      const double fraction =
          static_cast<double>(share.*in_use) / static_cast<double>(share.allocatable);
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

  Amounts wanted_;
};

}  // namespace

std::unique_ptr<Rule> MakeNodeResourcesFit(const EvaluationInput& input) {
  return std::make_unique<NodeResourcesFit>(input);
}

std::unique_ptr<Rule> MakeNodeResourcesBalancedAllocation(const EvaluationInput& input) {
  return std::make_unique<NodeResourcesBalancedAllocation>(input);
}

}  // namespace berth::scheduler::reference
