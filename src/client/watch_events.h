// The objects that a server sends in lists and watches, as an informer needs them.
//
// What cannot be read is told with as much of its name as can.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "client/watch_frames.h"

namespace berth::client {

// How objects of one kind are read.
struct ObjectCodec {
  using Decode = Result<api::Object> (*)(std::string_view);
  Decode json = nullptr;
  Decode protobuf = nullptr;  // Of a message; null if the kind is asked for as JSON only.
};

// The codec of T, for each T in api::Object.
template <typename T>
ObjectCodec CodecOf();

// The codec of pods or nodes whose text is kept (api/kept_text.h): as JSON only, which is the text.
template <typename T>
ObjectCodec RawJsonCodecOf();

// An object, or why it cannot be read and what it says of itself.
struct Received {
  Result<api::Object> object;
  api::ObjectMeta meta = {};  // Of one that cannot be read: name, uid and version.
};

// An item of a list: JSON text, or a message without an envelope.
Received ReceiveItem(std::string_view item, WireForm form, const ObjectCodec& codec);

// Why the server refuses something.
struct ServerStatus {
  int64_t code = 0;
  std::string reason;              // "Expired"
  std::string message;             // For people.
  bool version_too_large = false;  // It does not know the resource version yet.
};

// What the body of a refused request says; a body that is no Status is its own message.
ServerStatus ReadServerStatus(int code, std::string_view body, WireForm form);

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };
  Type type = Type::kUnknown;
  std::optional<Received> received;  // Of the first three.
  std::string resource_version;      // Of a bookmark.
  bool ends_list = false;            // The bookmark says that all initial events were sent.
  ServerStatus status;               // Of an error.
};

// One frame of a watch.
Result<WatchEvent> ReadWatchEvent(std::string_view frame, WireForm form, const ObjectCodec& codec);

struct ListPage {
  std::string resource_version;
  std::string continue_token;
  std::vector<Received> items;
};

Result<ListPage> ReadListPage(std::string body, WireForm form, const ObjectCodec& codec);

}  // namespace berth::client
