#include "apiserver/reviews.h"

#include <memory>
#include <string_view>

#include "apiserver/api.h"
#include "kinds/draft.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

void DescribeUser(JsonObject& status, const WriteOptions& options) {
  JsonObject& user = ObjectIn(status, "userInfo");
  SetString(user, "username", options.user);
  JsonArray& groups = ArrayIn(user, "groups");
  for (const std::string& group : options.groups) groups.emplace_back(group);
}

void AddRule(JsonObject& status, std::string_view list,
             std::initializer_list<std::string_view> fields) {
  JsonObject& rule = ArrayIn(status, list).emplace_back(boost::json::object_kind).get_object();
  for (const std::string_view field : fields) ArrayIn(rule, field).emplace_back("*");
}

void Answer(std::string_view kind, JsonObject& status, const WriteOptions& options) {
  if (kind == "SelfSubjectReview") {
    DescribeUser(status, options);
  } else if (kind == "SelfSubjectRulesReview") {
    AddRule(status, "resourceRules", {"verbs", "apiGroups", "resources"});
    AddRule(status, "nonResourceRules", {"verbs", "nonResourceURLs"});
    SetBool(status, "incomplete", false);
  } else if (kind == "TokenReview") {
    // Tokens are known to the server's front alone; to everybody else they are opaque.
    SetBool(status, "authenticated", false);
    SetString(status, "error", "this server does not vouch for tokens");
  } else {
    SetBool(status, "allowed", true);
    SetString(status, "reason", "every access is allowed");
  }
}

}  // namespace

store::ObjectPtr AnswerReview(const Kind& kind, const Json& review, const WriteOptions& options) {
  JsonObject answer;
  SetString(answer, "kind", kind.kind);
  SetString(answer, "apiVersion", kind.api_version());
  const JsonObject* asked = AsObject(review);
  const Json* metadata = At(asked, "metadata");
  answer["metadata"] = metadata && metadata->is_object() ? *metadata : Json(JsonObject());
  if (const Json* spec = At(asked, "spec")) answer["spec"] = *spec;
  Answer(kind.kind, answer["status"].emplace_object(), options);
  auto object = std::make_shared<store::Object>();
  if (!AppendJson(object->json, answer)) object->json.clear();
  return object;
}

}  // namespace berth::apiserver
