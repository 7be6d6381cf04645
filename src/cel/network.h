// IP addresses and networks as text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/value.h"

namespace berth::cel {

// Parse as Go's netip does; addresses with zones and IPv4 addresses in IPv6 form are refused.
Result<IpAddress> ParseIp(std::string_view text);
Result<IpAddress> ParseCidr(std::string_view text);

// Formats an IP or CIDR value in its canonical form.
std::string FormatAddress(const Value& value);

}  // namespace berth::cel
