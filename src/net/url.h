// Url is an absolute http or https URL, taken apart.
//
// DIFFERS: user names in URLs are refused; kube-scheduler sends them to extenders as basic
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

  // "h", "h:8080", "[::1]:8080": without the port if it is the scheme's own.
  std::string authority() const;
  // "https://h:443": what a connection is good for.
  std::string origin() const;
  // "http://h:8080/filter"; ParseUrl gives the same Url again.
  std::string ToString() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// What follows a '#' is dropped: it is not for the server. The error names the URL and what is
// wrong with it.
Result<Url> ParseUrl(std::string_view text);

}  // namespace berth::net
