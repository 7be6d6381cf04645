#include "runtime/permission_check.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "client/api_status.h"
#include "runtime/watched_resources.h"

namespace berth::runtime {
namespace {

constexpr const char* kReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

// A rule; lists are separated by spaces, and "pods/binding" is a subresource.
struct Row {
  std::string_view groups;  // "core" for the group without a name.
  std::string_view resources;
  std::string_view verbs;
  std::string_view feature = {};
};

// The permissions besides those to list and watch WatchedResources().
constexpr Row kRows[] = {
    // What is read once more before it is written, or because a write may have happened.
    {"core", "pods persistentvolumes persistentvolumeclaims", "get"},
    {"resource.k8s.io", "resourceclaims", "get", kDynamicResources},
    {"core events.k8s.io", "events", "create patch"},
    {"core", "pods", "delete"},
    {"core", "pods/binding", "create"},
    {"core", "pods/status", "patch"},
    {"core", "persistentvolumes persistentvolumeclaims", "update"},
    {"resource.k8s.io", "resourceclaims", "create update delete", kDynamicResources},
    {"resource.k8s.io", "resourceclaims/status", "update patch", kDynamicResources},
    // A server with DRAResourceClaimGranularStatusAuthorization asks for these, too.
    {"resource.k8s.io", "resourceclaims/binding", "update patch", kDynamicResources},
    // Only for servers that block owner references (OwnerReferencesPermissionEnforcement).
    {"core", "pods/finalizers", "update", kDynamicResources},
    {"authentication.k8s.io", "tokenreviews", "create", "the secure port"},
    {"authorization.k8s.io", "subjectaccessreviews", "create", "the secure port"},
};

template <typename Use>
void ForEachWord(std::string_view words, Use use) {
  while (!words.empty()) {
    const size_t end = words.find(' ');
    use(std::string(words.substr(0, end)));
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
}

void AddRow(const Row& row, std::vector<Permission>& to) {
  ForEachWord(row.groups, [&](const std::string& group) {
    ForEachWord(row.resources, [&](const std::string& resource) {
      ForEachWord(row.verbs, [&](const std::string& verb) {
        const size_t slash = resource.find('/');
        to.push_back({.group = group == "core" ? "" : group,
                      .resource = resource.substr(0, slash),
                      .subresource = slash == std::string::npos ? "" : resource.substr(slash + 1),
                      .verb = verb,
                      .name_space = {},
                      .name = {},
                      .feature = std::string(row.feature)});
      });
    });
  });
}

Permission InNamespace(std::string group, std::string resource, std::string verb,
                       std::string name_space, std::string name, std::string feature) {
  return {.group = std::move(group),
          .resource = std::move(resource),
          .subresource = {},
          .verb = std::move(verb),
          .name_space = std::move(name_space),
          .name = std::move(name),
          .feature = std::move(feature)};
}

client::RestRequest ReviewOf(const Permission& permission) {
  api::JsonWriter json;
  const auto text = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    json.Key(key);
    json.String(value);
  };
  json.BeginObject();
  text("apiVersion", "authorization.k8s.io/v1");
  text("kind", "SelfSubjectAccessReview");
  json.Key("spec");
  json.BeginObject();
  json.Key("resourceAttributes");
  json.BeginObject();
  text("namespace", permission.name_space);
  text("verb", permission.verb);
  text("group", permission.group);
  text("resource", permission.resource);
  text("subresource", permission.subresource);
  text("name", permission.name);
  json.EndObject();
  json.EndObject();
  json.EndObject();
  client::RestRequest request;
  request.method = "POST";
  request.path = kReviews;
  request.body = json.Take();
  request.content_type = "application/json";
  return request;
}

// Returns nullopt if the permission is granted, and the reason otherwise.
Result<std::optional<std::string>> ReadReview(const net::HttpResult<net::HttpResponse>& result) {
  if (!result) return Fail(result.error().message);
  if (!result->ok()) return Fail(client::Describe("POST", kReviews, *result));
  const auto parsed = api::ParseJson(result->body);
  const auto* status = parsed ? api::ObjectAt(api::AsObject(*parsed), "status") : nullptr;
  if (status == nullptr) {
    return Fail(fmt::format("POST {}: the response is not a review", kReviews));
  }
  if (api::BoolAt(status, "allowed")) return std::optional<std::string>();
  return std::optional(std::string(api::StringAt(status, "reason")));
}

// The results so far. Shared by the callbacks of all requests, which run on one thread.
struct Survey {
  std::vector<Permission> permissions;
  std::vector<std::optional<std::string>> refusals;
  size_t left = 0;
  std::optional<Error> error;
  MissingCallback callback;

