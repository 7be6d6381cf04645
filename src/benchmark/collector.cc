#include "benchmark/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::benchmark {

Collector::Collector(const BenchCluster& cluster, const Environment& environment,
                     std::shared_ptr<const PodCount> pods)
    : cluster_(cluster),
      environment_(environment),
      pods_(std::move(pods)),
      start_(cluster.Totals()),
      resident_bytes_(environment.resident_bytes()) {}

void Collector::Sample() {
  const uint64_t bound = pods_->bound();
  if (bound == counted_) return;
  bound_.push_back({cluster_.Totals().time - start_.time, bound - counted_});
  counted_ = bound;
  resident_bytes_ = std::max(resident_bytes_, environment_.resident_bytes());
}

Measurement Collector::Finish() const {
  const SchedulingTotals end = cluster_.Totals();
  Measurement measured;
  measured.pods = counted_;
  measured.rates = RatesOf(bound_);
  measured.duration = end.time - start_.time;
  if (end.engine && start_.engine) {
    const EngineTime time = *end.engine - *start_.engine;
    measured.deciding = time.deciding;
    measured.events = time.events;
    measured.loading = time.loading;
  }
  if (end.attempts && start_.attempts) {
    measured.attempts = *end.attempts - *start_.attempts;
    measured.decision_time = end.decision_time.Since(start_.decision_time);
  }
  measured.resident_bytes = std::max(resident_bytes_, environment_.resident_bytes());
  return measured;
}

std::string Collector::Progress() const {
  const double seconds = bound_.empty() ? 0 : bound_.back().at.seconds();
  return fmt::format("{} pods, {:.0f} pods/s", counted_,
                     seconds > 0 ? static_cast<double>(counted_) / seconds : 0);
}

}  // namespace berth::benchmark
