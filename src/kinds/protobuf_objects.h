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

namespace berth::apiserver {

// The object whose message is `message` (what an envelope holds, or an item of a list), as decoding
// its JSON form would give it: T is Pod or Node. The tables of protobuf_tables.h say which field
// has which number, api/json_fields*.h which are read. The error names the object and the path.
template <typename T>
Result<api::Ref<T>> DecodeProtobufAs(std::string_view message);

// The metadata of an object of any kind.
Result<api::ObjectMeta> DecodeProtobufMeta(std::string_view message);

// A list of any kind: its metadata, and its items' messages.
struct ProtobufList {
  std::string_view resource_version;
  std::string_view continue_token;
  std::vector<std::string_view> items;
};
Result<ProtobufList> ReadProtobufList(std::string_view message);

// One event of a watch: its type, and its object in an envelope.
struct ProtobufWatchEvent {
  std::string_view type;
  std::string_view object;
};
Result<ProtobufWatchEvent> ReadProtobufWatchEvent(std::string_view frame);

}  // namespace berth::apiserver
