#include "apiserver/admission/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "api/timestamp.h"

namespace berth::apiserver::admission {

namespace {

constexpr size_t kMaxGeneratedPrefix = 58;
constexpr std::string_view kSuffixCharacters = "bcdfghjklmnpqrstvwxz2456789";

// The types of metadata members.
enum class Shape : uint8_t { kString, kStringMap, kStringList, kObjectList, kNumber };
struct Member {
  std::string_view name;
  Shape shape;
};
constexpr std::array kMembers = {
    Member{"name", Shape::kString},
    Member{"generateName", Shape::kString},
    Member{"namespace", Shape::kString},
    Member{"uid", Shape::kString},
    Member{"resourceVersion", Shape::kString},
    Member{"creationTimestamp", Shape::kString},
    Member{"deletionTimestamp", Shape::kString},
    Member{"generation", Shape::kNumber},
    Member{"deletionGracePeriodSeconds", Shape::kNumber},
    Member{"labels", Shape::kStringMap},
    Member{"annotations", Shape::kStringMap},
    Member{"finalizers", Shape::kStringList},
    Member{"ownerReferences", Shape::kObjectList},
    Member{"managedFields", Shape::kObjectList},
};

template <typename Predicate>
bool AllOf(const api::Json& value, Predicate predicate) {
  const api::JsonArray* array = value.if_array();
  if (!array) return false;
  for (const api::Json& item : *array) {
    if (!predicate(item)) return false;
  }
  return true;
}

bool HasShape(const api::Json& value, Shape shape) {
  switch (shape) {
    case Shape::kString:
      return value.is_string();
    case Shape::kNumber:
      return value.is_int64();
    case Shape::kStringList:
      return AllOf(value, [](const api::Json& item) { return item.is_string(); });
    case Shape::kObjectList:
      return AllOf(value, [](const api::Json& item) { return item.is_object(); });
    case Shape::kStringMap: {
      const api::JsonObject* map = value.if_object();
      if (!map) return false;
      for (const auto& [key, item] : *map) {
        if (!item.is_string() && !item.is_null()) return false;
      }
      return true;
    }
  }
  return false;
}

std::string_view NameOf(Shape shape) {
  switch (shape) {
    case Shape::kString:
      return "string";
    case Shape::kNumber:
      return "integer";
    case Shape::kStringMap:
      return "map of strings";
    case Shape::kStringList:
      return "list of strings";
    case Shape::kObjectList:
      return "list of objects";
  }
  return {};
}

api::scheme::ApiError WrongType(const api::scheme::Kind& kind, std::string_view path,
                                std::string_view want) {
  return api::scheme::BadRequest(
      fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: {2} must be a {3}", kind.kind,
                  kind.version, path, want));
}

void CopyMember(const api::JsonObject* from, api::JsonObject& to, std::string_view key) {
  if (const api::Json* value = api::At(from, key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

void DropNullsWithin(api::Json& value) {
  if (api::JsonObject* object = value.if_object()) {
    DropNulls(*object);
  } else if (api::JsonArray* array = value.if_array()) {
    for (api::Json& item : *array) DropNullsWithin(item);
  }
}

}  // namespace

std::string NewUid(Random& random) {
  const uint64_t high = (random.Next() & ~0xf000ULL) | 0x4000ULL;
  const uint64_t low = (random.Next() & ~(3ULL << 62)) | (2ULL << 62);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffff'ffff'ffffULL);
}

std::string GenerateName(std::string_view prefix, Random& random) {
  std::string name(prefix.substr(0, kMaxGeneratedPrefix));
  for (int i = 0; i < 5; ++i) name += kSuffixCharacters[random.Below(kSuffixCharacters.size())];
  return name;
}

api::JsonObject& MetadataOf(api::JsonObject& document) {
  return api::EnsureObject(document, "metadata");
}
const api::JsonObject* MetadataOf(const api::JsonObject& document) {
  return api::ObjectAt(&document, "metadata");
}

api::scheme::ApiResult<void> CheckType(const api::scheme::Kind& kind, const api::Json& document) {
  const api::JsonObject* object = document.if_object();
  if (!object) return std::unexpected(WrongType(kind, "the body", "JSON object"));
  const auto check = [&](std::string_view key,
                         std::string_view want) -> api::scheme::ApiResult<void> {
    const api::Json* value = api::At(object, key);
    if (!value || api::AsString(value).empty() || api::AsString(value) == want) return {};
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("the object provided is unrecognized (must be of type {}): {} is {}, not {}",
                    kind.kind, key, api::AsString(value), want)));
  };
  if (auto checked = check("kind", kind.kind); !checked) return checked;
  if (auto checked = check("apiVersion", kind.api_version()); !checked) return checked;
  const api::Json* metadata = api::At(object, "metadata");
  if (!metadata) return {};
  if (!metadata->is_object()) return std::unexpected(WrongType(kind, "metadata", "object"));
  for (const Member& member : kMembers) {
    const api::Json* value = api::At(metadata->if_object(), member.name);
    if (value && !HasShape(*value, member.shape)) {
      return std::unexpected(
          WrongType(kind, fmt::format("metadata.{}", member.name), NameOf(member.shape)));
    }
  }
  // Those of custom kinds may be anything that their schema allows.
  if (kind.custom != nullptr) return {};
  for (const std::string_view key : {"spec", "status"}) {
    const api::Json* value = api::At(object, key);
    if (value && !value->is_object()) return std::unexpected(WrongType(kind, key, "object"));
  }
  return {};
}

