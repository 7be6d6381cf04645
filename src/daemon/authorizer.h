// Authorizer tells whether somebody may ask for a path: administrators and always-allowed paths at
// once, the rest as the API server says.
//
// Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/answer_cache.h"
#include "daemon/api_requests.h"
#include "daemon/flags.h"
#include "daemon/user.h"

namespace berth::daemon {

struct AccessDecision {
  bool allowed = false;
  std::string reason = {};  // Why not, if the API server says.
};

class Authorizer {
 public:
  // The error: there was no decision.
  using Callback = std::function<void(Result<AccessDecision>)>;

  // `api` may be null: then what is not always allowed is forbidden. All must outlive it.
  Authorizer(AuthorizationFlags flags, ApiRequests* api, Later later, const Clock& clock);

  // `verb` is the method in lower case; `path` has no query. Calls back once, perhaps from within.
  void Authorize(const User& user, std::string_view verb, std::string_view path, Callback callback);

 private:
  bool IsAlwaysAllowed(std::string_view path) const;

  const AuthorizationFlags flags_;
  ApiRequests* const api_;
  const Later later_;
  AnswerCache<AccessDecision> decisions_;  // By the review's text.
};

}  // namespace berth::daemon
