#include "runtime/embedded/store_writer.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "api/json/claim_document.h"
#include "api/json/decode.h"
#include "api/json/parse.h"
#include "api/resource_claim.h"
#include "api/timestamp.h"
#include "api/undecodable_fields.h"
#include "base/check.h"
#include "runtime/write_result.h"

namespace berth::runtime::embedded {
namespace {

using api::Json;
using api::JsonArray;
using api::JsonObject;
using api::scheme::ApiError;
using api::scheme::ApiResult;
using apiserver::patch::PatchType;
using apiserver::registry::Written;
using apiserver::store::ObjectPtr;

apiserver::store::ObjectName NameOf(const api::ObjectKey& key) {
  return {key.namespace_, key.name};
}

scheduler::framework::WriteResult Failed(const ApiError& error) {
  return {ResultKindOf(error.code), error.message};
}

scheduler::framework::WriteResult Malformed(const Error& error) {
  return {scheduler::framework::WriteResult::Kind::kRejected, error.message};
}

// A conflict of uids means that the pod is gone and another pod has its name.
scheduler::framework::WriteResult FailedForUid(const ApiError& error) {
  if (error.code == 409) return {scheduler::framework::WriteResult::Kind::kNotFound, error.message};
  return Failed(error);
}

scheduler::framework::WriteResult Done(const ObjectPtr& object) {
  return {scheduler::framework::WriteResult::Kind::kOk, {}, fmt::format("{}", object->version)};
}

scheduler::framework::WriteResult Ended(const ApiResult<Written>& written) {
  return written ? Done(written->object) : Failed(written.error());
}

// Times have whole seconds, as in the API.
Json ConditionJson(const api::PodCondition& condition) {
  JsonObject object{{"type", condition.type}, {"status", condition.status}};
  if (!condition.reason.empty()) object["reason"] = condition.reason;
  if (!condition.message.empty()) object["message"] = condition.message;
  object["lastProbeTime"] = nullptr;
  if (condition.last_transition_time) {
    object["lastTransitionTime"] = api::FormatTime(*condition.last_transition_time);
  }
  if (condition.observed_generation) object["observedGeneration"] = *condition.observed_generation;
  return object;
}

Json ExtendedResourcesJson(const api::PodExtendedResourceClaimStatus& status) {
  JsonObject object{{"resourceClaimName", status.resource_claim_name}};
  if (status.request_mappings.empty()) return object;
  JsonArray mappings;
  for (const api::ContainerExtendedResourceRequest& mapping : status.request_mappings) {
    mappings.push_back({{"containerName", mapping.container_name},
                        {"requestName", mapping.request_name},
                        {"resourceName", mapping.resource_name}});
  }
  object["requestMappings"] = std::move(mappings);
  return object;
}

// The result has the claim as it is stored.
scheduler::framework::WriteResult DoneWithClaim(const ObjectPtr& object) {
  scheduler::framework::WriteResult result = Done(object);
  api::UndecodableFields undecodable;
  auto claim = api::DecodeJsonAs<api::ResourceClaim>(object->json, &undecodable);
  if (!claim) return Malformed(claim.error());
  result.claim = *std::move(claim);
  return result;
}

scheduler::framework::WriteResult EndedWithClaim(const ApiResult<Written>& written) {
  return written ? DoneWithClaim(written->object) : Failed(written.error());
}

// Includes the version that the engine saw, so that a concurrent change is a conflict.
JsonObject MetadataPatch(const api::ObjectMeta& seen) {
  JsonObject annotations;
  for (const auto& [key, value] : seen.annotations) annotations[key] = value;
  return {{"uid", seen.uid},
          {"resourceVersion", seen.resource_version},
          {"annotations", std::move(annotations)}};
}

}  // namespace

StoreWriter::StoreWriter(apiserver::registry::Api& api)
    : api_(api),
      pods_(api::scheme::KindOf("pods")),
      volumes_(api::scheme::KindOf("persistentvolumes")),
      claims_(api::scheme::KindOf("persistentvolumeclaims")),
      resource_claims_(api::scheme::KindOf("resourceclaims.resource.k8s.io")) {}

scheduler::framework::WriteResult StoreWriter::Execute(
    const scheduler::framework::ApiWrite& write) {
  return std::visit([this](const auto& one) { return Do(one); }, write);
}

scheduler::framework::WriteResult StoreWriter::Do(const scheduler::framework::BindPod& bind) {
  const Json binding{
      {"kind", "Binding"},
      {"apiVersion", "v1"},
      {"metadata",
       {{"name", bind.pod.name}, {"namespace", bind.pod.namespace_}, {"uid", bind.uid}}},
      {"target", {{"kind", "Node"}, {"name", bind.node}}}};
  const ApiResult<ObjectPtr> bound = api_.Bind(NameOf(bind.pod), binding);
  return bound ? Done(*bound) : Failed(bound.error());
}

// The uid protects a later pod of the same name from the patch. Only the uid can conflict, since a
// patch applies to any version.
scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::PatchPodStatus& patch) {
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
  if (patch.extended_resource_claim_status)
    status["extendedResourceClaimStatus"] =
        ExtendedResourcesJson(*patch.extended_resource_claim_status);
  const JsonObject body{{"metadata", JsonObject{{"uid", patch.uid}}},
                        {"status", std::move(status)}};
  const auto written = api_.Patch(pods_, NameOf(patch.pod), "status", PatchType::kStrategic, body);
  return written ? Done(written->object) : FailedForUid(written.error());
}

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::PatchPodGroupStatus& patch) {
  JsonArray conditions;
  conditions.push_back(ConditionJson(patch.condition));
  const JsonObject body{{"metadata", JsonObject{{"uid", patch.uid}}},
                        {"status", JsonObject{{"conditions", std::move(conditions)}}}};
  const api::scheme::Kind& groups = api::scheme::KindOf("podgroups.scheduling.k8s.io");
  const auto written =
      api_.Patch(groups, NameOf(patch.group), "status", PatchType::kStrategic, body);
  return written ? Done(written->object) : FailedForUid(written.error());
}

