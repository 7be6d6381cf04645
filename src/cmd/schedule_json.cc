#include "cmd/schedule_json.h"

#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/json/yaml_writer.h"

namespace berth::cmd {
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

JsonObject ExplainedJson(const ExplanationSummary& summary) {
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

JsonObject ToDocument(const ScheduleReport& report) {
  using Kind = PodOutcome::Kind;
  JsonObject summary;
  summary.emplace("nodes", report.nodes);
  summary.emplace("running", report.running);
  const std::pair<const char*, Kind> counts[] = {
      {"scheduled", Kind::kScheduled},    {"unschedulable", Kind::kUnschedulable},
      {"failed", Kind::kFailed},          {"gated", Kind::kGated},
      {"notOurs", Kind::kOtherScheduler}, {"terminating", Kind::kTerminating},
      {"preempted", Kind::kPreempted},    {"pending", Kind::kPending}};
  for (const auto& [name, kind] : counts) summary.emplace(name, report.Count(kind));

  JsonArray pods;
  for (const PodOutcome& outcome : report.pods) {
    JsonObject& pod = pods.emplace_back(boost::json::object_kind).get_object();
    pod.emplace("namespace", outcome.pod.namespace_);
    pod.emplace("name", outcome.pod.name);
    pod.emplace("status", ToString(outcome.kind));
    if (!outcome.node.empty()) pod.emplace("node", outcome.node);
    if (!outcome.message.empty()) pod.emplace("message", outcome.message);
    if (!outcome.victims.empty()) {
      JsonArray& victims = pod["victims"].emplace_array();
      for (const auto& victim : outcome.victims) victims.emplace_back(victim.ToString());
    }
    if (outcome.explanation) pod.emplace("explanation", ExplainedJson(*outcome.explanation));
    if (outcome.first_attempt) pod.emplace("madeRoom", ExplainedJson(*outcome.first_attempt));
  }
  JsonArray evicted;
  for (const EvictedPod& gone : report.evicted) {
    JsonObject& pod = evicted.emplace_back(boost::json::object_kind).get_object();
    pod.emplace("namespace", gone.pod.namespace_);
    pod.emplace("name", gone.pod.name);
    pod.emplace("node", gone.node);
  }
  JsonObject result;
  result.emplace("kind", "ScheduleReport");
  result.emplace("summary", std::move(summary));
  result.emplace("pods", std::move(pods));
  result.emplace("evicted", std::move(evicted));
  return result;
}

}  // namespace

std::string ToJson(const ScheduleReport& report) {
  return api::ToPrettyJson(ToDocument(report)) + "\n";
}

std::string ToYaml(const ScheduleReport& report) { return api::ToYamlText(ToDocument(report)); }

}  // namespace berth::cmd
