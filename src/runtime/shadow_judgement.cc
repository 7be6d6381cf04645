#include "runtime/shadow_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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

const char* MessageOf(Judgement::Result result) {
  switch (result) {
    case Judgement::Result::kSampled:
      return "Shadow explains a difference by sampling";
    case Judgement::Result::kNotJudged:
      return "Shadow does not judge";
    default:
      return "Shadow differs";
  }
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
    case Judgement::Result::kSameScore:
      return "same_score";
    case Judgement::Result::kAgreesInFlight:
      return "agrees_in_flight";
    case Judgement::Result::kSampled:
      return "sampled";
    case Judgement::Result::kDiffers:
      return "differs";
    case Judgement::Result::kNotJudged:
      return "not_judged";
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
         {"sameScore", judgement.result == Judgement::Result::kSameScore},
         {"inFlight", judgement.result == Judgement::Result::kAgreesInFlight},
         {"tried", judgement.tried},
         {"took", judgement.took}});
    return;
  }
  LOG_INFO(MessageOf(judgement.result), {{"pod", judgement.pod.ToString()},
                                         {"decision", ToString(judgement.kind)},
                                         {"node", judgement.node},
                                         {"ownChoice", judgement.own_choice},
                                         {"why", judgement.difference},
                                         {"tried", judgement.tried},
                                         {"took", judgement.took}});
}

uint64_t ShadowTotals::agreed() const {
  using Result = Judgement::Result;
  return (*this)[Result::kAgrees] + (*this)[Result::kSameScore] + (*this)[Result::kAgreesInFlight];
}

uint64_t ShadowTotals::seen() const {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

void LogTotals(std::string_view what, const ShadowTotals& totals) {
  using Result = Judgement::Result;
  // What sampling explains and what was not judged say nothing about agreement.
  const uint64_t compared = totals.agreed() + totals[Result::kDiffers];
  const std::string agreement =
      compared == 0 ? "none"
                    : fmt::format("{:.2f}%", 100.0 * static_cast<double>(totals.agreed()) /
                                                 static_cast<double>(compared));
  LOG_INFO(what, {{"judged", totals.seen() - totals[Result::kNotJudged]},
                  {"agreed", totals.agreed()},
                  {"directly", totals[Result::kAgrees]},
                  {"sameScore", totals[Result::kSameScore]},
                  {"inFlight", totals[Result::kAgreesInFlight]},
                  {"sampled", totals[Result::kSampled]},
                  {"differed", totals[Result::kDiffers]},
                  {"notJudged", totals[Result::kNotJudged]},
                  {"agreement", agreement}});
}

}  // namespace berth::runtime
