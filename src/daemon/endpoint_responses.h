// User is who makes a request, as Kubernetes knows users.
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

// The answers of the HTTPS port that are the same wherever they come from.
// The path of a request, decoded, without the query.
std::string PathOf(const net::ServerRequest& request);

net::ServerResponse PlainResponse(int status, std::string text);

// `value` as JSON, on many lines for those who read it themselves: curl, Wget and browsers, or
// ?pretty.
net::ServerResponse JsonResponse(const net::ServerRequest& request, int status,
                                 const api::Json& value);

// 401: who asks is not believed.
net::ServerResponse UnauthorizedResponse(const net::ServerRequest& request);
// 403: who asks may not.
net::ServerResponse ForbiddenResponse(const net::ServerRequest& request, const User& user,
                                      std::string_view verb, std::string_view reason);
// 406 with the types that there are.
net::ServerResponse NotAcceptableResponse(const net::ServerRequest& request,
                                          std::string_view supported);
// 500: it could not be found out whether who asks may.
net::ServerResponse InternalErrorResponse(const net::ServerRequest& request,
                                          std::string_view error);
// 404, as Go's server answers.
net::ServerResponse NotFoundResponse();

}  // namespace berth::daemon
