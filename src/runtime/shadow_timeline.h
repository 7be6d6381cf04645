// ShadowTimeline is the part of the event stream that shadow mode looks at when it judges a
// decision: the events that the engine got, with what they replaced, and those that are held back.
//
// It recognizes the decisions of the other scheduler when they arrive, and remembers since when
// each pending pod waits in that scheduler's queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "api/meta.h"
#include "api/object_fwd.h"
#include "api/pod.h"
#include "base/time.h"
#include "runtime/shadow_judgement.h"
#include "scheduler/engine/engine.h"

namespace berth::runtime {

// A decision of the other scheduler. It was made between `since` and `position` of the stream.
//
// The end of a nomination also counts as one: the scheduler that decides so knows it at once.
struct ObservedDecision {
  uint64_t position = 0;  // Of the event that shows it.
  // Of the event from which on the pod could be tried: it was created, lost its last scheduling
  // gate, or failed before. A failure may be seen later than the attempt that follows it, so that a
  // recent one does not count.
  uint64_t since = 0;
  Instant since_at = {};
  bool first = false;  // No earlier attempt is known.
  // The pod waited with others when the scheduler started, which then tried them in an order that
  // nobody else knows: client-go hands over the objects of its first list in random order.
  bool unordered = false;
  uint64_t created = 0;  // Orders the first attempts of pods of the same priority.
  Judgement::Kind kind = Judgement::Kind::kPlaced;
  std::string node;
  bool judged = true;  // It can be compared with what the engine decides.
  api::Ref<api::Pod> before, after;
  // The pod on its node, if it is nominated because it is being bound: the scheduler that decided
  // so counts it there. Otherwise null.
  api::Ref<api::Pod> assumed = nullptr;

  int32_t priority() const { return before->priority(); }
  // Reports whether other pods see a cluster changed by it.
  bool ChangesCluster() const {
    return kind == Judgement::Kind::kPlaced ||
           before->status.nominated_node_name != after->status.nominated_node_name;
  }
};

// An event of the stream.
struct Moment {
  uint64_t position = 0;
  Instant arrived;
  scheduler::engine::Event event;
  std::optional<ObservedDecision> decision = {};
  std::optional<api::Object> replaced = {};  // In the engine's model, when the engine got it.
  // Its kubelet has started the pod, and nothing else has changed. Preemption prefers victims that
  // have started late; until then a pod counts as started now.
  bool only_starts = false;
};

// The object of an event; null if it is not about one.
const api::Object* ObjectOf(const scheduler::engine::Event& event);

// Reports whether an event that replaces an object of the model, or none, may change a decision
// about a pod other than its own. ObjectOf(event) must not be null.
bool Matters(const scheduler::engine::Event& event, const std::optional<api::Object>& replaced);

class ShadowTimeline {
 public:
  // `engine` must outlive this. Remembers `past_limit` events that the engine got. What was seen
  // `settle_time` ago has reached everybody.
  ShadowTimeline(scheduler::engine::Engine& engine, size_t past_limit, Duration settle_time)
      : engine_(engine), past_limit_(past_limit), settle_time_(settle_time) {}

  // Appends an event to the held ones. Without `judges` it counts as known to everybody.
  void Add(scheduler::engine::Event event, Instant now, bool judges);

  // The events that the engine has not got, oldest first.
  const std::deque<Moment>& held() const { return held_; }
  // Passes one of them to the engine, by default the first.
  using PassOn = std::function<void(const scheduler::engine::Event&)>;
  void Pass(const PassOn& pass, size_t index = 0);
  // Reports whether an event before it is about the same pod; `held()[index]` is about one.
  bool FollowsOther(size_t index) const;

  // The events that the engine got and that may have changed a decision, oldest first.
  const std::deque<Moment>& past() const { return past_; }

 private:
  // A pod without a node, as last seen.
  struct WaitingPod {
    api::Ref<api::Pod> pod;
    uint64_t since = 0;
    Instant since_at;
    bool first = false;
    bool unordered = false;
    uint64_t created = 0;
    uint64_t failed = 0;         // Where its last failure is seen, if it has failed,
    Instant failed_at = {};      // and when it was.
    std::string announced = {};  // The node that it is being bound to, if that is known.
  };

  // Marks the pods that wait now if the other scheduler has just started: nothing was decided for a
  // while, though pods waited.
  void NoteStart(Instant now);
  std::optional<ObservedDecision> SeePod(const api::Ref<api::Pod>& pod, const Moment& moment);

  scheduler::engine::Engine& engine_;
  const size_t past_limit_;
  const Duration settle_time_;
  uint64_t last_position_ = 0;
  Instant last_decision_at_;
  bool judges_ = false;  // Since the last event.
  std::map<api::ObjectKey, WaitingPod> waiting_;
  std::deque<Moment> past_, held_;
};

}  // namespace berth::runtime
