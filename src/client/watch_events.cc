#include "client/watch_events.h"

#include <simdjson.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/broken_objects.h"
#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/protobuf/decode_object.h"
#include "api/protobuf/to_json.h"
#include "base/text.h"

namespace berth::client {
namespace {

using api::AsObject;
using api::Json;
using api::JsonObject;
using api::ObjectAt;
using api::StringAt;
using Type = WatchEvent::Type;

constexpr std::string_view kListEnd = "k8s.io/initial-events-end";

Type TypeOf(std::string_view name) {
  if (name == "ADDED") return Type::kAdded;
  if (name == "MODIFIED") return Type::kModified;
  if (name == "DELETED") return Type::kDeleted;
  if (name == "BOOKMARK") return Type::kBookmark;
  return name == "ERROR" ? Type::kError : Type::kUnknown;
}

template <typename T>
Result<api::Object> DecodeJson(std::string_view json, api::UndecodableFields& undecodable) {
  auto object = api::DecodeJsonAs<T>(json, &undecodable);
  if (!object) return std::unexpected(std::move(object.error()));
  return api::Object(*std::move(object));
}

template <typename T>
Result<api::Object> DecodeJsonWithRaw(std::string_view json, api::UndecodableFields& undecodable) {
  return api::DecodeWithRawJson<T>(json, &undecodable);
}

template <typename T>
Result<api::Object> DecodeProtobuf(std::string_view message, api::UndecodableFields& undecodable) {
  auto object = api::protobuf::DecodeAs<T>(message, &undecodable);
  if (!object) return std::unexpected(std::move(object.error()));
  return api::Object(*std::move(object));
}

// Returns null if `text` is not a JSON value.
Json ParseOrNull(std::string_view text) { return api::ParseJson(text).value_or(Json()); }

api::ObjectMeta MetaOf(const JsonObject* object) {
  const JsonObject* metadata = ObjectAt(object, "metadata");
  api::ObjectMeta meta;
  meta.name = StringAt(metadata, "name");
  meta.namespace_ = StringAt(metadata, "namespace");
  meta.uid = StringAt(metadata, "uid");
  meta.resource_version = StringAt(metadata, "resourceVersion");
  const auto end = StringAt(ObjectAt(metadata, "annotations"), kListEnd);
  if (!end.empty()) meta.annotations.emplace(kListEnd, end);
  return meta;
}

ServerStatus StatusOf(const JsonObject* object) {
  ServerStatus status;
  status.code = api::IntAt(object, "code").value_or(0);
  status.reason = StringAt(object, "reason");
  status.message = StringAt(object, "message");
  const auto* causes = api::ArrayAt(ObjectAt(object, "details"), "causes");
  if (causes == nullptr) return status;
  for (const Json& cause : *causes) {
    status.version_too_large |= StringAt(AsObject(cause), "reason") == "ResourceVersionTooLarge";
  }
  return status;
}

// Raw is an API object in either form, before it is decoded.
class Raw {
 public:
  Raw(std::string_view bytes, WireForm form) : form_(form) {
    if (form == WireForm::kJson) {
      object_ = bytes;
      return;
    }
    const auto envelope = api::protobuf::OpenEnvelope(bytes);
    if (envelope) object_ = envelope->object;
    envelope_ = bytes;
  }
  // Returns an item of a list, which has no envelope.
  static Raw Item(std::string_view bytes, WireForm form) { return Raw(bytes, form, true); }

  Received Read(const ObjectCodec& codec) const {
    const ObjectCodec::Decode decode = form_ == WireForm::kJson ? codec.json : codec.protobuf;
    api::UndecodableFields undecodable;
    Received received{decode(object_, undecodable)};
    if (received.object && !undecodable.empty()) {
      received.object = api::ReadWithCaution(*std::move(received.object), undecodable);
    }
    if (!received.object) received.meta = Meta();
    received.undecodable = std::move(undecodable);
    return received;
  }

  api::ObjectMeta Meta() const {
    if (form_ == WireForm::kProtobuf) {
      return api::protobuf::DecodeMeta(object_);
    }
    const Json document = ParseOrNull(object_);
    return MetaOf(AsObject(document));
  }

  ServerStatus Status() const {
    if (form_ == WireForm::kProtobuf) {
      const auto document = api::protobuf::DecodeToJson(envelope_);
      return document ? StatusOf(AsObject(*document)) : ServerStatus();
    }
    const Json document = ParseOrNull(object_);
    return StatusOf(AsObject(document));
  }

 private:
  Raw(std::string_view object, WireForm form, bool) : form_(form), object_(object) {}

