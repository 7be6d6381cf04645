// Mirror is a second model of an engine's cluster, on which explanations are computed, so that they
// never delay a decision.
//
// It is an engine of its own that is never asked to schedule. It copies the objects of the first
// one when it is first needed, and then follows its ChangeLog. On the thread of the first engine it
// only copies references to objects, a limited number between two steps. Pods that the engine has
// assumed on a node, or nominated to one, are there in the mirror as if the API showed that.
//
// One thread at a time may use it, any but the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/object_fwd.h"
#include "base/result.h"
#include "base/time.h"
#include "inspect/change_log.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/registry.h"
#include "scheduler/model/ids.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::inspect {

class Mirror {
 public:
  // Runs work on the engine's thread between two steps; returns false if it does not run.
  using Visit =
      std::function<bool(const std::function<void(const scheduler::engine::Engine&)>& work)>;

  struct Options {
    scheduler::engine::EngineOptions engine;  // Of the first engine.
    const scheduler::framework::Registry* registry = nullptr;
    Visit visit;
  };

  // How many pods or objects are read between two steps of the engine: some half a millisecond on a
  // busy machine.
  static constexpr size_t kPerVisit = 250;

  // A pod that the API shows without a node.
  struct Pending {
    scheduler::model::PodId id;  // In the first engine, unless the pod was deleted meanwhile.
    api::Ref<api::Pod> pod;
    std::string assumed_node;    // If it is assumed on one.
    std::string nominated_node;  // If it is nominated to one.
  };

  // Where a pending pod is in the first engine's queue.
  struct QueueState {
    using Place = scheduler::queue::QueueEntry::Place;
    bool known = false;  // Otherwise the pod is that of another scheduler, or was deleted.
    Place place = Place::kNowhere;  // In flight.
    std::optional<size_t> gate;     // The slot of the plugin that gates it.
    size_t profile = 0;
    uint32_t attempts = 0;
    scheduler::queue::Rejectors rejectors;
    std::optional<Instant> backoff_end;              // By the engine's clock.
    std::optional<std::vector<std::string>> permit;  // If it waits: the plugins that delay it.
  };

  // `log` must be the tap of the first engine and outlive the mirror.
  Mirror(Options options, ChangeLog& log);
  ~Mirror();

  // Brings it up to date. `now` is the date. The error says that the engine does not run.
  Status Sync(Instant now);
  // Drops the copy: it uses no memory until the next Sync.
  void Drop();

  // Must not be called before the first Sync.
  scheduler::engine::Engine& engine() { return *engine_; }
  const scheduler::engine::Engine& engine() const { return *engine_; }
  // By namespace and name.
  const std::map<api::ObjectKey, Pending>& pending() const { return pending_; }
  // The number of assumed pods by node.
  const std::map<std::string, uint32_t, std::less<>>& assumed() const { return assumed_; }
  // Changes when a node is added or removed, or its labels, taints or allocatable change.
  uint64_t generation() const { return generation_; }

  // Reads where these pods are in the queue now, in the same order.
  std::vector<QueueState> ReadQueue(const std::vector<const Pending*>& pods) const;

 private:
  struct LivePod;

  Status Fill(Instant now);
  Status ReadAll(std::vector<api::Object>& objects, std::vector<api::ObjectKey>& pods) const;
  Status UpdatePods(std::vector<api::ObjectKey> keys, Instant now);
  void Update(const api::ObjectKey& key, const LivePod& live, Instant now);
  void Apply(const api::ObjectChange& change, Instant now);
  void Forget(const api::ObjectKey& key);

  const Options options_;
  ChangeLog& log_;
  std::unique_ptr<scheduler::engine::Engine> engine_;  // Null before the first Sync.
  std::map<api::ObjectKey, Pending> pending_;
  std::map<std::string, uint32_t, std::less<>> assumed_;
  uint64_t generation_ = 0;
};

}  // namespace berth::inspect
