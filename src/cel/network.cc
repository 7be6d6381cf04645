#include "cel/network.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "cel/numbers.h"

namespace berth::cel {
namespace {

constexpr size_t kGroups = 8;

bool IsV4InV6(const IpAddress& address) {
  return !address.is_v4 &&
         std::all_of(address.bytes.begin(), address.bytes.begin() + 10,
                     [](uint8_t byte) { return byte == 0; }) &&
         address.bytes[10] == 0xFF && address.bytes[11] == 0xFF;
}

std::string_view V4Problem(std::string_view text) {
  const auto dots = std::ranges::count(text, '.');
  if (dots < 3) return "IPv4 address too short";
  if (dots > 3) return "IPv4 address too long";
  return "IPv4 field has value >255, a leading zero or no digit";
}

Result<IpAddress> ParseAddress(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return Fail(fmt::format("ParseAddr({}): {}", GoQuote(text), why));
  };
  IpAddress address;
  const std::string copy(text);
  const size_t separator = text.find_first_of(".:%");
  // inet_pton reads up to a zero byte.
  if (separator == std::string_view::npos || text.find('\0') != std::string_view::npos) {
    return fail("unable to parse IP");
  }
  if (text[separator] == '%') return fail("missing IPv6 address");
  if (text[separator] == '.') {
    address.is_v4 = true;
    if (inet_pton(AF_INET, copy.c_str(), address.bytes.data()) != 1) return fail(V4Problem(text));
    return address;
  }
  const size_t zone = copy.find('%');
  if (zone + 1 == copy.size()) return fail("zone must be a non-empty string");
  if (inet_pton(AF_INET6, copy.substr(0, zone).c_str(), address.bytes.data()) != 1) {
    return fail("not a valid IPv6 address");
  }
  return address;
}

std::string FormatV6(const std::array<uint8_t, 16>& bytes) {
  std::array<unsigned, kGroups> groups;
  for (size_t i = 0; i < kGroups; ++i) groups[i] = bytes[2 * i] * 256U + bytes[2 * i + 1];
  // The first of the longest runs of zeros is left out.
  size_t best = kGroups;
  size_t best_size = 1;
  for (size_t i = 0; i < kGroups;) {
    size_t size = 0;
    while (i + size < kGroups && groups[i + size] == 0) ++size;
    if (size > best_size) {
      best = i;
      best_size = size;
    }
    i += size + 1;
  }
  std::string text;
  for (size_t i = 0; i < kGroups; ++i) {
    if (i == best) {
      text += "::";
      i += best_size - 1;
      continue;
    }
    if (!text.empty() && !text.ends_with(':')) text += ':';
    text += fmt::format("{:x}", groups[i]);
  }
  return text;
}

}  // namespace

Result<IpAddress> ParseIp(std::string_view text) {
  const auto address = ParseAddress(text);
  if (!address) {
    return Fail(fmt::format("IP Address {} parse error during conversion from string: {}",
                            GoQuote(text), address.error().message));
  }
  if (text.find('%') != std::string_view::npos) {
    return Fail(fmt::format("IP address {} with zone value is not allowed", GoQuote(text)));
  }
  if (IsV4InV6(*address)) {
    return Fail(fmt::format("IPv4-mapped IPv6 address {} is not allowed", GoQuote(text)));
  }
  return address;
}

Result<IpAddress> ParseCidr(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return Fail(
        fmt::format("network address parse error during conversion from string: netip.ParsePrefix"
                    "({}): {}",
                    GoQuote(text), why));
  };
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return fail("no '/'");
  auto network = ParseAddress(text.substr(0, slash));
  if (!network) return fail(network.error().message);
  if (text.find('%') != std::string_view::npos) return fail("IPv6 zones cannot be present");
  const std::string_view bits = text.substr(slash + 1);
  const auto number = ParseUint(bits);
  if (!number || (bits.size() > 1 && bits[0] == '0')) {
    return fail(fmt::format("bad bits after slash: {}", GoQuote(bits)));
  }
  if (*number > (network->is_v4 ? 32 : 128)) return fail("prefix length out of range");
  if (IsV4InV6(*network)) {
    return Fail(fmt::format("IPv4-mapped IPv6 address {} is not allowed", GoQuote(text)));
  }
  network->bits = static_cast<uint8_t>(*number);
  return network;
}

std::string FormatAddress(const Value& value) {
  const IpAddress& address = value.address();
  std::string text = address.is_v4 ? fmt::format("{}.{}.{}.{}", address.bytes[0], address.bytes[1],
                                                 address.bytes[2], address.bytes[3])
                                   : FormatV6(address.bytes);
  if (value.is(Kind::kCidr)) text += fmt::format("/{}", address.bits);
  return text;
}

}  // namespace berth::cel
