// Authentication of requests: by client certificate, by bearer token, or by the loopback address
// that the server listens on.
#pragma once

#include <string_view>

#include "api/scheme/api_error.h"
#include "apiserver/registry/access.h"
#include "base/result.h"
#include "net/http_server.h"

namespace berth::apiserver {

// Fails if a server that listens on `address` with these options would accept everyone from other
// machines; the error says which flags to add.
Status CheckExposure(std::string_view address, bool tls, const registry::AccessOptions& options);
// Reports whether `address` is in 127.0.0.0/8, ::1 or localhost.
bool IsLoopback(std::string_view address);

// Returns the user of the request, or Unauthorized if it has no valid credentials. If the server
// accepts every client, requests that a browser sends for a page of another origin are Forbidden.
api::scheme::ApiResult<registry::User> Authenticate(const registry::Access& access,
                                                    const net::ServerRequest& request);

}  // namespace berth::apiserver
