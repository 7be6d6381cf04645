// DelegatedAccess authenticates and authorizes requests to the HTTPS port: the API server reviews
// the user and the access. Authorizer is the part that decides about paths.
//
// May be used on any thread.
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
#include "daemon/review_cache.h"
#include "daemon/review_queue.h"
#include "net/http_server.h"

namespace berth::daemon {

struct AccessDecision {
  bool allowed = false;
  std::string reason = {};  // The reason of a denial, if the API server returns one.
};

// Authorizer decides whether a user may access a path: at once for administrators and
// always-allowed paths, else by a SubjectAccessReview.
//
// May be used on any thread.
class Authorizer {
 public:
  // The error means that there was no decision.
  using Callback = std::function<void(std::expected<AccessDecision, ReviewError>)>;

  // `client` may be null: then paths that are not always allowed are forbidden. It calls back on
  // `executor`. All references must outlive this.
  Authorizer(AuthorizationFlags flags, client::RestClient* client, net::Executor& executor);

  // Reports whether everybody may access `path`, which has no query.
  bool IsAlwaysAllowed(std::string_view path) const;

  // `verb` is the method in lower case; `path` has no query. Calls back once, possibly before it
  // returns, unless it is cancelled. `request` must live until then.
  void Authorize(const net::ServerRequest& request, const User& user, std::string_view verb,
                 std::string_view path, const Callback& callback);
  // Nobody waits for the decision any more.
  void Cancel(const net::ServerRequest& request);

 private:
  const AuthorizationFlags flags_;
  ReviewCache<AccessDecision> decisions_;  // By a digest of the body of the review.
  std::optional<ReviewQueue> reviews_;     // Without a client there are none.
};

// The clients of the API servers that the two kubeconfigs name; null if there is none.
struct ReviewClients {
  client::RestClient* authentication = nullptr;
  client::RestClient* authorization = nullptr;
};

// AccessObserver is notified of decisions and their durations, for metrics. Called on any thread.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  // `result` is "success" or "error".
  virtual void Authenticated(std::string_view result, Duration took) = 0;
  // Upon success.
  virtual void AuthenticatedAs(std::string_view user) = 0;
  // `result` is "allowed", "denied" or "error".
  virtual void Authorized(std::string_view result, Duration took) = 0;
};

class DelegatedAccess {
 public:
  // Receives nullopt if the request may be served, else the response: 401, 403, 429 or 500.
  using Callback = std::function<void(std::optional<net::ServerResponse>)>;

  // All references must outlive this. The clients call back on `executor`, and their callbacks must
  // end before this is destroyed.
  DelegatedAccess(const DaemonFlags& flags, ReviewClients clients, net::Executor& executor,
                  FileReader read);

  // Loads the trusted authorities. Fails if a file is invalid, or if the lookup in the cluster
  // fails, unless that is tolerated. Calls back once, possibly before it returns.
  void Prepare(const std::function<void(Status)>& done);
  // Reloads them; see ClientTrust.
  void Refresh(const std::function<void(Status)>& done) { trust_.Refresh(done); }

  // Decides about a request, which must live until the callback. Calls back once, possibly before
  // it returns, unless the request is abandoned. Always-allowed paths do not wait for reviews.
  void Check(const net::ServerRequest& request, const Callback& callback);
  // Nobody waits for the decision any more: drops the callback, unless it is being called.
  void Abandon(const net::ServerRequest& request);

  // Sets the observer, which must outlive this. Call it before the first request.
  void Observe(AccessObserver* observer) { observer_ = observer; }

  // Returns warnings about missing configuration.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void Authorize(const net::ServerRequest& request, const User& user, const Callback& callback);

  const bool tolerates_lookup_failure_;
  ClientTrust trust_;
  Authenticator authenticator_;
  Authorizer authorizer_;
  std::vector<std::string> warnings_;
  const net::Executor& executor_;
  AccessObserver* observer_ = nullptr;
};

}  // namespace berth::daemon
