#include "world/engine_writer.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "admission/metadata.h"
#include "base/check.h"

namespace berth::world {
namespace {

using apiserver::ApiError;
using apiserver::ApiResult;
using apiserver::Json;
using apiserver::JsonArray;
using apiserver::JsonObject;
using apiserver::ObjectPtr;
using apiserver::PatchType;
using apiserver::Written;

store::ObjectName NameOf(const api::ObjectKey& key) { return {key.namespace_, key.name}; }

WriteResult::Kind KindOf(const ApiError& error) {
  switch (error.code) {
    case 404:
      return WriteResult::Kind::kNotFound;
    case 409:
      return WriteResult::Kind::kConflict;
    case 504:
      return WriteResult::Kind::kTimeout;
    case 429:
    case 500:
    case 503:
      return WriteResult::Kind::kUnavailable;
    default:
      return WriteResult::Kind::kRejected;
  }
}

WriteResult Failed(const ApiError& error) { return {KindOf(error), error.message}; }

// The pod that was meant is gone, and another has its name.
WriteResult FailedForUid(const ApiError& error) {
  if (error.code == 409) return {WriteResult::Kind::kNotFound, error.message};
  return Failed(error);
}

WriteResult Done(const ObjectPtr& object) {
  return {WriteResult::Kind::kOk, {}, fmt::format("{}", object->version)};
}

WriteResult Ended(const ApiResult<Written>& written) {
  return written ? Done(written->object) : Failed(written.error());
}

// Times are written as the API writes them: in whole seconds.
Json ConditionJson(const api::PodCondition& condition) {
  JsonObject object{{"type", condition.type}, {"status", condition.status}};
  if (!condition.reason.empty()) object["reason"] = condition.reason;
  if (!condition.message.empty()) object["message"] = condition.message;
  object["lastProbeTime"] = nullptr;
  if (condition.last_transition_time) {
    object["lastTransitionTime"] = apiserver::TimeText(*condition.last_transition_time);
  }
  if (condition.observed_generation) object["observedGeneration"] = *condition.observed_generation;
  return object;
}

// Names the version that the engine saw, so that another's change in between is a conflict.
JsonObject MetadataPatch(const api::ObjectMeta& seen) {
  JsonObject annotations;
  for (const auto& [key, value] : seen.annotations) annotations[key] = value;
  return {{"uid", seen.uid},
          {"resourceVersion", seen.resource_version},
          {"annotations", std::move(annotations)}};
}

}  // namespace

EngineWriter::EngineWriter(apiserver::Api& api)
    : api_(api),
      pods_(apiserver::KindOf("pods")),
      volumes_(apiserver::KindOf("persistentvolumes")),
      claims_(apiserver::KindOf("persistentvolumeclaims")) {}

WriteResult EngineWriter::Carry(const ApiWrite& write) {
  return std::visit([this](const auto& one) { return Do(one); }, write);
}

WriteResult EngineWriter::Do(const BindPod& bind) {
  const Json binding{
      {"kind", "Binding"},
      {"apiVersion", "v1"},
      {"metadata",
       {{"name", bind.pod.name}, {"namespace", bind.pod.namespace_}, {"uid", bind.uid}}},
      {"target", {{"kind", "Node"}, {"name", bind.node}}}};
  const ApiResult<ObjectPtr> bound = api_.Bind(NameOf(bind.pod), binding);
  return bound ? Done(*bound) : Failed(bound.error());
}

// The uid keeps the patch from a pod of the same name that came later; only that can conflict,
// since patches are applied to whatever is there.
WriteResult EngineWriter::Do(const PatchPodStatus& patch) {
  JsonObject status;
  if (patch.condition) {
    JsonArray conditions;
    conditions.push_back(ConditionJson(*patch.condition));
    status["conditions"] = std::move(conditions);
  }
  if (patch.nominated_node_name) {
    Json& node = status["nominatedNodeName"];
    if (!patch.nominated_node_name->empty()) node = *patch.nominated_node_name;
  }
  const JsonObject body{{"metadata", JsonObject{{"uid", patch.uid}}},
                        {"status", std::move(status)}};
  const auto written = api_.Patch(pods_, NameOf(patch.pod), "status", PatchType::kStrategic, body);
  return written ? Done(written->object) : FailedForUid(written.error());
}

WriteResult EngineWriter::Do(const DeletePod& remove) {
  apiserver::DeleteOptions options;
  options.uid = remove.uid;
  const auto deleted = api_.Delete(pods_, NameOf(remove.pod), options);
  return deleted ? Done(deleted->object) : FailedForUid(deleted.error());
}

// Merge patches leave alone what the engine did not decode.
WriteResult EngineWriter::Do(const UpdatePersistentVolume& update) {
  const api::PersistentVolume& volume = *update.object;
  JsonObject body{{"metadata", MetadataPatch(volume.metadata)}};
  if (const auto& claim = volume.claim_ref) {
    body["spec"] = {{"claimRef",
                     {{"kind", claim->kind},
                      {"apiVersion", claim->api_version},
                      {"namespace", claim->namespace_},
                      {"name", claim->name},
                      {"uid", claim->uid},
                      {"resourceVersion", claim->resource_version}}}};
  }
  const store::ObjectName name{"", volume.metadata.name};
  return Ended(api_.Patch(volumes_, name, "", PatchType::kMerge, std::move(body)));
}

WriteResult EngineWriter::Do(const UpdatePersistentVolumeClaim& update) {
  const api::ObjectMeta& metadata = update.object->metadata;
  const JsonObject body{{"metadata", MetadataPatch(metadata)}};
  const store::ObjectName name{metadata.namespace_, metadata.name};
  return Ended(api_.Patch(claims_, name, "", PatchType::kMerge, body));
}

WriteResult EngineWriter::Do(const RecordEvent&) {
  CHECK(false);
  return {};
}

WriteResult EngineWriter::Do(const CallExtender&) {
  CHECK(false);  // No write to the API.
  return {};
}

}  // namespace berth::world
