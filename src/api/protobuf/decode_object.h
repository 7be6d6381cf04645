// The decoder of protobuf responses of the API server: lists, watch events, and pods and nodes
// decoded directly into their structs.
//
// Malformed bytes give an error. String views in results point into the input.
#pragma once

#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/object.h"
#include "base/result.h"

namespace berth::api::protobuf {

// Decodes `message` (the object of an envelope or an item of a list) with the same result as
// decoding its JSON form. T is Pod or Node. descriptor_tables.h has the field numbers, api/json/
// fields*.h the fields that are read. Errors name the object and the path.
template <typename T>
Result<Ref<T>> DecodeAs(std::string_view message);

// Decodes the metadata of an object of any kind.
Result<ObjectMeta> DecodeMeta(std::string_view message);

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
