#include "cmd/decision_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace berth {
namespace {

std::string Describe(const std::optional<Decision>& decision) {
  if (!decision) return "none";
  switch (decision->kind) {
    case Decision::Kind::kPlaced:
      return decision->node;
    case Decision::Kind::kUnschedulable:
      return "unschedulable: " + decision->message;
    case Decision::Kind::kFailed:
      return "failed: " + decision->message;
  }
  return "unknown";
}

std::string DescribeExpected(const Explanation& expected) {
  if (!expected.error.empty()) return "failed: " + expected.error;
  if (expected.best_nodes.empty()) return "unschedulable: " + expected.fit_error;
  return fmt::format("one of {}", fmt::join(expected.best_nodes, ", "));
}

bool IsRight(const Decision& decision, const Explanation& expected) {
  switch (decision.kind) {
    case Decision::Kind::kPlaced:
      return std::ranges::find(expected.best_nodes, decision.node) != expected.best_nodes.end();
    case Decision::Kind::kUnschedulable:
      // Some cases were recorded without what PostFilter adds.
      return !expected.fit_error.empty() && decision.message.starts_with(expected.fit_error);
    case Decision::Kind::kFailed:
      return !expected.error.empty();
  }
  return false;
}

}  // namespace

DecisionCheck::DecisionCheck(Engine& engine) : engine_(engine) { engine_.Observe(this); }

DecisionCheck::~DecisionCheck() { engine_.Observe(nullptr); }

bool DecisionCheck::CanDecide(const api::Pod& pod) const {
  return pod.spec.node_name.empty() && !engine_.queue().HasReady();
}

Differences DecisionCheck::Decide(const api::Ref<api::Pod>& pod, const Explanation& expected,
                                  Instant now) {
  last_.reset();
  engine_.Handle(ObjectPut{pod}, now);
  engine_.Schedule(now, 1);
  if (last_ && IsRight(*last_, expected)) return {};
  return {{"decision", DescribeExpected(expected), Describe(last_)}};
}

void DecisionCheck::Settle(const api::Ref<api::Pod>& pod, const std::string& node, Instant now) {
  if (node.empty()) {
    engine_.Handle(ObjectGone{pod}, now);
  } else {
    auto placed = api::CopyToChange(*pod);
    placed->spec.node_name = node;
    engine_.Handle(ObjectPut{api::Ref<api::Pod>(std::move(placed))}, now);
  }
  for (const Command& command : engine_.TakeCommands()) {
    engine_.Handle(WriteDone{command.id, {}}, now);
  }
}

}  // namespace berth
