// The encoding of events, commands and decisions in a recording: a new alternative of Event or
// ApiWrite does not compile until event_codec.cc handles it.
//
// Events are decoded again for replay. Commands and decisions are only compared, so they are
// recorded as texts: one line of JSON each, equal exactly if the values are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/events.h"

namespace berth::scheduler::recording {

// ByteWriter encodes numbers as varints (seven bits per byte, lowest first) and strings with their
// length.
class ByteWriter {
 public:
  void Number(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  // Zigzag: small numbers of either sign are short.
  void Signed(int64_t number) {
    const auto bits = static_cast<uint64_t>(number);
    Number((bits << 1) ^ (number < 0 ? UINT64_MAX : 0));
  }
  void String(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }

  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// ByteReader decodes the output of a ByteWriter. On malformed input it returns zeros and sets ok()
// to false; it never reads past the end.
class ByteReader {
 public:
  // `bytes` must outlive the reader.
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<uint8_t>(rest_.front());
      // The tenth byte holds one bit.
      if (shift == 63 && byte > 1) break;
      rest_.remove_prefix(1);
      number |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
    return Fail<uint64_t>();
  }
  int64_t Signed() {
    const uint64_t number = Number();
    return static_cast<int64_t>((number >> 1) ^ ((number & 1) != 0 ? UINT64_MAX : 0));
  }
  std::string_view String() {
    const uint64_t size = Number();
    if (size > rest_.size()) return Fail<std::string_view>();
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  size_t left() const { return rest_.size(); }
  bool ok() const { return ok_; }
  // Reports whether all bytes were read without an error.
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  template <typename T>
  T Fail() {
    ok_ = false;
    rest_ = {};
    return T();
  }

  std::string_view rest_;
  bool ok_ = true;
};

void EncodeEvent(const engine::Event& event, ByteWriter& out);
// Decodes the output of EncodeEvent; fails on any other input.
Result<engine::Event> DecodeEvent(ByteReader& in);

// Returns a description for users: `put Pod "default/web"`.
std::string DescribeEvent(const engine::Event& event);

// Return the JSON that recordings compare.
std::string CommandText(const engine::Command& command);
// Omits the explanation, which does not affect decisions.
std::string DecisionText(const engine::Decision& decision);

}  // namespace berth::scheduler::recording
