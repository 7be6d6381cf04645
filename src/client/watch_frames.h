// WatchFrames cuts what a watch sends into its events, as the bytes arrive: JSON objects one after
// another, or protobuf messages with their length before each.
//
// Each byte is looked at once, however it is cut up in transit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::client {

enum class WireForm { kJson, kProtobuf };

// What a Content-Type says: JSON, unless it is Kubernetes' protobuf.
WireForm FormOf(std::string_view content_type);

class WatchFrames {
 public:
  // A longer event is an error: objects are smaller than that.
  static constexpr size_t kMaxFrameBytes = size_t{64} << 20;

  explicit WatchFrames(WireForm form) : form_(form) {}

  WireForm form() const { return form_; }

  void Add(std::string_view bytes);
  // The next whole event, or nothing until there is one. Valid until Add. After an error there is
  // no next one.
  Result<std::optional<std::string_view>> Next();

 private:
  Result<std::optional<std::string_view>> NextJson();
  Result<std::optional<std::string_view>> NextProtobuf();
  // Moves past the string that scan_ is in; false if it does not end yet.
  bool SkipString();
  std::string_view TakeTo(size_t end);

  WireForm form_;
  std::string buffer_;
  size_t begin_ = 0;  // Of what has not been taken.
  // Of JSON: what has been looked at, and where that leaves us.
  size_t scan_ = 0;
  size_t depth_ = 0;
  bool in_string_ = false;
};

}  // namespace berth::client
