// The decoder of protobuf responses of the API server: lists, watch events, and objects of some
// kinds decoded directly into their structs.
//
// Malformed bytes give an error, unless the decoder is tolerant (api/json/decode.h). String views
// in results point into the input.
#pragma once

#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/object.h"
#include "base/result.h"

namespace berth::api {
class UndecodableFields;
}

namespace berth::api::protobuf {

// Decodes `message` (the object of an envelope or an item of a list) with the same result as
// decoding its JSON form. T is Pod, Node or a kind of devices. schema_tables.h has the field
// numbers, api/json/ fields*.h the fields that are read. Errors name the object and the path.
// Tolerant if `undecodable` is not null.
template <typename T>
Result<Ref<T>> DecodeAs(std::string_view message, UndecodableFields* undecodable = nullptr);

// Decodes what can be read of the metadata of an object of any kind.
ObjectMeta DecodeMeta(std::string_view message);

// A list of any kind: its metadata and the messages of its items.
struct ListMessage {
  std::string_view resource_version;
  std::string_view continue_token;
  std::vector<std::string_view> items;
};
Result<ListMessage> ReadListMessage(std::string_view message);

// A watch event: its type, and its object in an envelope.
struct WatchEventMessage {
  std::string_view type;
  std::string_view object;
};
Result<WatchEventMessage> ReadWatchEventMessage(std::string_view frame);

}  // namespace berth::api::protobuf
