#include "cmd/schedule_json.h"

#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/json/yaml_writer.h"
#include "explain/explanation_json.h"

namespace berth::cmd {
namespace {

using api::JsonArray;
using api::JsonObject;

JsonArray GroupsJson(const std::vector<GroupOutcome>& groups) {
  JsonArray list;
  for (const GroupOutcome& outcome : groups) {
    JsonObject& group = list.emplace_back(boost::json::object_kind).get_object();
    group.emplace("namespace", outcome.group.namespace_);
    group.emplace("name", outcome.group.name);
    group.emplace("members", outcome.members);
    group.emplace("placed", outcome.placed);
    if (!outcome.condition) continue;
    group.emplace("status", outcome.condition->reason);
    if (!outcome.condition->message.empty()) group.emplace("message", outcome.condition->message);
  }
  return list;
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
    if (outcome.explanation) pod.emplace("explanation", explain::ToJson(*outcome.explanation));
    if (outcome.first_attempt) pod.emplace("madeRoom", explain::ToJson(*outcome.first_attempt));
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
  if (!report.groups.empty()) result.emplace("podGroups", GroupsJson(report.groups));
  return result;
}

}  // namespace

std::string ToJson(const ScheduleReport& report) {
  return api::ToPrettyJson(ToDocument(report)) + "\n";
}

std::string ToYaml(const ScheduleReport& report) { return api::ToYamlText(ToDocument(report)); }

}  // namespace berth::cmd
