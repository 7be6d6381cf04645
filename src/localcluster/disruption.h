// DisruptionController maintains the status of PodDisruptionBudgets: how many of the pods they
// cover are healthy, and how many disruptions they allow.
//
// Each budget has the set of its pods; a change of a pod is matched against the budgets of its
// namespace, of which there are few.
#pragma once

#include <map>
#include <set>
#include <string>

#include "localcluster/controller.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

class DisruptionController final : public Controller {
 public:
  explicit DisruptionController(Context& context) : Controller("disruption", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& budget) override;
  size_t index_size() const override { return budgets_.size() + pods_of_.size(); }

 private:
  struct Numbers {
    int64_t expected = 0;
    int64_t desired = 0;
  };
  void ObservePod(const Change& change);
  // Returns how many pods are expected, and how many of them must be healthy.
  Numbers Expect(const JsonObject* spec, const std::set<ObjectName>& pods) const;
  // Returns the sum of the sizes of the pods' top-level workloads.
  int64_t ScaleOfOwners(const std::set<ObjectName>& pods) const;

  SelectorIndex budgets_;
  std::map<ObjectName, std::set<ObjectName>> pods_of_;
};

}  // namespace berth::localcluster
