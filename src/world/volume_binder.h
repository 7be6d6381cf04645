// VolumeBinder binds claims to volumes: to one that is there and fits, or to one that it makes up
// as the claim's class would provision it; and sees to volumes whose claim is gone.
//
// Claims of classes that wait for their first consumer wait for the scheduler: it binds a volume
// that is there itself, or names the node on which to provision.
#pragma once

#include <map>
#include <set>
#include <string>

#include "api/storage.h"
#include "world/controller.h"

namespace berth::world {

class VolumeBinder final : public Controller {
 public:
  explicit VolumeBinder(Context& context) : Controller("volume-binder", context) {}

  void Observe(const Change& change) override;
  // The key is a claim's, or without a namespace a volume's.
  void Sync(const ObjectName& key) override;
  size_t index_size() const override { return waiting_.size() + free_.size(); }

 private:
  void SyncClaim(const ObjectName& key);
  void SyncVolume(const ObjectName& key);
  // The volume that the claim should have: its own, one that is reserved for it, or one that fits.
  std::string ChooseVolume(const ObjectName& key, const api::PersistentVolumeClaim& claim,
                           bool may_match);
  // Makes a volume for the claim; empty if its class has no provisioner.
  std::string Provision(const ObjectName& key, const JsonObject& claim, const JsonObject& cls);
  void Bind(const ObjectName& key, const JsonObject& claim, const std::string& volume);
  void SetPhase(const Kind& kind, const ObjectName& key, std::string_view phase);

  std::set<ObjectName> waiting_;  // Claims that are not bound.
  std::map<std::string, std::shared_ptr<const api::PersistentVolume>> free_;  // Not bound volumes.
};

}  // namespace berth::world
