// The Status object in an error response of a Kubernetes API server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/rest_client.h"

namespace berth::client {

struct ApiStatus {
  int code = 0;         // The HTTP status.
  std::string reason;   // "Forbidden"; derived from the code if the body has none. May be empty.
  std::string message;  // The server's message, or the beginning of a body that is not a Status.
  std::optional<int> retry_after_seconds;
};

// Reads the body of an error response: a Status in JSON or protobuf, or any other text.
ApiStatus ReadStatus(const net::HttpResponse& response);

// Returns one sentence for logs, without the query:
//   GET /api/v1/pods: forbidden: User "x" cannot list resource "pods" in API group ""
std::string Describe(std::string_view method, std::string_view path,
                     const net::HttpResponse& response);
inline std::string Describe(const RestRequest& request, const net::HttpResponse& response) {
  return Describe(request.method, request.path, response);
}
// Like the above, for a request that may have failed without a response; such errors name the
// request.
std::string Describe(const RestRequest& request, const net::HttpResult<net::HttpResponse>& result);

}  // namespace berth::client
