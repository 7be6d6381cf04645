#include "plugins/taint_toleration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/selector.h"
#include "framework/cycle.h"
#include "framework/normalize.h"
#include "plugins/hints.h"

namespace berth {
namespace {

struct Judgement {
  bool repels = false;      // Some hard taint is not tolerated.
  int64_t soft_taints = 0;  // Soft taints that are not tolerated.
};

// The judgement of each taint set so far. Sets are judged when they first turn up, so the state
// grows though it is shared; what is in it never changes.
struct Judgements final : ClassState {
  std::vector<api::Toleration> tolerations;
  mutable std::vector<Judgement> by_set;

  const std::vector<Judgement>& UpTo(const TaintSets& sets) const {
    while (by_set.size() < sets.size()) {
      by_set.push_back(Judge(sets.Get(TaintSetId{static_cast<uint32_t>(by_set.size())})));
    }
    return by_set;
  }

  Judgement Judge(const std::vector<api::Taint>& taints) const {
    Judgement judgement;
    for (const api::Taint& taint : taints) {
      if (taint.effect == "PreferNoSchedule") {
        judgement.soft_taints += !api::ToleratesAny(tolerations, taint);
      } else if (taint.effect == "NoSchedule" || taint.effect == "NoExecute") {
        judgement.repels |= !api::ToleratesAny(tolerations, taint);
      }
    }
    return judgement;
  }
};

bool Repels(const api::Taint& taint, const std::vector<api::Toleration>& tolerations) {
  const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  return hard && !api::ToleratesAny(tolerations, taint);
}

// True if some hard taint is not tolerated.
bool Repels(const std::vector<api::Taint>& taints,
            const std::vector<api::Toleration>& tolerations) {
  return std::ranges::any_of(taints,
                             [&](const api::Taint& taint) { return Repels(taint, tolerations); });
}

// As kubectl writes it: "example.com/gpu=true:NoSchedule".
std::string Text(const api::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect);
}

}  // namespace

std::unique_ptr<const ClassState> TaintToleration::Compile(Cluster&,
                                                           const PodClass& pod_class) const {
  auto state = std::make_unique<Judgements>();
  state->tolerations = pod_class.spec().tolerations;
  return state;
}

Verdict TaintToleration::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const auto& judged = cycle.compiled<Judgements>(*this).UpTo(cycle.nodes().taint_sets());
  const auto& taints = cycle.nodes().columns().taints;
  nodes.KeepIf([&](size_t row) { return !judged[taints[row].index()].repels; });
  return {};
}

Verdict TaintToleration::Explain(const Cycle& cycle, NodeRow node) const {
  const auto& judged = cycle.compiled<Judgements>(*this).UpTo(cycle.nodes().taint_sets());
  if (!judged[cycle.nodes().columns().taints[node.index()].index()].repels) return {};
  return {Code::kUnschedulableAndUnresolvable, "node(s) had untolerated taint(s)"};
}

std::string TaintToleration::Details(const Cycle& cycle, NodeRow node) const {
  const TaintSetId set = cycle.nodes().columns().taints[node.index()];
  std::vector<std::string> texts;
  for (const api::Taint& taint : cycle.nodes().taint_sets().Get(set)) {
    if (Repels(taint, cycle.spec().tolerations)) texts.push_back(Text(taint));
  }
  return fmt::format("the pod does not tolerate {}", fmt::join(texts, ", "));
}

Verdict TaintToleration::PreScore(Cycle&, const NodeMask&) const { return {}; }

Verdict TaintToleration::Score(const Cycle& cycle, const NodeMask& nodes,
                               std::span<int64_t> out) const {
  const auto& judged = cycle.compiled<Judgements>(*this).UpTo(cycle.nodes().taint_sets());
  const auto& taints = cycle.nodes().columns().taints;
  nodes.ForEach([&](size_t row) { out[row] = judged[taints[row].index()].soft_taints; });
  return {};
}

void TaintToleration::Normalize(const Cycle&, const NodeMask& feasible,
                                std::span<int64_t> scores) const {
  DefaultNormalize(feasible, /*reverse=*/true, scores);
}

std::vector<Interest> TaintToleration::Interests() const {
  return {{{Resource::kNode, kAdd | kUpdateNodeTaint}}, {{Resource::kPod, kUpdatePodToleration}}};
}

Result<bool> TaintToleration::MayHelp(const Cluster&, const PodRecord& pod,
                                      const ClusterEvent& event) const {
  if (KindOf(event) == Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    return IsSamePod(pod, *other->after);
  }
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  const auto& tolerations = pod.object->spec.tolerations;
  const bool was_repelled =
      node->before == nullptr || Repels(node->before->spec.taints, tolerations);
  return was_repelled && !Repels(node->after->spec.taints, tolerations);
}

}  // namespace berth
