// IPv4 addresses of nodes and pods: ranges in CIDR notation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::world {

// "10.0.4.1" as a number.
std::optional<uint32_t> ParseAddress(std::string_view text);
std::string FormatAddress(uint32_t address);

class AddressRange {
 public:
  // How many addresses of a range anybody keeps track of.
  static constexpr size_t kMaxTracked = 1024;

  AddressRange(uint32_t first, uint32_t size) : first_(first), size_(size) {}
  // "10.0.4.0/22"; nothing if it is not IPv4.
  static std::optional<AddressRange> Parse(std::string_view cidr);

  uint32_t first() const { return first_; }
  uint32_t size() const { return size_; }
  std::string At(uint32_t place) const { return FormatAddress(first_ + place); }
  // Where the address is in the range, if it is.
  std::optional<uint32_t> PlaceOf(std::string_view address) const;

 private:
  uint32_t first_;
  uint32_t size_;
};

}  // namespace berth::world
