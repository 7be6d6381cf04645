#include "ledger/activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace berth::ledger {
namespace {

constexpr uint8_t kOtherReasons = ActivityLog::kReasons - 1;

int64_t StepNumber(Instant time) {
  const int64_t steps = time.since_epoch() / ActivityLog::kStep;
  return std::max<int64_t>(steps, 0);
}

size_t BucketOf(Duration duration) {
  const auto micros = static_cast<uint64_t>(std::max<int64_t>(duration.nanos / 1000, 0));
  return std::min<size_t>(std::bit_width(micros), kLatencyBuckets - 1);
}

constexpr uint32_t QueueLengths::* kQueueFields[] = {
    &QueueLengths::active, &QueueLengths::backoff,   &QueueLengths::unschedulable,
    &QueueLengths::gated,  &QueueLengths::in_flight, &QueueLengths::waiting};

}  // namespace

std::string_view ToString(ApiLane lane) {
  switch (lane) {
    case ApiLane::kBind:
      return "bind";
    case ApiLane::kNominate:
      return "nominate";
    case ApiLane::kEvict:
      return "delete";
    case ApiLane::kStatus:
      return "status";
    case ApiLane::kEvent:
      return "event";
  }
  return "unknown";
}

ActivityLog::ActivityLog() : steps_(std::make_unique<std::array<Step, kSteps>>()) {
  reasons_.reserve(kReasons);
}

size_t ActivityLog::MaxBytes() {
  return sizeof(ActivityLog) + kSteps * sizeof(Step) +
         kReasons * (sizeof(ReasonName) + kMaxNameBytes + kMaxReasonBytes);
}

// --- on the engine's thread ---

ActivityLog::Step& ActivityLog::At(Instant now) {
  const int64_t number = StepNumber(now);
  if (number == current_) return *step_;
  Step& step = (*steps_)[static_cast<size_t>(number) % kSteps];
  current_ = number;
  step_ = &step;
  if (step.number.load(std::memory_order_relaxed) == number) return step;  // The clock went back.
  step.number.store(-1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::atomic<uint32_t>& count : step.numbers) count.store(0, std::memory_order_relaxed);
  StoreQueues(step);
  step.number.store(number, std::memory_order_release);
  return step;
}

// One thread writes, so that no addition is lost though it is not atomic.
void ActivityLog::Add(Step& step, size_t place, size_t count) {
  std::atomic<uint32_t>& number = step.numbers[place];
  const uint64_t sum = number.load(std::memory_order_relaxed) + uint64_t{count};
  number.store(static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX)),
               std::memory_order_relaxed);
}

void ActivityLog::StoreQueues(Step& step) const {
  for (size_t i = 0; i < std::size(kQueueFields); ++i)
    step.numbers[kQueues + i].store(lengths_.*kQueueFields[i], std::memory_order_relaxed);
}

void ActivityLog::CountDecision(Instant now, Outcome outcome, Duration took, size_t victims) {
  Step& step = At(now);
  Add(step, kDecisions + static_cast<size_t>(outcome), 1);
  Add(step, kAttemptLatency + BucketOf(took), 1);
  if (victims == 0) return;
  Add(step, kPreemptions, 1);
  Add(step, kVictims, victims);
}

void ActivityLog::CountBinding(Instant now, bool bound, Duration since_ready) {
  Step& step = At(now);
  Add(step, bound ? kBinds : kBindFailures, 1);
  if (bound) Add(step, kBoundLatency + BucketOf(since_ready), 1);
}

void ActivityLog::CountCalls(Instant now, ApiLane lane, size_t calls) {
  Add(At(now), kCalls + static_cast<size_t>(lane), calls);
}

uint8_t ActivityLog::ReasonNumber(Instant now, std::string_view plugin, std::string_view reason) {
  const std::string text =
      fmt::format("{}: {}", plugin.substr(0, kMaxNameBytes), reason.substr(0, kMaxReasonBytes));
  const auto known = std::ranges::find(reasons_, text, &ReasonName::text);
  if (known != reasons_.end()) return static_cast<uint8_t>(known - reasons_.begin());
  const std::lock_guard lock(mutex_);
  if (reasons_.size() < kOtherReasons) {
    reasons_.push_back({text});
    return static_cast<uint8_t>(reasons_.size() - 1);
  }
  // A name that no step has any more makes room for another.
  const auto oldest = std::ranges::min_element(reasons_, {}, &ReasonName::last_step);
  if (oldest->last_step > StepNumber(now) - static_cast<int64_t>(kSteps)) return kOtherReasons;
  *oldest = {text};
  ++reasons_version_;
  return static_cast<uint8_t>(oldest - reasons_.begin());
}

