// Authorizer tells whether somebody may ask for a path: administrators and always-allowed paths at
// once, the rest as the API server says.
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
  std::string reason = {};  // Why not, if the API server says.
};

class Authorizer {
 public:
  // The error: there was no decision.
  using Callback = std::function<void(Result<AccessDecision>)>;

  // `api` may be null: then what is not always allowed is forbidden. All must outlive it.
  Authorizer(AuthorizationFlags flags, ApiRequests* api, Timer later, const Clock& clock);

  // `verb` is the method in lower case; `path` has no query. Calls back once, perhaps from within.
  void Authorize(const User& user, std::string_view verb, std::string_view path, Callback callback);

 private:
  bool IsAlwaysAllowed(std::string_view path) const;

  const AuthorizationFlags flags_;
  ApiRequests* const api_;
  const Timer timer_;
  ReviewCache<AccessDecision> decisions_;  // By the review's text.
};

// DelegatedAccess decides which requests to the HTTPS port are answered: it leaves to the API
// server who somebody is and what they may ask for.
//
// Any thread.
// The API server as the two kubeconfigs see it; null where there is none.
struct ReviewApis {
  ApiRequests* authentication = nullptr;
  ApiRequests* authorization = nullptr;
};

// Hears how requests fared, and how long that took to find out: the source of metrics. Called on
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
  // Nothing if the request is to be answered; else the answer that it gets: 401, 403 or 500.
  using Callback = std::function<void(std::optional<net::ServerResponse>)>;

  // `apis` and `clock` must outlive it; and it must outlive what `apis` have been asked.
  DelegatedAccess(const DaemonFlags& flags, ReviewApis apis, const Timer& later, const Clock& clock,
                  FileReader read);

  // Reads whom to trust for the first time. Fails if a file is no good, and if the cluster does not
  // tell, unless that is to be tolerated. Calls back once, perhaps from within.
  void Prepare(const std::function<void(Status)>& done);
  // Reads it again; see ClientTrust.
  void Refresh(const std::function<void(Status)>& done) { trust_.Refresh(done); }

  // Calls back once, perhaps from within. `request` must live until then.
  void Check(const net::ServerRequest& request, const Callback& callback);

  // `observer` must outlive it. Before requests come.
  void Observe(AccessObserver* observer) { observer_ = observer; }

  // What the operator should know about what is not configured.
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
