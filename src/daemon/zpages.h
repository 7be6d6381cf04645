// The pages /flagz and /statusz: as text for people, and structured for those who ask for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "net/http_server.h"

namespace berth::daemon {

// Flags with their values.
net::ServerAnswer FlagzAnswer(const net::ServerRequest& request,
                              const std::map<std::string, std::string>& flags);

struct StatusPage {
  Instant started;
  Instant now;
  std::string runtime;             // In the place of Go's version.
  std::string binary_version;      // "1.36.0"
  std::string emulation_version;   // "1.36"
  std::vector<std::string> paths;  // All paths served; the page shows what they begin with.
};

net::ServerAnswer StatuszAnswer(const net::ServerRequest& request, const StatusPage& page);

}  // namespace berth::daemon