  void Note(size_t index, Result<std::optional<std::string>> review) {
    if (review) {
      refusals[index] = *std::move(review);
    } else if (!error) {
      error = std::move(review).error();
    }
    if (--left == 0) Finish();
  }

  void Finish() {
    if (error) return callback(std::unexpected(*std::move(error)));
    std::vector<MissingPermission> missing;
    for (size_t i = 0; i < permissions.size(); ++i) {
      if (refusals[i]) missing.push_back({std::move(permissions[i]), *std::move(refusals[i])});
    }
    callback(std::move(missing));
  }
};

}  // namespace

std::string ToString(const Permission& permission) {
  std::string text = permission.verb + " " + permission.resource;
  if (!permission.subresource.empty()) text += "/" + permission.subresource;
  if (!permission.group.empty()) text += "." + permission.group;
  if (!permission.name.empty()) return text + " " + permission.name_space + "/" + permission.name;
  if (!permission.name_space.empty()) text += " in namespace " + permission.name_space;
  return text;
}

std::vector<Permission> SchedulerPermissions(const scheduler::model::Features& features,
                                             const std::string& lock_namespace,
                                             const std::string& lock_name) {
  constexpr const char* kCoordination = "coordination.k8s.io";
  constexpr const char* kElection = "leader election";
  std::vector<Permission> all;
  for (const WatchedResource& watched : WatchedResources(features)) {
    const bool core = watched.group().empty();
    AddRow({core ? "core" : watched.group(), watched.name(), "list watch", watched.feature}, all);
  }
  for (const Row& row : kRows) AddRow(row, all);
  if (features.generic_workload)
    AddRow({"scheduling.k8s.io", "podgroups/status", "patch", kPodGroups}, all);
  all.push_back(InNamespace(kCoordination, "leases", "create", lock_namespace, "", kElection));
  for (const char* verb : {"get", "update"}) {
    all.push_back(InNamespace(kCoordination, "leases", verb, lock_namespace, lock_name, kElection));
  }
  for (const char* verb : {"get", "list", "watch"}) {
    all.push_back(InNamespace("", "configmaps", verb, "kube-system",
                              "extension-apiserver-authentication", "the secure port"));
  }
  return all;
}

void AddCandidatePermissions(const std::string& lock_namespace, std::vector<Permission>& to) {
  for (const char* verb : {"get", "list", "watch", "create", "update"}) {
    to.push_back(InNamespace("coordination.k8s.io", "leasecandidates", verb, lock_namespace, "",
                             "coordinated leader election"));
  }
}

void FindMissingPermissions(client::RestClient& client, std::vector<Permission> permissions,
                            MissingCallback callback) {
  const auto survey = std::make_shared<Survey>();
  survey->permissions = std::move(permissions);
  survey->refusals.resize(survey->permissions.size());
  survey->left = survey->permissions.size();
  survey->callback = std::move(callback);
  if (survey->left == 0) return survey->Finish();
  // Callbacks may run on another thread, and the last one moves the permissions away.
  std::vector<client::RestRequest> requests;
  requests.reserve(survey->permissions.size());
  for (const Permission& permission : survey->permissions) requests.push_back(ReviewOf(permission));
  for (size_t i = 0; i < requests.size(); ++i) {
    client.Send(std::move(requests[i]),
                [survey, i](const net::HttpResult<net::HttpResponse>& result) {
                  survey->Note(i, ReadReview(result));
                });
  }
}

}  // namespace berth::runtime
