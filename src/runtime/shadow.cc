#include "runtime/shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "observability/log.h"
#include "scheduler/engine/decision.h"
#include "scheduler/model/cluster.h"

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
      judgement.same_words = explanation.fit_error == *UnschedulableMessage(after);
      if (!explanation.best_nodes.empty()) {
        judgement.difference = scheduler::engine::WhyChosen(explanation, judgement.own_choice);
        if (judgement.difference.empty()) judgement.difference = "fits";
      }
      break;
  }
  judgement.agrees = judgement.difference.empty();
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

std::optional<Judgement> Shadow::Judge(const scheduler::engine::Event& event, Instant now) {
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  if (put == nullptr) return std::nullopt;
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&put->object);
  if (pod == nullptr) return std::nullopt;
  const api::Pod& after = **pod;
  auto before = Before(after);
  if (before == nullptr) return std::nullopt;
  const auto kind = KindOfDecision(*before, after);
  if (!kind) return std::nullopt;

  // Explain fails if no profile has the name of the scheduler: such pods are ignored.
  const auto explanation = engine_.Explain(before, now);
  if (!explanation) return std::nullopt;
  Judgement judgement;
  judgement.pod = {after.metadata.namespace_, after.metadata.name};
  judgement.scheduler_name = after.spec.scheduler_name;
  judgement.kind = *kind;
  judgement.node =
      *kind == Judgement::Kind::kPlaced ? after.spec.node_name : after.status.nominated_node_name;
  Compare(*explanation, after, judgement);
  return judgement;
}

std::shared_ptr<const api::Pod> Shadow::Before(const api::Pod& pod) const {
  const scheduler::model::Cluster& cluster = engine_.cluster();
  const scheduler::model::PodId id =
      cluster.pods().Find(pod.metadata.namespace_, pod.metadata.name);
  if (!id.valid()) return nullptr;
  const auto& known = cluster.pod(id).object;
  return known->metadata.uid == pod.metadata.uid ? known : nullptr;
}

void LogJudgement(const Judgement& judgement, Duration took) {
  if (judgement.agrees) {
    LOG_V(3, "Shadow agrees",
          {{"pod", judgement.pod.ToString()},
           {"decision", ToString(judgement.kind)},
           {"node", judgement.node},
           {"took", took}});
    return;
  }
  LOG_INFO("Shadow differs", {{"pod", judgement.pod.ToString()},
                              {"decision", ToString(judgement.kind)},
                              {"node", judgement.node},
                              {"ownChoice", judgement.own_choice},
                              {"why", judgement.difference},
                              {"took", took}});
}

void LogSummary(uint64_t judged, uint64_t agreed) {
  LOG_INFO("Shadow mode ends",
           {{"judged", judged},
            {"agreed", agreed},
            {"agreement", judged == 0 ? std::string("none")
                                      : fmt::format("{:.2f}%", 100.0 * static_cast<double>(agreed) /
                                                                   static_cast<double>(judged))}});
}

}  // namespace berth::runtime
