// SlowAttemptLog logs attempts that take long, with their steps, as kube-scheduler does.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "observability/log.h"
#include "scheduler/engine/attempt_report.h"

namespace berth::observability::scheduling {

class SlowAttemptLog final : public scheduler::engine::AttemptObserver {
 public:
  // As kube-scheduler.
  static constexpr Duration kSlow = Duration::Millis(100);
  // At most one is logged in this time; the next says how many were not.
  static constexpr Duration kPeriod = Duration::Seconds(1);

  // `log` must outlive this, and so must `next`, which gets all reports, too, and may be null.
  SlowAttemptLog(Logger& log, scheduler::engine::AttemptObserver* next) : log_(log), next_(next) {}

  uint64_t OnAttempt(const scheduler::engine::AttemptReport& report) override;
  void OnBindingEnd(const scheduler::engine::BindingReport& report) override;
  void OnSizes(const Now& now, const scheduler::framework::EngineSizes& sizes) override;
  void OnCommand(const Now& now, scheduler::framework::WriteLane lane) override;

 private:
  void Write(const scheduler::engine::AttemptReport& report);

  Logger& log_;
  scheduler::engine::AttemptObserver* const next_;
  std::optional<Instant> last_;
  uint64_t omitted_ = 0;
};

}  // namespace berth::observability::scheduling
