// ResourceQuotaController counts what the objects of a namespace use of its ResourceQuotas.
//
// Creations are charged when they are admitted (apiserver/registry/quota_charge.h); the controller
// releases what deleted objects and ended pods used, and counts anew when a quota changes. A count
// is linear in the objects of the namespace, so counts of many objects are made less often.
#pragma once

#include <map>
#include <set>
#include <string>

#include "localcluster/controller.h"

namespace berth::localcluster {

class ResourceQuotaController final : public Controller {
 public:
  explicit ResourceQuotaController(Context& context) : Controller("resource-quotas", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;  // The key names a quota.
  size_t index_size() const override { return quotas_.size(); }

 private:
  struct Quota {
    std::set<std::string> hard = {};  // The resources that it limits.
    Instant next_count = {};
  };
  // Queues the quota, at the time of its next count.
  void Queue(const ObjectName& name, const Quota& quota);

  std::map<ObjectName, Quota> quotas_;
};

}  // namespace berth::localcluster
