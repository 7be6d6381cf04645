#include "api/protobuf/decode_object.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "api/json/decode.h"
#include "api/json/encode.h"
#include "api/json/fields.h"
#include "api/json/fields_devices.h"
#include "api/json/fields_pod.h"
#include "api/json/json_text.h"
#include "api/json/writer.h"
#include "api/protobuf/message_decoder.h"
#include "base/check.h"
#include "base/text.h"

namespace berth::api::protobuf {
namespace {

const MessageDescriptor& MessageOf(std::string_view api_version, std::string_view kind) {
  const MessageDescriptor* message = Descriptors::Get().Find(api_version, kind);
  CHECK(message != nullptr);
  return *message;
}

// Returns the bytes of the first field with that number; empty if there is none.
std::string_view FindField(std::string_view bytes, uint32_t number) {
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) break;
    if (field->number == number) return field->bytes;
  }
  return {};
}

// Returns "namespace/name", as far as it can be read.
std::string FindName(std::string_view message) {
  const std::string_view metadata = FindField(message, 1);
  const ObjectKey key{Shorten(FindField(metadata, 3)), Shorten(FindField(metadata, 1))};
  return key.ToString();
}

// Returns the message of a claim as JSON. If the conversion fails, which is less tolerant than
// decoding, that JSON has the fields that were decoded.
std::string TextOf(const ResourceClaim& claim, std::string_view message,
                   const MessageDescriptor& schema) {
  const auto document = DecodeMessageToJson(message, schema);
  return StripTypeAndManagedFields(document ? ToJsonText(*document) : EncodeJson(claim));
}

}  // namespace

template <typename T>
Result<Ref<T>> DecodeAs(std::string_view message, UndecodableFields* undecodable) {
  const KindInfo& kind = KindOf<T>();
  static const MessageDescriptor& schema = MessageOf(kind.api_version, kind.kind);
  auto out = std::make_shared<T>();
  auto problem = MessageDecoder::Decode(message, schema, undecodable, *out);
  ObjectMeta& meta = out->metadata;
  if (problem.empty() && meta.name.empty()) problem.text = "metadata.name is missing";
  if (!problem.empty()) {
    return Fail(fmt::format("{} \"{}\": {}", kind.kind, FindName(message), problem.ToString()));
  }
  if (!kind.namespaced) {
    meta.namespace_.clear();
  } else if (meta.namespace_.empty()) {
    meta.namespace_ = "default";
  }
  if constexpr (std::is_same_v<T, ResourceClaim>) {
    out->text.json = std::make_shared<const std::string>(TextOf(*out, message, schema));
  }
  return out;
}

template Result<Ref<Pod>> DecodeAs(std::string_view, UndecodableFields*);
template Result<Ref<Node>> DecodeAs(std::string_view, UndecodableFields*);
template Result<Ref<ResourceClaim>> DecodeAs(std::string_view, UndecodableFields*);
template Result<Ref<DeviceClass>> DecodeAs(std::string_view, UndecodableFields*);
template Result<Ref<ResourceSlice>> DecodeAs(std::string_view, UndecodableFields*);

ObjectMeta DecodeMeta(std::string_view message) {
  // Every kind has its metadata in field 1, with the same message.
  static const MessageDescriptor& schema = *MessageOf("v1", "Pod").Find(1)->message;
  ObjectMeta meta;
  UndecodableFields ignored;
  MessageDecoder::Decode(FindField(message, 1), schema, &ignored, meta);
  return meta;
}

Result<ListMessage> ReadListMessage(std::string_view message) {
  ListMessage list;
  for (WireReader reader(message); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return Fail("the list: " + field.error());
    if (field->number == 2) list.items.push_back(field->bytes);
    if (field->number != 1) continue;
    list.resource_version = FindField(field->bytes, 2);
    list.continue_token = FindField(field->bytes, 3);
  }
  return list;
}

Result<WatchEventMessage> ReadWatchEventMessage(std::string_view frame) {
  WatchEventMessage event;
  for (WireReader reader(frame); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return Fail("the event: " + field.error());
    if (field->number == 1) event.type = field->bytes;
    if (field->number == 2) event.object = FindField(field->bytes, 1);
  }
  return event;
}

}  // namespace berth::api::protobuf
