#include "observability/scheduling/slow_attempts.h"

#include <fmt/format.h>

#include <source_location>
#include <string>
#include <string_view>

#include "api/pod.h"
#include "scheduler/model/pod_table.h"

namespace berth::observability::scheduling {

using scheduler::framework::Phase;

uint64_t SlowAttemptLog::OnAttempt(const scheduler::engine::AttemptReport& report) {
  if (report.meter.so_far() >= kSlow) Write(report);
  return next_ == nullptr ? 0 : next_->OnAttempt(report);
}

void SlowAttemptLog::OnBindingEnd(const scheduler::engine::BindingReport& report) {
  if (next_ != nullptr) next_->OnBindingEnd(report);
}

void SlowAttemptLog::OnSizes(const Now& now, const scheduler::framework::EngineSizes& sizes) {
  if (next_ != nullptr) next_->OnSizes(now, sizes);
}

void SlowAttemptLog::OnCommand(const Now& now, scheduler::framework::WriteLane lane) {
  if (next_ != nullptr) next_->OnCommand(now, lane);
}

// The names of steps are kube-scheduler's where it has them.
void SlowAttemptLog::Write(const scheduler::engine::AttemptReport& report) {
  if (last_ && report.now.steady - *last_ < kPeriod) {
    ++omitted_;
    return;
  }
  last_ = report.now.steady;
  const auto millis = [](Duration time) { return time.nanos / 1'000'000; };
  const auto& meter = report.meter;
  std::string text = fmt::format("Trace: \"Scheduling\" namespace:{},name:{} (total time: {}ms):",
                                 report.pod.object->metadata.namespace_,
                                 report.pod.object->metadata.name, millis(meter.so_far()));
  Duration left = meter.so_far();
  const auto step = [&](std::string_view name, Duration took) {
    left = left - took;
    if (millis(took) > 0) text += fmt::format(" ---\"{}\" {}ms", name, millis(took));
  };
  step("Computing predicates done", meter.took(Phase::kPreFilter) + meter.took(Phase::kFilter));
  step("Prioritizing done", meter.took(Phase::kScore));
  step("Preemption done", meter.took(Phase::kPostFilter));
  step("Reserve done", meter.took(Phase::kReserve));
  step("Permit done", meter.took(Phase::kPermit));
  step("Searching and waiting done", left);
  if (omitted_ > 0) text += fmt::format(" ({} more since the last one)", omitted_);
  omitted_ = 0;
  log_.Plain(0, std::source_location::current(), text);
}

}  // namespace berth::observability::scheduling
