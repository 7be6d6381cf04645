#include "daemon/delegated_access.h"

#include <algorithm>
#include <utility>

#include "daemon/answers.h"
#include "daemon/log.h"

namespace berth::daemon {
namespace {

std::string LowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return text;
}

std::string NoLookup(std::string_view what, std::string_view consequence) {
  return "No authentication-kubeconfig provided in order to lookup " + std::string(what) +
         " in configmap/extension-apiserver-authentication in kube-system, so " +
         std::string(consequence) + " won't work.";
}

}  // namespace

DelegatedAccess::DelegatedAccess(const DaemonFlags& flags, ReviewApis apis, const Later& later,
                                 const Clock& clock, FileReader read)
    : tolerates_lookup_failure_(flags.authentication.tolerate_lookup_failure),
      trust_(flags.authentication, std::move(read), apis.authentication),
      authenticator_(trust_, apis.authentication, later, clock,
                     flags.authentication.token_cache_ttl),
      authorizer_(flags.authorization, apis.authorization, later, clock),
      clock_(clock) {
  const AuthenticationFlags& authentication = flags.authentication;
  if (apis.authentication == nullptr && !authentication.skip_lookup) {
    if (authentication.client_ca_file.empty()) {
      warnings_.push_back(NoLookup("client-ca-file", "client certificate authentication"));
    }
    if (authentication.request_header.client_ca_file.empty()) {
      warnings_.push_back(NoLookup("requestheader-client-ca-file",
                                   "request-header client certificate authentication"));
    }
  }
  if (apis.authorization == nullptr) {
    warnings_.emplace_back(
        "No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens "
        "won't work.");
  }
}

void DelegatedAccess::Prepare(const std::function<void(Status)>& done) {
  if (const Status files = trust_.CheckFiles(); !files) return done(files);
  trust_.Refresh([tolerates = tolerates_lookup_failure_, done](const Status& status) {
    if (status) return done(status);
    const std::string& problem = status.error().message;
    if (!tolerates) {
      return done(Fail("unable to load configmap based request-header-client-ca-file: " + problem));
    }
    LOG_WARNING("Error looking up in-cluster authentication configuration: " + problem);
    LOG_WARNING(
        "Continuing without authentication configuration. This may treat all requests as "
        "anonymous.");
    LOG_WARNING(
        "To require authentication configuration lookup to succeed, set "
        "--authentication-tolerate-lookup-failure=false");
    done({});
  });
}

void DelegatedAccess::Check(const net::ServerRequest& request, const Callback& callback) {
  const Instant start = clock_.Now();
  authenticator_.Authenticate(request, [this, &request, callback, start](Result<User> user) {
    if (observer_ != nullptr) {
      observer_->Authenticated(user ? "success" : "failure", clock_.Now() - start);
    }
    if (!user) {
      LOG_V(2, "Unable to authenticate the request",
            {{"err", user.error()}, {"path", request.target}});
      return callback(UnauthorizedAnswer(request));
    }
    Authorize(request, *user, callback);
  });
}

void DelegatedAccess::Authorize(const net::ServerRequest& request, const User& user,
                                const Callback& callback) {
  const std::string verb = LowerCase(request.method);
  const Instant start = clock_.Now();
  authorizer_.Authorize(
      user, verb, PathOf(request),
      [this, &request, user, verb, callback, start](Result<AccessDecision> access) {
        if (observer_ != nullptr) {
          observer_->Authorized(!access           ? "error"
                                : access->allowed ? "allowed"
                                                  : "denied",
                                clock_.Now() - start);
        }
        if (!access) {
          LOG_ERROR(access.error(), "Unable to authorize the request",
                    {{"user", user.name}, {"path", request.target}});
          return callback(InternalErrorAnswer(request, access.error().message));
        }
        if (access->allowed) return callback(std::nullopt);
        LOG_V(4, "Forbidden", {{"URI", request.target}, {"reason", access->reason}});
        callback(ForbiddenAnswer(request, user, verb, access->reason));
      });
}

}  // namespace berth::daemon
