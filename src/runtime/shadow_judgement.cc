#include "runtime/shadow_judgement.h"

#include <fmt/format.h>

#include <algorithm>

#include "observability/log.h"

namespace berth::runtime {
namespace {

// Returns the message of the Unschedulable condition; null if there is none.
const std::string* UnschedulableMessage(const api::Pod& pod) {
  const auto& conditions = pod.status.conditions;
  const auto found = std::ranges::find(conditions, "PodScheduled", &api::PodCondition::type);
  const bool is_unschedulable =
      found != conditions.end() && found->status == "False" && found->reason == "Unschedulable";
  return is_unschedulable ? &found->message : nullptr;
}

std::string OwnChoice(const scheduler::engine::Explanation& explanation) {
  if (!explanation.best_nodes.empty()) return explanation.best_nodes.front();
  return explanation.preemption ? explanation.preemption->selected : "";
}

// Returns why the engine would not place the pod on `node`; empty if it might.
std::string WhyNotPlaced(const scheduler::engine::Explanation& explanation,
                         const std::string& node) {
  if (!explanation.error.empty()) return explanation.error;
  return scheduler::engine::WhyNot(explanation, node);
}

std::string WhyNotNominated(const scheduler::engine::Explanation& explanation,
                            const std::string& node) {
  // The victims may have been deleted before the nomination was observed.
  if (!explanation.best_nodes.empty()) return scheduler::engine::WhyNot(explanation, node);
  if (!explanation.preemption) return explanation.fit_error;
  const auto& preemption = *explanation.preemption;
  if (preemption.selected == node ||
      (std::ranges::find(preemption.equally_good, node) != preemption.equally_good.end())) {
    return "";
  }
  if (const auto why = scheduler::engine::WhyNotThere(preemption, node); !why.empty()) return why;
  const auto rejected = preemption.rejected.find(node);
  return rejected != preemption.rejected.end() ? rejected->second.Message() : explanation.fit_error;
}

std::string WhyNotUnschedulable(const scheduler::engine::Explanation& explanation,
                                const std::string& own_choice) {
  if (!explanation.error.empty()) return explanation.error;
  if (explanation.best_nodes.empty()) return "";
  const std::string why = scheduler::engine::WhyChosen(explanation, own_choice);
  return why.empty() ? "fits" : why;
}

}  // namespace

std::string_view ToString(Judgement::Kind kind) {
  switch (kind) {
    case Judgement::Kind::kPlaced:
      return "placed";
    case Judgement::Kind::kUnschedulable:
      return "unschedulable";
    case Judgement::Kind::kNominated:
      return "nominated";
  }
  return "";
}

std::string_view ToString(Judgement::Result result) {
  switch (result) {
    case Judgement::Result::kAgrees:
      return "agrees";
    case Judgement::Result::kAgreesInFlight:
      return "agrees_in_flight";
    case Judgement::Result::kDiffers:
      return "differs";
    case Judgement::Result::kUndecided:
      return "undecided";
  }
  return "";
}

std::optional<Judgement::Kind> KindOfDecision(const api::Pod& before, const api::Pod& after) {
  if (!before.spec.node_name.empty() || after.metadata.deletion_timestamp) return std::nullopt;
  if (!after.spec.node_name.empty()) return Judgement::Kind::kPlaced;
  const std::string& nominated = after.status.nominated_node_name;
  if (!nominated.empty() && nominated != before.status.nominated_node_name) {
    return Judgement::Kind::kNominated;
  }
  const std::string* old_message = UnschedulableMessage(before);
  const std::string* new_message = UnschedulableMessage(after);
  const bool changed =
      new_message != nullptr && (old_message == nullptr || *old_message != *new_message);
  return changed ? std::optional(Judgement::Kind::kUnschedulable) : std::nullopt;
}

void Compare(const scheduler::engine::Explanation& explanation, const api::Pod& after,
             Judgement& judgement) {
  judgement.own_choice = OwnChoice(explanation);
  switch (judgement.kind) {
    case Judgement::Kind::kPlaced:
      judgement.difference = WhyNotPlaced(explanation, judgement.node);
      break;
    case Judgement::Kind::kNominated:
      judgement.difference = WhyNotNominated(explanation, judgement.node);
      break;
    case Judgement::Kind::kUnschedulable:
      judgement.difference = WhyNotUnschedulable(explanation, judgement.own_choice);
      judgement.same_words = explanation.fit_error == *UnschedulableMessage(after);
      break;
  }
}

void LogJudgement(const Judgement& judgement) {
  if (judgement.agrees()) {
    LOG_V(
        3, "Shadow agrees",
        {{"pod", judgement.pod.ToString()},
         {"decision", ToString(judgement.kind)},
         {"node", judgement.node},
         {"ownChoice", judgement.own_choice},
         {"sameMessage", judgement.kind != Judgement::Kind::kUnschedulable || judgement.same_words},
         {"inFlight", judgement.result == Judgement::Result::kAgreesInFlight},
         {"tried", judgement.tried},
         {"took", judgement.took}});
    return;
  }
  const bool differs = judgement.result == Judgement::Result::kDiffers;
  LOG_INFO(differs ? "Shadow differs" : "Shadow is undecided",
           {{"pod", judgement.pod.ToString()},
            {"decision", ToString(judgement.kind)},
            {"node", judgement.node},
            {"ownChoice", judgement.own_choice},
            {"why", judgement.difference},
            {"tried", judgement.tried},
            {"took", judgement.took}});
}

void ShadowTotals::Add(Judgement::Result result) {
  directly += result == Judgement::Result::kAgrees;
  in_flight += result == Judgement::Result::kAgreesInFlight;
  differed += result == Judgement::Result::kDiffers;
  undecided += result == Judgement::Result::kUndecided;
}

void LogSummary(const ShadowTotals& totals) {
  const uint64_t judged = totals.judged();
  LOG_INFO("Shadow mode ends",
           {{"judged", judged},
            {"agreed", totals.agreed()},
            {"directly", totals.directly},
            {"inFlight", totals.in_flight},
            {"differed", totals.differed},
            {"undecided", totals.undecided},
            {"agreement",
             judged == 0 ? std::string("none")
                         : fmt::format("{:.2f}%", 100.0 * static_cast<double>(totals.agreed()) /
                                                      static_cast<double>(judged))}});
}

}  // namespace berth::runtime
