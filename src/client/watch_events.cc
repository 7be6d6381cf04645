#include "client/watch_events.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <type_traits>
#include <utility>

#include "api/decode.h"
#include "api/json_text.h"
#include "kinds/json_access.h"
#include "kinds/kept_text.h"
#include "kinds/protobuf_body.h"
#include "kinds/protobuf_objects.h"

namespace berth::client {
namespace {

using apiserver::AsObject;
using apiserver::Json;
using apiserver::JsonObject;
using apiserver::ObjectAt;
using apiserver::StringAt;
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
Result<api::Object> DecodeJson(std::string_view json) {
  auto object = api::DecodeJsonAs<T>(json);
  if (!object) return std::unexpected(std::move(object.error()));
  return api::Object(*std::move(object));
}

template <typename T>
Result<api::Object> DecodeProtobuf(std::string_view message) {
  auto object = apiserver::DecodeProtobufAs<T>(message);
  if (!object) return std::unexpected(std::move(object.error()));
  return api::Object(*std::move(object));
}

// Null if `text` is not a JSON value.
Json ParseJson(std::string_view text) {
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = api::kMaxNesting;
  Json value = boost::json::parse({text.data(), text.size()}, error, {}, options);
  return error ? Json() : value;
}

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
  status.code = apiserver::IntAt(object, "code").value_or(0);
  status.reason = StringAt(object, "reason");
  status.message = StringAt(object, "message");
  const auto* causes = apiserver::ArrayAt(ObjectAt(object, "details"), "causes");
  if (causes == nullptr) return status;
  for (const Json& cause : *causes) {
    status.version_too_large |= StringAt(AsObject(cause), "reason") == "ResourceVersionTooLarge";
  }
  return status;
}

// An object of the API in either form, before it is known what it is.
class Raw {
 public:
  Raw(std::string_view bytes, WireForm form) : form_(form) {
    if (form == WireForm::kJson) {
      object_ = bytes;
      return;
    }
    const auto envelope = apiserver::OpenProtobufEnvelope(bytes);
    if (envelope) object_ = envelope->object;
    envelope_ = bytes;
  }
  // An item of a list, which has no envelope.
  static Raw Item(std::string_view bytes, WireForm form) { return Raw(bytes, form, true); }

  Received Read(const ObjectCodec& codec) const {
    Received received{(form_ == WireForm::kJson ? codec.json : codec.protobuf)(object_)};
    if (!received.object) received.meta = Meta();
    return received;
  }

  api::ObjectMeta Meta() const {
    if (form_ == WireForm::kProtobuf) {
      return apiserver::DecodeProtobufMeta(object_).value_or(api::ObjectMeta());
    }
    const Json document = ParseJson(object_);
    return MetaOf(AsObject(document));
  }

  ServerStatus Status() const {
    if (form_ == WireForm::kProtobuf) {
      const auto document = apiserver::DecodeProtobufBody(envelope_);
      return document ? StatusOf(AsObject(*document)) : ServerStatus();
    }
    const Json document = ParseJson(object_);
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

// {"type":"ADDED","object":...}, as API servers write it: no need to parse what is around the
// object.
std::optional<WatchEvent> ReadUsualFrame(std::string_view frame, const ObjectCodec& codec) {
  if (!TakePrefix(frame, R"({"type":")")) return std::nullopt;
  const size_t end = frame.find('"');
  const std::string_view type = frame.substr(0, end);
  if (end == std::string_view::npos || TypeOf(type) == Type::kUnknown) return std::nullopt;
  frame.remove_prefix(end);
  if (!TakePrefix(frame, R"(","object":)") || !frame.ends_with('}')) return std::nullopt;
  frame.remove_suffix(1);
  WatchEvent event = EventOf(type, Raw(frame, WireForm::kJson), codec);
  // It may be that more follows the object: then this is another frame than it seemed.
  if (event.received && !event.received->object) return std::nullopt;
  return event;
}

}  // namespace

template <typename T>
ObjectCodec CodecOf() {
  constexpr bool kIsLarge = std::is_same_v<T, api::Pod> || std::is_same_v<T, api::Node>;
  ObjectCodec codec{DecodeJson<T>, nullptr};
  if constexpr (kIsLarge) codec.protobuf = DecodeProtobuf<T>;
  return codec;
}

template <typename T>
ObjectCodec KeepingCodecOf() {
  return {apiserver::DecodeKeepingText<T>, nullptr};
}

template ObjectCodec KeepingCodecOf<api::Pod>();
template ObjectCodec KeepingCodecOf<api::Node>();

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
template ObjectCodec CodecOf<api::ResourceClaim>();
template ObjectCodec CodecOf<api::DeviceClass>();
template ObjectCodec CodecOf<api::ResourceSlice>();

Received ReceiveItem(std::string_view item, WireForm form, const ObjectCodec& codec) {
  return Raw::Item(item, form).Read(codec);
}

ServerStatus ReadServerStatus(int code, std::string_view body, WireForm form) {
  ServerStatus status = Raw(body, form).Status();
  if (status.message.empty()) status.message = api::Shorten(body, 200);
  status.code = code;
  return status;
}

Result<WatchEvent> ReadWatchEvent(std::string_view frame, WireForm form, const ObjectCodec& codec) {
  if (form == WireForm::kProtobuf) {
    if (codec.protobuf == nullptr) return Fail("the event is protobuf, which was not asked for");
    const auto event = apiserver::ReadProtobufWatchEvent(frame);
    if (!event) return std::unexpected(event.error());
    return EventOf(event->type, Raw(event->object, form), codec);
  }
  if (auto event = ReadUsualFrame(frame, codec)) return *std::move(event);
  const Json document = ParseJson(frame);
  const JsonObject* object = AsObject(document);
  if (object == nullptr) return Fail("the event is not a JSON object");
  const Json* inner = apiserver::At(object, "object");
  const std::string text = inner != nullptr ? boost::json::serialize(*inner) : "null";
  return EventOf(StringAt(object, "type"), Raw(text, form), codec);
}

}  // namespace berth::client
