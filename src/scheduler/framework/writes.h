// The writes to the Kubernetes API that scheduling requests, their results, and how coroutines
// await them.
//
// The engine issues each write as a command and receives its result in a later event; nothing
// counts as written before that.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/meta.h"
#include "api/object_fwd.h"
#include "api/pod.h"
#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/verdict.h"
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

// PATCH pods/<name>/status: sets a condition, the nominated node, or the claim for the pod's
// extended resources; several of them or one.
struct PatchPodStatus {
  api::ObjectKey pod;
  std::string uid;
  std::optional<api::PodCondition> condition;
  std::optional<std::string> nominated_node_name;  // An empty name clears it.
  // Without mappings, those of the pod remain.
  std::optional<api::PodExtendedResourceClaimStatus> extended_resource_claim_status = {};
  friend bool operator==(const PatchPodStatus&, const PatchPodStatus&) = default;
};

// PATCH podgroups/<name>/status: sets a condition.
struct PatchPodGroupStatus {
  api::ObjectKey group;
  std::string uid;
  api::PodCondition condition;
  friend bool operator==(const PatchPodGroupStatus&, const PatchPodGroupStatus&) = default;
};

// DELETE pods/<name>.
struct DeletePod {
  api::ObjectKey pod;
  std::string uid;
  friend bool operator==(const DeletePod&, const DeletePod&) = default;
};

// PUT persistentvolumes/<name>: binds the volume to a claim. What differs from the version of
// `object` is spec.claimRef and an annotation; fields that Berth does not decode must be preserved.
struct UpdatePersistentVolume {
  std::shared_ptr<const api::PersistentVolume> object;
  friend bool operator==(const UpdatePersistentVolume& a, const UpdatePersistentVolume& b);
};

// PUT persistentvolumeclaims/<name>: requests a volume on a node. What differs from the version of
// `object` is an annotation; fields that Berth does not decode must be preserved.
struct UpdatePersistentVolumeClaim {
  std::shared_ptr<const api::PersistentVolumeClaim> object;
  friend bool operator==(const UpdatePersistentVolumeClaim& a,
                         const UpdatePersistentVolumeClaim& b);
};

// --- ResourceClaims ---
//
// Results of the following have the claim, except that of DeleteResourceClaim. A write of a whole
// claim is a version that the API has shown, with changes of its finalizers or its status; it is a
// conflict if there is a newer one. Fields that Berth does not decode must be preserved: see
// api/json/claim_document.h.

// POST resourceclaims: the API server completes the name.
struct CreateResourceClaim {
  std::shared_ptr<const api::ResourceClaim> object;  // Its name and uid do not count.
  std::string generate_name;
  friend bool operator==(const CreateResourceClaim& a, const CreateResourceClaim& b);
};

// GET resourceclaims/<name>. Not a write, but issued like one, before a write is repeated.
struct GetResourceClaim {
  api::ObjectKey claim;
  friend bool operator==(const GetResourceClaim&, const GetResourceClaim&) = default;
};

// PUT resourceclaims/<name>: changes the finalizers.
struct UpdateResourceClaim {
  std::shared_ptr<const api::ResourceClaim> object;
  friend bool operator==(const UpdateResourceClaim& a, const UpdateResourceClaim& b);
};

// PUT resourceclaims/<name>/status: allocates and reserves the claim, or deallocates it.
struct UpdateResourceClaimStatus {
  std::shared_ptr<const api::ResourceClaim> object;
  friend bool operator==(const UpdateResourceClaimStatus& a, const UpdateResourceClaimStatus& b);
};

// PATCH resourceclaims/<name>/status: removes the pod from reservedFor, whatever the version.
struct UnreserveResourceClaim {
  api::ObjectKey claim;
  std::string uid;
  std::string pod_uid;
  friend bool operator==(const UnreserveResourceClaim&, const UnreserveResourceClaim&) = default;
};

// DELETE resourceclaims/<name>.
struct DeleteResourceClaim {
  api::ObjectKey claim;
  friend bool operator==(const DeleteResourceClaim&, const DeleteResourceClaim&) = default;
};

