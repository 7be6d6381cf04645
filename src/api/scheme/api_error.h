// ApiError is the reason why a request failed; it is sent to the client as a Status object.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_errors.h"
#include "api/json/json.h"

namespace berth::api::scheme {

struct Kind;

struct ApiError {
  using Cause = FieldError;

  int code = 500;
  std::string reason;  // "NotFound"
  std::string message;
  // The details of the Status; omitted where empty.
  std::string name;
  std::string group;
  std::string kind;  // The resource ("pods"), or the kind ("Pod") for Invalid.
  std::string uid;
  std::vector<Cause> causes;
  int retry_after_seconds = 0;
};

template <typename T>
using ApiResult = std::expected<T, ApiError>;

// Returns an error without details, with the reason that belongs to `code` (api/status_reason.h).
ApiError MakeError(int code, std::string message);

// Returns the Status object of a failed request.
std::string ToStatusJson(const ApiError& error);

// The constructors below produce the messages of k8s.io/apimachinery/pkg/api/errors.

// `pods "a" not found`, `deployments.apps "a" not found`.
ApiError NotFound(const Kind& kind, std::string_view name);
ApiError AlreadyExists(const Kind& kind, std::string_view name);
// `Operation cannot be fulfilled on pods "a": <why>`.
ApiError Conflict(const Kind& kind, std::string_view name, std::string_view why);
// The Conflict of a stale resourceVersion.
ApiError Modified(const Kind& kind, std::string_view name);
// `pods "a" is forbidden: <why>`.
ApiError Forbidden(const Kind& kind, std::string_view name, std::string_view why);
// `Pod "a" is invalid: spec.x: Invalid value: ...`; several causes as a bracketed list.
ApiError Invalid(const Kind& kind, std::string_view name, std::vector<ApiError::Cause> causes);
ApiError BadRequest(std::string message);
ApiError Unauthorized();
// The NotFound of a path that is not a resource.
ApiError UnknownResource();
ApiError Expired(std::string message);
ApiError UnsupportedMediaType(std::string_view given, std::string_view supported);
ApiError NotAcceptable(std::string_view supported);
ApiError MethodNotAllowed(std::string_view method);
ApiError TooManyRequests(std::string message);
ApiError InternalError(std::string message);

// The patch itself is malformed.
inline ApiError MalformedPatch(std::string message) { return MakeError(400, std::move(message)); }

// The patch is well-formed but cannot be applied to the document.
inline ApiError UnprocessablePatch(std::string message) {
  return MakeError(422, std::move(message));
}

}  // namespace berth::api::scheme
