#include "daemon/delegated_access.h"

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "daemon/endpoint_responses.h"
#include "observability/log.h"

namespace berth::daemon {
namespace {

using api::JsonArray;
using api::JsonObject;

JsonArray Texts(const std::vector<std::string>& texts) {
  return JsonArray(texts.begin(), texts.end());
}

std::string AccessReviewBody(const User& user, std::string_view verb, std::string_view path) {
  JsonObject spec{{"nonResourceAttributes", JsonObject{{"path", path}, {"verb", verb}}},
                  {"user", user.name}};
  if (!user.groups.empty()) spec.emplace("groups", Texts(user.groups));
  if (!user.extra.empty()) {
    JsonObject& extra = spec["extra"].emplace_object();
    for (const auto& [key, values] : user.extra) extra.emplace(key, Texts(values));
  }
  if (!user.uid.empty()) spec.emplace("uid", user.uid);
  return api::ToJsonText(JsonObject{{"kind", "SubjectAccessReview"},
                                    {"apiVersion", "authorization.k8s.io/v1"},
                                    {"metadata", JsonObject()},
                                    {"spec", std::move(spec)},
                                    {"status", JsonObject{{"allowed", false}}}});
}

Result<AccessDecision> ReadAccessReview(const std::string& body) {
  const auto review = api::ParseJson(body);
  if (!review) return Fail("the review of the access cannot be read: " + review.error().message);
  const JsonObject* status = api::ObjectAt(api::AsObject(*review), "status");
  if (status == nullptr) return Fail("the review of the access has no status");
  AccessDecision decision;
  decision.allowed = api::BoolAt(status, "allowed") && !api::BoolAt(status, "denied");
  decision.reason = api::StringAt(status, "reason");
  return decision;
}

}  // namespace

Authorizer::Authorizer(AuthorizationFlags flags, client::RestClient* client,
                       net::Executor& executor)
    : flags_(std::move(flags)), decisions_(executor) {
  if (client != nullptr) reviews_.emplace(*client, executor);
}

void Authorizer::Cancel(const net::ServerRequest& request) {
  if (reviews_) reviews_->Cancel(request);
}

bool Authorizer::IsAlwaysAllowed(std::string_view path) const {
  if (path.starts_with('/')) path.remove_prefix(1);
  return std::ranges::any_of(flags_.always_allow_paths, [&](std::string_view allowed) {
    if (allowed.starts_with('/')) allowed.remove_prefix(1);
    if (!allowed.ends_with('*')) return path == allowed;
    allowed.remove_suffix(1);
    return path.starts_with(allowed);
  });
}

void Authorizer::Authorize(const net::ServerRequest& request, const User& user,
                           std::string_view verb, std::string_view path, const Callback& callback) {
  const bool is_master = std::ranges::find(user.groups, kMastersGroup) != user.groups.end();
  if (is_master || IsAlwaysAllowed(path)) return callback(AccessDecision{true});
  if (!reviews_) return callback(AccessDecision{false});
  ReviewQueue::Review review;
  review.request.body = AccessReviewBody(user, verb, path);
  review.key = ReviewKey(review.request.body);
  if (const auto known = decisions_.Find(review.key)) return callback(*known);
  review.urgent = decisions_.HadGood(review.key);
  review.request.method = "POST";
  review.request.path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  review.request.content_type = "application/json";
  review.request.timeout = Duration::Seconds(10);
  const std::string key = review.key;
  reviews_->Send(request, std::move(review),
                 [this, key, callback](std::expected<std::string, ReviewError> body) {
                   if (!body) return callback(std::unexpected(std::move(body).error()));
                   const auto decision = ReadAccessReview(*body);
                   if (!decision) {
                     return callback(std::unexpected(ReviewError{decision.error().message}));
                   }
                   const bool allowed = decision->allowed;
                   decisions_.Store(key, *decision, allowed,
                                    allowed ? flags_.authorized_ttl : flags_.unauthorized_ttl);
                   callback(*decision);
                 });
}

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

DelegatedAccess::DelegatedAccess(const DaemonFlags& flags, ReviewClients clients,
                                 net::Executor& executor, FileReader read)
    : tolerates_lookup_failure_(flags.authentication.tolerate_lookup_failure),
      trust_(flags.authentication, std::move(read), clients.authentication),
      authenticator_(trust_, clients.authentication, executor,
                     flags.authentication.token_cache_ttl),
      authorizer_(flags.authorization, clients.authorization, executor),
      executor_(executor) {
  const AuthenticationFlags& authentication = flags.authentication;
  if (clients.authentication == nullptr && !authentication.skip_lookup) {
    if (authentication.client_ca_file.empty()) {
      warnings_.push_back(NoLookup("client-ca-file", "client certificate authentication"));
    }
    if (authentication.request_header.client_ca_file.empty()) {
      warnings_.push_back(NoLookup("requestheader-client-ca-file",
                                   "request-header client certificate authentication"));
    }
  }
  if (clients.authorization == nullptr) {
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

// DIFFERS: upstream reviews tokens of requests for always-allowed paths, too, so that probes wait
// for the API server and fail with it.
void DelegatedAccess::Check(const net::ServerRequest& request, const Callback& callback) {
  const Instant start = executor_.Now();
  const auto tokens = authorizer_.IsAlwaysAllowed(PathOf(request))
                          ? Authenticator::Tokens::kIgnored
                          : Authenticator::Tokens::kReviewed;
  authenticator_.Authenticate(
      request, tokens,
      [this, &request, callback, start](const std::expected<User, ReviewError>& user) {
        if (observer_ != nullptr) {
          observer_->Authenticated(user ? "success" : "error", executor_.Now() - start);
        }
        if (user) return Authorize(request, *user, callback);
        LOG_V(2, "Unable to authenticate the request",
              {{"err", user.error().message}, {"path", request.target}});
        callback(user.error().overloaded ? TooManyRequestsResponse()
                                         : UnauthorizedResponse(request));
      });
}

void DelegatedAccess::Abandon(const net::ServerRequest& request) {
  authenticator_.Cancel(request);
  authorizer_.Cancel(request);
}

void DelegatedAccess::Authorize(const net::ServerRequest& request, const User& user,
                                const Callback& callback) {
  if (observer_ != nullptr) observer_->AuthenticatedAs(user.name);
  const std::string verb = LowerCase(request.method);
  const Instant start = executor_.Now();
  authorizer_.Authorize(request, user, verb, PathOf(request),
                        [this, &request, user, verb, callback,
                         start](const std::expected<AccessDecision, ReviewError>& access) {
                          if (observer_ != nullptr) {
                            observer_->Authorized(!access           ? "error"
                                                  : access->allowed ? "allowed"
                                                                    : "denied",
                                                  executor_.Now() - start);
                          }
                          if (!access && access.error().overloaded)
                            return callback(TooManyRequestsResponse());
                          if (!access) {
                            LOG_ERROR(access.error().message, "Unable to authorize the request",
                                      {{"user", user.name}, {"path", request.target}});
                            return callback(InternalErrorResponse(request, access.error().message));
                          }
                          if (access->allowed) return callback(std::nullopt);
                          LOG_V(4, "Forbidden",
                                {{"URI", request.target}, {"reason", access->reason}});
                          callback(ForbiddenResponse(request, user, verb, access->reason));
                        });
}

}  // namespace berth::daemon
