#include "apiserver/service_account_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "api/timestamp.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver {
namespace {

constexpr int64_t kDefaultSeconds = 3600;
constexpr int64_t kMinSeconds = 600;
constexpr int64_t kMaxSeconds = int64_t{1} << 32;
// What a projected volume requests (admission/service_accounts.cc). Such tokens of pods are valid
// for a year, since old clients read them only once.
constexpr int64_t kProjectedSeconds = 3607;
constexpr int64_t kExtendedSeconds = int64_t{365} * 24 * 3600;
constexpr std::string_view kPrivate = "kubernetes.io";

// A token in a request's header is longer than this only by mistake.
constexpr size_t kMaxTokenBytes = 16 << 10;

// The kind in errors.
const api::scheme::Kind& TokenRequests() {
  static const api::scheme::Kind kind{.group = "authentication.k8s.io",
                                      .version = "v1",
                                      .resource = "tokenrequests",
                                      .kind = "TokenRequest"};
  return kind;
}

void SetReference(api::JsonObject& claims, std::string_view key, std::string_view name,
                  std::string_view uid) {
  api::JsonObject& reference = api::EnsureObject(claims, key);
  api::SetString(reference, "name", name);
  if (!uid.empty()) api::SetString(reference, "uid", uid);
}

api::scheme::ApiResult<void> CheckSeconds(int64_t seconds) {
  std::string_view why;
  if (seconds < kMinSeconds) why = "may not specify a duration less than 10 minutes";
  if (seconds > kMaxSeconds) why = "may not specify a duration larger than 2^32 seconds";
  if (why.empty()) return {};
  return std::unexpected(api::scheme::Invalid(
      TokenRequests(), "",
      {{"FieldValueInvalid", fmt::format("Invalid value: {}: {}", seconds, why),
        "spec.expirationSeconds"}}));
}

// Checks that the metadata of the request, if given, are those of the account.
api::scheme::ApiResult<void> CheckMetadata(const api::JsonObject* metadata,
                                           const store::Object& account) {
  const std::string_view name = api::StringAt(metadata, "name");
  const std::string_view namespace_ = api::StringAt(metadata, "namespace");
  const std::string_view uid = api::StringAt(metadata, "uid");
  const auto invalid = [&](std::string_view field, std::string_view value) {
    return std::unexpected(api::scheme::Invalid(
        TokenRequests(), account.key.name,
        {{"FieldValueInvalid",
          fmt::format("Invalid value: \"{}\": must match the service account {} if specified",
                      value, field),
          fmt::format("metadata.{}", field)}}));
  };
  if (!name.empty() && name != account.key.name) return invalid("name", name);
  if (!namespace_.empty() && namespace_ != account.key.namespace_) {
    return invalid("namespace", namespace_);
  }
  if (uid.empty() || uid == account.uid) return {};
  return std::unexpected(api::scheme::Conflict(
      TokenRequests(), account.key.name,
      fmt::format("the UID in the token request ({}) does not match the UID of the service account "
                  "({})",
                  uid, account.uid)));
}

bool IsForServer(const api::JsonArray& audiences) {
  return std::ranges::all_of(audiences, [](const api::Json& audience) {
    return api::AsString(audience) == ServiceAccountTokens::kIssuer;
  });
}

}  // namespace

ServiceAccountTokens::ServiceAccountTokens(const store::Store& store, const Clock& clock,
                                           net::JwtKey key)
    : store_(store), clock_(clock), key_(std::move(key)) {}

api::scheme::ApiResult<void> ServiceAccountTokens::Bind(const store::ObjectName& account,
                                                        const api::JsonObject& bound,
                                                        api::JsonObject& claims) const {
  const std::string_view type = api::StringAt(&bound, "kind");
  const std::string name(api::StringAt(&bound, "name"));
  const std::string_view uid = api::StringAt(&bound, "uid");
  const std::string_view version = api::StringAt(&bound, "apiVersion");
  const bool core = version.empty() || version == "v1";
  if (!core || (type != "Pod" && type != "Secret" && type != "Node")) {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("cannot bind token to object of type {}, Kind={}", version, type)));
  }
  const api::scheme::Kind& kind = *api::scheme::FindKindByName("v1", type);
  const store::ObjectPtr object =
      store_.Get(kind.collection, {kind.namespaced ? account.namespace_ : "", name});
  if (!object) return std::unexpected(api::scheme::NotFound(kind, name));
  if (!uid.empty() && uid != object->uid) {
    return std::unexpected(api::scheme::Conflict(
        kind, name,
        fmt::format("the UID in the bound object reference ({}) does not match the UID in record. "
                    "The object might have been deleted and then recreated",
                    uid)));
  }
  SetReference(claims, kind.singular, name, object->uid);
  if (type != "Pod") return {};
  const api::Json pod = store::Parse(*object);
  const api::JsonObject* spec = api::ObjectAt(api::AsObject(pod), "spec");
  if (api::StringAt(spec, "serviceAccountName") != account.name) {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with different "
                    "serviceaccount name.",
                    account.name)));
  }
  const std::string node(api::StringAt(spec, "nodeName"));
  if (node.empty()) return {};
  const store::ObjectPtr found = store_.Get(api::scheme::KindOf("nodes").collection, {"", node});
  SetReference(claims, "node", node, found ? std::string_view(found->uid) : "");
  return {};
}

