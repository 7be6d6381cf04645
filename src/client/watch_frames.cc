#include "client/watch_frames.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "api/json/json_text.h"
#include "base/text.h"

namespace berth::client {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr std::string_view kContentType = "application/vnd.kubernetes.protobuf";

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::unexpected<Error> TooLong() {
  return Fail(fmt::format("an event is longer than {} bytes", WatchFrames::kMaxFrameBytes));
}

}  // namespace

WireForm FormOf(std::string_view content_type) {
  return content_type.starts_with(kContentType) ? WireForm::kProtobuf : WireForm::kJson;
}

void WatchFrames::Add(std::string_view bytes) {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scan_ -= begin_;
    begin_ = 0;
  }
  buffer_ += bytes;
}

Result<std::optional<std::string_view>> WatchFrames::Next() {
  return form_ == WireForm::kJson ? NextJson() : NextProtobuf();
}

std::string_view WatchFrames::TakeTo(size_t end) {
  const std::string_view frame = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = end;
  return frame;
}

Result<std::optional<std::string_view>> WatchFrames::NextProtobuf() {
  scan_ = begin_;
  if (buffer_.size() - begin_ < kLengthBytes) return std::nullopt;
  uint32_t size = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    size = size << 8 | static_cast<uint8_t>(buffer_[begin_ + i]);
  }
  if (size > kMaxFrameBytes) return TooLong();
  if (buffer_.size() - begin_ - kLengthBytes < size) return std::nullopt;
  begin_ += kLengthBytes;
  return TakeTo(begin_ + size);
}

Result<std::optional<std::string_view>> WatchFrames::NextJson() {
  for (; scan_ < buffer_.size(); ++scan_) {
    if (in_string_ && !SkipString()) break;
    const char c = buffer_[scan_];
    if (c == '"') {
      // Either the end of the skipped string, or the start of one.
      in_string_ = !in_string_;
      if (depth_ == 0) return Fail("an event is not a JSON object");
    } else if (c == '{' || c == '[') {
      if (depth_ == 0 && c == '[') return Fail("an event is a JSON list");
      ++depth_;
    } else if (c == '}' || c == ']') {
      if (depth_ == 0) return Fail("an event begins with a closing bracket");
      if (--depth_ > 0) continue;
      ++scan_;
      return TakeTo(scan_);
    } else if (depth_ == 0) {
      if (!IsSpace(c)) {
        return Fail(fmt::format("an event is not JSON: {}",
                                Shorten(std::string_view(buffer_).substr(scan_, 60))));
      }
      begin_ = scan_ + 1;
    }
  }
  if (scan_ - begin_ > kMaxFrameBytes) return TooLong();
  return std::nullopt;
}

// Searches for the closing quote, which follows an even number of backslashes.
bool WatchFrames::SkipString() {
  while (scan_ < buffer_.size()) {
    const char* found =
        static_cast<const char*>(std::memchr(buffer_.data() + scan_, '"', buffer_.size() - scan_));
    if (found == nullptr) {
      scan_ = buffer_.size();
      return false;
    }
    scan_ = static_cast<size_t>(found - buffer_.data());
    size_t slashes = 0;
    while (buffer_[scan_ - 1 - slashes] == '\\')
      ++slashes;  // Stops at the opening quote at the latest.
    if (slashes % 2 == 0) return true;
    ++scan_;
  }
  return false;
}

}  // namespace berth::client
