#include "apiserver/reviews.h"

#include <memory>
#include <string_view>

#include "apiserver/access.h"
#include "apiserver/api.h"
#include "kinds/draft.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

void DescribeUser(JsonObject& user, std::string_view name, const std::vector<std::string>& groups) {
  SetString(user, "username", name);
  JsonArray& list = ArrayIn(user, "groups");
  for (const std::string& group : groups) list.emplace_back(group);
}

void AnswerToken(JsonObject& status, std::string_view token, const Access* access) {
  const User* user = access != nullptr ? access->FindToken(token) : nullptr;
  SetBool(status, "authenticated", user != nullptr);
  if (user == nullptr) return SetString(status, "error", "nobody here has this token");
  DescribeUser(ObjectIn(status, "user"), user->name, user->groups);
  if (!user->uid.empty()) SetString(ObjectIn(status, "user"), "uid", user->uid);
}

bool IsStranger(const JsonObject* spec, const Access* access) {
  return access != nullptr && !access->open() && StringAt(spec, "user") == "system:anonymous";
}

void AddRule(JsonObject& status, std::string_view list,
             std::initializer_list<std::string_view> fields) {
  JsonObject& rule = ArrayIn(status, list).emplace_back(boost::json::object_kind).get_object();
  for (const std::string_view field : fields) ArrayIn(rule, field).emplace_back("*");
}

void Answer(std::string_view kind, const JsonObject* spec, JsonObject& status,
            const WriteOptions& options) {
  if (kind == "SelfSubjectReview") {
    DescribeUser(ObjectIn(status, "userInfo"), options.user, options.groups);
  } else if (kind == "SelfSubjectRulesReview") {
    AddRule(status, "resourceRules", {"verbs", "apiGroups", "resources"});
    AddRule(status, "nonResourceRules", {"verbs", "nonResourceURLs"});
    SetBool(status, "incomplete", false);
  } else if (kind == "TokenReview") {
    AnswerToken(status, StringAt(spec, "token"), options.access);
  } else if (IsStranger(spec, options.access)) {
    SetBool(status, "allowed", false);
    SetString(status, "reason", "strangers are not let in");
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
  Answer(kind.kind, ObjectAt(asked, "spec"), answer["status"].emplace_object(), options);
  auto object = std::make_shared<store::Object>();
  if (!AppendJson(object->json, answer)) object->json.clear();
  return object;
}

}  // namespace berth::apiserver
