// DelegatedAccess decides which requests to the HTTPS port are served: the API server reviews who
// the user is and what the user may access.
//
// Any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/authenticator.h"
#include "daemon/endpoint_responses.h"
#include "daemon/flags.h"
#include "daemon/options.h"
#include "daemon/review_client.h"
#include "net/http_server.h"

namespace berth::daemon {

struct AccessDecision {
  bool allowed = false;
  std::string reason = {};  // Of a denial, if the API server gives one.
};

// Authorizer decides whether a user may access a path: administrators and always-allowed paths at
// once, the rest by a SubjectAccessReview.
//
// Any thread.
class Authorizer {
 public:
  // The error: there was no decision.
  using Callback = std::function<void(Result<AccessDecision>)>;

  // `client` may be null: then paths that are not always allowed are forbidden. Its callbacks come
  // on `executor`. All must outlive it.
  Authorizer(AuthorizationFlags flags, client::RestClient* client, net::Executor& executor,
             const Clock& clock);

  // `verb` is the method in lower case; `path` has no query. Calls back once, perhaps before it
  // returns.
  void Authorize(const User& user, std::string_view verb, std::string_view path, Callback callback);

 private:
  bool IsAlwaysAllowed(std::string_view path) const;

  const AuthorizationFlags flags_;
  client::RestClient* const client_;
  net::Executor& executor_;
  ReviewCache<AccessDecision> decisions_;  // By the body of the review.
};

// Clients of the API server that the two kubeconfigs name; null where there is none.
struct ReviewClients {
  client::RestClient* authentication = nullptr;
  client::RestClient* authorization = nullptr;
};

// AccessObserver is notified of decisions and how long they took: the source of metrics. Called on
// any thread.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  // "success" or "failure".
  virtual void Authenticated(std::string_view result, Duration took) = 0;
  // "allowed", "denied" or "error".
  virtual void Authorized(std::string_view result, Duration took) = 0;
};

class DelegatedAccess {
 public:
  // Gets nullopt if the request is to be served, else the response to it: 401, 403 or 500.
  using Callback = std::function<void(std::optional<net::ServerResponse>)>;

  // All references must outlive it. The clients' callbacks come on `executor`, and must end before
  // this is destroyed.
  DelegatedAccess(const DaemonFlags& flags, ReviewClients clients, net::Executor& executor,
                  const Clock& clock, FileReader read);

  // Loads the trusted authorities. Fails if a file is invalid, or if the lookup in the cluster
  // fails, unless that is tolerated. Calls back once, perhaps before it
  // returns.
  void Prepare(const std::function<void(Status)>& done);
  // Reloads them; see ClientTrust.
  void Refresh(const std::function<void(Status)>& done) { trust_.Refresh(done); }

  // Calls back once, perhaps before it
  // returns. `request` must live until then.
  void Check(const net::ServerRequest& request, const Callback& callback);

  // `observer` must outlive it. Before requests come.
  void Observe(AccessObserver* observer) { observer_ = observer; }

  // Warnings about what is not configured.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void Authorize(const net::ServerRequest& request, const User& user, const Callback& callback);

  const bool tolerates_lookup_failure_;
  ClientTrust trust_;
  Authenticator authenticator_;
  Authorizer authorizer_;
  std::vector<std::string> warnings_;
  const Clock& clock_;
  AccessObserver* observer_ = nullptr;
};

}  // namespace berth::daemon
