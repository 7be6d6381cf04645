#include "api/json/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "api/json/document.h"
#include "api/json/field_reader.h"
#include "api/json/fields.h"
#include "api/json/fields_devices.h"
#include "api/json/fields_pod.h"
#include "api/json/fields_storage.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "base/text.h"

namespace berth::api {

namespace {

constexpr std::string_view kListSuffix = "List";

// Returns this thread's reader, which reuses its buffers.
JsonReader& ThreadReader() {
  thread_local JsonReader reader;
  return reader;
}

// Returns "apps" of "apps/v1", "" of "v1".
std::string_view GroupOfVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// Without an API version, the kind alone counts.
const KindInfo* FindKind(std::string_view kind, const std::optional<std::string>& api_version) {
  const auto* found = std::ranges::find(kKinds, kind, &KindInfo::kind);
  if (found == std::end(kKinds)) return nullptr;
  if (api_version && GroupOfVersion(*api_version) != GroupOfVersion(found->api_version)) {
    return nullptr;
  }
  return found;
}

// Reads `object` as a T. The caller has checked the kind.
template <typename T>
std::shared_ptr<T> ReadTyped(JsonReader& json, JsonReader::Object& object) {
  auto out = std::make_shared<T>();
  if constexpr (std::is_same_v<T, ResourceClaim>) {
    out->text.json =
        std::make_shared<const std::string>(StripTypeAndManagedFields(json.TextOf(object)));
  }
  FieldReader::ReadStruct(json, object, *out);
  ObjectMeta& meta = out->metadata;
  if (!KindOf<T>().namespaced) {
    meta.namespace_.clear();
  } else if (meta.namespace_.empty()) {
    meta.namespace_ = "default";
  }
  if (meta.name.empty()) {
    json.Fail(
        "metadata.name is missing: the object needs a name, and generateName alone is not one");
  }
  return out;
}

template <size_t... kIndex>
Object ReadByIndex(JsonReader& json, JsonReader::Object& object, size_t index,
                   std::index_sequence<kIndex...>) {
  using Reader = Object (*)(JsonReader&, JsonReader::Object&);
  static constexpr Reader kReaders[] = {[](JsonReader& r, JsonReader::Object& o) -> Object {
    using T =
        std::remove_const_t<typename std::variant_alternative_t<kIndex, Object>::element_type>;
    return Ref<T>(ReadTyped<T>(r, o));
  }...};
  return kReaders[index](json, object);
}

// Reads `object` as `kind`, one of kKinds.
Object ReadKind(JsonReader& json, JsonReader::Object& object, const KindInfo& kind) {
  return ReadByIndex(json, object, static_cast<size_t>(&kind - kKinds),
                     std::make_index_sequence<std::variant_size_v<Object>>());
}

// Returns "namespace/name" from the metadata of `object`; empty if that cannot be read.
std::string NameOf(JsonReader& json, JsonReader::Object& object, const KindInfo& kind) {
  const auto value = json.Find(object, "metadata");
  if (!value) return {};
  std::optional<JsonReader::Object> meta = json.AsObject(*value);
  if (!meta) return {};
  const auto name = json.Peek(*meta, "name");
  if (!name || name->empty()) return {};
  ObjectKey key{.namespace_ = "", .name = Shorten(*name)};
  if (kind.namespaced) key.namespace_ = Shorten(json.Peek(*meta, "namespace").value_or("default"));
  return key.ToString();
}

// Returns the name of a possibly malformed object for an error message; empty if it is not found.
// `item` is the object's index if the document is a list.
std::string FindName(std::string_view document, const KindInfo& kind, std::optional<size_t> item) {
  JsonReader json;
  json.Open(document);
  JsonReader::Object object = json.Root();
  if (item) {
    const auto items = json.Find(object, "items");
    if (!items) return {};
    size_t index = 0;
    std::string name;
    json.ReadArray(*items, [&](JsonReader::Value element) {
      if (index++ != *item) return;
      if (auto found = json.AsObject(element)) name = NameOf(json, *found, kind);
      json.Fail("");  // Stops the iteration.
    });
    return name;
  }
  return NameOf(json, object, kind);
}

// DocumentDecoder decodes one document: an object or a list.
class DocumentDecoder {
 public:
  DocumentDecoder(std::string_view text, size_t first_line,
                  UndecodableFields* undecodable = nullptr)
      : text_(text) {
    json_.Open(text, first_line, undecodable);
  }

  // If `wanted` is not null, it is the only kind accepted, and the kind of an object without one.
  Result<std::vector<Object>> Decode(const KindInfo* wanted) {
    JsonReader::Object root = json_.Root();
    const auto kind = json_.Peek(root, "kind");
    if (wanted == nullptr) api_version_ = json_.Peek(root, "apiVersion");
    if (!json_.ok()) return Failure();
    if (!kind && wanted == nullptr) {
      json_.Fail("the document has no kind");
    } else if (wanted != nullptr && kind && *kind != wanted->kind) {
      json_.Fail(fmt::format("expected a {}, found kind \"{}\"", wanted->kind, Shorten(*kind)));
    } else if (const KindInfo* info = wanted != nullptr ? wanted : FindKind(*kind, api_version_)) {
      kind_ = info;
      objects_.push_back(ReadKind(json_, root, *info));
    } else if (kind->ends_with(kListSuffix)) {
      ReadList(root, *kind);
    } else {
      SkipAll(root);
    }
    json_.CheckEnd();
    if (!json_.ok()) return Failure();
    return std::move(objects_);
  }

