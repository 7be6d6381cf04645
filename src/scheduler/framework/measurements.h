// Measurements receives what the engine does and how long it takes, for metrics.
//
// The engine reads no clock; a Stopwatch is passed in, and no decision depends on it. Without
// Measurements each place costs one branch. All calls come from the engine thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/time.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/verdict.h"

namespace berth::scheduler::framework {

class Profile;

// The extension points, and parts of them, whose duration is measured.
enum class MeasuredPoint : uint8_t {
  kPreEnqueue,
  kPreFilter,
  kFilter,
  kPreFilterExtensionAddPod,
  kPreFilterExtensionRemovePod,
  kPostFilter,
  kPreScore,
  kScore,
  kScoreExtensionNormalize,
  kReserve,
  kUnreserve,
  kPermit,
  kPreBindPreFlight,
  kPreBind,
  kBind,
  kPostBind,
  kPlacementGenerate,
  kPlacementScore,
};
inline constexpr size_t kMeasuredPoints = 18;
// As in metrics: "PreFilterExtensionAddPod".
std::string_view ToString(MeasuredPoint point);

// The phases of an attempt: extension points, some of them together.
enum class Phase : uint8_t {
  kPreFilter,
  kFilter,
  kPostFilter,
  kScore,  // With PreScore.
  kReserve,
  kPermit,   // With the wait for it.
  kPreBind,  // With PreBindPreFlight.
  kBind,
  kNone,  // The other points.
};
inline constexpr size_t kPhases = 8;
constexpr Phase PhaseOf(MeasuredPoint point) {
  switch (point) {
    case MeasuredPoint::kPreFilter:
      return Phase::kPreFilter;
    case MeasuredPoint::kFilter:
      return Phase::kFilter;
    case MeasuredPoint::kPostFilter:
      return Phase::kPostFilter;
    case MeasuredPoint::kPreScore:
    case MeasuredPoint::kScore:
      return Phase::kScore;
    case MeasuredPoint::kReserve:
      return Phase::kReserve;
    case MeasuredPoint::kPermit:
      return Phase::kPermit;
    case MeasuredPoint::kPreBindPreFlight:
    case MeasuredPoint::kPreBind:
      return Phase::kPreBind;
    case MeasuredPoint::kBind:
      return Phase::kBind;
    default:
      return Phase::kNone;
  }
}

enum class AttemptResult : uint8_t { kScheduled, kUnschedulable, kError };
enum class GroupAttemptResult : uint8_t {
  kScheduled,
  kUnschedulable,
  kWaitingOnPreemption,
  kError,
};
enum class QueueName : uint8_t { kActive, kBackoff, kUnschedulable };
enum class HintOutcome : uint8_t { kQueue, kSkip, kError };
// The steps of scheduling a pod's volumes: finding a node, reserving the volumes, binding them.
enum class VolumeStage : uint8_t { kPredicate, kAssume, kBind };

// How waiting for the binding conditions of devices ended.
enum class DeviceBindingResult : uint8_t { kSuccess, kFailure, kTimeout, kError };

// The current sizes.
struct EngineSizes {
  size_t active = 0, backoff = 0, unschedulable = 0, gated = 0;  // Waiting pods.
  size_t bindings = 0, evictions = 0;                            // In progress.
  size_t waiting = 0;  // Of the bindings, those that Permit plugins delay.
  size_t nodes = 0, pods = 0, assumed_pods = 0;
};

class Measurements {
 public:
  // Returns nanoseconds since any point in time; never decreases.
  using Stopwatch = int64_t (*)();

  explicit Measurements(Stopwatch stopwatch) : stopwatch_(stopwatch) {}
  virtual ~Measurements() = default;
  int64_t Read() const { return stopwatch_(); }

  // The profiles that the engine serves; later calls name them by index. They outlive this.
  virtual void Serve(std::span<const Profile* const> /*profiles*/) {}

  // --- attempts ---

  virtual void AttemptEnded(size_t /*profile*/, AttemptResult, Duration /*took*/) {}
  // The search for a node has ended, preemption included.
  virtual void AlgorithmEnded(Duration /*took*/) {}
  virtual void PointEnded(size_t /*profile*/, MeasuredPoint, Code, Duration /*took*/) {}
  // One plugin's part in a point; for sampled attempts only.
  virtual void PluginEnded(size_t /*profile*/, const Plugin&, MeasuredPoint, Code,
                           Duration /*took*/) {}
  // These plugins, by slot, took part in the point: they ran, or their cached results were used.
  virtual void PluginsTookPart(size_t /*profile*/, MeasuredPoint, PluginMask) {}
  virtual void PermitWaited(Code, Duration /*waited*/) {}
  // The pod is bound, `since_ready` after it could first be tried.
  virtual void PodBound(uint32_t /*attempts*/, Duration /*since_ready*/, bool /*after_flush*/) {}

  // --- groups ---

