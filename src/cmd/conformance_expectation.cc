#include "cmd/conformance_expectation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cmd/conformance_allocations.h"

namespace berth::cmd {
namespace {

using Value = JsonFields::Value;

constexpr std::string_view kTotal = "total";

scheduler::framework::Code ReadCode(JsonFields& json, Value object) {
  const std::string name = json.String(object, "code");
  for (const scheduler::framework::Code code :
       {scheduler::framework::Code::kSuccess, scheduler::framework::Code::kError,
        scheduler::framework::Code::kUnschedulable, scheduler::framework::Code::kPending,
        scheduler::framework::Code::kUnschedulableAndUnresolvable,
        scheduler::framework::Code::kWait, scheduler::framework::Code::kSkip}) {
    if (scheduler::framework::ToString(code) == name) return code;
  }
  json.AddError("code", "unknown code: \"" + name + "\"");
  return scheduler::framework::Code::kError;
}

scheduler::framework::Verdict ReadVerdict(JsonFields& json, Value object) {
  return scheduler::framework::Verdict(ReadCode(json, object), json.Strings(object, "reasons"))
      .By(json.String(object, "plugin"));
}

void ReadVerdicts(JsonFields& json, Value expect, std::string_view key,
                  scheduler::engine::Explanation& explanation) {
  for (const auto& [name, object] : json.Fields(expect, key)) {
    scheduler::engine::Explanation::Node& node = explanation.nodes[name];
    node.verdict = ReadVerdict(json, object);
    node.excluded_by_pre_filter = json.Bool(object, "excludedByPreFilter");
  }
}

void ReadScores(JsonFields& json, Value expect, std::string_view key,
                scheduler::engine::Explanation& explanation) {
  for (const auto& [name, object] : json.Fields(expect, key)) {
    scheduler::engine::Explanation::Node& node = explanation.nodes[name];
    node.total = json.Int(object, kTotal);
    node.scores = json.Ints(*json.Find(expect, key), name);
    node.scores.erase(std::string(kTotal));
  }
}

scheduler::engine::Explanation::Preemption ReadPreemption(JsonFields& json, Value object) {
  scheduler::engine::Explanation::Preemption preemption;
  preemption.eligible = json.Bool(object, "eligible");
  for (const auto& [node, candidate] : json.Fields(object, "candidates")) {
    auto& into = preemption.candidates[node];
    for (std::string& victim : json.Strings(candidate, "victims")) {
      into.victims.push_back({.pod = std::move(victim)});
    }
    into.budget_violations = json.Int(candidate, "pdbViolations");
  }
  for (const auto& [node, verdict] : json.Fields(object, "rejected")) {
    preemption.rejected.emplace(node, ReadVerdict(json, verdict));
  }
  preemption.equally_good = json.Strings(object, "selectedAny");
  std::ranges::sort(preemption.equally_good);
  preemption.selected = json.String(object, "selected");
  return preemption;
}

// Reads the part that ordinary and digest cases share.
scheduler::engine::Explanation ReadOutcome(JsonFields& json, Value expect) {
  scheduler::engine::Explanation explanation;
  const Value pre_filter = json.Require(expect, "preFilter");
  explanation.pre_filter = ReadVerdict(json, pre_filter);
  if (json.Find(pre_filter, "nodeNames")) {
    explanation.restricted_to = json.Strings(pre_filter, "nodeNames");
    std::ranges::sort(*explanation.restricted_to);
  }
  explanation.best_nodes = json.Strings(expect, "bestNodes");
  std::ranges::sort(explanation.best_nodes);
  explanation.nominated_node_fits = json.Bool(expect, "nominatedNodeFits");
  explanation.error = json.String(expect, "error");
  explanation.fit_error = json.String(expect, "fitError");
  explanation.fit_error_before_post_filter =
      json.OptionalString(expect, "fitErrorBeforePostFilter").value_or(explanation.fit_error);
  explanation.rejected_by = json.Strings(expect, "unschedulablePlugins");
  std::ranges::sort(explanation.rejected_by);
  return explanation;
}

}  // namespace

Result<Expectation> ReadExpectation(Value expect) {
  JsonFields json;
  Expectation result;
  result.explanation = ReadOutcome(json, expect);
  ReadVerdicts(json, expect, "filter", result.explanation);
  ReadScores(json, expect, "scores", result.explanation);
  result.scored = json.Find(expect, "scores").has_value();
  result.allocates_devices = json.Find(expect, "allocations").has_value();
  auto allocations = ReadAllocations(expect);
  if (!allocations) return std::unexpected(allocations.error());
  for (auto& [node, by_claim] : *allocations)
    result.explanation.nodes[node].allocations = std::move(by_claim);
  if (const auto preemption = json.Find(expect, "preemption")) {
    result.explanation.preemption = ReadPreemption(json, *preemption);
    result.explanation.post_filter = ReadVerdict(json, json.Require(*preemption, "status"));
  }
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return result;
}

Result<std::vector<ExpectedStep>> ReadSteps(Value expect) {
  JsonFields json;
  std::vector<ExpectedStep> steps;
  for (const Value object : json.List(expect, "steps")) {
    ExpectedStep& step = steps.emplace_back();
    step.best_nodes = json.Strings(object, "bestNodes");
    std::ranges::sort(step.best_nodes);
    step.chosen = json.String(object, "chosen");
    step.best_total = json.Int(object, "bestTotal");
    step.feasible = static_cast<size_t>(json.Int(object, "feasible"));
    step.fit_error = json.String(object, "fitError");
  }
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return steps;
}

Result<ExpectedDigest> ReadDigest(Value expect) {
  JsonFields json;
  ExpectedDigest digest;
  digest.sample = ReadOutcome(json, expect);
  ReadVerdicts(json, expect, "sampleFilter", digest.sample);
  ReadScores(json, expect, "sampleScores", digest.sample);
  digest.feasible = static_cast<size_t>(json.Int(expect, "feasible"));
  digest.best_total = json.Int(expect, "bestTotal");
  digest.rejected_by = json.Ints(expect, "rejectedBy");
  digest.rejected_reasons = json.Ints(expect, "rejectedReasons");
  digest.score_sums = json.Ints(expect, "scoreSums");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return digest;
}

}  // namespace berth::cmd
