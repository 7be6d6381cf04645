// PersistentVolumeController binds claims to volumes: to an existing one that fits, or to a new one
// that it creates as the claim's class would provision it. It also releases or deletes volumes
// whose claim is gone.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "api/selector.h"
#include "api/storage.h"
#include "localcluster/controller.h"

namespace berth::localcluster {

inline api::Quantity StorageOf(const api::PersistentVolume& volume) {
  const auto found = volume.capacity.find("storage");
  return found == volume.capacity.end() ? api::Quantity() : found->second;
}

// Reports whether class, mode, size, access modes and labels of the volume satisfy the claim.
// Ignores whether the volume is bound.
inline bool Fits(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (volume.metadata.deletion_timestamp) return false;
  if (volume.storage_class_name != claim.storage_class_name.value_or("")) return false;
  if (volume.volume_mode.value_or("Filesystem") != claim.volume_mode.value_or("Filesystem")) {
    return false;
  }
  const auto request = claim.requests.find("storage");
  if (request != claim.requests.end() && StorageOf(volume) < request->second) return false;
  const bool reachable = std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
    return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
  });
  if (!reachable || !claim.selector) return reachable;
  const auto selector = api::Selector::FromLabelSelector(claim.selector);
  return selector && selector->Matches(volume.metadata.labels);
}

// Creates the class "standard" with a fake provisioner and makes it the default, unless there is a
// default or a class of that name.
void EnsureDefaultStorageClass(apiserver::registry::Api& api);

// Claims of WaitForFirstConsumer classes wait for the scheduler, which either binds an existing
// volume itself or names the node on which to provision.
class PersistentVolumeController final : public Controller {
 public:
  explicit PersistentVolumeController(Context& context) : Controller("volume-binder", context) {}

  void Observe(const Change& change) override;
  // The key names a claim or, without a namespace, a volume.
  void Sync(const ObjectName& key) override;
  size_t index_size() const override { return waiting_.size() + free_.size(); }

 private:
  void SyncClaim(const ObjectName& key);
  void SyncVolume(const ObjectName& key);
  // Returns the claim's own volume, one that is reserved for it, or, if `may_match`, the smallest
  // that fits; "" if there is none.
  std::string ChooseVolume(const ObjectName& key, const api::PersistentVolumeClaim& claim,
                           bool may_match);
  // Creates a volume for the claim and returns its name; "" if its class has no provisioner or the
  // API call fails.
  std::string Provision(const ObjectName& key, const JsonObject& claim, const JsonObject& cls);
  void Bind(const ObjectName& key, const JsonObject& claim, const std::string& volume);
  void SetPhase(const Kind& kind, const ObjectName& key, std::string_view phase);
  // Gives a claim that was created before there was a default class that class. Reports whether it
  // did.
  bool AssignDefaultClass(const ObjectName& key, const JsonObject& claim);
  // Records why the claim is not bound.
  void RecordPending(const JsonObject& claim, const std::string& class_name, bool class_exists,
                     bool waits);

  std::set<ObjectName> waiting_;                                              // Unbound claims.
  std::map<std::string, std::shared_ptr<const api::PersistentVolume>> free_;  // Unbound volumes.
};

}  // namespace berth::localcluster
