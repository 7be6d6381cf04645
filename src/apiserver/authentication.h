// Authentication of requests: by client certificate, by bearer token, or by the loopback address
// that the server listens on.
#pragma once

#include <string_view>

#include "api/scheme/api_error.h"
#include "apiserver/registry/access.h"
#include "base/result.h"
#include "net/http_server.h"

namespace berth::apiserver {

// Whether a server that listens on `address` with these options is safe to start; the error says
// what to add.
Status CheckExposure(std::string_view address, bool tls, const registry::AccessOptions& options);
// 127.0.0.0/8, ::1 or localhost.
bool IsLoopback(std::string_view address);

// Unauthorized if the request shows nothing that is known. Where everybody is let in, a request
// that a foreign web page has made a browser send is Forbidden.
api::scheme::ApiResult<registry::User> Authenticate(const registry::Access& access,
                                                    const net::ServerRequest& request);

}  // namespace berth::apiserver
