#include "explain/explanation_json.h"

#include <string>
#include <utility>
#include <vector>

#include "api/json/document.h"

namespace berth::explain {
namespace {

using api::JsonArray;
using api::JsonObject;

JsonArray Strings(const std::vector<std::string>& strings) {
  return JsonArray(strings.begin(), strings.end());
}

JsonArray DetailsJson(const ExplanationSummary::Rejection& rejection) {
  JsonArray list;
  for (const auto& details : rejection.details) {
    JsonObject& entry = list.emplace_back(boost::json::object_kind).get_object();
    entry.emplace("text", details.text);
    entry.emplace("nodes", details.count);
    entry.emplace("examples", Strings(details.examples));
  }
  return list;
}

JsonArray RejectionsJson(const ExplanationSummary& summary) {
  JsonArray list;
  for (const auto& rejection : summary.rejections) {
    JsonObject& entry = list.emplace_back(boost::json::object_kind).get_object();
    entry.emplace("nodes", rejection.count);
    entry.emplace("plugin", rejection.plugin);
    entry.emplace("code", rejection.code);
    entry.emplace("reasons", Strings(rejection.reasons));
    entry.emplace("examples", Strings(rejection.examples));
    entry.emplace("details", DetailsJson(rejection));
  }
  return list;
}

JsonArray ScoresJson(const ExplanationSummary& summary) {
  JsonArray list;
  for (const auto& scores : summary.scores) {
    JsonObject& entry = list.emplace_back(boost::json::object_kind).get_object();
    entry.emplace("node", scores.node);
    entry.emplace("total", scores.total);
    entry.emplace("chosen", scores.chosen);
    JsonObject plugins;
    for (const auto& [plugin, score] : scores.plugins) plugins.emplace(plugin, score);
    entry.emplace("plugins", std::move(plugins));
  }
  return list;
}

JsonObject PreemptionJson(const ExplanationSummary& summary) {
  JsonObject result;
  result.emplace("eligible", summary.preemption_eligible);
  result.emplace("priority", summary.priority);
  result.emplace("candidateNodes", summary.candidate_count);
  JsonArray list;
  for (const auto& candidate : summary.candidates) {
    JsonObject& entry = list.emplace_back(boost::json::object_kind).get_object();
    entry.emplace("node", candidate.node);
    JsonArray names;
    JsonArray victims;
    for (const auto& victim : candidate.victims) {
      names.emplace_back(victim.pod);
      JsonObject& details = victims.emplace_back(boost::json::object_kind).get_object();
      details.emplace("pod", victim.pod);
      details.emplace("priority", victim.priority);
      details.emplace("breaksBudget", victim.over_budget);
    }
    entry.emplace("victims", std::move(names));
    entry.emplace("victimDetails", std::move(victims));
    entry.emplace("budgetViolations", candidate.budget_violations);
    entry.emplace("chosen", candidate.chosen);
    if (!candidate.why_not.empty()) entry.emplace("whyNot", candidate.why_not);
  }
  result.emplace("candidates", std::move(list));
  return result;
}

}  // namespace

JsonObject ToJson(const ExplanationSummary& summary) {
  JsonObject result;
  result.emplace("nodes", summary.nodes);
  result.emplace("feasibleNodes", summary.feasible);
  if (!summary.pre_filter.empty()) {
    result["preFilter"] = {{"plugin", summary.pre_filter_plugin}, {"message", summary.pre_filter}};
  }
  result.emplace("rejected", RejectionsJson(summary));
  result.emplace("scores", ScoresJson(summary));
  if (!summary.why.empty()) result.emplace("why", summary.why);
  if (summary.preemption_tried) result.emplace("preemption", PreemptionJson(summary));
  return result;
}

}  // namespace berth::explain
