// Authenticator tells who makes a request, in this order: a front proxy's headers, a client
// certificate, a bearer token that the API server reviews; failing all that, nobody in particular.
//
// Any thread.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>

#include "daemon/answer_cache.h"
#include "daemon/api_requests.h"
#include "daemon/client_trust.h"
#include "daemon/user.h"
#include "net/http_server.h"

namespace berth::daemon {

class Authenticator {
 public:
  // The error is why somebody who claims to be somebody is not believed: 401.
  using Callback = std::function<void(Result<User>)>;

  // `api` may be null: then tokens are not looked at. All must outlive it, and so must what `api`
  // has been asked.
  Authenticator(const ClientTrust& trust, ApiRequests* api, Later later, const Clock& clock,
                Duration token_ttl);

  // Calls back once, perhaps from within.
  void Authenticate(const net::ServerRequest& request, Callback callback);

 private:
  void ReviewToken(const std::string& token, Callback callback);

  const ClientTrust& trust_;
  ApiRequests* const api_;
  const Later later_;
  const Duration token_ttl_;
  // By a digest of the token. Nobody: the token is not valid.
  AnswerCache<std::optional<User>> tokens_;
};

}  // namespace berth::daemon