scheduler::framework::WriteResult StoreWriter::Do(const scheduler::framework::DeletePod& remove) {
  apiserver::registry::DeleteOptions options;
  options.uid = remove.uid;
  const auto deleted = api_.Delete(pods_, NameOf(remove.pod), options);
  return deleted ? Done(deleted->object) : FailedForUid(deleted.error());
}

// Merge patches preserve the fields that the engine does not decode.
scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::UpdatePersistentVolume& update) {
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
  const apiserver::store::ObjectName name{"", volume.metadata.name};
  return Ended(api_.Patch(volumes_, name, "", PatchType::kMerge, std::move(body)));
}

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::UpdatePersistentVolumeClaim& update) {
  const api::ObjectMeta& metadata = update.object->metadata;
  const JsonObject body{{"metadata", MetadataPatch(metadata)}};
  const apiserver::store::ObjectName name{metadata.namespace_, metadata.name};
  return Ended(api_.Patch(claims_, name, "", PatchType::kMerge, body));
}

// --- ResourceClaims ---

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::CreateResourceClaim& create) {
  const auto text = api::NewClaimDocument(*create.object, create.generate_name);
  auto body = text ? api::ParseJson(*text) : std::unexpected(text.error());
  if (!body) return Malformed(body.error());
  return EndedWithClaim(
      api_.Create(resource_claims_, create.object->metadata.namespace_, *std::move(body)));
}

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::GetResourceClaim& get) {
  const ObjectPtr object = api_.store().Get(resource_claims_.collection, NameOf(get.claim));
  if (object == nullptr) return Failed(api::scheme::NotFound(resource_claims_, get.claim.name));
  return DoneWithClaim(object);
}

scheduler::framework::WriteResult StoreWriter::Replace(const api::ResourceClaim& claim,
                                                       std::string_view subresource) {
  const auto text = api::ClaimDocument(claim);
  auto body = text ? api::ParseJson(*text) : std::unexpected(text.error());
  if (!body) return Malformed(body.error());
  const apiserver::store::ObjectName name{claim.metadata.namespace_, claim.metadata.name};
  return EndedWithClaim(api_.Update(resource_claims_, name, subresource, *std::move(body)));
}

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::UpdateResourceClaim& update) {
  return Replace(*update.object, "");
}

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::UpdateResourceClaimStatus& update) {
  return Replace(*update.object, "status");
}

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::UnreserveResourceClaim& unreserve) {
  const auto patch = api::ParseJson(api::UnreservePatch(unreserve.uid, unreserve.pod_uid));
  if (!patch) return Malformed(patch.error());
  return EndedWithClaim(api_.Patch(resource_claims_, NameOf(unreserve.claim), "status",
                                   PatchType::kStrategic, *patch));
}

scheduler::framework::WriteResult StoreWriter::Do(
    const scheduler::framework::DeleteResourceClaim& remove) {
  const auto deleted = api_.Delete(resource_claims_, NameOf(remove.claim));
  return deleted ? Done(deleted->object) : Failed(deleted.error());
}

scheduler::framework::WriteResult StoreWriter::Do(const scheduler::framework::RecordEvent&) {
  CHECK(false);
  return {};
}

scheduler::framework::WriteResult StoreWriter::Do(const scheduler::framework::CallExtender&) {
  CHECK(false);  // Not a write to the API.
  return {};
}

namespace {

// The seed for the names of events about pods with very long names. It may be the same in every
// run, as the store's versions are.
constexpr uint64_t kSeed = 1;

}  // namespace

EventRecorder::EventRecorder(apiserver::registry::Api& api, std::string instance, Log log)
    : api_(api),
      log_(std::move(log)),
      events_(api::scheme::KindOf("events.events.k8s.io")),
      series_(std::move(instance), api.now(), kSeed) {}

void EventRecorder::Add(scheduler::framework::RecordEvent event) {
  waiting_.push_back({std::move(event), api_.now()});
}

size_t EventRecorder::waiting() const {
  const auto due = series_.next_due();
  return waiting_.size() + (due && *due <= api_.now() ? 1 : 0);
}

void EventRecorder::Write(size_t limit) {
  for (const auto& write : series_.Due(api_.now())) Execute(write);
  for (; limit > 0 && !waiting_.empty(); --limit) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    const auto write = series_.Add(std::move(next.event), next.at);
    if (write) Execute(*write);
  }
}

void EventRecorder::Execute(const EventWrite& write) {
  if (write.patch) {
    const apiserver::store::ObjectName name{NamespaceOf(write.event), write.event.name};
    const auto patch = api::ParseJson(SeriesPatch(write.event));
    CHECK(patch);
    const auto patched =
        api_.Patch(events_, name, "", apiserver::patch::PatchType::kStrategic, *patch);
    if (patched || patched.error().code != 404) return;
  }
  Create(write.event);
}

void EventRecorder::Create(const ReportedEvent& event) {
  auto body = api::ParseJson(EventBody(event, EventGroup::kEvents));
  CHECK(body);
  const auto written = api_.Create(events_, NamespaceOf(event), *std::move(body));
  if (written) return;
  // A terminating namespace accepts no events, which is not worth a warning.
  if (written.error().code != 403 && written.error().code != 404 && !std::exchange(failed_, true))
    log_("an event could not be written: " + written.error().message);
}

}  // namespace berth::runtime::embedded
