#include "runtime/engine_driver.h"

#include <algorithm>
#include <condition_variable>
#include <utility>
#include <variant>

#include "observability/thread_stacks.h"

namespace berth::runtime {
namespace {

// The number of pods tried in one step: small, so that events and writes do not wait long.
constexpr size_t kPodsPerStep = 32;
// Guards against spinning when a wake-up lies in the past.
constexpr Duration kShortestWait = Duration::Millis(1);
// Reads of two clocks are a little apart, and a clock is slewed all the time; only a larger
// difference is a change.
constexpr Duration kClockChange = Duration::Millis(10);
constexpr const char* kNotLeading = "not written, because this scheduler does not lead";

}  // namespace

// A pending call of RunBetweenSteps. Lives on its caller's stack until it is done.
struct EngineDriver::Visit {
  const std::function<void(const scheduler::engine::Engine&)>& work;
  bool done = false;
  bool ran = false;
  std::exception_ptr thrown = {};
  std::condition_variable ended;

  void End(bool was_run) {
    done = true;
    ran = was_run;
    ended.notify_one();
  }
};

Result<std::unique_ptr<EngineDriver>> EngineDriver::Make(
    const Connect& connect, const Clock& clock, EngineDriverOptions options,
    const scheduler::framework::Registry& registry) {
  auto engine = scheduler::engine::Engine::Make(options.engine, registry);
  if (!engine) return std::unexpected(engine.error());
  return std::unique_ptr<EngineDriver>(
      new EngineDriver(connect, clock, std::move(options), *std::move(engine)));
}

EngineDriver::EngineDriver(const Connect& connect, const Clock& clock, EngineDriverOptions options,
                           std::unique_ptr<scheduler::engine::Engine> engine)
    : clock_(clock),
      options_(std::move(options)),
      stopwatch_(options_.stopwatch != nullptr ? *options_.stopwatch : clock),
      engine_(std::move(engine)),
      calls_(*engine_, options_.recording),
      signal_(std::make_shared<WakeSignal>()),
      connection_(connect([signal = signal_] { signal->Wake(); })),
      leads_(options_.leads),
      published_(std::make_shared<DriverSnapshot>()) {
  calls_.Observe(this);
  if (options_.make_filter != nullptr) {
    filter_ = options_.make_filter(
        *engine_, [this](const scheduler::engine::Event& event) { Handle(event, ReadClocks()); });
  }
}

EngineDriver::~EngineDriver() { Stop(); }

// --- the loop ---

void EngineDriver::Start() {
  {
    const std::lock_guard lock(mutex_);
    runs_ = true;
  }
  thread_ = std::thread([this] { Loop(); });
}

void EngineDriver::Stop(Duration grace_period) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    grace_period_ = grace_period;
  }
  signal_->Stop();
  thread_.join();
}

void EngineDriver::Lead(bool leads) {
  leads_ = leads;
  signal_->Wake();
}

void EngineDriver::DropCaches() {
  drops_caches_ = true;
  signal_->Wake();
}

void EngineDriver::Loop() {
  observability::EnterThread("driver");
  if (!options_.on_failure) {
    Work();
    return EndVisits();
  }
  std::string reason;
  try {
    Work();
    return EndVisits();
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
    reason = "an exception of an unknown type";
  }
  // What the engine still wants to write may be wrong.
  leads_ = false;
  heartbeat_->Rest();
  EndVisits();
  options_.on_failure(reason);
}

void EngineDriver::Work() {
  heartbeat_->Wake();
  while (!signal_->stopped()) {
    heartbeat_->Beat();
    RunVisits();
    const Instant start = stopwatch_.Now();
    const bool busy = Step();
    if (busy && options_.on_step) options_.on_step(stopwatch_.Now() - start);
    if (busy) continue;
    heartbeat_->Rest();
    signal_->Wait(TimeToWait());
    heartbeat_->Wake();
  }
  Drain();
  heartbeat_->Rest();
}

void EngineDriver::EndVisits() {
  const std::lock_guard lock(mutex_);
  runs_ = false;
  for (Visit* visit : std::exchange(visits_, {})) visit->End(false);
}

// Finishes the writes in flight: the result of a bind reaches the engine, and its event is written.
// What was not begun fails; what the engine requests because of that, fails likewise.
void EngineDriver::Drain() {
  leads_ = false;
  Duration grace_period;
  {
    const std::lock_guard lock(mutex_);
    grace_period = grace_period_;
  }
  const Instant end = stopwatch_.Now() + grace_period;
  for (;;) {
    bool busy = HandleEvents();
    busy |= connection_->DoIdleWork(true);
    if (stopwatch_.Now() >= end) break;
    if (busy) continue;
    if (under_way_ == 0) break;
    heartbeat_->Rest();
    signal_->WaitAfterStop(end - stopwatch_.Now());
    heartbeat_->Wake();
  }
  std::vector<scheduler::engine::Command> unbegun;
  for (scheduler::engine::Command& command : calls_.TakeCommands()) {
    if (std::holds_alternative<scheduler::framework::RecordEvent>(command.write)) {
      connection_->Execute(std::move(command));
    } else {
      unbegun.push_back(std::move(command));
    }
  }
  while (stopwatch_.Now() < end && connection_->DoIdleWork(true)) {
  }
  Fail(unbegun);
  if (filter_ != nullptr) filter_->Finish(ReadClocks());
  while (Fail(calls_.TakeCommands())) {
  }
  Publish(true);
}

