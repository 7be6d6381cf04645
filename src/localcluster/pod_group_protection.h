// PodGroupProtection keeps groups from being deleted while they have pods: they have a finalizer
// that it removes when the last pod has finished or is gone.
#pragma once

#include <map>
#include <set>

#include "localcluster/controller.h"

namespace berth::localcluster {

class PodGroupProtection final : public Controller {
 public:
  explicit PodGroupProtection(Context& context) : Controller("podgroup-protection", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& group) override;
  size_t index_size() const override { return pods_of_.size() + group_of_.size(); }

 private:
  std::map<ObjectName, std::set<ObjectName>> pods_of_;  // By group.
  std::map<ObjectName, ObjectName> group_of_;           // By pod.
};

}  // namespace berth::localcluster
