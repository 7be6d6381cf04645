#include "engine/extenders.h"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/extender_answer.h"
#include "framework/extender_request.h"

namespace berth {
namespace {

std::vector<NodeRow> InOrder(const NodeMask& nodes, const std::vector<uint32_t>& rank) {
  std::vector<NodeRow> rows;
  nodes.ForEach([&](size_t row) { rows.push_back(NodeRow{static_cast<uint32_t>(row)}); });
  std::ranges::sort(rows, {}, [&](NodeRow row) { return rank[row.index()]; });
  return rows;
}

}  // namespace

NodeRow Extenders::Find(std::string_view node) const {
  return cluster_.nodes().Find(cluster_.symbols().Find(node));
}

std::vector<const api::Node*> Extenders::ObjectsOf(const Nodes& nodes) const {
  std::vector<const api::Node*> objects;
  for (NodeRow row : nodes) objects.push_back(cluster_.nodes().info(row).object.get());
  return objects;
}

Task<Result<std::string>> Extenders::Call(size_t index, ExtenderStep step, std::string body) {
  CallExtender call{index, step, std::move(body)};
  WriteResult result = co_await outbox_.Write(std::move(call));
  if (!result.ok()) co_return Fail(std::move(result.message));
  co_return std::move(result.body);
}

Task<Extenders::Judgement> Extenders::Ask(size_t index, const api::Pod& pod, const Nodes& nodes) {
  const ExtenderConfig& extender = extenders_[index];
  Judgement judgement;
  std::string body = EncodeExtenderArgs(extender, pod, ObjectsOf(nodes));
  const Result<std::string> said = co_await Call(index, ExtenderStep::kFilter, std::move(body));
  if (!said) {
    judgement.error = Verdict::Error(said.error().message);
    co_return judgement;
  }
  const auto answer = DecodeFilterAnswer(extender, *said, [&](std::string_view node) {
    const NodeRow row = Find(node);
    return row.valid() && std::ranges::find(nodes, row) != nodes.end();
  });
  if (!answer) {
    judgement.error = Verdict::Error(answer.error().message);
    co_return judgement;
  }
  for (const std::string& node : answer->nodes) judgement.passing.push_back(Find(node));
  auto fail = [&](const ReasonByNode& reasons, Code code) {
    for (const auto& [node, reason] : reasons) {
      const NodeRow row = Find(node);
      if (row.valid()) judgement.failing.emplace_back(row, Verdict(code, reason));
    }
  };
  fail(answer->failed_and_unresolvable, Code::kUnschedulableAndUnresolvable);
  fail(answer->failed, Code::kUnschedulable);
  co_return judgement;
}

Task<Verdict> Extenders::Filter(Attempt& attempt) {
  const api::Pod& pod = *attempt.cycle().pod().object;
  for (size_t i = 0; i < extenders_.size() && !attempt.feasible().None(); ++i) {
    if (!Wants(extenders_[i], ExtenderStep::kFilter, pod)) continue;
    const Nodes nodes = InOrder(attempt.feasible(), attempt.rank());
    const Judgement judgement = co_await Ask(i, pod, nodes);
    if (!judgement.error.ok()) {
      if (extenders_[i].ignorable) continue;
      co_return judgement.error;
    }
    for (NodeRow row : nodes) {
      if (std::ranges::find(judgement.passing, row) != judgement.passing.end()) continue;
      const auto why =
          std::ranges::find(judgement.failing, row, &std::pair<NodeRow, Verdict>::first);
      attempt.Exclude(row,
                      why == judgement.failing.end() ? std::nullopt : std::optional(why->second));
    }
  }
  co_return Verdict();
}

Task<bool> Extenders::Pass(const PodRecord& pod, NodeRow node) {
  for (size_t i = 0; i < extenders_.size(); ++i) {
    if (!Wants(extenders_[i], ExtenderStep::kFilter, *pod.object)) continue;
    const Nodes nodes{node};
    const Judgement judgement = co_await Ask(i, *pod.object, nodes);
    if (judgement.error.ok() ? judgement.passing.empty() : !extenders_[i].ignorable)
      co_return false;
  }
  co_return true;
}

// What goes wrong here is ignored: the other scores decide.
Task<std::vector<std::pair<NodeRow, int64_t>>> Extenders::AskForScores(size_t index,
                                                                       const api::Pod& pod,
                                                                       const Nodes& nodes) {
  std::vector<std::pair<NodeRow, int64_t>> given;
  const ExtenderConfig& extender = extenders_[index];
  std::string body = EncodeExtenderArgs(extender, pod, ObjectsOf(nodes));
  const Result<std::string> said = co_await Call(index, ExtenderStep::kPrioritize, std::move(body));
  if (!said) co_return given;
  const auto answer = DecodePrioritizeAnswer(extender, *said);
  if (!answer) co_return given;
  for (const HostPriority& priority : *answer) {
    const NodeRow row = Find(priority.host);
    if (row.valid()) given.emplace_back(row, Contribution(extender, priority.score));
  }
  co_return given;
}

Task<NodeRow> Extenders::Choose(Attempt& attempt, std::vector<int64_t>& totals, Random& random) {
  const api::Pod& pod = *attempt.cycle().pod().object;
  const Nodes nodes = InOrder(attempt.feasible(), attempt.rank());
  std::vector<Task<std::vector<std::pair<NodeRow, int64_t>>>> asked;
  NodeMask scored(totals.size());
  for (size_t i = 0; i < extenders_.size(); ++i) {
    if (!IsInterested(extenders_[i], pod)) continue;
    if (TakesPartIn(extenders_[i], ExtenderStep::kPrioritize)) {
      asked.push_back(AskForScores(i, pod, nodes));
      asked.back().Start();
    } else {
      scored = attempt.feasible();  // Nothing for each node is a contribution, too.
    }
  }
  for (auto& task : asked) {
    const std::vector<std::pair<NodeRow, int64_t>> given = co_await task.Join();
    for (const auto& [row, contribution] : given) {
      totals[row.index()] += contribution;
      scored.Set(row.index());
    }
  }
  NodeRow best;
  uint64_t best_key = 0;
  for (NodeRow row : nodes) {
    const uint64_t key = scored.Test(row.index()) ? random.Below(UINT64_MAX) : 0;
    const bool better = !best.valid() || totals[row.index()] > totals[best.index()] ||
                        (totals[row.index()] == totals[best.index()] && key > best_key);
    if (!better) continue;
    best = row;
    best_key = key;
  }
  co_return best;
}

Task<Verdict> Extenders::Narrow(const PodRecord& preemptor,
                                std::vector<PreemptionCandidate>& candidates) {
  for (size_t i = 0; i < extenders_.size() && !candidates.empty(); ++i) {
    const ExtenderConfig& extender = extenders_[i];
    if (!Wants(extender, ExtenderStep::kPreempt, *preemptor.object)) continue;
    std::map<std::string, ExtenderVictims, std::less<>> by_node;
    for (const PreemptionCandidate& candidate : candidates) {
      ExtenderVictims& victims = by_node[cluster_.nodes().name(candidate.node)];
      victims.budget_violations = candidate.victims.budget_violations;
      for (PodId id : candidate.victims.pods) victims.pods.push_back(cluster_.pod(id).object.get());
    }
    std::string body = EncodeExtenderPreemptionArgs(extender, *preemptor.object, by_node);
    const Result<std::string> said = co_await Call(i, ExtenderStep::kPreempt, std::move(body));
    Result<MetaVictimsByNode> answer =
        said ? DecodePreemptAnswer(extender, *said) : std::unexpected(said.error());
    auto found =
        answer ? FindVictims(extender, *answer, cluster_) : std::unexpected(answer.error());
    if (!found) {
      if (extender.ignorable) continue;
      co_return Verdict::Error(found.error().message);
    }
    candidates.clear();
    for (auto& [row, victims] : *found) candidates.push_back({row, std::move(victims)});
  }
  co_return Verdict();
}

Task<Verdict> Extenders::Bind(const api::Pod& pod, const BindPod& bind) {
  for (size_t i = 0; i < extenders_.size(); ++i) {
    if (!Wants(extenders_[i], ExtenderStep::kBind, pod)) continue;
    std::string body = EncodeExtenderBindingArgs(bind);
    const Result<std::string> said = co_await Call(i, ExtenderStep::kBind, std::move(body));
    const Status bound =
        said ? DecodeBindAnswer(extenders_[i], *said) : std::unexpected(said.error());
    if (bound) co_return Verdict();
    if (!extenders_[i].ignorable) co_return Verdict::Error(bound.error().message);
  }
  co_return Verdict::Skip();
}

}  // namespace berth
