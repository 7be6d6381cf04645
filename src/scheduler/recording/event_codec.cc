#include "scheduler/recording/event_codec.h"

#include <fmt/format.h>

#include "api/json/decode.h"
#include "api/json/encode.h"
#include "api/json/writer.h"
#include "api/timestamp.h"
#include "base/overloaded.h"

namespace berth::scheduler::recording {
namespace {

using api::JsonWriter;

// --- events ---

// The first byte of an event. Part of the file format: numbers are never reused.
enum class Tag : uint8_t {
  kObjectPut = 1,
  kObjectDeleted = 2,
  kWriteDone = 3,
  kPermitDecision = 4,
  // Objects with raw JSON, which extenders receive.
  kPodPut = 5,
  kNodePut = 6,
  // A claim with its raw JSON, of which writes are made.
  kClaimPut = 7,
  // A result with a claim, or of a write that may have happened.
  kClaimWriteDone = 8,
};

// A new alternative needs a tag, an encoding, a decoding and a description, all below.
static_assert(std::variant_size_v<engine::Event> == 4,
              "event_codec.cc must handle the new kind of event");

void Put(ByteWriter& out, Tag tag) { out.Number(static_cast<uint64_t>(tag)); }

Result<api::Object> DecodeObject(ByteReader& in) {
  const std::string_view json = in.String();
  auto objects = api::DecodeJson(json);
  if (!objects) return std::unexpected(objects.error());
  if (objects->size() != 1)
    return Fail("not exactly one object of a kind that this build supports");
  return std::move(objects->front());
}

template <typename T>
Result<engine::Event> DecodePut(ByteReader& in) {
  auto object = api::DecodeJsonWithRaw<T>(std::string(in.String()));
  if (!object) return std::unexpected(object.error());
  return engine::ObjectPut{*std::move(object)};
}

// Returns false if it is not a T with raw JSON.
template <typename T>
bool EncodePutOf(const engine::ObjectPut& put, Tag tag, ByteWriter& out) {
  const auto* object = std::get_if<api::Ref<T>>(&put.object);
  if (object == nullptr || (*object)->text.json == nullptr) return false;
  Put(out, tag);
  out.String(*(*object)->text.json);
  return true;
}

// The fields, then the raw JSON: decoding that again could differ, where it is malformed.
void EncodeClaim(const api::ResourceClaim& claim, ByteWriter& out) {
  out.String(api::EncodeJson(claim));
  out.String(claim.text.json == nullptr ? "" : *claim.text.json);
}

void EncodePut(const engine::ObjectPut& put, ByteWriter& out) {
  if (EncodePutOf<api::Pod>(put, Tag::kPodPut, out)) return;
  if (EncodePutOf<api::Node>(put, Tag::kNodePut, out)) return;
  if (const auto* claim = std::get_if<api::Ref<api::ResourceClaim>>(&put.object)) {
    Put(out, Tag::kClaimPut);
    return EncodeClaim(**claim, out);
  }
  Put(out, Tag::kObjectPut);
  out.String(api::EncodeJson(put.object));
}

void EncodeWriteDone(const engine::WriteDone& done, ByteWriter& out) {
  const framework::WriteResult& result = done.result;
  const bool with_claim = result.claim != nullptr || result.may_have_happened;
  Put(out, with_claim ? Tag::kClaimWriteDone : Tag::kWriteDone);
  out.Number(done.id.value);
  out.Number(static_cast<uint64_t>(result.kind));
  out.String(result.message);
  out.String(result.resource_version);
  out.String(result.body);
  if (!with_claim) return;
  out.Number(result.may_have_happened ? 1 : 0);
  out.Number(result.claim == nullptr ? 0 : 1);
  if (result.claim != nullptr) EncodeClaim(*result.claim, out);
}

Result<engine::WriteDone> DecodeWriteDone(ByteReader& in) {
  constexpr auto kLastKind = static_cast<uint64_t>(framework::WriteResult::Kind::kRejected);
  const uint64_t id = in.Number();
  const uint64_t kind = in.Number();
  if (id > UINT32_MAX || kind > kLastKind) return Fail("invalid command id or write result");
  engine::WriteDone done{engine::CommandId{static_cast<uint32_t>(id)}, {}};
  done.result.kind = static_cast<framework::WriteResult::Kind>(kind);
  done.result.message = in.String();
  done.result.resource_version = in.String();
  done.result.body = in.String();
  return done;
}

Result<api::Ref<api::ResourceClaim>> DecodeClaim(ByteReader& in) {
  auto claim = api::DecodeJsonAs<api::ResourceClaim>(in.String());
  if (!claim) return claim;
  const std::string_view text = in.String();
  auto whole = std::make_shared<api::ResourceClaim>(**claim);
  whole->text.json = text.empty() ? nullptr : std::make_shared<const std::string>(text);
  return whole;
}

Result<engine::Event> DecodeClaimWriteDone(ByteReader& in) {
  auto done = DecodeWriteDone(in);
  if (!done) return std::unexpected(done.error());
  done->result.may_have_happened = in.Number() != 0;
  if (in.Number() == 0) return *std::move(done);
  auto claim = DecodeClaim(in);
  if (!claim) return std::unexpected(claim.error());
  done->result.claim = *std::move(claim);
  return *std::move(done);
}

engine::PermitDecision DecodePermitDecision(ByteReader& in) {
  engine::PermitDecision permit;
  permit.uid = in.String();
  permit.plugin = in.String();
  permit.allow = in.Number() != 0;
  permit.message = in.String();
  return permit;
}

Result<engine::Event> DecodeTagged(uint64_t tag, ByteReader& in) {
  switch (static_cast<Tag>(tag)) {
    case Tag::kObjectPut: {
      auto object = DecodeObject(in);
      if (!object) return std::unexpected(object.error());
      return engine::ObjectPut{*std::move(object)};
    }
    case Tag::kObjectDeleted: {
      auto object = DecodeObject(in);
      if (!object) return std::unexpected(object.error());
      return engine::ObjectDeleted{*std::move(object)};
    }
    case Tag::kWriteDone: {
      auto done = DecodeWriteDone(in);
      if (!done) return std::unexpected(done.error());
      return *std::move(done);
    }
    case Tag::kClaimWriteDone:
      return DecodeClaimWriteDone(in);
    case Tag::kPermitDecision:
      return DecodePermitDecision(in);
    case Tag::kPodPut:
      return DecodePut<api::Pod>(in);
    case Tag::kNodePut:
      return DecodePut<api::Node>(in);
    case Tag::kClaimPut: {
      auto claim = DecodeClaim(in);
      if (!claim) return std::unexpected(claim.error());
      return engine::ObjectPut{*std::move(claim)};
    }
  }
  return Fail(fmt::format("an event of kind {}, which this build does not support", tag));
}

std::string Describe(const api::Object& object) {
  return fmt::format("{} \"{}\"", api::KindOf(object).kind, api::KeyOf(object).ToString());
}

std::string_view Describe(framework::WriteResult::Kind kind) {
  switch (kind) {
    case framework::WriteResult::Kind::kOk:
      return "ok";
    case framework::WriteResult::Kind::kConflict:
      return "conflict";
    case framework::WriteResult::Kind::kNotFound:
      return "not found";
    case framework::WriteResult::Kind::kTimeout:
      return "timeout";
    case framework::WriteResult::Kind::kUnavailable:
      return "unavailable";
    case framework::WriteResult::Kind::kRejected:
      return "rejected";
  }
  return "unknown";
}

// --- commands and decisions ---

void Field(JsonWriter& json, std::string_view name, std::string_view text) {
  json.Key(name);
  json.String(text);
}

void OptionalField(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) Field(json, name, text);
}

void PodFields(JsonWriter& json, const api::ObjectKey& pod, std::string_view uid) {
  Field(json, "pod", pod.ToString());
  Field(json, "uid", uid);
}

void ConditionField(JsonWriter& json, const api::PodCondition& condition) {
  json.Key("condition");
  json.BeginObject();
  Field(json, "type", condition.type);
  Field(json, "status", condition.status);
  Field(json, "reason", condition.reason);
  Field(json, "message", condition.message);
  if (condition.last_transition_time) {
    Field(json, "lastTransitionTime", api::FormatTimestamp(*condition.last_transition_time));
  }
  if (condition.observed_generation) {
    json.Key("observedGeneration");
    json.Int(*condition.observed_generation);
  }
  json.EndObject();
}

void ExtendedResourcesField(JsonWriter& json, const api::PodExtendedResourceClaimStatus& status) {
  json.Key("extendedResourceClaimStatus");
  json.BeginObject();
  Field(json, "resourceClaimName", status.resource_claim_name);
  json.Key("requestMappings");
  json.BeginArray();
  for (const api::ContainerExtendedResourceRequest& mapping : status.request_mappings) {
    json.BeginObject();
    Field(json, "containerName", mapping.container_name);
    Field(json, "resourceName", mapping.resource_name);
    Field(json, "requestName", mapping.request_name);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteFields(JsonWriter& json, const framework::ApiWrite& write) {
  std::visit(Overloaded{
                 [&](const framework::BindPod& bind) {
                   Field(json, "write", "bind");
                   PodFields(json, bind.pod, bind.uid);
                   Field(json, "node", bind.node);
                 },
                 [&](const framework::PatchPodStatus& patch) {
                   Field(json, "write", "patch status");
                   PodFields(json, patch.pod, patch.uid);
                   if (patch.condition) ConditionField(json, *patch.condition);
                   if (patch.nominated_node_name) {
                     Field(json, "nominatedNodeName", *patch.nominated_node_name);
                   }
                   if (patch.extended_resource_claim_status)
                     ExtendedResourcesField(json, *patch.extended_resource_claim_status);
                 },
                 [&](const framework::PatchPodGroupStatus& patch) {
                   Field(json, "write", "patch status of pod group");
                   Field(json, "group", patch.group.ToString());
                   Field(json, "uid", patch.uid);
                   ConditionField(json, patch.condition);
                 },
                 [&](const framework::DeletePod& remove) {
                   Field(json, "write", "delete");
                   PodFields(json, remove.pod, remove.uid);
                 },
                 [&](const framework::UpdatePersistentVolume& update) {
                   Field(json, "write", "update volume");
                   Field(json, "object", api::EncodeJson(*update.object));
                 },
                 [&](const framework::UpdatePersistentVolumeClaim& update) {
                   Field(json, "write", "update claim");
                   Field(json, "object", api::EncodeJson(*update.object));
                 },
                 [&](const framework::CreateResourceClaim& create) {
                   Field(json, "write", "create resource claim");
                   Field(json, "generateName", create.generate_name);
                   Field(json, "object", api::EncodeJson(*create.object));
                 },
                 [&](const framework::GetResourceClaim& get) {
                   Field(json, "write", "get resource claim");
                   Field(json, "claim", get.claim.ToString());
                 },
                 [&](const framework::UpdateResourceClaim& update) {
                   Field(json, "write", "update resource claim");
                   Field(json, "object", api::EncodeJson(*update.object));
                 },
                 [&](const framework::UpdateResourceClaimStatus& update) {
                   Field(json, "write", "update status of resource claim");
                   Field(json, "object", api::EncodeJson(*update.object));
                 },
                 [&](const framework::UnreserveResourceClaim& unreserve) {
                   Field(json, "write", "unreserve resource claim");
                   Field(json, "claim", unreserve.claim.ToString());
                   Field(json, "uid", unreserve.uid);
                   Field(json, "podUID", unreserve.pod_uid);
                 },
                 [&](const framework::DeleteResourceClaim& remove) {
                   Field(json, "write", "delete resource claim");
                   Field(json, "claim", remove.claim.ToString());
                 },
                 [&](const framework::RecordEvent& event) {
                   Field(json, "write", "event");
                   PodFields(json, event.pod, event.uid);
                   Field(json, "type", event.type);
                   Field(json, "reason", event.reason);
                   Field(json, "action", event.action);
                   Field(json, "note", event.note);
                   Field(json, "schedulerName", event.scheduler_name);
                   if (!event.resource_version.empty()) {
                     Field(json, "resourceVersion", event.resource_version);
                   }
                 },
                 [&](const framework::CallExtender& call) {
                   Field(json, "write", "call extender");
                   json.Key("extender");
                   json.Int(static_cast<int64_t>(call.extender));
                   json.Key("step");
                   json.Int(static_cast<int64_t>(call.step));
                   Field(json, "body", call.body);
                 },
             },
             write);
}

std::string_view Describe(engine::Decision::Kind kind) {
  switch (kind) {
    case engine::Decision::Kind::kPlaced:
      return "placed";
    case engine::Decision::Kind::kUnschedulable:
      return "unschedulable";
    case engine::Decision::Kind::kFailed:
      return "failed";
  }
  return "unknown";
}

}  // namespace

void EncodeEvent(const engine::Event& event, ByteWriter& out) {
  std::visit(Overloaded{
                 [&](const engine::ObjectPut& put) { EncodePut(put, out); },
                 [&](const engine::ObjectDeleted& deleted) {
                   Put(out, Tag::kObjectDeleted);
                   out.String(api::EncodeJson(deleted.object));
                 },
                 [&](const engine::WriteDone& done) { EncodeWriteDone(done, out); },
                 [&](const engine::PermitDecision& permit) {
                   Put(out, Tag::kPermitDecision);
                   out.String(permit.uid);
                   out.String(permit.plugin);
                   out.Number(permit.allow ? 1 : 0);
                   out.String(permit.message);
                 },
             },
             event);
}

Result<engine::Event> DecodeEvent(ByteReader& in) {
  auto event = DecodeTagged(in.Number(), in);
  if (event && !in.ok()) return Fail("a truncated event");
  return event;
}

std::string DescribeEvent(const engine::Event& event) {
  return std::visit(
      Overloaded{
          [](const engine::ObjectPut& put) { return "put " + Describe(put.object); },
          [](const engine::ObjectDeleted& deleted) { return "remove " + Describe(deleted.object); },
          [](const engine::WriteDone& done) {
            return fmt::format("end of write {}: {}{}{}", done.id.value, Describe(done.result.kind),
                               done.result.message.empty() ? "" : ", ", done.result.message);
          },
          [](const engine::PermitDecision& permit) {
            return fmt::format("{} {} pod {}", permit.plugin, permit.allow ? "allows" : "rejects",
                               permit.uid);
          },
      },
      event);
}

std::string CommandText(const engine::Command& command) {
  JsonWriter json;
  json.BeginObject();
  json.Key("id");
  json.Int(command.id.value);
  WriteFields(json, command.write);
  json.EndObject();
  return json.Take();
}

std::string DecisionText(const engine::Decision& decision) {
  JsonWriter json;
  json.BeginObject();
  Field(json, "pod", decision.key.ToString());
  Field(json, "outcome", Describe(decision.kind));
  OptionalField(json, "node", decision.node);
  OptionalField(json, "message", decision.message);
  OptionalField(json, "nominatedNode", decision.nominated_node);
  if (!decision.victims.empty()) {
    json.Key("victims");
    json.BeginArray();
    for (const api::ObjectKey& victim : decision.victims) json.String(victim.ToString());
    json.EndArray();
  }
  json.EndObject();
  return json.Take();
}

}  // namespace berth::scheduler::recording
