// Tokens of links to the dashboard. A token says until when it is valid, and is signed with a key
// that the server shares with programs of the same user alone: any of them can make a new link, and
// no server needs to remember those it gave out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace berth::inspect::http {

// How long a link opens the dashboard: a working day, in which it lies in terminals and histories.
inline constexpr Duration kLinkLifetime = Duration::Seconds(12 * 3600);

// Returns letters, digits and dashes only.
std::string MakeLinkToken(std::string_view key, Instant valid_until);

// Takes as long for any token of the same length.
bool IsValidLinkToken(std::string_view key, std::string_view token, Instant now);

// The address to open. It exchanges the token for the cookie of a session.
std::string DashboardLink(uint16_t port, std::string_view key, Instant now);

// Takes as long for any two texts of the same length.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace berth::inspect::http
