// ActivityLog counts what the scheduler does, in steps of five seconds over the last quarter of an
// hour.
//
// One thread writes, the engine's, at the cost of a few stores; any thread may read, without a lock
// but for the names of reasons. The size is fixed: at most kReasons reasons are distinguished, the
// others count as one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "ledger/attempt.h"

namespace berth::ledger {

enum class ApiLane : uint8_t { kBind, kNominate, kEvict, kStatus, kEvent };
inline constexpr size_t kApiLanes = 5;
// "bind", "nominate", "delete", "status", "event"
std::string_view ToString(ApiLane lane);

struct QueueLengths {
  uint32_t active = 0, backoff = 0, unschedulable = 0, gated = 0;
  uint32_t in_flight = 0;  // Bindings that have not ended.
  uint32_t waiting = 0;    // Of these, those delayed by Permit plugins.
  friend bool operator==(const QueueLengths&, const QueueLengths&) = default;
};

// The buckets of durations: bucket i counts those below LatencyBound(i) and not below the one
// before; the last counts all others. Bounds are powers of two, from 1 µs to 67 s.
inline constexpr size_t kLatencyBuckets = 28;
constexpr Duration LatencyBound(size_t bucket) { return {int64_t{1000} << bucket}; }

using LatencyCounts = std::array<uint32_t, kLatencyBuckets>;

// Activity is what happened in a window of time: each vector has one number per step, oldest first.
struct Activity {
  Instant start;  // Of the first step, by the wall clock.
  Duration step;
  // Attempts, by the outcome of their scheduling cycles, so none is bound yet.
  std::array<std::vector<uint32_t>, kOutcomes> decisions;
  std::vector<uint32_t> binds, bind_failures;
  std::vector<uint32_t> preemptions;  // Attempts that chose victims.
  std::vector<uint32_t> victims;
  std::vector<LatencyCounts> attempt_latency;  // Of scheduling cycles.
  std::vector<LatencyCounts> bound_latency;    // From first ready to bound.
  struct Reason {
    std::string text;  // "NodeResourcesFit: Insufficient cpu"; "other" if there are too many.
    std::vector<uint32_t> attempts;
  };
  std::vector<Reason> reasons;  // Most attempts first; those with none are left out.
  std::array<std::vector<uint32_t>, kApiLanes> api_calls;
  std::vector<QueueLengths> queues;  // At the end of each step.
};

class ActivityLog {
 public:
  static constexpr Duration kStep = Duration::Seconds(5);
  static constexpr size_t kSteps = 181;   // A quarter of an hour, and the step under way.
  static constexpr size_t kReasons = 64;  // The last is "other".

  ActivityLog();
  // The size of a log.
  static size_t MaxBytes();

  // --- on the engine's thread; times are those of the wall clock ---

  void CountDecision(Instant now, Outcome outcome, Duration took, size_t victims);
  void CountBinding(Instant now, bool bound, Duration since_ready);
  void CountCalls(Instant now, ApiLane lane, size_t calls);
  // Returns the number of a reason, to count it; valid as long as reasons_version() is the same.
  uint8_t ReasonNumber(Instant now, std::string_view plugin, std::string_view reason);
  uint64_t reasons_version() const { return reasons_version_; }
  void CountReason(Instant now, uint8_t number, size_t attempts = 1);
  void SetQueues(Instant now, const QueueLengths& lengths);

  // --- on any thread ---

  // Returns the steps of the last `window` up to `now`, the one under way last. `step` is rounded
  // up to a multiple of kStep, and `window` to a multiple of that.
  Activity Read(Instant now, Duration window, Duration step = kStep) const;

 private:
  // What is counted in one step, as places in an array of numbers.
  enum Place : size_t {
    kDecisions = 0,
    kBinds = kDecisions + kOutcomes,
    kBindFailures,
    kPreemptions,
    kVictims,
    kAttemptLatency,
    kBoundLatency = kAttemptLatency + kLatencyBuckets,
    kReasonPlace = kBoundLatency + kLatencyBuckets,
    kCalls = kReasonPlace + kReasons,
    kQueues = kCalls + kApiLanes,
    kPlaces = kQueues + sizeof(QueueLengths) / sizeof(uint32_t),
  };
  using Numbers = std::array<uint32_t, kPlaces>;

  struct Step {
    std::atomic<int64_t> number = -1;  // Of the step since the epoch; -1 while it is cleared.
    std::array<std::atomic<uint32_t>, kPlaces> numbers = {};
  };
  struct ReasonName {
    std::string text;
    int64_t last_step = -1;  // In which it was counted.
  };

  // Returns the step of `now`, cleared if it is new.
  Step& At(Instant now);
  static void Add(Step& step, size_t place, size_t count);
  void StoreQueues(Step& step) const;

  // Returns false if the ring does not have that step.
  bool Copy(int64_t number, Numbers& out) const;
  static QueueLengths LengthsIn(const Numbers& numbers);
  QueueLengths LengthsBefore(int64_t number) const;
  // Adds a column.
  static void Append(const Numbers& sums, Activity& to);
  void NameReasons(std::array<std::vector<uint32_t>, kReasons> counts, Activity& to) const;

  const std::unique_ptr<std::array<Step, kSteps>> steps_;
  int64_t current_ = -1;  // The number of the last step.
  Step* step_ = nullptr;  // That step.
  QueueLengths lengths_;
  uint64_t reasons_version_ = 0;
  mutable std::mutex mutex_;  // Guards the texts of `reasons_`, which the engine's thread changes.
  std::vector<ReasonName> reasons_;  // By number.
};

}  // namespace berth::ledger
