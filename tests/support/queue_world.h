// A scheduling queue with three plugins that follow scripts, for tests of the queue alone:
// "Gate" and "Hint" reject pods, "Outside" makes them wait for something outside.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "plugins/registry.h"
#include "queue/scheduling_queue.h"
#include "support/fake_plugins.h"
#include "support/objects.h"
#include "support/story_plugins.h"

namespace berth {

inline ClusterEvent NodeAdded() {
  return {.type = {Resource::kNode, kAdd}, .after = MakeNode("n1").ref()};
}
inline ClusterEvent NodeRemoved() {
  return {.type = {Resource::kNode, kDelete}, .before = MakeNode("n1").ref()};
}
inline ClusterEvent ClaimAdded() {
  return {.type = {Resource::kPersistentVolumeClaim, kAdd},
          .after = MakeObject<api::PersistentVolumeClaim>("c", "default")};
}
inline ClusterEvent Anything() { return {.type = kEverything}; }

class QueueWorld {
 public:
  explicit QueueWorld(BackoffPolicy backoff = {}, bool has_extenders = false) {
    gate->interests = {{{Resource::kPersistentVolumeClaim, kAdd}},
                       {{Resource::kPod, kUpdatePodLabel}}};
    hint->interests = {{{Resource::kNode, kAdd}}, {{Resource::kPod, kUpdatePodLabel}}};
    Registry registry = InTreeRegistry();
    Offer<FakeGate>(registry, "Gate", gate);
    Offer<FakeGate>(registry, "Hint", hint);
    Offer<FakeGate>(registry, "Outside", outside);
    auto built = Profile::Build(
        ProfileOf({{"PrioritySort"}, {"DefaultBinder"}, {"Gate"}, {"Hint"}, {"Outside"}}),
        registry);
    CHECK(built.has_value());
    profile_ = *std::move(built);
    queue = std::make_unique<SchedulingQueue>(
        cluster,
        SchedulingQueue::Options{
            .backoff = backoff, .profiles = {profile_.get()}, .has_extenders = has_extenders});
    queue->PassTime(now);
  }

  PluginMask Mask(std::string_view plugin) const {
    for (const auto& known : profile_->plugins()) {
      if (known->name() == plugin) return PluginMask{1} << known->slot();
    }
    CHECK(false);
    return 0;
  }
  Rejectors By(std::string_view plugin) const { return {Mask(plugin), 0}; }
  Rejectors PendingOn(std::string_view plugin) const { return {0, Mask(plugin)}; }

  void Add(const api::Pod& pod) {
    queue->Add(cluster.PutPod(std::make_shared<const api::Pod>(pod)), 0, now);
  }
  void Update(const api::Pod& pod) {
    const PodId id = Find(pod.metadata.name);
    const auto before = cluster.pod(id).object;
    cluster.PutPod(std::make_shared<const api::Pod>(pod));
    queue->Update(before, id, 0, now);
  }
  void Pass(Duration time) {
    now = now + time;
    queue->PassTime(now);
  }
  PodId Find(const std::string& pod) const { return cluster.pods().Find("default", pod); }

  // The name of the pod that is tried next; "" if none is.
  std::string Pop() {
    std::optional<QueueEntry> entry = queue->Pop(now);
    if (!entry) return "";
    const std::string name = cluster.pod(entry->order.pod).object->metadata.name;
    popped[name] = *std::move(entry);
    return name;
  }
  // The pod that was popped could not be scheduled.
  void Return(const std::string& pod, Rejectors why) {
    queue->Return(popped.at(pod), Find(pod), why, now);
  }
  // Adds a pod that was tried and rejected.
  void Park(const api::Pod& pod, Rejectors why) {
    Add(pod);
    while (Pop() != pod.metadata.name) {
    }
    Return(pod.metadata.name, why);
  }

  std::string Place(const std::string& pod) const {
    switch (queue->PlaceOf(Find(pod))) {
      case QueueEntry::Place::kNowhere:
        return "nowhere";
      case QueueEntry::Place::kActive:
        return "active";
      case QueueEntry::Place::kBackoff:
        return "backoff";
      case QueueEntry::Place::kErrorBackoff:
        return "error backoff";
      case QueueEntry::Place::kParked:
        return queue->Find(Find(pod))->gate == nullptr ? "parked" : "gated";
    }
    return "";
  }

  const std::shared_ptr<GateScript> gate = std::make_shared<GateScript>();
  const std::shared_ptr<GateScript> hint = std::make_shared<GateScript>();
  const std::shared_ptr<GateScript> outside = std::make_shared<GateScript>();
  bool closed = false;  // Set with CloseGate.
  void CloseGate() {
    closed = true;
    gate->pre_enqueue = [this](const PodRecord&) {
      return closed ? Verdict(Code::kUnschedulableAndUnresolvable, "closed") : Verdict();
    };
  }

  Cluster cluster;
  Instant now = Instant::FromUnixSeconds(1000);
  std::unique_ptr<SchedulingQueue> queue;
  std::map<std::string, QueueEntry> popped;

 private:
  std::unique_ptr<Profile> profile_;
};

}  // namespace berth
