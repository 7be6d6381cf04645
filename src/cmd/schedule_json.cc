#include "cmd/schedule_json.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "api/json/json_value.h"

namespace berth::cmd {
namespace {

using api::JsonValue;

JsonValue Number(size_t value) { return JsonValue::Number(static_cast<int64_t>(value)); }

JsonValue Strings(const std::vector<std::string>& strings) {
  JsonValue list = JsonValue::Array();
  for (const std::string& text : strings) list.items.push_back(JsonValue::String(text));
  return list;
}

JsonValue Details(const ExplanationSummary::Rejection& rejection) {
  JsonValue list = JsonValue::Array();
  for (const auto& details : rejection.details) {
    JsonValue& entry = list.items.emplace_back(JsonValue::Object());
    entry.Add("text", JsonValue::String(details.text));
    entry.Add("nodes", Number(details.count));
    entry.Add("examples", Strings(details.examples));
  }
  return list;
}

JsonValue Rejections(const ExplanationSummary& summary) {
  JsonValue list = JsonValue::Array();
  for (const auto& rejection : summary.rejections) {
    JsonValue& entry = list.items.emplace_back(JsonValue::Object());
    entry.Add("nodes", Number(rejection.count));
    entry.Add("plugin", JsonValue::String(rejection.plugin));
    entry.Add("code", JsonValue::String(rejection.code));
    entry.Add("reasons", Strings(rejection.reasons));
    entry.Add("examples", Strings(rejection.examples));
    entry.Add("details", Details(rejection));
  }
  return list;
}

JsonValue Scores(const ExplanationSummary& summary) {
  JsonValue list = JsonValue::Array();
  for (const auto& scores : summary.scores) {
    JsonValue& entry = list.items.emplace_back(JsonValue::Object());
    entry.Add("node", JsonValue::String(scores.node));
    entry.Add("total", JsonValue::Number(scores.total));
    entry.Add("chosen", JsonValue::Bool(scores.chosen));
    JsonValue plugins = JsonValue::Object();
    for (const auto& [plugin, score] : scores.plugins)
      plugins.Add(plugin, JsonValue::Number(score));
    entry.Add("plugins", std::move(plugins));
  }
  return list;
}

JsonValue Preemption(const ExplanationSummary& summary) {
  JsonValue result = JsonValue::Object();
  result.Add("eligible", JsonValue::Bool(summary.preemption_eligible));
  result.Add("priority", JsonValue::Number(summary.priority));
  result.Add("candidateNodes", Number(summary.candidate_count));
  JsonValue list = JsonValue::Array();
  for (const auto& candidate : summary.candidates) {
    JsonValue& entry = list.items.emplace_back(JsonValue::Object());
    entry.Add("node", JsonValue::String(candidate.node));
    JsonValue names = JsonValue::Array();
    JsonValue victims = JsonValue::Array();
    for (const auto& victim : candidate.victims) {
      names.items.push_back(JsonValue::String(victim.pod));
      JsonValue& details = victims.items.emplace_back(JsonValue::Object());
      details.Add("pod", JsonValue::String(victim.pod));
      details.Add("priority", JsonValue::Number(victim.priority));
      details.Add("violatesPDB", JsonValue::Bool(victim.over_budget));
    }
    entry.Add("victims", std::move(names));
    entry.Add("victimDetails", std::move(victims));
    entry.Add("budgetViolations", JsonValue::Number(candidate.budget_violations));
    entry.Add("chosen", JsonValue::Bool(candidate.chosen));
    if (!candidate.why_not.empty()) entry.Add("reason", JsonValue::String(candidate.why_not));
  }
  result.Add("candidates", std::move(list));
  return result;
}

JsonValue Explained(const ExplanationSummary& summary) {
  JsonValue result = JsonValue::Object();
  result.Add("nodes", Number(summary.nodes));
  result.Add("feasibleNodes", Number(summary.feasible));
  if (!summary.pre_filter.empty()) {
    JsonValue& rejection = result.members.emplace_back("preFilter", JsonValue::Object()).value;
    rejection.Add("plugin", JsonValue::String(summary.pre_filter_plugin));
    rejection.Add("message", JsonValue::String(summary.pre_filter));
  }
  result.Add("rejected", Rejections(summary));
  result.Add("scores", Scores(summary));
  if (!summary.why.empty()) result.Add("why", JsonValue::String(summary.why));
  if (summary.preemption_tried) result.Add("preemption", Preemption(summary));
  return result;
}

JsonValue ToValue(const ScheduleReport& report) {
  using Kind = PodOutcome::Kind;
  JsonValue summary = JsonValue::Object();
  summary.Add("nodes", Number(report.nodes));
  summary.Add("running", Number(report.running));
  const std::pair<const char*, Kind> counts[] = {{"scheduled", Kind::kScheduled},
                                                 {"unschedulable", Kind::kUnschedulable},
                                                 {"failed", Kind::kFailed},
                                                 {"gated", Kind::kGated},
                                                 {"otherScheduler", Kind::kOtherScheduler},
                                                 {"terminating", Kind::kTerminating},
                                                 {"preempted", Kind::kPreempted},
                                                 {"pending", Kind::kPending}};
  for (const auto& [name, kind] : counts) summary.Add(name, Number(report.Count(kind)));

  JsonValue pods = JsonValue::Array();
  for (const PodOutcome& outcome : report.pods) {
    JsonValue& pod = pods.items.emplace_back(JsonValue::Object());
    pod.Add("namespace", JsonValue::String(outcome.pod.namespace_));
    pod.Add("name", JsonValue::String(outcome.pod.name));
    pod.Add("status", JsonValue::String(ToString(outcome.kind)));
    if (!outcome.node.empty()) pod.Add("node", JsonValue::String(outcome.node));
    if (!outcome.message.empty()) pod.Add("message", JsonValue::String(outcome.message));
    if (!outcome.victims.empty()) {
      JsonValue& victims = pod.members.emplace_back("victims", JsonValue::Array()).value;
      for (const auto& victim : outcome.victims) {
        victims.items.push_back(JsonValue::String(victim.ToString()));
      }
    }
    if (outcome.explanation) pod.Add("explanation", Explained(*outcome.explanation));
    if (outcome.first_attempt) pod.Add("firstAttempt", Explained(*outcome.first_attempt));
  }
  JsonValue evicted = JsonValue::Array();
  for (const EvictedPod& gone : report.evicted) {
    JsonValue& pod = evicted.items.emplace_back(JsonValue::Object());
    pod.Add("namespace", JsonValue::String(gone.pod.namespace_));
    pod.Add("name", JsonValue::String(gone.pod.name));
    pod.Add("node", JsonValue::String(gone.node));
  }
  JsonValue result = JsonValue::Object();
  result.Add("kind", JsonValue::String("ScheduleReport"));
  result.Add("summary", std::move(summary));
  result.Add("pods", std::move(pods));
  result.Add("evicted", std::move(evicted));
  return result;
}

// Appends `value` indented, one element per line.
void AppendIndented(const JsonValue& value, const std::string& indent, std::string& out) {
  const bool is_array = value.kind == JsonValue::Kind::kArray;
  if ((is_array && value.items.empty()) || value.members.size() + value.items.size() == 0) {
    out += api::ToJsonText(value);
    return;
  }
  const std::string deeper = indent + "  ";
  const char* separator = "\n";
  out += is_array ? "[" : "{";
  for (const JsonValue& item : value.items) {
    out += separator + deeper;
    AppendIndented(item, deeper, out);
    separator = ",\n";
  }
  for (const api::JsonMember& member : value.members) {
    out += separator + deeper + api::ToJsonText(JsonValue::String(member.name)) + ": ";
    AppendIndented(member.value, deeper, out);
    separator = ",\n";
  }
  out += "\n" + indent + (is_array ? "]" : "}");
}

}  // namespace

std::string ToJson(const ScheduleReport& report) {
  std::string out;
  AppendIndented(ToValue(report), "", out);
  return out + "\n";
}

std::string ToYaml(const ScheduleReport& report) {
  std::string out = api::ToYamlText(ToValue(report));
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace berth::cmd
