#include "world/addresses.h"

#include <fmt/format.h>

#include <charconv>

namespace berth::world {

std::optional<uint32_t> ParseAddress(std::string_view text) {
  uint32_t address = 0;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      if (text.empty() || text.front() != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    uint8_t part = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    address = address << 8 | part;
  }
  return text.empty() ? std::optional(address) : std::nullopt;
}

std::string FormatAddress(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

std::optional<AddressRange> AddressRange::Parse(std::string_view cidr) {
  const size_t slash = cidr.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto first = ParseAddress(cidr.substr(0, slash));
  uint32_t bits = 0;
  const char* const end = cidr.data() + cidr.size();
  const auto parsed = std::from_chars(cidr.data() + slash + 1, end, bits);
  if (!first || parsed.ec != std::errc() || parsed.ptr != end || bits < 8 || bits > 32) {
    return std::nullopt;
  }
  return AddressRange(*first, 1U << (32 - bits));
}

std::optional<uint32_t> AddressRange::PlaceOf(std::string_view address) const {
  const auto number = ParseAddress(address);
  if (!number || *number < first_ || *number - first_ >= size_) return std::nullopt;
  return *number - first_;
}

}  // namespace berth::world
