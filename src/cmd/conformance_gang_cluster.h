// GangCluster is an API server with kubelets, reduced to what the cases with PodGroups need: it
// runs an engine, queue included, until nothing changes any more, and reports the state as the
// cases describe it.
//
// Time is simulated: a case takes seconds of it, and no real ones.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/object.h"
#include "base/result.h"
#include "base/time.h"
#include "scheduler/engine/engine.h"

namespace berth::cmd {

class GangCluster {
 public:
  explicit GangCluster(std::unique_ptr<scheduler::engine::Engine> engine);

  void Put(const api::Object& object);
  // `name` is "Kind/namespace/name". Pods that have a node terminate first. Fails if there is no
  // such object.
  Status Delete(const std::string& name);

  // Schedules until the cluster is at rest. Fails if it does not come to rest.
  Status Settle();

  // Returns the state: groups, pods (those in `pods`, as "namespace/name"), victims and events.
  api::Json State(const std::set<std::string>& pods) const;

 private:
  using Key = std::pair<std::string, api::ObjectKey>;  // The kind and the name.

  template <typename T>
  std::shared_ptr<const T> Find(const api::ObjectKey& key) const;
  // Stores a new version.
  template <typename T>
  void Update(T object);
  void Remove(const Key& key);
  void Terminate(const api::Pod& pod);
  // Advances the time, and removes a pod whose termination has ended: one at a time, since the
  // scheduler sees each of them go.
  void PassTime(Instant now);
  // Executes the commands of the engine. Returns whether there were any.
  bool Execute();

  scheduler::framework::WriteResult Do(const scheduler::framework::BindPod& bind);
  scheduler::framework::WriteResult Do(const scheduler::framework::PatchPodStatus& patch);
  scheduler::framework::WriteResult Do(const scheduler::framework::PatchPodGroupStatus& patch);
  scheduler::framework::WriteResult Do(const scheduler::framework::DeletePod& remove);
  scheduler::framework::WriteResult Do(const scheduler::framework::RecordEvent& event);
  template <typename Other>
  scheduler::framework::WriteResult Do(const Other&) {
    return {};  // The cases have neither volumes nor claims.
  }

  api::Json GroupState(const api::PodGroup& group) const;
  api::Json PodState(const api::Pod& pod) const;

  std::unique_ptr<scheduler::engine::Engine> engine_;
  Instant now_;
  Instant changed_;  // When something last changed.
  int64_t version_ = 1'000'000;
  std::map<Key, api::Object> objects_;
  std::set<std::pair<Instant, Key>> terminating_;
  std::set<std::string> scheduled_groups_;  // That had the condition True at some time.
  std::set<std::string> victims_;
  std::map<std::string, std::set<std::string>> events_;  // By pod.
};

}  // namespace berth::cmd
