// VolumeProtection keeps claims that pods use, and volumes that are bound, from being deleted: both
// have a finalizer that it removes when they are no longer in use.
#pragma once

#include <map>
#include <set>
#include <string>

#include "localcluster/controller.h"

namespace berth::localcluster {

class VolumeProtection final : public Controller {
 public:
  explicit VolumeProtection(Context& context) : Controller("volume-protection", context) {}

  void Observe(const Change& change) override;
  // The key names a claim or, without a namespace, a volume.
  void Sync(const ObjectName& key) override;
  size_t index_size() const override { return pods_of_.size() + claims_of_.size(); }

 private:
  bool IsUsed(const ObjectName& claim) const;
  // Adds the finalizer to an object that lacks it; removes it from one that may go.
  void SetFinalizer(const Kind& kind, const ObjectName& key, std::string_view finalizer);

  std::map<ObjectName, std::set<ObjectName>> pods_of_;    // By claim.
  std::map<ObjectName, std::set<ObjectName>> claims_of_;  // By pod.
};

}  // namespace berth::localcluster