api::scheme::ApiResult<api::Json> ServiceAccountTokens::Issue(const store::ObjectName& account,
                                                              const api::Json& request) const {
  static const api::scheme::Kind& accounts = api::scheme::KindOf("serviceaccounts");
  const store::ObjectPtr object = store_.Get(accounts.collection, account);
  if (!object) return std::unexpected(api::scheme::NotFound(accounts, account.name));
  const api::JsonObject* body = api::AsObject(request);
  if (auto checked = CheckMetadata(api::ObjectAt(body, "metadata"), *object); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const api::JsonObject* given = api::ObjectAt(body, "spec");
  const int64_t seconds = api::IntAt(given, "expirationSeconds").value_or(kDefaultSeconds);
  if (auto checked = CheckSeconds(seconds); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const Instant now = clock_.Now();
  const int64_t issued_at = now.nanos / Duration::Seconds(1).nanos;

  api::JsonObject result;
  api::SetString(result, "kind", "TokenRequest");
  api::SetString(result, "apiVersion", "authentication.k8s.io/v1");
  api::JsonObject& metadata = api::EnsureObject(result, "metadata");
  api::SetString(metadata, "name", account.name);
  api::SetString(metadata, "namespace", account.namespace_);
  api::SetString(metadata, "uid", object->uid);
  api::SetString(metadata, "creationTimestamp", api::FormatTime(now));
  result["spec"] = given ? *given : api::JsonObject();
  api::JsonObject& spec = api::EnsureObject(result, "spec");
  if (api::EmptyAt(&spec, "audiences")) api::EnsureArray(spec, "audiences").emplace_back(kIssuer);
  api::SetInt(spec, "expirationSeconds", seconds);

  api::JsonObject own;  // The claims of Kubernetes.
  api::SetString(own, "namespace", account.namespace_);
  SetReference(own, "serviceaccount", account.name, object->uid);
  if (const api::JsonObject* bound = api::ObjectAt(given, "boundObjectRef")) {
    if (auto done = Bind(account, *bound, own); !done) {
      return std::unexpected(std::move(done.error()));
    }
  }
  const api::JsonArray& audiences = *api::ArrayAt(&spec, "audiences");
  int64_t lifetime = seconds;
  if (seconds == kProjectedSeconds && api::At(&own, "pod") && IsForServer(audiences)) {
    api::SetInt(own, "warnafter", issued_at + seconds);
    lifetime = kExtendedSeconds;
  }
  api::JsonObject claims;
  claims["aud"] = audiences;
  api::SetInt(claims, "exp", issued_at + lifetime);
  api::SetInt(claims, "iat", issued_at);
  api::SetString(claims, "iss", kIssuer);
  api::SetString(claims, "jti", fmt::format("{}-{}", now.nanos, issued_.fetch_add(1)));
  claims[kPrivate] = std::move(own);
  api::SetInt(claims, "nbf", issued_at);
  api::SetString(claims, "sub",
                 fmt::format("system:serviceaccount:{}:{}", account.namespace_, account.name));
  const auto token = key_.Sign(api::ToJsonText(claims));
  if (!token) return std::unexpected(api::scheme::InternalError(token.error().message));
  api::JsonObject& status = api::EnsureObject(result, "status");
  api::SetString(status, "token", *token);
  api::SetString(status, "expirationTimestamp", api::FormatTime(now + Duration::Seconds(seconds)));
  return api::Json(std::move(result));
}

bool ServiceAccountTokens::Exists(const api::JsonObject* claims, std::string_view key,
                                  std::string_view resource, const std::string& namespace_) const {
  const api::JsonObject* reference = api::ObjectAt(claims, key);
  if (!reference) return true;
  const store::ObjectPtr object =
      store_.Get(api::scheme::KindOf(resource).collection,
                 {namespace_, std::string(api::StringAt(reference, "name"))});
  return object && object->uid == api::StringAt(reference, "uid");
}

std::optional<registry::User> ServiceAccountTokens::Verify(
    std::string_view token, const std::vector<std::string>& audiences) const {
  if (token.size() > kMaxTokenBytes) return std::nullopt;
  const auto text = key_.Verify(token);
  const auto parsed = text ? api::ParseJson(*text) : std::unexpected(Error{""});
  if (!parsed) return std::nullopt;
  const api::JsonObject* claims = api::AsObject(*parsed);
  const int64_t now = clock_.Now().nanos / Duration::Seconds(1).nanos;
  // A cluster that was accelerated starts in its own past, so tokens may be from the future.
  if (api::IntAt(claims, "exp").value_or(0) <= now) return std::nullopt;
  const api::JsonArray* issued_for = api::ArrayAt(claims, "aud");
  const bool accepted =
      issued_for && std::ranges::any_of(*issued_for, [&](const api::Json& audience) {
        const std::string_view name = api::AsString(audience);
        return audiences.empty() ? name == kIssuer
                                 : std::ranges::find(audiences, name) != audiences.end();
      });
  if (!accepted) return std::nullopt;
  const api::JsonObject* own = api::ObjectAt(claims, kPrivate);
  const std::string namespace_(api::StringAt(own, "namespace"));
  const bool valid = api::ObjectAt(own, "serviceaccount") &&
                     Exists(own, "serviceaccount", "serviceaccounts", namespace_) &&
                     Exists(own, "pod", "pods", namespace_) &&
                     Exists(own, "secret", "secrets", namespace_) &&
                     // The node of a pod's token is for information only.
                     (api::At(own, "pod") || Exists(own, "node", "nodes", ""));
  if (!valid) return std::nullopt;
  return registry::User{
      std::string(api::StringAt(claims, "sub")),
      std::string(api::StringAt(api::ObjectAt(own, "serviceaccount"), "uid")),
      {"system:serviceaccounts", "system:serviceaccounts:" + namespace_, "system:authenticated"}};
}

}  // namespace berth::apiserver
