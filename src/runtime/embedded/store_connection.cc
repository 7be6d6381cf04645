#include "runtime/embedded/store_connection.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

namespace berth::runtime::embedded {
namespace {

// Batch sizes: each is small, so that no kind of work delays the others for long.
constexpr size_t kReadLimit = 512;
constexpr size_t kEventsAtATime = 64;
// With more events than this, they are written even though there are pods to schedule.
constexpr size_t kMaxEventsWaiting = 20'000;

const api::Pod* AsPod(const api::Object& object) {
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  return pod != nullptr ? pod->get() : nullptr;
}

}  // namespace

// Wakes the driver, and records the time of the first wake-up since the last TakeTime.
class StoreConnection::Waker {
 public:
  Waker(const Clock& clock, std::function<void()> wake) : clock_(clock), wake_(std::move(wake)) {}

  void Wake() {
    {
      const std::lock_guard lock(mutex_);
      if (!rung_at_) rung_at_ = clock_.Now();
    }
    wake_();
  }
  std::optional<Instant> TakeTime() {
    const std::lock_guard lock(mutex_);
    return std::exchange(rung_at_, std::nullopt);
  }

 private:
  const Clock& clock_;
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::optional<Instant> rung_at_;
};

StoreConnection::StoreConnection(apiserver::registry::Api& api,
                                 const StoreConnectionOptions& options, const Clock& stopwatch,
                                 std::function<void()> wake)
    : api_(api),
      stopwatch_(stopwatch),
      call_extender_(options.call_extender),
      extender_results_(std::make_shared<Mailbox>(wake)),
      waker_(std::make_shared<Waker>(stopwatch, std::move(wake))),
      reflectors_(MakeStoreReflectors(
          api.store(), [waker = waker_] { waker->Wake(); }, options.log,
          options.call_extender != nullptr, options.features)),
      writer_(api),
      events_(api, options.instance, options.log) {}

// Collections are read one after another, and their changes are reported in the order of versions,
// up to where each was read. Clients of the API get no stronger guarantee.
bool StoreConnection::Read(std::vector<scheduler::engine::Event>& events) {
  if (const auto rung = waker_->TakeTime()) creations_.Slept(*rung);
  creations_.Note(api_.store().version(), stopwatch_.Now());
  bool busy = extender_results_->Take(events) || !ended_.empty();
  std::ranges::move(ended_, std::back_inserter(events));
  ended_.clear();
  changes_.clear();
  counts_.lists = 0;
  for (StoreReflector& reflector : reflectors_) {
    busy |= reflector.Read(kReadLimit, changes_);
    counts_.lists += reflector.lists();
  }
  std::ranges::stable_sort(changes_, {}, &StoreChange::version);
  for (StoreChange& change : changes_) {
    NoteCreation(change);
    std::visit([&](auto& object) { events.emplace_back(std::move(object)); }, change.change);
  }
  return busy;
}

void StoreConnection::NoteCreation(const StoreChange& change) {
  if (const auto* put = std::get_if<api::ObjectPut>(&change.change);
      put != nullptr && change.created) {
    const api::Pod* pod = AsPod(put->object);
    if (pod != nullptr && pod->spec.node_name.empty()) {
      created_[pod->metadata.uid] = creations_.Of(change.version);
    }
  } else if (const auto* gone = std::get_if<api::ObjectDeleted>(&change.change)) {
    if (const api::Pod* pod = AsPod(gone->object)) created_.erase(pod->metadata.uid);
  }
}

void StoreConnection::Execute(scheduler::engine::Command command) {
  if (const auto* call = std::get_if<scheduler::framework::CallExtender>(&command.write)) {
    return call_extender_(*call, [results = extender_results_,
                                  id = command.id](scheduler::framework::WriteResult result) {
      results->Post(scheduler::engine::WriteDone{id, std::move(result)});
    });
  }
  scheduler::framework::WriteResult result;
  if (auto* event = std::get_if<scheduler::framework::RecordEvent>(&command.write)) {
    events_.Add(std::move(*event));
  } else {
    result = writer_.Execute(command.write);
  }
  if (const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write))
    CountBind(*bind, result);
  counts_.evictions +=
      std::holds_alternative<scheduler::framework::DeletePod>(command.write) && result.ok();
  ended_.push_back(scheduler::engine::WriteDone{command.id, std::move(result)});
}

void StoreConnection::CountBind(const scheduler::framework::BindPod& bind,
                                const scheduler::framework::WriteResult& result) {
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

bool StoreConnection::DoIdleWork(bool idle) {
  const size_t waiting = events_.waiting();
  if (idle && waiting > 0) {
    events_.Write(kEventsAtATime);
    return true;
  }
  if (waiting > kMaxEventsWaiting) events_.Write(waiting - kMaxEventsWaiting);
  return false;
}

void StoreConnection::Count(DriverSnapshot& snapshot) const {
  snapshot.binds = counts_.binds;
  snapshot.refused_binds = counts_.refused_binds;
  snapshot.evictions = counts_.evictions;
  snapshot.lists = counts_.lists;
  snapshot.events_waiting = events_.waiting();
  snapshot.created_to_bound = counts_.created_to_bound;
}

Result<std::unique_ptr<EngineDriver>> MakeDriver(apiserver::registry::Api& api, const Clock& clock,
                                                 StoreConnectionOptions connection,
                                                 EngineDriverOptions options,
                                                 const scheduler::framework::Registry& registry) {
  const Clock& stopwatch = connection.stopwatch != nullptr ? *connection.stopwatch : clock;
  options.stopwatch = &stopwatch;
  connection.features = options.engine.features;
  const auto connect = [&](std::function<void()> wake) {
    return std::make_unique<StoreConnection>(api, connection, stopwatch, std::move(wake));
  };
  return EngineDriver::Make(connect, clock, std::move(options), registry);
}

}  // namespace berth::runtime::embedded
