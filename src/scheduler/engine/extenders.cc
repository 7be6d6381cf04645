#include "scheduler/engine/extenders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/json/writer.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::engine {
namespace {}  // namespace

model::NodeRow Extenders::Find(std::string_view node) const {
  return cluster_.nodes().Find(cluster_.symbols().Find(node));
}

std::vector<const api::Node*> Extenders::ObjectsOf(const Nodes& nodes) const {
  std::vector<const api::Node*> objects;
  for (model::NodeRow row : nodes) objects.push_back(cluster_.nodes().info(row).object.get());
  return objects;
}

Task<Result<std::string>> Extenders::Call(size_t index, framework::ExtenderStep step,
                                          std::string body) {
  framework::CallExtender call{index, step, std::move(body)};
  framework::WriteResult result = co_await outbox_.Write(std::move(call));
  if (!result.ok()) co_return Fail(std::move(result.message));
  co_return std::move(result.body);
}

Task<Extenders::Judgement> Extenders::CallFilter(size_t index, const api::Pod& pod,
                                                 const Nodes& nodes) {
  const framework::ExtenderConfig& extender = extenders_[index];
  Judgement judgement;
  std::string body = EncodeExtenderArgs(extender, pod, ObjectsOf(nodes));
  const Result<std::string> response =
      co_await Call(index, framework::ExtenderStep::kFilter, std::move(body));
  if (!response) {
    judgement.error = framework::Verdict::Error(response.error().message);
    co_return judgement;
  }
  const auto decoded = DecodeExtenderFilterResult(extender, *response, [&](std::string_view node) {
    const model::NodeRow row = Find(node);
    return row.valid() && std::ranges::find(nodes, row) != nodes.end();
  });
  if (!decoded) {
    judgement.error = framework::Verdict::Error(decoded.error().message);
    co_return judgement;
  }
  for (const std::string& node : decoded->nodes) judgement.passing.push_back(Find(node));
  auto fail = [&](const ReasonByNode& reasons, framework::Code code) {
    for (const auto& [node, reason] : reasons) {
      const model::NodeRow row = Find(node);
      if (row.valid()) judgement.failing.emplace_back(row, framework::Verdict(code, reason));
    }
  };
  fail(decoded->failed_and_unresolvable, framework::Code::kUnschedulableAndUnresolvable);
  fail(decoded->failed, framework::Code::kUnschedulable);
  co_return judgement;
}

bool Extenders::FilterOrPrioritize() const {
  return std::ranges::any_of(extenders_, [](const framework::ExtenderConfig& extender) {
    return framework::TakesPartIn(extender, framework::ExtenderStep::kFilter) ||
           framework::TakesPartIn(extender, framework::ExtenderStep::kPrioritize);
  });
}

Task<framework::Verdict> Extenders::Filter(framework::Attempt& attempt) {
  const api::Pod& pod = *attempt.cycle().pod().object;
  for (size_t i = 0; i < extenders_.size() && !attempt.feasible().None(); ++i) {
    if (!Wants(extenders_[i], framework::ExtenderStep::kFilter, pod)) continue;
    const Nodes nodes = attempt.FeasibleInOrder();
    const Judgement judgement = co_await CallFilter(i, pod, nodes);
    if (!judgement.error.ok()) {
      if (extenders_[i].ignorable) continue;
      co_return judgement.error;
    }
    for (model::NodeRow row : nodes) {
      if (std::ranges::find(judgement.passing, row) != judgement.passing.end()) continue;
      const auto why = std::ranges::find(judgement.failing, row,
                                         &std::pair<model::NodeRow, framework::Verdict>::first);
      attempt.Exclude(row,
                      why == judgement.failing.end() ? std::nullopt : std::optional(why->second));
    }
  }
  co_return framework::Verdict();
}

Task<bool> Extenders::Pass(const model::PodRecord& pod, model::NodeRow node) {
  for (size_t i = 0; i < extenders_.size(); ++i) {
    if (!Wants(extenders_[i], framework::ExtenderStep::kFilter, *pod.object)) continue;
    const Nodes nodes{node};
    const Judgement judgement = co_await CallFilter(i, *pod.object, nodes);
    if (judgement.error.ok() ? judgement.passing.empty() : !extenders_[i].ignorable)
      co_return false;
  }
  co_return true;
}

// Errors are ignored: the other scores decide.
Task<std::vector<std::pair<model::NodeRow, int64_t>>> Extenders::CallPrioritize(
    size_t index, const api::Pod& pod, const Nodes& nodes) {
  std::vector<std::pair<model::NodeRow, int64_t>> given;
  const framework::ExtenderConfig& extender = extenders_[index];
  std::string body = EncodeExtenderArgs(extender, pod, ObjectsOf(nodes));
  const Result<std::string> response =
      co_await Call(index, framework::ExtenderStep::kPrioritize, std::move(body));
  if (!response) co_return given;
  const auto decoded = DecodeHostPriorityList(extender, *response);
  if (!decoded) co_return given;
  for (const HostPriority& priority : *decoded) {
    const model::NodeRow row = Find(priority.host);
    if (row.valid()) given.emplace_back(row, framework::Contribution(extender, priority.score));
  }
  co_return given;
}

