#include "explain/pod_explanation_json.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/timestamp.h"
#include "explain/explanation_json.h"
#include "explain/patches.h"

namespace berth::explain {
namespace {

using api::JsonArray;
using api::JsonObject;

JsonArray List(const std::vector<std::string>& strings) {
  return JsonArray(strings.begin(), strings.end());
}

void AddText(JsonObject& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object.emplace(key, text);
}

void AddList(JsonObject& object, std::string_view key, const std::vector<std::string>& list) {
  if (!list.empty()) object.emplace(key, List(list));
}

JsonObject Document(std::string_view kind) {
  JsonObject document;
  document.emplace("apiVersion", kApiVersion);
  document.emplace("kind", kind);
  return document;
}

JsonObject NameJson(const ObjectName& name) {
  JsonObject json;
  json.emplace("apiVersion", name.api_version);
  json.emplace("kind", name.kind);
  AddText(json, "namespace", name.key.namespace_);
  json.emplace("name", name.key.name);
  return json;
}

JsonObject KeyJson(const api::ObjectKey& key) {
  JsonObject json;
  json.emplace("namespace", key.namespace_);
  json.emplace("name", key.name);
  return json;
}

JsonObject ConditionJson(const api::PodCondition& condition) {
  JsonObject json;
  json.emplace("status", condition.status);
  AddText(json, "reason", condition.reason);
  AddText(json, "message", condition.message);
  if (condition.last_transition_time) {
    json.emplace("lastTransitionTime", api::FormatTimestamp(*condition.last_transition_time));
  }
  return json;
}

JsonObject DecisionJson(const PodExplanation::Decision& decision) {
  JsonObject json;
  json.emplace("outcome", ToString(decision.outcome));
  if (decision.outcome == Outcome::kFits) {
    const auto& best = decision.best_nodes;
    const size_t shown = std::min(best.size(), ExplanationSummary::kTop);
    json.emplace("bestNodeCount", best.size());
    json.emplace("bestNodes",
                 JsonArray(best.begin(), best.begin() + static_cast<ptrdiff_t>(shown)));
  }
  AddText(json, "nominatedNode", decision.nominated_node);
  AddText(json, "message", decision.message);
  AddList(json, "rejectedBy", decision.rejected_by);
  json.emplace("explanation", ToJson(decision.explanation));
  return json;
}

JsonObject PlacementJson(const PodExplanation::Placement& placement) {
  JsonObject json;
  json.emplace("node", placement.node);
  json.emplace("nodeExists", placement.node_exists);
  json.emplace("fits", placement.fits);
  json.emplace("chosen", placement.chosen);
  AddText(json, "whyNot", placement.why_not);
  return json;
}

void AddGroup(const GroupExplanation& group, JsonObject& json) {
  const scheduler::groups::GroupPreview& decision = group.decision;
  json.emplace("name", KeyJson(group.group));
  json.emplace("exists", decision.exists);
  if (decision.min_count) json.emplace("minCount", *decision.min_count);
  AddList(json, "topologyKeys", decision.topology_keys);
  json.emplace("scheduled", decision.scheduled);
  json.emplace("pending", decision.members.size());
  json.emplace("outcome", ToString(decision.outcome));
  AddText(json, "message", decision.message);
  if (group.condition) json.emplace("condition", ConditionJson(*group.condition));
  if (decision.victims.empty()) return;
  JsonArray& victims = json["victims"].emplace_array();
  for (const api::ObjectKey& victim : decision.victims) victims.emplace_back(KeyJson(victim));
}

JsonArray StepsJson(const Fix& fix, const Workload& workload) {
  JsonArray list;
  for (const Step& step : StepsOf(fix, workload)) {
    JsonObject& json = list.emplace_back(boost::json::object_kind).get_object();
    json.emplace("text", step.text);
    json.emplace("object", NameJson(step.object));
    AddText(json, "command", step.command);
    AddText(json, "remark", step.remark);
    if (step.body.empty()) continue;
    auto body = api::ParseJson(step.body);
    if (!body) continue;
    json.emplace(body->is_array() ? "patch" : "create", *std::move(body));
  }
  return list;
}

JsonObject FixJson(const Fix& fix, const Workload& workload) {
  JsonObject json;
  JsonArray changes;
  for (const Change& change : fix.changes) {
    JsonObject& one = changes.emplace_back(boost::json::object_kind).get_object();
    one.emplace("kind", ToString(change.kind));
    one.emplace("text", change.text);
    one.emplace("object", NameJson(change.object));
  }
  json.emplace("by", ToString(AudienceOf(fix)));
  AddText(json, "forbidden", fix.forbidden);
  json.emplace("changes", std::move(changes));
  json.emplace("node", fix.node);
  if (!fix.moves.empty()) {
    JsonArray& moves = json["moves"].emplace_array();
    for (const Fix::Move& move : fix.moves) {
      JsonObject& one = moves.emplace_back(boost::json::object_kind).get_object();
      one.emplace("pod", KeyJson(move.pod));
      one.emplace("from", move.from);
      one.emplace("to", move.to);
    }
  }
  if (!fix.victims.empty()) {
    JsonArray& victims = json["victims"].emplace_array();
    for (const api::ObjectKey& victim : fix.victims) victims.emplace_back(KeyJson(victim));
  }
  json.emplace("similar", fix.similar);
  if (fix.of > 0) json["together"] = {{"runs", fix.runs}, {"of", fix.of}};
  json.emplace("steps", StepsJson(fix, workload));
  return json;
}

JsonObject FixesJson(const FixReport& report, const Workload& workload) {
  JsonObject json;
  json.emplace("complete", report.complete);
  json.emplace("decisions", report.decisions);
  JsonArray list;
  for (const Fix& fix : report.fixes) list.emplace_back(FixJson(fix, workload));
  json.emplace("list", std::move(list));
  return json;
}

}  // namespace

JsonObject ToJson(const PodExplanation& pod) {
  JsonObject json = Document("PodExplanation");
  JsonObject name = KeyJson(pod.pod);
  AddText(name, "uid", pod.uid);
  json.emplace("pod", std::move(name));
  json.emplace("sentence", pod.sentence.text);
  json.emplace("state", ToString(pod.state));
  json.emplace("terminating", pod.terminating);
  json.emplace("schedulerName", pod.scheduler_name);
  json.emplace("priority", pod.priority);
  if (pod.workload.name.kind != "Pod") json.emplace("workload", NameJson(pod.workload.name));
  AddText(json, "node", pod.node);
  AddText(json, "nominatedNode", pod.nominated_node);
  AddList(json, "gates", pod.gates);
  AddList(json, "permit", pod.permit);
  if (pod.condition) json.emplace("condition", ConditionJson(*pod.condition));
  if (pod.group) AddGroup(*pod.group, json["podGroup"].emplace_object());
  if (pod.decision) json.emplace("decision", DecisionJson(*pod.decision));
  if (pod.placement) json.emplace("placement", PlacementJson(*pod.placement));
  if (pod.on) json.emplace("on", PlacementJson(*pod.on));
  if (pod.fixes) json.emplace("fixes", FixesJson(*pod.fixes, pod.workload));
  json.emplace("notes", List(pod.notes));
  return json;
}

JsonObject ToJson(const GroupExplanation& group) {
  JsonObject json = Document("PodGroupExplanation");
  AddGroup(group, json);
  JsonArray members;
  for (const auto& member : group.decision.members) {
    JsonObject& one = members.emplace_back(KeyJson(member.pod)).get_object();
    AddText(one, "node", member.node);
    AddText(one, "message", member.message);
  }
  json.emplace("members", std::move(members));
  return json;
}

JsonObject ToJson(const PodGroups& groups, const ObjectName* subject) {
  JsonObject json = Document("PodExplanationGroups");
  if (subject != nullptr) json.emplace("workload", NameJson(*subject));
  AddText(json, "sentence", groups.sentence);
  if (!groups.fixes.empty()) {
    JsonArray& list = json["fixes"].emplace_array();
    for (const Fix& fix : groups.fixes) list.emplace_back(FixJson(fix, {}));
  }
  if (!groups.not_created.empty()) {
    JsonArray& list = json["notCreated"].emplace_array();
    for (const auto& [workload, sentence] : groups.not_created) {
      list.emplace_back(JsonObject{{"workload", NameJson(workload)}, {"sentence", sentence.text}});
    }
  }
  json.emplace("pods", groups.pods);
  JsonArray list;
  for (const PodGroup& group : groups.groups) {
    JsonObject& one = list.emplace_back(boost::json::object_kind).get_object();
    one.emplace("cause", group.cause);
    if (!group.workload.key.name.empty()) one.emplace("workload", NameJson(group.workload));
    one.emplace("pods", group.pods);
    JsonArray examples;
    for (const api::ObjectKey& key : group.examples) examples.emplace_back(KeyJson(key));
    one.emplace("examples", std::move(examples));
    one.emplace("explanation", ToJson(group.explanation));
  }
  json.emplace("groups", std::move(list));
  return json;
}

JsonObject PatchesJson(const PodExplanation& pod, size_t number) {
  const Fix& fix = pod.fixes->fixes[number - 1];
  JsonObject json = Document("FixPatches");
  json.emplace("pod", KeyJson(pod.pod));
  json.emplace("fix", number);
  json.emplace("node", fix.node);
  json.emplace("steps", StepsJson(fix, pod.workload));
  return json;
}

}  // namespace berth::explain