void ActivityLog::CountReason(Instant now, uint8_t number, size_t attempts) {
  Add(At(now), kReasonPlace + number, attempts);
  if (number != kOtherReasons) reasons_[number].last_step = current_;
}

void ActivityLog::SetQueues(Instant now, const QueueLengths& lengths) {
  Step& step = At(now);
  if (lengths == lengths_) return;
  lengths_ = lengths;
  StoreQueues(step);
}

// --- on any thread ---

bool ActivityLog::Copy(int64_t number, Numbers& out) const {
  const Step& step = (*steps_)[static_cast<size_t>(number) % kSteps];
  if (step.number.load(std::memory_order_acquire) != number) return false;
  for (size_t i = 0; i < kPlaces; ++i) out[i] = step.numbers[i].load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return step.number.load(std::memory_order_relaxed) == number;
}

QueueLengths ActivityLog::LengthsIn(const Numbers& numbers) {
  QueueLengths lengths;
  for (size_t i = 0; i < std::size(kQueueFields); ++i)
    lengths.*kQueueFields[i] = numbers[kQueues + i];
  return lengths;
}

QueueLengths ActivityLog::LengthsBefore(int64_t number) const {
  Numbers numbers;
  for (size_t i = 0; i < kSteps && --number >= 0; ++i) {
    if (Copy(number, numbers)) return LengthsIn(numbers);
  }
  return {};
}

Activity ActivityLog::Read(Instant now, Duration window, Duration step) const {
  const auto limit = static_cast<int64_t>(kSteps);
  const int64_t width = std::clamp<int64_t>((step + kStep - Duration{1}) / kStep, 1, limit);
  const Duration wide = kStep * width;
  const int64_t columns = std::clamp<int64_t>((window + wide - Duration{1}) / wide, 1,
                                              std::max<int64_t>(limit / width, 1));
  const int64_t first = (StepNumber(now) / width - columns + 1) * width;

  Activity activity;
  activity.start = Instant{} + kStep * first;
  activity.step = wide;
  std::array<std::vector<uint32_t>, kReasons> reasons;
  QueueLengths lengths = LengthsBefore(first);
  for (int64_t column = 0; column < columns; ++column) {
    Numbers sums = {}, numbers;
    for (int64_t i = 0; i < width; ++i) {
      const int64_t number = first + column * width + i;
      if (number < 0 || !Copy(number, numbers)) continue;
      std::ranges::transform(sums, numbers, sums.begin(), std::plus());
      lengths = LengthsIn(numbers);
    }
    Append(sums, activity);
    activity.queues.push_back(lengths);
    for (size_t i = 0; i < kReasons; ++i) reasons[i].push_back(sums[kReasonPlace + i]);
  }
  NameReasons(std::move(reasons), activity);
  return activity;
}

void ActivityLog::Append(const Numbers& sums, Activity& to) {
  for (size_t i = 0; i < kOutcomes; ++i) to.decisions[i].push_back(sums[kDecisions + i]);
  to.binds.push_back(sums[kBinds]);
  to.bind_failures.push_back(sums[kBindFailures]);
  to.preemptions.push_back(sums[kPreemptions]);
  to.victims.push_back(sums[kVictims]);
  LatencyCounts& attempt = to.attempt_latency.emplace_back();
  LatencyCounts& bound = to.bound_latency.emplace_back();
  for (size_t i = 0; i < kLatencyBuckets; ++i) {
    attempt[i] = sums[kAttemptLatency + i];
    bound[i] = sums[kBoundLatency + i];
  }
  for (size_t i = 0; i < kApiLanes; ++i) to.api_calls[i].push_back(sums[kCalls + i]);
}

void ActivityLog::NameReasons(std::array<std::vector<uint32_t>, kReasons> counts,
                              Activity& to) const {
  std::vector<std::pair<uint64_t, size_t>> by_total;
  for (size_t i = 0; i < kReasons; ++i) {
    const uint64_t total = std::accumulate(counts[i].begin(), counts[i].end(), uint64_t{0});
    if (total > 0) by_total.emplace_back(total, i);
  }
  std::ranges::stable_sort(by_total, std::greater(), [](const auto& item) { return item.first; });
  const std::lock_guard lock(mutex_);
  for (const auto& [total, number] : by_total) {
    std::string text = number < reasons_.size() ? reasons_[number].text : "other";
    to.reasons.push_back({std::move(text), std::move(counts[number])});
  }
}

}  // namespace berth::ledger
