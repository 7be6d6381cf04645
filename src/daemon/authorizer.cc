#include "daemon/authorizer.h"

#include <algorithm>
#include <utility>

#include "config/json_value.h"

namespace berth::daemon {
namespace {

using config::JsonValue;

JsonValue Texts(const std::vector<std::string>& texts) {
  JsonValue list = JsonValue::Array();
  for (const std::string& text : texts) list.items.push_back(JsonValue::String(text));
  return list;
}

std::string ReviewBody(const User& user, std::string_view verb, std::string_view path) {
  JsonValue attributes = JsonValue::Object();
  attributes.Add("path", JsonValue::String(path));
  attributes.Add("verb", JsonValue::String(verb));
  JsonValue spec = JsonValue::Object();
  spec.Add("nonResourceAttributes", std::move(attributes));
  spec.Add("user", JsonValue::String(user.name));
  if (!user.groups.empty()) spec.Add("groups", Texts(user.groups));
  if (!user.extra.empty()) {
    JsonValue extra = JsonValue::Object();
    for (const auto& [key, values] : user.extra) extra.Add(key, Texts(values));
    spec.Add("extra", std::move(extra));
  }
  if (!user.uid.empty()) spec.Add("uid", JsonValue::String(user.uid));
  JsonValue status = JsonValue::Object();
  status.Add("allowed", JsonValue::Bool(false));
  JsonValue review = JsonValue::Object();
  review.Add("kind", JsonValue::String("SubjectAccessReview"));
  review.Add("apiVersion", JsonValue::String("authorization.k8s.io/v1"));
  review.Add("metadata", JsonValue::Object());
  review.Add("spec", std::move(spec));
  review.Add("status", std::move(status));
  return config::ToJsonText(review);
}

Result<AccessDecision> ReadReview(const std::string& body) {
  const auto review = config::ParseJson(body);
  if (!review) return Fail("the review of the access cannot be read: " + review.error().message);
  const JsonValue* status = review->Find("status");
  if (status == nullptr) return Fail("the review of the access has no status");
  AccessDecision decision;
  const JsonValue* allowed = status->Find("allowed");
  const JsonValue* denied = status->Find("denied");
  decision.allowed =
      allowed != nullptr && allowed->boolean && (denied == nullptr || !denied->boolean);
  if (const JsonValue* reason = status->Find("reason")) decision.reason = reason->text;
  return decision;
}

}  // namespace

Authorizer::Authorizer(AuthorizationFlags flags, ApiRequests* api, Later later, const Clock& clock)
    : flags_(std::move(flags)), api_(api), later_(std::move(later)), decisions_(clock) {}

bool Authorizer::IsAlwaysAllowed(std::string_view path) const {
  if (path.starts_with('/')) path.remove_prefix(1);
  return std::ranges::any_of(flags_.always_allow_paths, [&](std::string_view allowed) {
    if (allowed.starts_with('/')) allowed.remove_prefix(1);
    if (!allowed.ends_with('*')) return path == allowed;
    allowed.remove_suffix(1);
    return path.starts_with(allowed);
  });
}

void Authorizer::Authorize(const User& user, std::string_view verb, std::string_view path,
                           Callback callback) {
  const bool is_master = std::ranges::find(user.groups, kMastersGroup) != user.groups.end();
  if (is_master || IsAlwaysAllowed(path)) return callback(AccessDecision{true});
  if (api_ == nullptr) return callback(AccessDecision{false});
  const std::string body = ReviewBody(user, verb, path);
  if (!decisions_.Want(body, std::move(callback))) return;
  client::RestRequest request;
  request.method = "POST";
  request.path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  request.body = body;
  request.content_type = "application/json";
  request.timeout = Duration::Seconds(10);
  SendPatiently(*api_, later_, std::move(request), [this, body](Result<std::string> answer) {
    if (!answer) return decisions_.Finish(body, std::unexpected(answer.error()), {});
    const auto decision = ReadReview(*answer);
    const bool allowed = decision && decision->allowed;
    decisions_.Finish(body, decision, allowed ? flags_.authorized_ttl : flags_.unauthorized_ttl);
  });
}

}  // namespace berth::daemon