// --- others ---

// POST events.k8s.io events: reports the outcome of an attempt to users.
struct RecordEvent {
  api::ObjectKey pod;
  std::string uid;
  std::string type;    // "Normal" or "Warning".
  std::string reason;  // "FailedScheduling"
  std::string action;  // "Scheduling"
  std::string note;
  std::string scheduler_name;         // The reporting controller.
  std::string resource_version = {};  // Of the pod.
  friend bool operator==(const RecordEvent&, const RecordEvent&) = default;
};

// Not a write to the API, but issued like one: POST to an extender.
struct CallExtender {
  size_t extender = 0;  // Its index among the engine's extenders.
  ExtenderStep step = ExtenderStep::kFilter;
  std::string body;
  friend bool operator==(const CallExtender&, const CallExtender&) = default;
};

using ApiWrite =
    std::variant<BindPod, PatchPodStatus, DeletePod, UpdatePersistentVolume,
                 UpdatePersistentVolumeClaim, CreateResourceClaim, GetResourceClaim,
                 UpdateResourceClaim, UpdateResourceClaimStatus, UnreserveResourceClaim,
                 DeleteResourceClaim, RecordEvent, CallExtender, PatchPodGroupStatus>;

// Writes are issued lane by lane, so that many of one kind do not delay a more urgent one.
enum class WriteLane : uint8_t { kBind, kNominate, kEvict, kStatus, kEvent };
WriteLane LaneOf(const ApiWrite& write);

struct WriteResult {
  enum class Kind { kOk, kConflict, kNotFound, kTimeout, kUnavailable, kRejected };
  Kind kind = Kind::kOk;
  std::string message;  // The API's error, unless ok.
  // Of the object as written; empty if the response has none.
  std::string resource_version = {};
  std::string body = {};                                 // The response of an extender.
  std::shared_ptr<const api::ResourceClaim> claim = {};  // As written or read.
  // The write failed, but may have taken effect, or may still do: there was no response, or the
  // server failed internally.
  bool may_have_happened = false;

  bool ok() const { return kind == Kind::kOk; }
  friend bool operator==(const WriteResult& a, const WriteResult& b);
};

// Async lets coroutines of the engine await API writes and the passing of time.
class Async {
 public:
  virtual ~Async() = default;

  virtual Instant now() const = 0;
  // The date, for times that others read or wrote.
  virtual Instant wall_now() const { return now(); }

  // Requests an event; nobody awaits it.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): others move it.
  virtual void Record(RecordEvent /*event*/) {}

  // co_await async.Write(std::move(write)) returns the WriteResult once it is known. Name the write
  // first: GCC 12 destroys temporaries of a co_await expression twice.
  struct PendingWrite {
    Async& async;
    ApiWrite write;
    WriteResult result = {};

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { async.Issue(*this, waiter); }
    WriteResult await_resume() { return std::move(result); }
  };
  PendingWrite Write(ApiWrite&& write) { return {*this, std::move(write)}; }

  // co_await async.Sleep(...) continues after that time.
  struct Pause {
    Async& async;
    Duration length;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { async.Wake(length, waiter); }
    void await_resume() const noexcept {}
  };
  Pause Sleep(Duration length) { return {*this, length}; }

 protected:
  // Issues pending.write; when its result is known, stores it in `pending` and resumes `waiter`.
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
  // up, with any error. A Sleep ends early then.
  virtual bool cancelled() const = 0;
};

// Background runs tasks that outlive the cycle that starts them.
class Background {
 public:
  virtual ~Background() = default;
  // What the tasks await. Outlives them.
  virtual Async& async() = 0;
  // Starts the task, and keeps it until it ends. It must own what it uses. Several may have the
  // same name.
  virtual void Run(std::string name, Task<Verdict> task) = 0;
  // Reports whether a task of that name has not ended.
  virtual bool IsRunning(std::string_view name) const = 0;
};

}  // namespace berth::scheduler::framework
