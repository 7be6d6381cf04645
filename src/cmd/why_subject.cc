#include "cmd/why_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggestion.h"

namespace berth::cmd {
namespace {

struct SubjectKind {
  std::string_view kind;
  std::string_view api_version;
  std::string_view singular;
  std::string_view plural;
  std::string_view short_name;
};

constexpr std::array<SubjectKind, 8> kSubjectKinds = {{
    {"Pod", "v1", "pod", "pods", "po"},
    {"Deployment", "apps/v1", "deployment", "deployments", "deploy"},
    {"ReplicaSet", "apps/v1", "replicaset", "replicasets", "rs"},
    {"StatefulSet", "apps/v1", "statefulset", "statefulsets", "sts"},
    {"DaemonSet", "apps/v1", "daemonset", "daemonsets", "ds"},
    {"Job", "batch/v1", "job", "jobs", "job"},
    {"PodGroup", "scheduling.k8s.io/v1alpha2", "podgroup", "podgroups", "podgroup"},
    {"ReplicationController", "v1", "replicationcontroller", "replicationcontrollers", "rc"},
}};

// Names are parts of paths: what the API server rejects in any name.
bool IsName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of("/%") == std::string_view::npos;
}

}  // namespace

Result<WhySubject> ParseWhySubject(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    if (!IsName(text)) return Fail(fmt::format("\"{}\" is not the name of a pod", text));
    return WhySubject{"Pod", "v1", std::string(text)};
  }
  const std::string_view resource = text.substr(0, slash);
  const std::string_view name = text.substr(slash + 1);
  const std::string_view kind = resource.substr(0, resource.find('.'));
  const auto* known = std::ranges::find_if(kSubjectKinds, [&](const SubjectKind& one) {
    return kind == one.singular || kind == one.plural || kind == one.short_name;
  });
  if (known == kSubjectKinds.end()) {
    Suggestion suggestion(kind);
    for (const SubjectKind& one : kSubjectKinds) suggestion.Consider(one.singular);
    return Fail(
        fmt::format("\"{}\" has no pods that can be explained{}", resource, suggestion.Text()));
  }
  if (!IsName(name)) return Fail(fmt::format("\"{}\" is not the name of an object", name));
  return WhySubject{std::string(known->kind), std::string(known->api_version), std::string(name)};
}

std::vector<std::string> WhySubjectKinds() {
  std::vector<std::string> names;
  for (const SubjectKind& kind : kSubjectKinds) names.emplace_back(kind.singular);
  return names;
}

}  // namespace berth::cmd
