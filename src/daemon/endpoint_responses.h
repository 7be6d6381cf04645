// Responses of the HTTPS port that all endpoints share, and User, the user of a request.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "net/http_server.h"

namespace berth::daemon {

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";

struct User {
  std::string name;
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  friend bool operator==(const User&, const User&) = default;
};

// Returns the path of a request, decoded, without the query.
std::string PathOf(const net::ServerRequest& request);

net::ServerResponse PlainResponse(int status, std::string text);

// Returns `value` as JSON, indented for curl, Wget and browsers and with ?pretty.
net::ServerResponse JsonResponse(const net::ServerRequest& request, int status,
                                 const api::Json& value);

// Returns 401: the identity of the client is rejected.
net::ServerResponse UnauthorizedResponse(const net::ServerRequest& request);
// Returns 403: the user may not access the path.
net::ServerResponse ForbiddenResponse(const net::ServerRequest& request, const User& user,
                                      std::string_view verb, std::string_view reason);
// Returns 406 with the supported media types.
net::ServerResponse NotAcceptableResponse(const net::ServerRequest& request,
                                          std::string_view supported);
// Returns 500: the review of the access failed.
net::ServerResponse InternalErrorResponse(const net::ServerRequest& request,
                                          std::string_view error);
// Returns 429 as kube-apiserver does: too many requests wait for reviews.
net::ServerResponse TooManyRequestsResponse();
// Returns 404 as Go's server does.
net::ServerResponse NotFoundResponse();

}  // namespace berth::daemon
