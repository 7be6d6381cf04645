#include "world/engine_driver.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace berth::world {
namespace {

// How much of each is done in one step, so that nothing waits long for the others.
constexpr size_t kReadLimit = 512;
constexpr size_t kPodsPerStep = 32;
constexpr size_t kEventsPerStep = 64;
// Beyond this, events are written even though there are pods to schedule.
constexpr size_t kMaxEventsWaiting = 20'000;
// Guards against spinning when a wake-up lies in the past.
constexpr Duration kShortestWait = Duration::Millis(1);

const api::Pod* AsPod(const api::Object& object) {
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  return pod != nullptr ? pod->get() : nullptr;
}

}  // namespace

Result<std::unique_ptr<EngineDriver>> EngineDriver::Make(apiserver::Api& api, const Clock& clock,
                                                         EngineDriverOptions options,
                                                         const Registry& registry) {
  auto engine = Engine::Make(options.engine, registry);
  if (!engine) return std::unexpected(engine.error());
  return std::unique_ptr<EngineDriver>(
      new EngineDriver(api, clock, std::move(options), *std::move(engine)));
}

EngineDriver::EngineDriver(apiserver::Api& api, const Clock& clock, EngineDriverOptions options,
                           std::unique_ptr<Engine> engine)
    : api_(api),
      clock_(clock),
      options_(std::move(options)),
      stopwatch_(options_.stopwatch != nullptr ? *options_.stopwatch : clock),
      engine_(std::move(engine)),
      signal_(std::make_shared<WakeSignal>(stopwatch_)),
      feeds_(EngineFeeds(
          api.store(), [signal = signal_] { signal->Wake(); }, options_.log)),
      writer_(api, options_.call_extender),
      events_(api, options_.instance, options_.log),
      published_(std::make_shared<DriverSnapshot>()) {
  engine_->Observe(this);
}

EngineDriver::~EngineDriver() { Stop(); }

// --- the loop ---

void EngineDriver::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void EngineDriver::Stop() {
  if (!thread_.joinable()) return;
  signal_->Stop();
  thread_.join();
}

void EngineDriver::Loop() {
  while (!signal_->stopped()) {
    if (Step()) continue;
    if (const auto woken = signal_->Wait(TimeToWait())) creations_.Slept(*woken);
  }
  // What was begun is ended: a bind that was made is told.
  while (CarryOutCommands()) {
  }
  events_.Write(events_.waiting());
  Publish(true);
}

void EngineDriver::RunUntilIdle() {
  while (Step()) {
  }
}

std::optional<Duration> EngineDriver::TimeToWait() const {
  const auto wake = engine_->next_wake();
  if (!wake) return std::nullopt;
  const auto left = static_cast<double>((*wake - clock_.Now()).nanos) / options_.speed;
  constexpr double kLongest = 3600e9;  // Whatever happens, once an hour is cheap enough.
  return std::max(kShortestWait, Duration{static_cast<int64_t>(std::min(left, kLongest))});
}

bool EngineDriver::Step() {
  bool busy = ReadFeeds();
  busy |= SchedulePods();
  busy |= CarryOutCommands();
  if (!busy && events_.waiting() > 0) {
    events_.Write(kEventsPerStep);
    busy = true;
  } else if (events_.waiting() > kMaxEventsWaiting) {
    events_.Write(events_.waiting() - kMaxEventsWaiting);
  }
  Publish(!busy);
  return busy;
}

// --- what the engine hears ---

// Collections are read one after another. What came from all of them is told in the order in which
// it happened, as far as it was read: no more is promised to a client of the API, either.
bool EngineDriver::ReadFeeds() {
  creations_.Note(api_.store().version(), stopwatch_.Now());
  bool busy = false;
  changes_.clear();
  counts_.lists = 0;
  for (ObjectFeed& feed : feeds_) {
    busy |= feed.Read(kReadLimit, changes_);
    counts_.lists += feed.lists();
  }
  std::ranges::stable_sort(changes_, {}, &Change::version);
  for (const Change& change : changes_) Tell(change);
  return busy;
}

void EngineDriver::Tell(const Change& change) {
  if (const auto* put = std::get_if<ObjectPut>(&change.event); put != nullptr && change.created) {
    const api::Pod* pod = AsPod(put->object);
    if (pod != nullptr && pod->spec.node_name.empty()) {
      created_[pod->metadata.uid] = creations_.Of(change.version);
    }
  } else if (const auto* gone = std::get_if<ObjectGone>(&change.event)) {
    if (const api::Pod* pod = AsPod(gone->object)) created_.erase(pod->metadata.uid);
  }
  engine_->Handle(change.event, clock_.Now());
}

// --- what it does ---

bool EngineDriver::SchedulePods() {
  for (size_t i = 0; i < kPodsPerStep; ++i) {
    const Instant start = stopwatch_.Now();
    if (engine_->Schedule(clock_.Now(), 1) == 0) return i > 0;
    counts_.decision_time.Add(stopwatch_.Now() - start);
  }
  return true;
}

void EngineDriver::OnDecision(const Decision& decision) {
  switch (decision.kind) {
    case Decision::Kind::kPlaced:
      ++counts_.placed;
      break;
    case Decision::Kind::kUnschedulable:
      ++counts_.unschedulable;
      break;
    case Decision::Kind::kFailed:
      ++counts_.failed;
      break;
  }
}

bool EngineDriver::CarryOutCommands() {
  const std::vector<Command> commands = engine_->TakeCommands();
  for (const Command& command : commands) Carry(command);
  return !commands.empty();
}

void EngineDriver::Carry(const Command& command) {
  WriteResult result;
  if (const auto* event = std::get_if<RecordEvent>(&command.write)) {
    events_.Add(*event);
  } else {
    result = writer_.Carry(command.write);
  }
  if (const auto* bind = std::get_if<BindPod>(&command.write)) CountBind(*bind, result);
  counts_.evictions += std::holds_alternative<DeletePod>(command.write) && result.ok();
  engine_->Handle(WriteDone{command.id, std::move(result)}, clock_.Now());
}

void EngineDriver::CountBind(const BindPod& bind, const WriteResult& result) {
  if (!result.ok()) {
    ++counts_.refused_binds;
    return;
  }
  ++counts_.binds;
  const auto created = created_.find(bind.uid);
  if (created == created_.end()) return;
  counts_.created_to_bound.Add(stopwatch_.Now() - created->second);
  created_.erase(created);
}

// --- what others see ---

void EngineDriver::Publish(bool idle) {
  counts_.idle = idle;
  counts_.events_waiting = events_.waiting();
  auto snapshot = std::make_shared<const DriverSnapshot>(counts_);
  const std::lock_guard lock(mutex_);
  published_ = std::move(snapshot);
}

std::shared_ptr<const DriverSnapshot> EngineDriver::snapshot() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

}  // namespace berth::world
