// StoreConnection connects an engine with the API in the same process: it reads the store's
// collections and executes writes as calls of Api, at once, on the driver's thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/registry/api.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"
#include "runtime/connection.h"
#include "runtime/embedded/store_reflector.h"
#include "runtime/embedded/store_writer.h"
#include "runtime/engine_driver.h"
#include "scheduler/model/features.h"

namespace berth::runtime::embedded {

// CreationTimes estimates when a version of the store was created, from the newest version at known
// times. The API's own creation timestamps have whole seconds.
class CreationTimes {
 public:
  // Versions beyond `newest` were created at `now` or later. Neither may decrease.
  void Note(apiserver::store::Version newest, Instant now) {
    if (!marks_.empty() && marks_.back().newest == newest) {
      marks_.back().at = now;
    } else {
      marks_.push_back({newest, now});
    }
  }
  // Notes that no relevant version was created between the last Note and `now`.
  void Slept(Instant now) {
    if (!marks_.empty()) marks_.back().at = now;
  }

  // Returns the earliest time at which the version may have been created. Versions must not
  // decrease from call to call.
  Instant Of(apiserver::store::Version version) {
    while (marks_.size() > 1 && marks_[1].newest < version) marks_.pop_front();
    return marks_.empty() ? Instant{} : marks_.front().at;
  }

 private:
  struct Mark {
    apiserver::store::Version newest;
    Instant at;
  };
  std::deque<Mark> marks_;
};

// Calls an extender and passes on its result, on any thread.
using ExtenderCall = std::function<void(const scheduler::framework::CallExtender&,
                                        std::function<void(scheduler::framework::WriteResult)>)>;

struct StoreConnectionOptions {
  ExtenderCall call_extender = {};           // Null if the engine has no extenders.
  scheduler::model::Features features = {};  // Of the engine; MakeDriver sets them.
  std::string instance = "berth";            // Names this process in events.
  Log log = [](const std::string&) {};
  // Measures latencies; must outlive the store. Null for the clock of the API.
  const Clock* stopwatch = nullptr;
};

class StoreConnection final : public Connection {
 public:
  // `api` must outlive the connection. `wake` is called on any thread when there is something to
  // read.
  StoreConnection(apiserver::registry::Api& api, const StoreConnectionOptions& options,
                  const Clock& stopwatch, std::function<void()> wake);

  bool Read(std::vector<scheduler::engine::Event>& events) override;
  size_t capacity() const override { return SIZE_MAX; }
  void Execute(scheduler::engine::Command command) override;
  bool DoIdleWork(bool idle) override;
  void Count(DriverSnapshot& snapshot) const override;

 private:
  class Waker;

  void NoteCreation(const StoreChange& change);
  void CountBind(const scheduler::framework::BindPod& bind,
                 const scheduler::framework::WriteResult& result);

  apiserver::registry::Api& api_;
  const Clock& stopwatch_;
  const ExtenderCall call_extender_;
  std::shared_ptr<Mailbox> extender_results_;
  std::shared_ptr<Waker> waker_;
  std::vector<StoreReflector> reflectors_;
  StoreWriter writer_;
  EventRecorder events_;
  CreationTimes creations_;
  std::unordered_map<std::string, Instant> created_;  // By uid, of pods that are not bound yet.
  std::vector<scheduler::engine::Event> ended_;       // Results of writes that were not read yet.
  std::vector<StoreChange> changes_;                  // Of one Read; a member to reuse its memory.
  DriverSnapshot counts_;
};

// Returns a driver that runs an engine on `api`. `api` and its `clock` must outlive the driver.
Result<std::unique_ptr<EngineDriver>> MakeDriver(apiserver::registry::Api& api, const Clock& clock,
                                                 StoreConnectionOptions connection,
                                                 EngineDriverOptions options,
                                                 const scheduler::framework::Registry& registry);

}  // namespace berth::runtime::embedded
