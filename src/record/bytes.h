// Numbers and strings as bytes: numbers with seven bits in each byte, small ones first, strings
// with their length before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

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

}  // namespace berth
