// The writes to the Kubernetes API that scheduling asks for, and how they end.
//
// The engine hands each write out as a command and hears of its end in a later event; nothing is
// taken as written before that.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/meta.h"
#include "api/object_fwd.h"
#include "api/pod.h"
#include "base/time.h"
#include "scheduler/framework/extender.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::framework {

class Cycle;

// POST pods/<name>/binding.
struct BindPod {
  api::ObjectKey pod;
  std::string uid;
  std::string node;
  friend bool operator==(const BindPod&, const BindPod&) = default;
};

// PATCH pods/<name>/status: sets a condition, or the nominated node, or both.
struct PatchPodStatus {
  api::ObjectKey pod;
  std::string uid;
  std::optional<api::PodCondition> condition;
  std::optional<std::string> nominated_node_name;  // An empty name clears it.
  friend bool operator==(const PatchPodStatus&, const PatchPodStatus&) = default;
};

// DELETE pods/<name>.
struct DeletePod {
  api::ObjectKey pod;
  std::string uid;
  friend bool operator==(const DeletePod&, const DeletePod&) = default;
};

// PUT persistentvolumes/<name>: binds the volume to a claim. What differs from the version that
// `object` names is spec.claimRef and an annotation; fields that Berth does not decode must be
// kept.
struct UpdatePersistentVolume {
  std::shared_ptr<const api::PersistentVolume> object;
  friend bool operator==(const UpdatePersistentVolume& a, const UpdatePersistentVolume& b);
};

// PUT persistentvolumeclaims/<name>: asks for a volume on a node. What differs from the version
// that `object` names is an annotation; fields that Berth does not decode must be kept.
struct UpdatePersistentVolumeClaim {
  std::shared_ptr<const api::PersistentVolumeClaim> object;
  friend bool operator==(const UpdatePersistentVolumeClaim& a,
                         const UpdatePersistentVolumeClaim& b);
};

// POST events.k8s.io events: tells users what became of a pod.
struct RecordEvent {
  api::ObjectKey pod;
  std::string uid;
  std::string type;    // "Normal" or "Warning".
  std::string reason;  // "FailedScheduling"
  std::string action;  // "Scheduling"
  std::string note;
  std::string scheduler_name;         // Who reports it.
  std::string resource_version = {};  // Of the pod that it is about.
  friend bool operator==(const RecordEvent&, const RecordEvent&) = default;
};

// Not a write to the API, but handed out and answered like one: POST to an extender.
struct CallExtender {
  size_t extender = 0;  // Its place among the engine's extenders.
  ExtenderStep step = ExtenderStep::kFilter;
  std::string body;
  friend bool operator==(const CallExtender&, const CallExtender&) = default;
};

using ApiWrite = std::variant<BindPod, PatchPodStatus, DeletePod, UpdatePersistentVolume,
                              UpdatePersistentVolumeClaim, RecordEvent, CallExtender>;

// Writes go out lane by lane, so that a flood of one kind does not hold up a more urgent one.
enum class WriteLane : uint8_t { kBind, kNominate, kEvict, kStatus, kEvent };
WriteLane LaneOf(const ApiWrite& write);

struct WriteResult {
  enum class Kind { kOk, kConflict, kNotFound, kTimeout, kUnavailable, kRejected };
  Kind kind = Kind::kOk;
  std::string message;  // What the API said, unless ok.
  // Of the object as written; empty if the write gives back none.
  std::string resource_version = {};
  std::string body = {};  // What an extender answered.

  bool ok() const { return kind == Kind::kOk; }
  friend bool operator==(const WriteResult&, const WriteResult&) = default;
};

// Async is what coroutines of the engine wait with: for API writes to end, and for time to pass.
class Async {
 public:
  virtual ~Async() = default;

  virtual Instant now() const = 0;

  // co_await async.Write(std::move(write)) gives the WriteResult once the API has answered. Give
  // the write a name first: GCC 12 destroys what is made inside a co_await expression twice.
  struct PendingWrite {
    Async& async;
    ApiWrite write;
    WriteResult result = {};

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { async.Issue(*this, waiter); }
    WriteResult await_resume() { return std::move(result); }
  };
  PendingWrite Write(ApiWrite write) { return {*this, std::move(write)}; }

  // co_await async.Sleep(...) goes on when so much time has passed.
  struct Pause {
    Async& async;
    Duration length;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { async.Wake(length, waiter); }
    void await_resume() const noexcept {}
  };
  Pause Sleep(Duration length) { return {*this, length}; }

 protected:
  // Hands out pending.write; when its result is known, stores it in `pending` and resumes `waiter`.
  virtual void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) = 0;
  // Resumes `waiter` once, after `length`.
  virtual void Wake(Duration length, std::coroutine_handle<> waiter) = 0;
};

// BindingContext is what PreBind, Bind and PostBind plugins work with: the pod, its node, and API
// writes and pauses that they can await.
class BindingContext : public Async {
 public:
  virtual Cycle& cycle() = 0;
  virtual model::NodeRow node() const = 0;
  // True once the pod is preempted, or another PreBind plugin failed: plugins that wait should give
  // up.
  virtual bool cancelled() const = 0;
};

}  // namespace berth::scheduler::framework
