// Decoders of the lists and watch events that a server sends, in JSON and protobuf.
//
// Fields that cannot be decoded are left out of their object (api/broken_objects.h). An object that
// cannot be decoded at all is returned with as much of its metadata as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/undecodable_fields.h"
#include "base/result.h"
#include "client/watch_frames.h"

namespace berth::client {

// The decoders of one kind.
struct ObjectCodec {
  using Decode = Result<api::Object> (*)(std::string_view, api::UndecodableFields&);
  Decode json = nullptr;
  Decode protobuf = nullptr;  // Decodes a message; null if the kind is only requested as JSON.
};

// Returns the codec of T, for each T in api::Object.
template <typename T>
ObjectCodec CodecOf();

// Returns the codec of pods or nodes that retain their raw JSON: they are requested as JSON only.
template <typename T>
ObjectCodec RawJsonCodecOf();

// Returns the codec of scheduler-plugins' PodGroups, which become api::PodGroups.
ObjectCodec CoschedulingGroupCodec();

// An object, or the error of decoding it and its metadata.
struct Received {
  Result<api::Object> object;
  api::ObjectMeta meta = {};  // If it cannot be decoded: name, uid and version.
  api::UndecodableFields undecodable = {};
};

// Decodes an item of a list: JSON text, or a message without an envelope.
Received ReceiveItem(std::string_view item, WireForm form, const ObjectCodec& codec);

// The Status of an error response or event.
struct ServerStatus {
  int64_t code = 0;
  std::string reason;              // "Expired"
  std::string message;             // For users.
  bool version_too_large = false;  // The server has not reached the resource version yet.
};

// Reads the body of an error response; a body that is not a Status becomes the message.
ServerStatus ReadServerStatus(int code, std::string_view body, WireForm form);

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };
  Type type = Type::kUnknown;
  std::optional<Received> received;  // For the first three types.
  std::string resource_version;      // For bookmarks.
  bool ends_list = false;            // The bookmark ends the initial events.
  ServerStatus status;               // For errors.
};

// Decodes one frame of a watch.
Result<WatchEvent> ReadWatchEvent(std::string_view frame, WireForm form, const ObjectCodec& codec);

// The pages of a list after which it counts as endless: two million objects of 500 a page.
inline constexpr size_t kMaxListPages = 4'000;

struct ListPage {
  std::string resource_version;
  std::string continue_token;
  std::vector<Received> items;
};

Result<ListPage> ReadListPage(std::string body, WireForm form, const ObjectCodec& codec);

}  // namespace berth::client
