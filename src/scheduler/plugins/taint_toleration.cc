#include "scheduler/plugins/taint_toleration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "api/selector.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/model/node_table.h"
#include "scheduler/plugins/changed_object.h"

namespace berth::scheduler::plugins {
namespace {

struct Judgement {
  bool repels = false;      // Some hard taint is not tolerated.
  int64_t soft_taints = 0;  // Soft taints that are not tolerated.
};

// The result for each taint set so far; it is updated when new sets turn up. As a predicate: the
// pod tolerates the hard taints of the node; as a value: how many soft ones it does not tolerate.
struct Judgements final : framework::ClassState, framework::NodePredicate, framework::NodeValue {
  std::vector<api::Toleration> tolerations;
  bool comparison_operators = false;
  std::vector<Judgement> by_set;
  std::vector<uint64_t> serials;  // Of the sets that were judged.
  uint64_t newest_serial = 0;
  bool any_repels = false, any_soft = false;

  const std::vector<Judgement>& For(const model::TaintSets& sets) {
    if (newest_serial == sets.newest_serial()) return by_set;
    newest_serial = sets.newest_serial();
    by_set.resize(sets.capacity());
    serials.resize(sets.capacity());
    for (uint32_t i = 0; i < sets.capacity(); ++i) {
      const model::TaintSetId id{i};
      const uint64_t serial = sets.serial(id);
      if (serial == 0 || serial == std::exchange(serials[i], serial)) continue;
      by_set[i] = Judge(sets.Get(id));
    }
    any_repels = std::ranges::any_of(by_set, &Judgement::repels);
    any_soft = std::ranges::any_of(by_set, [](const Judgement& j) { return j.soft_taints > 0; });
    return by_set;
  }

  bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override {
    return !by_set[cycle.nodes().columns().taints[node.index()].index()].repels;
  }
  void Keep(const framework::Cycle& cycle, model::NodeMask& nodes) const override {
    const auto& taints = cycle.nodes().columns().taints;
    nodes.KeepIf([&](size_t row) { return !by_set[taints[row].index()].repels; });
  }
  bool AppendKey(const framework::Cycle&, std::string& key) const override {
    model::KeyWriter(key).Put(tolerations);
    return true;
  }

  int64_t Of(const framework::Cycle& cycle, model::NodeRow node) const override {
    return by_set[cycle.nodes().columns().taints[node.index()].index()].soft_taints;
  }
  void AppendValueKey(const framework::Cycle& cycle, std::string& key) const override {
    AppendKey(cycle, key);
  }

  Judgement Judge(const std::vector<api::Taint>& taints) const {
    Judgement judgement;
    for (const api::Taint& taint : taints) {
      if (taint.effect == "PreferNoSchedule") {
        judgement.soft_taints += !Tolerates(taint);
      } else if (taint.effect == "NoSchedule" || taint.effect == "NoExecute") {
        judgement.repels |= !Tolerates(taint);
      }
    }
    return judgement;
  }

  bool Tolerates(const api::Taint& taint) const {
    return api::ToleratesAny(tolerations, taint, comparison_operators);
  }
};

bool Repels(const api::Taint& taint, const api::PodSpec& pod, const model::Features& features) {
  const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  return hard &&
         !api::ToleratesAny(pod.tolerations, taint, features.taint_toleration_comparison_operators);
}

// Reports whether some hard taint is not tolerated.
bool Repels(const std::vector<api::Taint>& taints, const api::PodSpec& pod,
            const model::Features& features) {
  return std::ranges::any_of(taints,
                             [&](const api::Taint& taint) { return Repels(taint, pod, features); });
}

// As kubectl writes it: "example.com/gpu=true:NoSchedule".
std::string Text(const api::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect);
}

}  // namespace

std::unique_ptr<framework::ClassState> TaintToleration::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<Judgements>();
  state->tolerations = pod_class.spec().tolerations;
  state->comparison_operators = cluster.features().taint_toleration_comparison_operators;
  return state;
}

// Where no taint matters to the pod, its tolerations do not either: then it shares its selection of
// nodes with other pods.
framework::Conditions TaintToleration::Require(const framework::Cycle& cycle) const {
  auto& judgements = cycle.class_cache<Judgements>(*this);
  judgements.For(cycle.nodes().taint_sets());
  if (!judgements.any_repels) return {};
  return {framework::NodeClass{
      .is = &judgements,
      .rejection = framework::Rejection{framework::Code::kUnschedulableAndUnresolvable,
                                        "node(s) had untolerated taint(s)"}}};
}

std::string TaintToleration::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const model::TaintSetId set = cycle.nodes().columns().taints[node.index()];
  std::vector<std::string> texts;
  for (const api::Taint& taint : cycle.nodes().taint_sets().Get(set)) {
    if (Repels(taint, cycle.spec(), cycle.cluster().features())) texts.push_back(Text(taint));
  }
  return fmt::format("the pod does not tolerate {}", fmt::join(texts, ", "));
}

framework::Verdict TaintToleration::PreScore(framework::Cycle&, const model::NodeMask&) const {
  return {};
}

framework::Rating TaintToleration::Rate(const framework::Cycle& cycle) const {
  auto& judgements = cycle.class_cache<Judgements>(*this);
  judgements.For(cycle.nodes().taint_sets());
  if (!judgements.any_soft) return framework::EqualScores{};
  return framework::StaticScore{&judgements};
}

std::vector<framework::ClusterEventWithHint> TaintToleration::EventsToRegister() const {
  return {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeTaint}},
          {{framework::Resource::kPod, framework::kUpdatePodToleration}}};
}

Result<bool> TaintToleration::QueueingHint(const model::Cluster& cluster,
                                           const model::PodRecord& pod,
                                           const framework::ClusterEvent& event) const {
  if (KindOf(event) == framework::Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    return IsSamePod(pod, *other->after);
  }
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  auto repels = [&](const api::Node& version) {
    return Repels(version.spec.taints, pod.object->spec, cluster.features());
  };
  const bool was_repelled = node->before == nullptr || repels(*node->before);
  return was_repelled && !repels(*node->after);
}

}  // namespace berth::scheduler::plugins
