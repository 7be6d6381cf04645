#include "localcluster/job_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "localcluster/job.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

bool HasValue(const JsonArray* values, int64_t wanted) {
  return values && std::ranges::any_of(
                       *values, [&](const Json& value) { return api::AsInt(&value) == wanted; });
}

// Returns the status of a container whose exit code the rule names, or null.
const JsonObject* MatchingContainer(const JsonObject& rule, const JsonObject* status) {
  const std::string_view container = StringAt(&rule, "containerName");
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (const JsonObject& one : ObjectsAt(status, list)) {
      const JsonObject* ended = ObjectAt(ObjectAt(&one, "state"), "terminated");
      const int64_t code = IntAt(ended, "exitCode").value_or(0);
      if (code == 0 || (!container.empty() && StringAt(&one, "name") != container)) continue;
      const bool listed = HasValue(ArrayAt(&rule, "values"), code);
      if (listed == (StringAt(&rule, "operator") == "In")) return &one;
    }
  }
  return nullptr;
}

// Returns the type of a condition of the pod that a pattern names, or "".
std::string_view MatchingCondition(const JsonObject& rule, const JsonObject* status) {
  for (const JsonObject& condition : ObjectsAt(status, "conditions")) {
    for (const JsonObject& pattern : ObjectsAt(&rule, "onPodConditions")) {
      if (StringAt(&condition, "type") == StringAt(&pattern, "type") &&
          StringAt(&condition, "status") == StringAt(&pattern, "status")) {
        return StringAt(&condition, "type");
      }
    }
  }
  return {};
}

struct Verdict {
  std::string_view action = "Count";
  std::string message = {};  // Why the Job fails.
};

// `status` is that of a failed pod. The first rule that matches decides.
Verdict JudgeFailure(const JsonObject* policy, const ObjectName& pod, const JsonObject* status) {
  int64_t index = 0;
  for (const JsonObject& rule : ObjectsAt(policy, "rules")) {
    const std::string_view action = StringAt(&rule, "action");
    if (const JsonObject* codes = ObjectAt(&rule, "onExitCodes")) {
      if (const JsonObject* container = MatchingContainer(*codes, status)) {
        const JsonObject* ended = ObjectAt(ObjectAt(container, "state"), "terminated");
        return {action,
                fmt::format("Container {} for pod {}/{} failed with exit code {} matching {} rule "
                            "at index {}",
                            StringAt(container, "name"), pod.namespace_, pod.name,
                            IntAt(ended, "exitCode").value_or(0), action, index)};
      }
    } else if (const std::string_view type = MatchingCondition(rule, status); !type.empty()) {
      return {action, fmt::format("Pod {}/{} has condition {} matching {} rule at index {}",
                                  pod.namespace_, pod.name, type, action, index)};
    }
    ++index;
  }
  return {};
}

}  // namespace

void JobFailures::Add(const JsonObject* spec, const PodRecord& pod, int64_t index) {
  if (const JsonObject* policy = ObjectAt(spec, "podFailurePolicy")) {
    const Json document = apiserver::store::Parse(*pod.object);
    const Verdict verdict =
        JudgeFailure(policy, pod.name(), ObjectAt(AsObject(document), "status"));
    if (verdict.action == "Ignore") {
      if (index >= 0) ++ignored_by_index[index];
      return;
    }
    if (verdict.action == "FailIndex" && index >= 0) failed_indexes.insert(index);
    if (verdict.action == "FailJob" && fails_job.empty()) fails_job = verdict.message;
  }
  ++counted;
  if (index >= 0) ++by_index[index];
}

std::set<int64_t> FailedIndexes(const JsonObject* spec, const JobFailures& failures) {
  std::set<int64_t> failed = failures.failed_indexes;
  const auto limit = IntAt(spec, "backoffLimitPerIndex");
  for (const auto& [index, count] : failures.by_index) {
    if (limit && count > *limit) failed.insert(index);
  }
  return failed;
}

std::optional<std::string> MetSuccessRule(const JsonObject* spec,
                                          const std::set<int64_t>& succeeded) {
  if (succeeded.empty()) return std::nullopt;
  int64_t index = 0;
  for (const JsonObject& rule : ObjectsAt(ObjectAt(spec, "successPolicy"), "rules")) {
    const auto count = IntAt(&rule, "succeededCount");
    std::set<int64_t> counting = succeeded;
    auto required = count.value_or(0);
    if (const std::string_view list = StringAt(&rule, "succeededIndexes"); !list.empty()) {
      const std::set<int64_t> wanted = ParseIndexes(list);
      counting.clear();
      std::ranges::set_intersection(wanted, succeeded, std::inserter(counting, counting.end()));
      required = count.value_or(std::max<int64_t>(1, static_cast<int64_t>(wanted.size())));
    } else if (!count) {
      ++index;
      continue;
    }
    if (static_cast<int64_t>(counting.size()) >= required) {
      return fmt::format("Matched rules at index {}", index);
    }
    ++index;
  }
  return std::nullopt;
}

}  // namespace berth::localcluster
