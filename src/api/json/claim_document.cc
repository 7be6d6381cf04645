#include "api/json/claim_document.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/json.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/undecodable_fields.h"

namespace berth::api {
namespace {

Result<JsonObject> ParseObject(std::string_view text) {
  auto document = ParseJson(text);
  if (!document) return std::unexpected(std::move(document).error());
  if (!document->is_object()) return Fail("not an object");
  return std::move(document->get_object());
}

// Replaces `name` by what the fields say; removes it if they say nothing.
void Take(std::string_view name, JsonObject* from, JsonObject& to) {
  Json* const value = At(from, name);
  if (value == nullptr) return EraseMember(to, name);
  MemberOf(to, name) = std::move(*value);
}

bool DifferOnlyInTime(const AllocationResult& a, AllocationResult b) {
  b.allocation_timestamp = a.allocation_timestamp;
  return a == b;
}

void ChangeAllocation(const ResourceClaimStatus& before, const ResourceClaimStatus& after,
                      JsonObject* encoded, JsonObject& status) {
  if (before.allocation == after.allocation) return;
  JsonObject* const allocation = ObjectAt(&status, "allocation");
  if (before.allocation && after.allocation && allocation != nullptr &&
      DifferOnlyInTime(*before.allocation, *after.allocation)) {
    return Take("allocationTimestamp", ObjectAt(encoded, "allocation"), *allocation);
  }
  Take("allocation", encoded, status);
}

}  // namespace

Result<std::string> ClaimDocument(const ResourceClaim& claim) {
  if (claim.text.json == nullptr) return EncodeJson(claim);
  UndecodableFields undecodable;
  const auto before = DecodeJsonAs<ResourceClaim>(*claim.text.json, &undecodable);
  if (!before) return std::unexpected(before.error());
  auto raw = ParseObject(*claim.text.json);
  if (!raw) return std::unexpected(raw.error());
  auto encoded = ParseObject(EncodeJson(claim));
  if (!encoded) return std::unexpected(encoded.error());
  JsonObject document;
  for (const char* name : {"apiVersion", "kind"}) document[name] = encoded->at(name);
  for (auto& member : *raw) document[member.key()] = std::move(member.value());

  if ((*before)->metadata.finalizers != claim.metadata.finalizers)
    Take("finalizers", ObjectAt(&*encoded, "metadata"), EnsureObject(document, "metadata"));
  const ResourceClaimStatus& old_status = (*before)->status;
  if (old_status == claim.status) return ToJsonText(document);
  JsonObject* const new_status = ObjectAt(&*encoded, "status");
  JsonObject& status = EnsureObject(document, "status");
  ChangeAllocation(old_status, claim.status, new_status, status);
  if (old_status.reserved_for != claim.status.reserved_for) Take("reservedFor", new_status, status);
  if (old_status.devices != claim.status.devices) Take("devices", new_status, status);
  return ToJsonText(document);
}

Result<std::string> NewClaimDocument(const ResourceClaim& claim, std::string_view generate_name) {
  auto document = ParseObject(EncodeJson(claim));
  if (!document) return std::unexpected(document.error());
  EraseMember(*document, "status");
  JsonObject& metadata = EnsureObject(*document, "metadata");
  for (const std::string_view name : {"name", "uid", "resourceVersion", "finalizers"})
    EraseMember(metadata, name);
  SetString(metadata, "generateName", generate_name);
  return ToJsonText(*document);
}

std::string UnreservePatch(std::string_view claim_uid, std::string_view pod_uid) {
  return fmt::format(R"({{"metadata": {{"uid": {}}}, )"
                     R"("status": {{ "reservedFor": [ {{"$patch": "delete", "uid": {}}} ] }}}})",
                     JsonQuoted(claim_uid), JsonQuoted(pod_uid));
}

}  // namespace berth::api
