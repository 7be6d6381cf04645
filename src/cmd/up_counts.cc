#include "cmd/up_counts.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <map>
#include <utility>

#include "apiserver/api.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth {
namespace {

// Where the store keeps the fields of pods that are asked for often.
class PodFields {
 public:
  const std::string& node(const store::Object& pod) const { return pod.fields[node_]; }
  const std::string& phase(const store::Object& pod) const { return pod.fields[phase_]; }
  bool finished(const store::Object& pod) const {
    return phase(pod) == "Succeeded" || phase(pod) == "Failed";
  }

 private:
  static size_t Find(std::string_view field) {
    const auto& fields = apiserver::KindOf("pods").selectable;
    return static_cast<size_t>(std::ranges::find(fields, field) - fields.begin());
  }
  const size_t node_ = Find("spec.nodeName");
  const size_t phase_ = Find("status.phase");
};

// What the scheduler says about a pod without a node; empty if nothing.
std::string MessageOf(const store::Object& pod) {
  const apiserver::Json document = apiserver::Parse(pod);
  const auto* status = apiserver::ObjectAt(apiserver::AsObject(document), "status");
  const auto* conditions = apiserver::ArrayAt(status, "conditions");
  if (conditions == nullptr) return {};
  for (const apiserver::Json& value : *conditions) {
    const auto* condition = apiserver::AsObject(value);
    if (apiserver::StringAt(condition, "type") != "PodScheduled") continue;
    const std::string_view message = apiserver::StringAt(condition, "message");
    return std::string(message.empty() ? apiserver::StringAt(condition, "reason") : message);
  }
  return {};
}

}  // namespace

ClusterCounts CountCluster(store::Store& store) {
  const PodFields fields;
  ClusterCounts counts;
  counts.nodes = store.Count(apiserver::KindOf("nodes").collection);
  for (const store::ObjectPtr& pod : store.List(apiserver::KindOf("pods").collection, {}).objects) {
    ++counts.pods;
    if (fields.finished(*pod)) {
      ++counts.finished;
    } else if (fields.node(*pod).empty()) {
      ++counts.pending;
    } else {
      ++counts.bound;
      counts.running += fields.phase(*pod) == "Running";
    }
  }
  return counts;
}

PendingPods WhyPending(store::Store& store) {
  const PodFields fields;
  store::ListQuery query;
  query.matches = [&](const store::Object& pod) {
    return fields.node(pod).empty() && !fields.finished(pod);
  };
  PendingPods pending;
  std::map<std::string, PendingGroup> groups;
  for (const auto& pod : store.List(apiserver::KindOf("pods").collection, query).objects) {
    const std::string message = MessageOf(*pod);
    if (message.empty()) {
      ++pending.undecided;
      continue;
    }
    const auto [group, is_new] = groups.try_emplace(message);
    if (is_new) group->second = {message, 0, pod->key};
    ++group->second.pods;
  }
  for (auto& [message, group] : groups) pending.groups.push_back(std::move(group));
  std::ranges::stable_sort(pending.groups, std::ranges::greater(), &PendingGroup::pods);
  return pending;
}

}  // namespace berth
