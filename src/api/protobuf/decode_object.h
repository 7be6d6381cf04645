// Answers in Kubernetes' protobuf form: lists, events of a watch, and pods and nodes read straight
// into their structs.
//
// Reads any bytes and never beyond their end. What is a view points into what was read.
#pragma once

#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/object.h"
#include "base/result.h"

namespace berth::api::protobuf {

// The object whose message is `message` (what an envelope holds, or an item of a list), as decoding
// its JSON form would give it: T is Pod or Node. The tables of protobuf_tables.h say which field
// has which number, api/json_fields*.h which are read. The error names the object and the path.
template <typename T>
Result<Ref<T>> DecodeAs(std::string_view message);

// The metadata of an object of any kind.
Result<ObjectMeta> DecodeMeta(std::string_view message);

// A list of any kind: its metadata, and its items' messages.
struct ListMessage {
  std::string_view resource_version;
  std::string_view continue_token;
  std::vector<std::string_view> items;
};
Result<ListMessage> ReadListMessage(std::string_view message);

// One event of a watch: its type, and its object in an envelope.
struct WatchEventMessage {
  std::string_view type;
  std::string_view object;
};
Result<WatchEventMessage> ReadWatchEventMessage(std::string_view frame);

}  // namespace berth::api::protobuf
