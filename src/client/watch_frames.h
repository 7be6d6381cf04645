// WatchFrames splits the byte stream of a watch into events: consecutive JSON objects, or
// length-prefixed protobuf messages.
//
// Each byte is scanned once, however the stream is split in transit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::client {

enum class WireForm { kJson, kProtobuf };

// Returns the form for a Content-Type: JSON, unless it is Kubernetes' protobuf.
WireForm FormOf(std::string_view content_type);

class WatchFrames {
 public:
  // A longer event is an error: objects are smaller than that. client-go has the same limit.
  static constexpr size_t kMaxFrameBytes = size_t{16} << 20;

  explicit WatchFrames(WireForm form) : form_(form) {}

  WireForm form() const { return form_; }

  void Add(std::string_view bytes);
  // Returns the next complete event, or nothing if it is incomplete. Valid until Add. An error
  // ends the stream.
  Result<std::optional<std::string_view>> Next();

 private:
  Result<std::optional<std::string_view>> NextJson();
  Result<std::optional<std::string_view>> NextProtobuf();
  // Moves past the string that scan_ is in; returns false if it does not end yet.
  bool SkipString();
  std::string_view TakeTo(size_t end);

  WireForm form_;
  std::string buffer_;
  size_t begin_ = 0;  // Start of the bytes that were not returned yet.
  // For JSON: the scanned bytes and the state of the scanner.
  size_t scan_ = 0;
  size_t depth_ = 0;
  bool in_string_ = false;
};

}  // namespace berth::client