  WireForm form_;
  std::string_view object_;
  std::string_view envelope_;
};

WatchEvent EventOf(std::string_view type, const Raw& raw, const ObjectCodec& codec) {
  WatchEvent event;
  event.type = TypeOf(type);
  switch (event.type) {
    case Type::kAdded:
    case Type::kModified:
    case Type::kDeleted:
      event.received = raw.Read(codec);
      break;
    case Type::kBookmark: {
      api::ObjectMeta meta = raw.Meta();
      event.resource_version = std::move(meta.resource_version);
      const auto end = meta.annotations.find(kListEnd);
      event.ends_list = end != meta.annotations.end() && end->second == "true";
      break;
    }
    case Type::kError:
      event.status = raw.Status();
      break;
    case Type::kUnknown:
      break;
  }
  return event;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Decodes {"type":"ADDED","object":...} as API servers write it, without parsing the envelope.
std::optional<WatchEvent> ReadUsualFrame(std::string_view frame, const ObjectCodec& codec) {
  if (!TakePrefix(frame, R"({"type":")")) return std::nullopt;
  const size_t end = frame.find('"');
  const std::string_view type = frame.substr(0, end);
  if (end == std::string_view::npos || TypeOf(type) == Type::kUnknown) return std::nullopt;
  frame.remove_prefix(end);
  if (!TakePrefix(frame, R"(","object":)") || !frame.ends_with('}')) return std::nullopt;
  frame.remove_suffix(1);
  WatchEvent event = EventOf(type, Raw(frame, WireForm::kJson), codec);
  // If decoding fails, more may follow the object: the general parser decides.
  if (event.received && !event.received->object) return std::nullopt;
  return event;
}

}  // namespace

template <typename T>
ObjectCodec CodecOf() {
  // Claims retain their JSON, which costs more to make from protobuf.
  constexpr bool kIsLarge = std::is_same_v<T, api::Pod> || std::is_same_v<T, api::Node> ||
                            std::is_same_v<T, api::ResourceSlice>;
  ObjectCodec codec{DecodeJson<T>, nullptr};
  if constexpr (kIsLarge) codec.protobuf = DecodeProtobuf<T>;
  return codec;
}

template <typename T>
ObjectCodec RawJsonCodecOf() {
  return {DecodeJsonWithRaw<T>, nullptr};
}

template ObjectCodec RawJsonCodecOf<api::Pod>();
template ObjectCodec RawJsonCodecOf<api::Node>();

template ObjectCodec CodecOf<api::Pod>();
template ObjectCodec CodecOf<api::Node>();
template ObjectCodec CodecOf<api::Namespace>();
template ObjectCodec CodecOf<api::Service>();
template ObjectCodec CodecOf<api::ReplicationController>();
template ObjectCodec CodecOf<api::ReplicaSet>();
template ObjectCodec CodecOf<api::StatefulSet>();
template ObjectCodec CodecOf<api::PersistentVolume>();
template ObjectCodec CodecOf<api::PersistentVolumeClaim>();
template ObjectCodec CodecOf<api::StorageClass>();
template ObjectCodec CodecOf<api::CsiNode>();
template ObjectCodec CodecOf<api::CsiDriver>();
template ObjectCodec CodecOf<api::CsiStorageCapacity>();
template ObjectCodec CodecOf<api::VolumeAttachment>();
template ObjectCodec CodecOf<api::PodDisruptionBudget>();
template ObjectCodec CodecOf<api::PriorityClass>();
template ObjectCodec CodecOf<api::ResourceClaim>();
template ObjectCodec CodecOf<api::DeviceClass>();
template ObjectCodec CodecOf<api::ResourceSlice>();
template ObjectCodec CodecOf<api::PodGroup>();

ObjectCodec CoschedulingGroupCodec() {
  const auto decode = [](std::string_view json,
                         api::UndecodableFields& undecodable) -> Result<api::Object> {
    auto group = api::DecodeJsonAs<api::PodGroup>(json, &undecodable);
    if (!group) return std::unexpected(group.error());
    return std::make_shared<const api::PodGroup>(api::FromCoscheduling(**group));
  };
  return {decode, nullptr};
}

Received ReceiveItem(std::string_view item, WireForm form, const ObjectCodec& codec) {
  return Raw::Item(item, form).Read(codec);
}

ServerStatus ReadServerStatus(int code, std::string_view body, WireForm form) {
  ServerStatus status = Raw(body, form).Status();
  if (status.message.empty()) status.message = Shorten(body, 200);
  status.code = code;
  return status;
}

Result<WatchEvent> ReadWatchEvent(std::string_view frame, WireForm form, const ObjectCodec& codec) {
  if (form == WireForm::kProtobuf) {
    if (codec.protobuf == nullptr) return Fail("the event is protobuf, which was not asked for");
    const auto event = api::protobuf::ReadWatchEventMessage(frame);
    if (!event) return std::unexpected(event.error());
    return EventOf(event->type, Raw(event->object, form), codec);
  }
  if (auto event = ReadUsualFrame(frame, codec)) return *std::move(event);
  if (!api::IsUtf8(frame)) return ReadWatchEvent(api::ReplaceInvalidUtf8(frame), form, codec);
  const Json document = ParseOrNull(frame);
  const JsonObject* object = AsObject(document);
  if (object == nullptr) return Fail("the event is not a JSON object");
  const Json* inner = api::At(object, "object");
  const std::string text = inner != nullptr ? api::ToJsonText(*inner) : "null";
  return EventOf(StringAt(object, "type"), Raw(text, form), codec);
}

// Lists are decoded in two steps: the items' texts are located first and then decoded one by one,
// so that an invalid item does not affect the others.
namespace {

namespace ondemand = simdjson::ondemand;

Result<ListPage> Broken(std::string_view why) {
  return Fail("the list cannot be read: " + std::string(why));
}

Result<ListPage> ReadProtobuf(std::string_view body, const ObjectCodec& codec) {
  if (codec.protobuf == nullptr) return Broken("it is protobuf, which was not asked for");
  const auto envelope = api::protobuf::OpenEnvelope(body);
  if (!envelope) return Broken(envelope.error());
  const auto list = api::protobuf::ReadListMessage(envelope->object);
  if (!list) return Broken(list.error().message);
  ListPage page{std::string(list->resource_version), std::string(list->continue_token), {}};
  page.items.reserve(list->items.size());
  for (const std::string_view item : list->items) {
    page.items.push_back(ReceiveItem(item, WireForm::kProtobuf, codec));
  }
  return page;
}

// Reads the string members of the list's metadata; others are ignored.
simdjson::error_code ReadMetadata(ondemand::object metadata, ListPage& page) {
  for (auto field : metadata) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    const bool is_version = key == "resourceVersion";
    if (!is_version && key != "continue") continue;
    std::string_view text;
    const auto error = field.value().get_string().get(text);
    if (error && error != simdjson::INCORRECT_TYPE) return error;
    (is_version ? page.resource_version : page.continue_token) = text;
  }
  return simdjson::SUCCESS;
}

// Items that are not even objects are errors of their own.
simdjson::error_code ReadItems(ondemand::array items, const ObjectCodec& codec, ListPage& page) {
  for (auto item : items) {
    ondemand::object object;
    std::string_view text;
    const auto error = item.get_object().get(object);
    if (error == simdjson::INCORRECT_TYPE) {
      page.items.push_back({Fail("an item of the list that is not an object")});
      continue;
    }
    if (error) return error;
    if (const auto broken = object.raw_json().get(text)) return broken;
    page.items.push_back(ReceiveItem(text, WireForm::kJson, codec));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadRoot(ondemand::object root, const ObjectCodec& codec, ListPage& page,
                              bool& has_items) {
  for (auto field : root) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (key == "metadata") {
      ondemand::object metadata;
      const auto error = field.value().get_object().get(metadata);
      if (error == simdjson::INCORRECT_TYPE) continue;
      if (error) return error;
      if (const auto broken = ReadMetadata(metadata, page)) return broken;
    } else if (key == "items") {
      has_items = true;
      bool is_null = false;
      if (const auto error = field.value().is_null().get(is_null)) return error;
      if (is_null) continue;
      ondemand::array items;
      if (const auto error = field.value().get_array().get(items)) return error;
      if (const auto error = ReadItems(items, codec, page)) return error;
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

Result<ListPage> ReadListPage(std::string body, WireForm form, const ObjectCodec& codec) {
  if (form == WireForm::kProtobuf) return ReadProtobuf(body, codec);
  const size_t size = body.size();
  body.reserve(size + simdjson::SIMDJSON_PADDING);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object root;
  ListPage page;
  bool has_items = false;
  auto error = parser.iterate(body.data(), size, body.capacity()).get(document);
  if (error == simdjson::UTF8_ERROR)
    return ReadListPage(api::ReplaceInvalidUtf8(body), form, codec);
  if (!error) error = document.get_object().get(root);
  if (!error) error = ReadRoot(root, codec, page, has_items);
  if (error) return Broken(simdjson::error_message(error));
  if (!has_items) return Broken("it has no items");
  return page;
}

}  // namespace berth::client
