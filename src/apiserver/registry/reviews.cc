#include "apiserver/registry/reviews.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/registry/access.h"
#include "apiserver/registry/api.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

namespace {

void DescribeUser(api::JsonObject& user, std::string_view name,
                  const std::vector<std::string>& groups) {
  api::SetString(user, "username", name);
  api::JsonArray& list = api::EnsureArray(user, "groups");
  for (const std::string& group : groups) list.emplace_back(group);
}

void ReviewToken(api::JsonObject& status, const api::JsonObject* spec, const Access* access) {
  std::vector<std::string> audiences;
  const api::JsonArray* given = api::ArrayAt(spec, "audiences");
  for (size_t i = 0; given && i < given->size(); ++i)
    audiences.emplace_back(api::AsString((*given)[i]));
  const auto user =
      access ? access->FindToken(api::StringAt(spec, "token"), audiences) : std::nullopt;
  api::SetBool(status, "authenticated", user.has_value());
  if (!user) return api::SetString(status, "error", "invalid bearer token");
  DescribeUser(api::EnsureObject(status, "user"), user->name, user->groups);
  if (!user->uid.empty()) api::SetString(api::EnsureObject(status, "user"), "uid", user->uid);
}

bool IsRejectedAnonymous(const api::JsonObject* spec, const Access* access) {
  return access != nullptr && !access->open() && api::StringAt(spec, "user") == "system:anonymous";
}

void AddRule(api::JsonObject& status, std::string_view list,
             std::initializer_list<std::string_view> fields) {
  api::JsonObject& rule =
      api::EnsureArray(status, list).emplace_back(boost::json::object_kind).get_object();
  for (const std::string_view field : fields) api::EnsureArray(rule, field).emplace_back("*");
}

void FillStatus(std::string_view kind, const api::JsonObject* spec, api::JsonObject& status,
                const WriteOptions& options) {
  if (kind == "SelfSubjectReview") {
    DescribeUser(api::EnsureObject(status, "userInfo"), options.user, options.groups);
  } else if (kind == "SelfSubjectRulesReview") {
    AddRule(status, "resourceRules", {"verbs", "apiGroups", "resources"});
    AddRule(status, "nonResourceRules", {"verbs", "nonResourceURLs"});
    api::SetBool(status, "incomplete", false);
  } else if (kind == "TokenReview") {
    ReviewToken(status, spec, options.access);
  } else if (IsRejectedAnonymous(spec, options.access)) {
    api::SetBool(status, "allowed", false);
    api::SetString(status, "reason", "anonymous access is not allowed");
  } else {
    api::SetBool(status, "allowed", true);
    api::SetString(status, "reason", "every access is allowed");
  }
}

}  // namespace

store::ObjectPtr EvaluateReview(const api::scheme::Kind& kind, const api::Json& review,
                                const WriteOptions& options) {
  api::JsonObject result;
  api::SetString(result, "kind", kind.kind);
  api::SetString(result, "apiVersion", kind.api_version());
  const api::JsonObject* request = api::AsObject(review);
  const api::Json* metadata = api::At(request, "metadata");
  result["metadata"] = metadata && metadata->is_object() ? *metadata : api::Json(api::JsonObject());
  if (const api::Json* spec = api::At(request, "spec")) result["spec"] = *spec;
  FillStatus(kind.kind, api::ObjectAt(request, "spec"), result["status"].emplace_object(), options);
  auto object = std::make_shared<store::Object>();
  if (!api::AppendJson(object->json, result, store::kMaxDepth)) object->json.clear();
  return object;
}

}  // namespace berth::apiserver::registry
