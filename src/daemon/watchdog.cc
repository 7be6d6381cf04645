#include "daemon/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/chrono.h"
#include "base/go_duration.h"
#include "base/steady_clock.h"
#include "observability/thread_stacks.h"

namespace berth::daemon {
namespace {

// A loop is asked so many times in the time after which it is stuck, and looked at more often.
constexpr int kQuestions = 2;
constexpr int kLooks = 5;
constexpr Duration kLongestPeriod = Duration::Seconds(2);
constexpr Duration kShortestPeriod = Duration::Millis(10);

}  // namespace

Watchdog::~Watchdog() { Stop(); }

void Watchdog::Watch(std::string name, std::shared_ptr<const Heartbeat> heartbeat, bool vital,
                     int patience) {
  Watched loop;
  loop.name = std::move(name);
  loop.vital = vital;
  loop.patience = patience;
  loop.heartbeat = std::move(heartbeat);
  const std::lock_guard lock(mutex_);
  watched_.push_back(std::move(loop));
}

void Watchdog::Watch(std::string name, Asked asked, bool vital, int patience) {
  Watched loop;
  loop.name = std::move(name);
  loop.vital = vital;
  loop.patience = patience;
  loop.answers = std::make_shared<Heartbeat>();
  loop.heartbeat = loop.answers;
  loop.asked = std::move(asked);
  const std::lock_guard lock(mutex_);
  watched_.push_back(std::move(loop));
}

Duration Watchdog::period() const {
  return std::clamp(options_.stuck_after / kLooks, kShortestPeriod, kLongestPeriod);
}

void Watchdog::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Watchdog::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::Run() {
  observability::EnterThread("watchdog");
  const SteadyClock clock;
  Instant last = clock.Now();
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, ToChrono(period()), [this] { return stop_; })) {
    lock.unlock();
    const Instant now = clock.Now();
    Look(now - last);
    if (options_.on_look) options_.on_look();
    last = now;
    lock.lock();
  }
}

void Watchdog::Look(Duration passed) {
  std::vector<Loop> stuck;
  {
    const std::lock_guard lock(mutex_);
    for (Watched& loop : watched_) {
      LookAt(loop, std::min(passed, period() * 2));
      if (Loop state = StateOf(loop); state.stuck && state.vital) stuck.push_back(std::move(state));
    }
  }
  if (!stuck.empty() && options_.on_stuck) options_.on_stuck(stuck);
}

void Watchdog::LookAt(Watched& loop, Duration passed) const {
  const uint64_t beats = loop.heartbeat->beats();
  const bool ended = loop.heartbeat->resting() || beats != std::exchange(loop.beats, beats);
  loop.silent = ended ? Duration{} : loop.silent + passed;
  if (loop.answers == nullptr) return;
  if (!loop.asked.runs()) {
    loop.silent = {};
    return loop.answers->Rest();
  }
  loop.since_asked = loop.since_asked + passed;
  if (!loop.heartbeat->resting() || loop.since_asked < options_.stuck_after / kQuestions) return;
  loop.since_asked = {};
  loop.answers->Wake();
  loop.beats = loop.answers->beats();
  loop.asked.post([answers = loop.answers] { answers->Rest(); });
}

Watchdog::Loop Watchdog::StateOf(const Watched& loop) const {
  return {loop.name, loop.silent, loop.silent >= options_.stuck_after * loop.patience, loop.vital};
}

std::vector<Watchdog::Loop> Watchdog::loops() const {
  const std::lock_guard lock(mutex_);
  std::vector<Loop> loops;
  for (const Watched& loop : watched_) loops.push_back(StateOf(loop));
  return loops;
}

Status Watchdog::Check(size_t loop) const {
  const std::lock_guard lock(mutex_);
  const Loop state = StateOf(watched_[loop]);
  if (!state.stuck) return {};
  return Fail(fmt::format("the {} has not ended what it does for {}", state.name,
                          FormatGoDuration(Duration::Seconds(state.silent.nanos / 1'000'000'000))));
}

}  // namespace berth::daemon
