#include "kinds/protobuf_objects.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/json_fields_node.h"
#include "api/json_fields_pod.h"
#include "api/json_text.h"
#include "base/check.h"
#include "kinds/protobuf_field_reader.h"

namespace berth::apiserver {
namespace {

const ProtobufMessage& MessageOf(std::string_view api_version, std::string_view kind) {
  const ProtobufMessage* message = ProtobufSchema::Get().Find(api_version, kind);
  CHECK(message != nullptr);
  return *message;
}

// The bytes of the first field of that number; empty if there is none, or it has no bytes.
std::string_view FindField(std::string_view bytes, uint32_t number) {
  for (ProtobufReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) break;
    if (field->number == number) return field->bytes;
  }
  return {};
}

// "namespace/name", as far as it can be read.
std::string FindName(std::string_view message) {
  const std::string_view metadata = FindField(message, 1);
  const api::ObjectKey key{api::Shorten(FindField(metadata, 3)),
                           api::Shorten(FindField(metadata, 1))};
  return key.ToString();
}

}  // namespace

template <typename T>
Result<api::Ref<T>> DecodeProtobufAs(std::string_view message) {
  const api::KindInfo& kind = api::KindOf<T>();
  static const ProtobufMessage& schema = MessageOf(kind.api_version, kind.kind);
  auto out = std::make_shared<T>();
  auto problem = ProtobufFieldReader::ReadStruct(message, schema, 0, *out);
  api::ObjectMeta& meta = out->metadata;
  if (problem.empty() && meta.name.empty()) problem.text = "metadata.name is missing";
  if (!problem.empty()) {
    return Fail(fmt::format("{} \"{}\": {}", kind.kind, FindName(message), problem.ToString()));
  }
  if (!kind.namespaced) {
    meta.namespace_.clear();
  } else if (meta.namespace_.empty()) {
    meta.namespace_ = "default";
  }
  return out;
}

template Result<api::Ref<api::Pod>> DecodeProtobufAs(std::string_view);
template Result<api::Ref<api::Node>> DecodeProtobufAs(std::string_view);

Result<api::ObjectMeta> DecodeProtobufMeta(std::string_view message) {
  // Every kind has its metadata in field 1; a pod's message says what is in it.
  static const ProtobufMessage& schema = *MessageOf("v1", "Pod").Find(1)->message;
  api::ObjectMeta meta;
  const auto problem = ProtobufFieldReader::ReadStruct(FindField(message, 1), schema, 0, meta);
  if (!problem.empty()) return Fail("metadata: " + problem.ToString());
  return meta;
}

Result<ProtobufList> ReadProtobufList(std::string_view message) {
  ProtobufList list;
  for (ProtobufReader reader(message); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return Fail("the list: " + field.error());
    if (field->number == 2) list.items.push_back(field->bytes);
    if (field->number != 1) continue;
    list.resource_version = FindField(field->bytes, 2);
    list.continue_token = FindField(field->bytes, 3);
  }
  return list;
}

Result<ProtobufWatchEvent> ReadProtobufWatchEvent(std::string_view frame) {
  ProtobufWatchEvent event;
  for (ProtobufReader reader(frame); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return Fail("the event: " + field.error());
    if (field->number == 1) event.type = field->bytes;
    if (field->number == 2) event.object = FindField(field->bytes, 1);
  }
  return event;
}

}  // namespace berth::apiserver
