// Url is a parsed absolute http or https URL.
//
// DIFFERS: user names in URLs are rejected; kube-scheduler sends them to extenders as basic
// authentication.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::net {

struct Url {
  bool https = false;
  std::string host;  // A name or an address, in lower case; IPv6 without brackets.
  uint16_t port = 0;
  std::string target;  // Path and query, at least "/".

  // Returns "h", "h:8080", "[::1]:8080": without the port if it is the scheme's default.
  std::string authority() const;
  // Returns "https://h:443", which identifies the server of a connection.
  std::string origin() const;
  // Returns "http://h:8080/filter", which ParseUrl parses to an equal Url.
  std::string ToString() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// Parses `text` and drops the fragment ("#..."). The error names the URL and what is wrong with it.
Result<Url> ParseUrl(std::string_view text);

}  // namespace berth::net
