// QueueHarness is a SchedulingQueue with three plugins that follow scripts: "Gate" and "Hint"
// reject pods, "Outside" makes them pending on something outside of the cluster.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/queue/scheduling_queue.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"
#include "testing/require.h"
#include "testing/scripted_engine.h"

namespace berth {

inline scheduler::framework::ClusterEvent NodeAdded() {
  return {.type = {scheduler::framework::Resource::kNode, scheduler::framework::kAdd},
          .after = MakeNode("n1").ref()};
}
inline scheduler::framework::ClusterEvent NodeRemoved() {
  return {.type = {scheduler::framework::Resource::kNode, scheduler::framework::kDelete},
          .before = MakeNode("n1").ref()};
}
inline scheduler::framework::ClusterEvent ClaimAdded() {
  return {
      .type = {scheduler::framework::Resource::kPersistentVolumeClaim, scheduler::framework::kAdd},
      .after = MakeObject<api::PersistentVolumeClaim>("c", "default")};
}
inline scheduler::framework::ClusterEvent Anything() {
  return {.type = scheduler::framework::kEverything};
}

class QueueHarness {
 public:
  explicit QueueHarness(scheduler::queue::BackoffPolicy backoff = {}, bool has_extenders = false,
                        bool pop_from_backoff = true) {
    gate->interests = {
        {{scheduler::framework::Resource::kPersistentVolumeClaim, scheduler::framework::kAdd}},
        {{scheduler::framework::Resource::kPod, scheduler::framework::kUpdatePodLabel}}};
    hint->interests = {
        {{scheduler::framework::Resource::kNode, scheduler::framework::kAdd}},
        {{scheduler::framework::Resource::kPod, scheduler::framework::kUpdatePodLabel}}};
    scheduler::framework::Registry registry = scheduler::plugins::InTreeRegistry();
    Offer<FakeGate>(registry, "Gate", gate);
    Offer<FakeGate>(registry, "Hint", hint);
    Offer<FakeGate>(registry, "Outside", outside);
    profile_ = Require(scheduler::framework::Profile::Build(
        ProfileOf({{"PrioritySort"}, {"DefaultBinder"}, {"Gate"}, {"Hint"}, {"Outside"}}),
        registry));
    queue = std::make_unique<scheduler::queue::SchedulingQueue>(
        cluster, scheduler::queue::SchedulingQueue::Options{.backoff = backoff,
                                                            .profiles = {profile_.get()},
                                                            .has_extenders = has_extenders,
                                                            .pop_from_backoff = pop_from_backoff,
                                                            .name_wakes = true});
    queue->PassTime(now);
  }

  scheduler::framework::PluginMask Mask(std::string_view plugin) const {
    for (const auto& known : profile_->plugins()) {
      if (known->name() == plugin) return scheduler::framework::PluginMask{1} << known->slot();
    }
    throw std::runtime_error("no such plugin");
  }
  scheduler::queue::Rejectors By(std::string_view plugin) const { return {Mask(plugin), 0}; }
  scheduler::queue::Rejectors PendingOn(std::string_view plugin) const { return {0, Mask(plugin)}; }

  void Add(const api::Pod& pod) {
    queue->Add(cluster.PutPod(std::make_shared<const api::Pod>(pod)), 0, now);
  }
  void Update(const api::Pod& pod) {
    const scheduler::model::PodId id = Find(pod.metadata.name);
    const auto before = cluster.pod(id).object;
    cluster.PutPod(std::make_shared<const api::Pod>(pod));
    queue->Update(before, id, 0, scheduler::framework::PodSchedulingPropertiesChange(*before, pod),
                  now);
  }
  void Pass(Duration time) {
    now = now + time;
    queue->PassTime(now);
  }
  scheduler::model::PodId Find(const std::string& pod) const {
    return cluster.pods().Find("default", pod);
  }

  // Pops the next pod; returns its name, or "" if the active queue is empty.
  std::string Pop() {
    std::optional<scheduler::queue::QueueEntry> entry = queue->Pop(now);
    if (!entry) return "";
    const std::string name = cluster.pod(entry->order.pod).object->metadata.name;
    popped[name] = *std::move(entry);
    return name;
  }
  // Returns a popped pod to the queue as unschedulable.
  void Return(const std::string& pod, scheduler::queue::Rejectors why) {
    queue->Return(popped.at(pod), Find(pod), why, now);
  }
  // Adds a pod, pops it and returns it as unschedulable.
  void MakeUnschedulable(const api::Pod& pod, scheduler::queue::Rejectors why) {
    Add(pod);
    while (Pop() != pod.metadata.name) {
    }
    Return(pod.metadata.name, why);
  }

  std::string Place(const std::string& pod) const {
    switch (queue->PlaceOf(Find(pod))) {
      case scheduler::queue::QueueEntry::Place::kNowhere:
        return "nowhere";
      case scheduler::queue::QueueEntry::Place::kActive:
        return "active";
      case scheduler::queue::QueueEntry::Place::kBackoff:
        return "backoff";
      case scheduler::queue::QueueEntry::Place::kErrorBackoff:
        return "error backoff";
      case scheduler::queue::QueueEntry::Place::kUnschedulable:
        return queue->Find(Find(pod))->gate == nullptr ? "unschedulable" : "gated";
    }
    return "";
  }

  const std::shared_ptr<GateScript> gate = std::make_shared<GateScript>();
  const std::shared_ptr<GateScript> hint = std::make_shared<GateScript>();
  const std::shared_ptr<GateScript> outside = std::make_shared<GateScript>();
  bool closed = false;  // Set with CloseGate.
  void CloseGate() {
    closed = true;
    gate->pre_enqueue = [this](const scheduler::model::PodRecord&) {
      return closed ? scheduler::framework::Verdict(
                          scheduler::framework::Code::kUnschedulableAndUnresolvable, "closed")
                    : scheduler::framework::Verdict();
    };
  }

  scheduler::model::Cluster cluster;
  Instant now = Instant::FromUnixSeconds(1000);
  std::unique_ptr<scheduler::queue::SchedulingQueue> queue;
  std::map<std::string, scheduler::queue::QueueEntry> popped;

 private:
  std::unique_ptr<scheduler::framework::Profile> profile_;
};

}  // namespace berth