void EngineDriver::RunUntilIdle() {
  while (Step()) {
  }
}

std::optional<Duration> EngineDriver::TimeToWait() const {
  std::optional<Instant> wake = engine_->next_wake();
  const auto filter_wake = filter_ == nullptr ? std::nullopt : filter_->next_wake();
  if (filter_wake && (!wake || *filter_wake < *wake)) wake = filter_wake;
  if (!wake) return std::nullopt;
  // A wake-up per hour costs nothing.
  constexpr Duration kLongestWait = Duration::Seconds(3600);
  return std::clamp((*wake - clock_.Now()) / options_.speed, kShortestWait, kLongestWait);
}

bool EngineDriver::Step() {
  if (drops_caches_.exchange(false)) engine_->DropCaches();
  bool busy = HandleEvents();
  busy |= SchedulePods();
  busy |= ExecuteCommands();
  busy |= connection_->DoIdleWork(!busy);
  Publish(!busy);
  return busy;
}

// --- a step ---

Now EngineDriver::ReadClocks() {
  const Instant now = clock_.Now();
  if (options_.wall_clock == nullptr) return now;
  const Duration ahead = options_.wall_clock->Now() - now;
  const Duration change = ahead - wall_ahead_;
  if (change > kClockChange || change < -kClockChange) wall_ahead_ = ahead;
  return {now, now + wall_ahead_};
}

bool EngineDriver::HandleEvents() {
  events_.clear();
  const bool busy = connection_->Read(events_);
  const Now now = ReadClocks();
  for (const scheduler::engine::Event& event : events_) {
    under_way_ -= std::holds_alternative<scheduler::engine::WriteDone>(event);
    if (filter_ != nullptr) {
      filter_->Take(event, now);
    } else {
      Handle(event, now);
    }
  }
  if (filter_ != nullptr) filter_->Advance(now);
  return busy;
}

void EngineDriver::Handle(const scheduler::engine::Event& event, const Now& now) {
  heartbeat_->Beat();
  calls_.Handle(event, now);
  if (options_.tap != nullptr) options_.tap->OnEvent(event);
}

bool EngineDriver::SchedulePods() {
  for (size_t i = 0; i < kPodsPerStep; ++i) {
    if (!leads_) return i > 0;
    heartbeat_->Beat();
    const Instant start = stopwatch_.Now();
    if (calls_.Schedule(ReadClocks(), 1) == 0) return i > 0;
    counts_.decision_time.Add(stopwatch_.Now() - start);
  }
  return true;
}

void EngineDriver::OnDecision(const scheduler::engine::Decision& decision) {
  switch (decision.kind) {
    case scheduler::engine::Decision::Kind::kPlaced:
      ++counts_.placed;
      break;
    case scheduler::engine::Decision::Kind::kUnschedulable:
      ++counts_.unschedulable;
      break;
    case scheduler::engine::Decision::Kind::kFailed:
      ++counts_.failed;
      break;
  }
  if (options_.tap != nullptr) options_.tap->OnDecision(decision);
}

bool EngineDriver::ExecuteCommands() {
  if (!leads_) return Fail(calls_.TakeCommands());
  const size_t capacity = connection_->capacity();
  if (capacity == 0) return false;
  std::vector<scheduler::engine::Command> commands = calls_.TakeCommands(capacity);
  under_way_ += commands.size();
  for (scheduler::engine::Command& command : commands) connection_->Execute(std::move(command));
  return !commands.empty();
}

bool EngineDriver::Fail(const std::vector<scheduler::engine::Command>& commands) {
  for (const scheduler::engine::Command& command : commands) {
    const scheduler::framework::WriteResult failure{
        .kind = scheduler::framework::WriteResult::Kind::kUnavailable, .message = kNotLeading};
    calls_.Handle(scheduler::engine::WriteDone{command.id, failure}, ReadClocks());
  }
  return !commands.empty();
}

// --- other threads ---

bool EngineDriver::RunBetweenSteps(
    const std::function<void(const scheduler::engine::Engine&)>& work) {
  Visit visit{work, false, false, {}, {}};
  std::unique_lock lock(mutex_);
  if (!runs_) return false;
  visits_.push_back(&visit);
  signal_->Wake();
  visit.ended.wait(lock, [&] { return visit.done; });
  if (visit.thrown) std::rethrow_exception(visit.thrown);
  return visit.ran;
}

void EngineDriver::RunVisits() {
  std::vector<Visit*> visits;
  {
    const std::lock_guard lock(mutex_);
    visits.swap(visits_);
  }
  for (Visit* visit : visits) {
    // Without the mutex, so that other threads can take snapshots and queue visits meanwhile.
    try {
      visit->work(*engine_);
    } catch (...) {
      // It is the visitor's: a visit changes nothing.
      visit->thrown = std::current_exception();
    }
    heartbeat_->Beat();
    const std::lock_guard lock(mutex_);
    visit->End(true);
  }
}

void EngineDriver::Publish(bool idle) {
  counts_.idle = idle;
  auto snapshot = std::make_shared<DriverSnapshot>(counts_);
  connection_->Count(*snapshot);
  const std::lock_guard lock(mutex_);
  published_ = std::move(snapshot);
}

std::shared_ptr<const DriverSnapshot> EngineDriver::snapshot() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

}  // namespace berth::runtime