 private:
  void SkipAll(JsonReader::Object& object) {
    json_.ReadFields(object, [](std::string_view, JsonReader::Value) { return false; });
  }

  // Reads an object whose kind ends in "List". Items without a kind are of the kind before that
  // suffix. An unknown kind may end in "List" without being a list.
  void ReadList(JsonReader::Object& root, std::string_view kind) {
    const std::string_view item_kind = kind.substr(0, kind.size() - kListSuffix.size());
    const bool known = item_kind.empty() || FindKind(item_kind, {}) != nullptr;
    json_.ReadFields(root, [&](std::string_view key, JsonReader::Value value) {
      if (key != "items" || (!known && !json_.IsArray(value))) return false;
      size_t index = 0;
      json_.ReadArray(value, [&](JsonReader::Value element) {
        item_ = index++;
        json_.RelativePaths(true);
        ReadItem(element, item_kind);
        if (!json_.ok()) return;
        json_.RelativePaths(false);
        kind_ = nullptr;
        item_.reset();
      });
      return true;
    });
  }

  void ReadItem(JsonReader::Value element, std::string_view list_kind) {
    std::optional<JsonReader::Object> object = json_.AsObject(element);
    if (!object) return;
    auto kind = json_.Peek(*object, "kind");
    auto api_version = json_.Peek(*object, "apiVersion");
    if (!json_.ok()) return;
    if (!kind && list_kind.empty()) return json_.Fail("the item has no kind");
    if (!kind && !api_version) api_version = api_version_;
    if (!kind) kind = list_kind;
    kind_ = FindKind(*kind, api_version);
    if (kind_ != nullptr) {
      objects_.push_back(ReadKind(json_, *object, *kind_));
    } else if (*kind == kListSuffix) {
      json_.Fail("a List within a List is not supported");
    } else {
      SkipAll(*object);
    }
  }

  // Returns the error: `Pod "default/web": spec.priority: ...`, as far as these are known.
  std::unexpected<Error> Failure() const {
    std::string message;
    if (item_) message += fmt::format("items[{}]: ", *item_);
    if (kind_ != nullptr) {
      const std::string name = FindName(text_, *kind_, item_);
      message += kind_->kind;
      message += name.empty() ? ": " : fmt::format(" \"{}\": ", name);
    }
    return Fail(message + json_.problem());
  }

  std::string_view text_;
  JsonReader& json_ = ThreadReader();
  std::vector<Object> objects_;
  std::optional<std::string> api_version_;  // Of the document.
  const KindInfo* kind_ = nullptr;          // Of the object being read.
  std::optional<size_t> item_;              // Its index in the list.
};

}  // namespace

Result<std::vector<Object>> DecodeDocument(std::string_view json, size_t first_line) {
  return DocumentDecoder(json, first_line).Decode(nullptr);
}

Result<std::vector<Object>> DecodeJson(std::string_view json) { return DecodeDocument(json, 1); }

template <typename T>
Result<Ref<T>> DecodeJsonAs(std::string_view json, UndecodableFields* undecodable) {
  auto objects = DocumentDecoder(json, 1, undecodable).Decode(&KindOf<T>());
  if (!objects) return std::unexpected(std::move(objects).error());
  return std::get<Ref<T>>(std::move(objects->front()));
}

template <typename T>
Result<Ref<T>> DecodeJsonWithRaw(std::string json, UndecodableFields* undecodable) {
  auto object = DecodeJsonAs<T>(json, undecodable);
  if (!object) return object;
  // The cast is safe: no other reference exists yet.
  const std::shared_ptr<T> fresh = std::const_pointer_cast<T>(*object);
  fresh->text.json = std::make_shared<const std::string>(std::move(json));
  return object;
}

template Result<Ref<Pod>> DecodeJsonWithRaw(std::string, UndecodableFields*);
template Result<Ref<Node>> DecodeJsonWithRaw(std::string, UndecodableFields*);

template Result<Ref<Pod>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<Node>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<Namespace>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<Service>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<ReplicationController>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<ReplicaSet>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<StatefulSet>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<PersistentVolume>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<PersistentVolumeClaim>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<StorageClass>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<CsiNode>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<CsiDriver>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<CsiStorageCapacity>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<VolumeAttachment>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<PodDisruptionBudget>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<PriorityClass>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<ResourceClaim>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<DeviceClass>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<ResourceSlice>> DecodeJsonAs(std::string_view, UndecodableFields*);
template Result<Ref<PodGroup>> DecodeJsonAs(std::string_view, UndecodableFields*);

std::string StripTypeAndManagedFields(std::string_view object) {
  constexpr std::string_view kType[] = {"apiVersion", "kind"};
  constexpr std::string_view kManagedFields[] = {"managedFields"};
  std::string stripped = WithoutMembers(object, kType);
  const std::string_view metadata = RawMember(stripped, "metadata");
  if (!metadata.empty()) {
    const auto begin = static_cast<size_t>(metadata.data() - stripped.data());
    stripped.replace(begin, metadata.size(), WithoutMembers(metadata, kManagedFields));
  }
  return stripped;
}

template <typename T>
Result<Object> DecodeWithRawJson(std::string_view json, UndecodableFields* undecodable) {
  auto object = DecodeJsonWithRaw<T>(StripTypeAndManagedFields(json), undecodable);
  if (!object) return std::unexpected(std::move(object.error()));
  return Object(*std::move(object));
}

template Result<Object> DecodeWithRawJson<Pod>(std::string_view, UndecodableFields*);
template Result<Object> DecodeWithRawJson<Node>(std::string_view, UndecodableFields*);

}  // namespace berth::api
