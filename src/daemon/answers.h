// The answers of the HTTPS port that are the same wherever they come from.
#pragma once

#include <string>
#include <string_view>

#include "config/json_value.h"
#include "daemon/user.h"
#include "net/http_server.h"

namespace berth::daemon {

// The path of a request, decoded, without the query.
std::string PathOf(const net::ServerRequest& request);

net::ServerAnswer PlainAnswer(int status, std::string text);

// `value` as JSON, on many lines for those who read it themselves: curl, Wget and browsers, or
// ?pretty.
net::ServerAnswer JsonAnswer(const net::ServerRequest& request, int status,
                             const config::JsonValue& value);

// 401: who asks is not believed.
net::ServerAnswer UnauthorizedAnswer(const net::ServerRequest& request);
// 403: who asks may not.
net::ServerAnswer ForbiddenAnswer(const net::ServerRequest& request, const User& user,
                                  std::string_view verb, std::string_view reason);
// 406 with the types that there are.
net::ServerAnswer NotAcceptableAnswer(const net::ServerRequest& request,
                                      std::string_view supported);
// 500: it could not be found out whether who asks may.
net::ServerAnswer InternalErrorAnswer(const net::ServerRequest& request, std::string_view error);
// 404, as Go's server answers.
net::ServerAnswer NotFoundAnswer();

}  // namespace berth::daemon