void FillSystemMetadata(const api::scheme::Kind& kind, api::JsonObject& document,
                        std::string_view uid, Instant now) {
  api::JsonObject& metadata = MetadataOf(document);
  for (const std::string_view key :
       {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    metadata.erase(key);
  }
  api::SetString(metadata, "uid", uid);
  api::SetString(metadata, "creationTimestamp", api::FormatTime(now));
  if (kind.has_generation) {
    api::SetInt(metadata, "generation", 1);
  } else {
    metadata.erase("generation");
  }
  if (!kind.namespaced) metadata.erase("namespace");
}

api::scheme::ApiResult<void> CheckNameAndNamespace(const api::scheme::Kind& kind,
                                                   const api::JsonObject& document,
                                                   std::string_view name,
                                                   std::string_view namespace_) {
  const api::JsonObject* metadata = MetadataOf(document);
  const std::string_view given_name = api::StringAt(metadata, "name");
  const std::string_view given_namespace = api::StringAt(metadata, "namespace");
  if (!name.empty() && given_name != name && !given_name.empty()) {
    return std::unexpected(api::scheme::BadRequest(fmt::format(
        "the name of the object ({}) does not match the name on the URL ({})", given_name, name)));
  }
  if (kind.namespaced && !given_namespace.empty() && given_namespace != namespace_) {
    return std::unexpected(api::scheme::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the "
        "request"));
  }
  return {};
}

api::scheme::ApiResult<void> CheckIdentity(const api::scheme::Kind& kind, std::string_view name,
                                           const api::JsonObject& after, std::string_view uid,
                                           std::string_view version) {
  const api::JsonObject* metadata = MetadataOf(after);
  const std::string_view given_uid = api::StringAt(metadata, "uid");
  if (!given_uid.empty() && given_uid != uid) {
    return std::unexpected(api::scheme::Conflict(
        kind, name,
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                    given_uid, uid)));
  }
  const std::string_view given_version = api::StringAt(metadata, "resourceVersion");
  if (!given_version.empty() && given_version != "0" && given_version != version) {
    return std::unexpected(api::scheme::Modified(kind, name));
  }
  return {};
}

void PreserveIdentity(const api::JsonObject& before, api::JsonObject& after) {
  const api::JsonObject* from = MetadataOf(before);
  api::JsonObject& to = MetadataOf(after);
  for (const std::string_view key :
       {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp",
        "deletionGracePeriodSeconds", "generation", "resourceVersion"}) {
    CopyMember(from, to, key);
  }
  if (!api::At(&to, "managedFields")) CopyMember(from, to, "managedFields");
  if (!api::At(&to, "generateName")) CopyMember(from, to, "generateName");
}

namespace {

// Reports whether the two have the same desired state: all except metadata and status.
bool SameContent(const api::JsonObject& before, const api::JsonObject& after) {
  const auto is_content = [](std::string_view key) {
    return key != "metadata" && key != "status" && key != "kind" && key != "apiVersion";
  };
  return std::ranges::all_of(before,
                             [&](const auto& member) {
                               return !is_content(member.key()) ||
                                      api::SameAt(&before, &after, member.key());
                             }) &&
         std::ranges::all_of(after, [&](const auto& member) {
           return !is_content(member.key()) || before.contains(member.key()) ||
                  api::IsEmpty(&member.value());
         });
}

}  // namespace

void BumpGeneration(const api::scheme::Kind& kind, const api::JsonObject& before,
                    api::JsonObject& after) {
  if (!kind.has_generation) return;
  const api::JsonObject* old_metadata = MetadataOf(before);
  api::JsonObject& metadata = MetadataOf(after);
  // The annotations of a Deployment are copied to its ReplicaSets.
  const bool same =
      SameContent(before, after) &&
      (!kind.IsBuiltIn("Deployment") || api::SameAt(old_metadata, &metadata, "annotations"));
  const int64_t generation = api::IntAt(old_metadata, "generation").value_or(0);
  api::SetInt(metadata, "generation", same ? generation : generation + 1);
}

bool IsDeleting(const api::JsonObject& document) {
  return api::At(MetadataOf(document), "deletionTimestamp") != nullptr;
}

bool IsReleased(const api::scheme::Kind& kind, const api::JsonObject& document) {
  const api::JsonObject* metadata = MetadataOf(document);
  if (!IsDeleting(document) || !api::EmptyAt(metadata, "finalizers")) return false;
  if (api::IntAt(metadata, "deletionGracePeriodSeconds").value_or(0) != 0) return false;
  // A namespace also has finalizers in its spec.
  return !kind.IsBuiltIn("Namespace") ||
         api::EmptyAt(api::ObjectAt(&document, "spec"), "finalizers");
}

void MarkDeleted(api::JsonObject& document, Instant at, int64_t grace_seconds) {
  api::JsonObject& metadata = MetadataOf(document);
  const std::optional<int64_t> generation = api::IntAt(&metadata, "generation");
  if (!IsDeleting(document) && generation) api::SetInt(metadata, "generation", *generation + 1);
  api::SetString(metadata, "deletionTimestamp", api::FormatTime(at));
  api::SetInt(metadata, "deletionGracePeriodSeconds", grace_seconds);
}

void DropNulls(api::JsonObject& document) {
  api::EraseMembersIf(document, [](const auto& member) { return member.value().is_null(); });
  for (auto& member : document) DropNullsWithin(member.value());
}

}  // namespace berth::apiserver::admission
