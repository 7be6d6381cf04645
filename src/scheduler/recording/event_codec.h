// Numbers and strings as bytes: numbers with seven bits in each byte, small ones first, strings
// with their length before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/events.h"

namespace berth::scheduler::recording {

class ByteWriter {
 public:
  void Number(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  // Small numbers of either sign stay short.
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

// Reads what a ByteWriter wrote. Bytes that are none of its work give zeros and ok() == false,
// never more than there is.
class ByteReader {
 public:
  // `bytes` must outlive the reader.
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<uint8_t>(rest_.front());
      // The tenth byte has room for one bit.
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
  // All was read, and all was well.
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

// What the engine hears and answers, as bytes and as text. All knowledge of how events, commands
// and decisions look in a recording is here: a new alternative of Event or ApiWrite does not
// compile until this file's .cc knows it.
//
// Events are read back, to be heard again. Answers are compared only, so they are texts: one line
// of JSON each, equal exactly if the answers are.
void EncodeEvent(const engine::Event& event, ByteWriter& out);
// Gives what EncodeEvent was given, whatever the bytes; an error if they are none of its work.
Result<engine::Event> DecodeEvent(ByteReader& in);

// For people: `put Pod "default/web"`.
std::string DescribeEvent(const engine::Event& event);

std::string CommandText(const engine::Command& command);
// Without the explanation, which decides nothing.
std::string DecisionText(const engine::Decision& decision);

}  // namespace berth::scheduler::recording
