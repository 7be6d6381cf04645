// OwnerSelectors follows the selectors of the objects that pods belong to: Services,
// ReplicationControllers, ReplicaSets and StatefulSets.
//
// The Services that select a pod are found by its labels: the others of the namespace, of which
// there may be thousands, are not looked at. Owned by the engine thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/meta.h"
#include "api/workloads.h"
#include "base/string_hash.h"

namespace berth::scheduler::model {

template <typename T>
concept OwnsPods = std::same_as<T, api::Service> || std::same_as<T, api::ReplicationController> ||
                   std::same_as<T, api::ReplicaSet> || std::same_as<T, api::StatefulSet>;

class OwnerSelectors {
 public:
  // The object was added, changed or removed: `before` or `after` is null if there is none.
  template <OwnsPods T>
  void Change(const std::shared_ptr<const T>& before, const std::shared_ptr<const T>& after) {
    const bool same = before != nullptr && after != nullptr && before->selector == after->selector;
    if constexpr (std::same_as<T, api::Service>) {
      if (before != nullptr) Remove(*before);
      if (after != nullptr) Add(after);
    }
    if (!same) ++version_;
  }

  // Calls visit(const api::Service&) for each Service of the pod's namespace whose selector has
  // conditions, all of which `pod` fulfils; in no particular order.
  template <typename Visit>
  void ForEachServiceOf(const api::ObjectMeta& pod, Visit&& visit) const {
    for (const auto& [key, value] : pod.labels) {
      const auto found = services_.find(ServiceKey(pod.namespace_, key, value));
      if (found == services_.end()) continue;
      for (const auto& service : found->second) {
        if (service->metadata.namespace_ == pod.namespace_ &&
            HasAll(pod.labels, *service->selector))
          visit(*service);
      }
    }
  }

  // Grows whenever a selector comes, goes or changes.
  uint64_t version() const { return version_; }

 private:
  using Services = std::vector<std::shared_ptr<const api::Service>>;

  static std::string ServiceKey(std::string_view namespace_, std::string_view key,
                                std::string_view value);
  static bool HasAll(const api::StringMap& labels, const api::StringMap& wanted);
  void Add(std::shared_ptr<const api::Service> service);
  void Remove(const api::Service& service);

  // By namespace and first condition.
  std::unordered_map<std::string, Services, StringHash> services_;
  uint64_t version_ = 0;
};

}  // namespace berth::scheduler::model
