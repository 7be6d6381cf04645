// What a Kubernetes API server says when it refuses: the Status object in its answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/rest_client.h"

namespace berth::client {

struct ApiStatus {
  int code = 0;         // The answer's.
  std::string reason;   // "Forbidden"; by the code if the answer does not say. May be empty.
  std::string message;  // The server's sentence, or the beginning of whatever it sent instead.
  std::optional<int> retry_after_seconds;
};

// Reads the body of an answer that is not ok: a Status in JSON or protobuf, or anything else.
ApiStatus ReadStatus(const RestResponse& answer);

// One sentence for logs, without the query:
//   GET /api/v1/pods: forbidden: User "x" cannot list resource "pods" in API group ""
std::string Describe(std::string_view method, std::string_view path, const RestResponse& answer);
inline std::string Describe(const RestRequest& request, const RestResponse& answer) {
  return Describe(request.method, request.path, answer);
}
// The same for a request without an answer; such errors name the request already.
std::string Describe(const RestRequest& request, const RestResult<RestResponse>& result);

}  // namespace berth::client
