// The files of the dashboard, which the build embeds into the programs (cmake/Dashboard.cmake).
#pragma once

#include <span>
#include <string_view>

#include "net/http_server.h"

namespace berth::inspect::http {

struct DashboardFile {
  std::string_view name;  // "index.html"
  std::string_view bytes;
};

// The files that were built; only a page that says so if they were not.
std::span<const DashboardFile> DashboardFiles();

// Responds to a request for a file: `path` is relative to the dashboard's folder, which itself is
// index.html. Decoded or not makes no difference: names of files have no escapes.
net::ServerResponse DashboardResponse(const net::ServerRequest& request, std::string_view path);

}  // namespace berth::inspect::http