Task<model::NodeRow> Extenders::Choose(framework::Attempt& attempt, std::vector<int64_t>& totals,
                                       Random& random) {
  const api::Pod& pod = *attempt.cycle().pod().object;
  const Nodes nodes = attempt.FeasibleInOrder();
  std::vector<Task<std::vector<std::pair<model::NodeRow, int64_t>>>> calls;
  model::NodeMask scored(totals.size());
  for (size_t i = 0; i < extenders_.size(); ++i) {
    if (!framework::IsInterested(extenders_[i], pod)) continue;
    if (framework::TakesPartIn(extenders_[i], framework::ExtenderStep::kPrioritize)) {
      calls.push_back(CallPrioritize(i, pod, nodes));
      calls.back().Start();
    } else {
      scored = attempt.feasible();  // A response without scores counts as one, too.
    }
  }
  for (auto& task : calls) {
    const std::vector<std::pair<model::NodeRow, int64_t>> given = co_await task.Join();
    for (const auto& [row, contribution] : given) {
      totals[row.index()] += contribution;
      scored.Set(row.index());
    }
  }
  model::NodeRow best;
  uint64_t best_key = 0;
  for (model::NodeRow row : nodes) {
    const uint64_t key = scored.Test(row.index()) ? random.Below(UINT64_MAX) : 0;
    const bool better = !best.valid() || totals[row.index()] > totals[best.index()] ||
                        (totals[row.index()] == totals[best.index()] && key > best_key);
    if (!better) continue;
    best = row;
    best_key = key;
  }
  co_return best;
}

Result<std::vector<framework::PreemptionCandidate>> FindVictims(
    const framework::ExtenderConfig& extender, const MetaVictimsByNode& victims_by_node,
    const model::Cluster& cluster) {
  std::vector<framework::PreemptionCandidate> found;
  std::optional<std::string> without_victims;
  for (const auto& [node, meta] : victims_by_node) {
    const model::NodeRow row = cluster.nodes().Find(cluster.symbols().Find(node));
    if (!row.valid() || cluster.nodes().info(row).object == nullptr) {
      return Fail(fmt::format("nodeinfo not found for node name {}", api::JsonQuoted(node)));
    }
    framework::Victims victims{.pods = {}, .budget_violations = meta.budget_violations};
    for (const std::string& uid : meta.uids) {
      const std::vector<model::PodId>& pods = cluster.nodes().info(row).pods;
      const auto pod = std::ranges::find(
          pods, uid, [&](model::PodId id) -> auto& { return cluster.pod(id).uid(); });
      if (pod == pods.end()) {
        // Upstream prints a pointer to the uid's struct: hence the brackets.
        return Fail(
            fmt::format("extender: {} claims to preempt pod (UID: &{{{}}}) on node: {}, but the "
                        "pod is not found on that node",
                        extender.url_prefix, uid, node));
      }
      victims.pods.push_back(*pod);
    }
    if (!victims.pods.empty()) {
      found.push_back({row, std::move(victims)});
    } else if (!extender.ignorable && !without_victims) {
      without_victims = node;
    }
  }
  if (without_victims) {
    return Fail(fmt::format("expected at least one victim pod on node {}",
                            api::JsonQuoted(*without_victims)));
  }
  return found;
}

Task<framework::Verdict> Extenders::ProcessPreemption(
    const model::PodRecord& preemptor, std::vector<framework::PreemptionCandidate>& candidates) {
  for (size_t i = 0; i < extenders_.size() && !candidates.empty(); ++i) {
    const framework::ExtenderConfig& extender = extenders_[i];
    if (!Wants(extender, framework::ExtenderStep::kPreempt, *preemptor.object)) continue;
    std::map<std::string, ExtenderVictims, std::less<>> by_node;
    for (const framework::PreemptionCandidate& candidate : candidates) {
      ExtenderVictims& victims = by_node[cluster_.nodes().name(candidate.node)];
      victims.budget_violations = candidate.victims.budget_violations;
      for (model::PodId id : candidate.victims.pods)
        victims.pods.push_back(cluster_.pod(id).object.get());
    }
    std::string body = EncodeExtenderPreemptionArgs(extender, *preemptor.object, by_node);
    const Result<std::string> response =
        co_await Call(i, framework::ExtenderStep::kPreempt, std::move(body));
    Result<MetaVictimsByNode> decoded = response
                                            ? DecodeExtenderPreemptionResult(extender, *response)
                                            : std::unexpected(response.error());
    auto found =
        decoded ? FindVictims(extender, *decoded, cluster_) : std::unexpected(decoded.error());
    if (!found) {
      if (extender.ignorable) continue;
      co_return framework::Verdict::Error(found.error().message);
    }
    candidates = *std::move(found);
  }
  co_return framework::Verdict();
}

Task<framework::Verdict> Extenders::Bind(const api::Pod& pod, const framework::BindPod& bind) {
  for (size_t i = 0; i < extenders_.size(); ++i) {
    if (!Wants(extenders_[i], framework::ExtenderStep::kBind, pod)) continue;
    std::string body = EncodeExtenderBindingArgs(bind);
    const Result<std::string> response =
        co_await Call(i, framework::ExtenderStep::kBind, std::move(body));
    const Status bound = response ? DecodeExtenderBindingResult(extenders_[i], *response)
                                  : std::unexpected(response.error());
    if (bound) co_return framework::Verdict();
    if (!extenders_[i].ignorable) co_return framework::Verdict::Error(bound.error().message);
  }
  co_return framework::Verdict::Skip();
}

}  // namespace berth::scheduler::engine
