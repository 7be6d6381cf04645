// StoreConnection connects an engine with the API in the same process: it reads the store's
// collections and carries out writes as calls of Api, at once, on the driver's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/api.h"
#include "base/time.h"
#include "driver/connection.h"
#include "driver/engine_driver.h"
#include "driver/mailbox.h"
#include "world/creation_times.h"
#include "world/engine_writer.h"
#include "world/event_recorder.h"
#include "world/object_feed.h"

namespace berth::world {

// Calls an extender, and hands its answer over, on any thread.
using ExtenderCall = std::function<void(const CallExtender&, std::function<void(WriteResult)>)>;

struct StoreConnectionOptions {
  ExtenderCall call_extender = {};  // Null if the engine has no extenders.
  std::string instance = "berth";   // Names this process in events.
  Log log = [](const std::string&) {};
  // What latencies are measured with; must outlive the store. Null: the API's clock.
  const Clock* stopwatch = nullptr;
};

class StoreConnection final : public driver::Connection {
 public:
  // `api` must outlive it. `wake` is called on any thread when there is something to read.
  StoreConnection(apiserver::Api& api, const StoreConnectionOptions& options,
                  const Clock& stopwatch, std::function<void()> wake);

  bool Read(std::vector<Event>& events) override;
  size_t room() const override { return SIZE_MAX; }
  void Carry(Command command) override;
  bool DoSpareWork(bool idle) override;
  void Count(driver::DriverSnapshot& snapshot) const override;

 private:
  class Bell;

  void NoteCreation(const FeedChange& change);
  void CountBind(const BindPod& bind, const WriteResult& result);

  apiserver::Api& api_;
  const Clock& stopwatch_;
  const ExtenderCall call_extender_;
  std::shared_ptr<driver::Mailbox> answers_;  // Of extenders.
  std::shared_ptr<Bell> bell_;
  std::vector<ObjectFeed> feeds_;
  EngineWriter writer_;
  EventRecorder events_;
  CreationTimes creations_;
  std::unordered_map<std::string, Instant> created_;  // By uid, of pods that are not bound yet.
  std::vector<Event> ended_;                          // Writes whose end was not read yet.
  std::vector<FeedChange> changes_;                   // Of one Read; kept for its memory.
  driver::DriverSnapshot counts_;
};

// A driver that runs an engine on `api`, which must outlive it, as must `clock`, the API's.
Result<std::unique_ptr<driver::EngineDriver>> MakeDriver(apiserver::Api& api, const Clock& clock,
                                                         StoreConnectionOptions connection,
                                                         driver::EngineDriverOptions options,
                                                         const Registry& registry);

}  // namespace berth::world