  virtual void GroupAttemptEnded(size_t /*profile*/, GroupAttemptResult, Duration /*took*/) {}
  // The search for nodes for all members has ended, without preemption of the group.
  virtual void GroupAlgorithmEnded(Duration /*took*/) {}

  // --- preemption ---

  virtual void PreemptionTried() {}
  virtual void VictimsChosen(size_t /*victims*/) {}
  virtual void EvictionEnded(bool /*all_went*/, Duration /*took*/) {}

  // --- the queue ---

  virtual void PodsQueued(QueueName, EventLabel /*why*/, size_t /*count*/) {}
  // `delta` more pods, or fewer, are unschedulable because these plugins, by slot, rejected them.
  virtual void RejectionsChanged(size_t /*profile*/, PluginMask, int /*delta*/) {}
  virtual void InFlightChanged(EventLabel, int /*delta*/) {}
  // The plugin's QueueingHint was called for a pod.
  virtual void HintGiven(size_t /*profile*/, const Plugin&, EventLabel, HintOutcome,
                         Duration /*took*/) {}

  // --- the rest ---

  virtual void VolumeStageFailed(VolumeStage) {}
  // A claim for extended resources was created, or could not be.
  virtual void ResourceClaimCreated(bool /*ok*/) {}
  // A pod waited for the binding conditions of its devices: called for each device of its claims.
  virtual void DeviceBindingWaited(std::string_view /*scheduler_name*/, std::string_view /*driver*/,
                                   DeviceBindingResult, Duration /*waited*/) {}
  // Called for each of those that has binding conditions.
  virtual void DeviceBindingEnded(std::string_view /*scheduler_name*/, std::string_view /*driver*/,
                                  DeviceBindingResult) {}
  virtual void EventHandled(EventLabel, Duration /*took*/) {}
  virtual void SizesAre(const EngineSizes&) {}

 private:
  const Stopwatch stopwatch_;
};

// Sampler selects every tenth attempt.
class Sampler {
 public:
  bool Next() { return ++count_ % 10 == 0; }

 private:
  uint32_t count_ = 0;
};

// AttemptMeter measures one pod's attempt, point by point. Points follow one another: the end of
// one is the beginning of the next, unless Begin is called.
class AttemptMeter {
 public:
  // Measures nothing.
  AttemptMeter() = default;
  AttemptMeter(Measurements& to, size_t profile, bool sampled)
      : to_(&to), profile_(profile), sampled_(sampled), start_(to.Read()), last_(start_) {}

  // Null if nothing is measured.
  Measurements* to() const { return to_; }
  size_t profile() const { return profile_; }
  // Reports whether single plugins are measured, too.
  bool sampled() const { return sampled_; }
  // From the attempt's start to the last Begin or End.
  Duration so_far() const { return {last_ - start_}; }
  // How long the phase took so far; zero if nothing is measured.
  Duration took(Phase phase) const { return {took_[static_cast<size_t>(phase)]}; }

  void Begin() {
    if (to_ != nullptr) last_ = to_->Read();
  }
  // `took_time` may be false for a point without work.
  void End(MeasuredPoint point, Code code, bool took_time = true) {
    if (to_ == nullptr) return;
    const int64_t since = last_;
    if (took_time) last_ = to_->Read();
    took_[static_cast<size_t>(PhaseOf(point))] += last_ - since;
    to_->PointEnded(profile_, point, code, {last_ - since});
  }
  // Reports how long the pod waited for Permit plugins, since the last Begin or End.
  void EndPermitWait(Code code) {
    if (to_ == nullptr) return;
    const int64_t since = last_;
    last_ = to_->Read();
    took_[static_cast<size_t>(Phase::kPermit)] += last_ - since;
    to_->PermitWaited(code, {last_ - since});
  }
  void TookPart(MeasuredPoint point, PluginMask plugins) const {
    if (to_ != nullptr) to_->PluginsTookPart(profile_, point, plugins);
  }

 private:
  Measurements* to_ = nullptr;
  size_t profile_ = 0;
  bool sampled_ = false;
  int64_t start_ = 0, last_ = 0;
  std::array<int64_t, kPhases + 1> took_ = {};  // By Phase.
};

// PluginTimer measures plugins one after the other, if the attempt is sampled.
class PluginTimer {
 public:
  explicit PluginTimer(const AttemptMeter& meter) : meter_(meter.sampled() ? &meter : nullptr) {
    Begin();
  }
  void Begin() {
    if (meter_ != nullptr) since_ = meter_->to()->Read();
  }
  void End(const Plugin& plugin, MeasuredPoint point, Code code) {
    if (meter_ == nullptr) return;
    const int64_t now = meter_->to()->Read();
    meter_->to()->PluginEnded(meter_->profile(), plugin, point, code, {now - since_});
    since_ = now;
  }

 private:
  const AttemptMeter* meter_;
  int64_t since_ = 0;
};

}  // namespace berth::scheduler::framework
