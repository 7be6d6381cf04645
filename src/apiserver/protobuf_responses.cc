#include "apiserver/protobuf_responses.h"

#include <cstdint>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/protobuf/descriptors.h"
#include "api/protobuf/from_json.h"
#include "api/scheme/scheme.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver {
namespace {

using api::protobuf::AppendBytes;
using api::protobuf::Descriptors;

// Returns the message of a JSON document; empty if it is not an object.
std::string MessageOf(std::string_view json, const api::protobuf::MessageDescriptor& descriptor) {
  store::Scratch scratch;
  const auto document = api::ParseJson(json, {.storage = scratch.storage()});
  std::string message;
  if (document && document->is_object()) {
    api::protobuf::AppendMessage(message, document->get_object(), descriptor);
  }
  return message;
}

}  // namespace

bool HasProtobuf(const api::scheme::Kind& kind) {
  return kind.custom == nullptr &&
         Descriptors::Get().Find(kind.api_version(), kind.kind) != nullptr;
}

std::string ToProtobuf(std::string_view json) {
  store::Scratch scratch;
  const auto document = api::ParseJson(json, {.storage = scratch.storage()});
  if (!document) return {};
  return api::protobuf::EncodeFromJson(*document).value_or(std::string());
}

std::string ListToProtobuf(const api::scheme::Kind& kind, std::string_view metadata,
                           const std::vector<std::string_view>& objects) {
  const api::protobuf::MessageDescriptor& item =
      *Descriptors::Get().Find(kind.api_version(), kind.kind);
  const api::protobuf::MessageDescriptor& status = *Descriptors::Get().Find("v1", "Status");
  std::string list;
  // Field 1 of a Status is a ListMeta, too.
  AppendBytes(list, 1, MessageOf(metadata, *status.Find(1)->message));
  for (const std::string_view object : objects) AppendBytes(list, 2, MessageOf(object, item));
  return api::protobuf::InEnvelope(kind.api_version(), std::string(kind.kind) + "List", list);
}

std::string EventToProtobuf(std::string_view type, std::string_view object) {
  std::string raw;
  AppendBytes(raw, 1, object);
  std::string event;
  AppendBytes(event, 1, type);
  AppendBytes(event, 2, raw);
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(event.size() >> shift);
  return frame + event;
}

}  // namespace berth::apiserver
