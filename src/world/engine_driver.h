// EngineDriver runs a scheduling engine on the API in the same process: it tells the engine what
// the store's collections show, lets it schedule, and carries out what it asks for.
//
// Either on a thread of its own (Start, Stop), or step by step on the caller's (RunUntilIdle); not
// both. Other threads may call snapshot.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "apiserver/api.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"
#include "world/creation_times.h"
#include "world/driver_snapshot.h"
#include "world/engine_writer.h"
#include "world/event_recorder.h"
#include "world/object_feed.h"
#include "world/wake_signal.h"

namespace berth::world {

struct EngineDriverOptions {
  EngineOptions engine = {};
  EngineWriter::ExtenderCall call_extender = {};  // Needed if the engine has extenders.
  std::string instance = "berth";                 // Names this process in events.
  Log log = [](const std::string&) {};
  // What latencies are measured with; must outlive the store. Null: the API's clock.
  const Clock* stopwatch = nullptr;
  double speed = 1;  // How many of the clock's seconds pass in one.
};

class EngineDriver final : private DecisionObserver {
 public:
  // `api` and `clock`, which is the API's, must outlive the driver. Fails if a profile cannot be
  // built.
  static Result<std::unique_ptr<EngineDriver>> Make(apiserver::Api& api, const Clock& clock,
                                                    EngineDriverOptions options,
                                                    const Registry& registry);
  ~EngineDriver() override;  // Stops.

  void Start();
  // Waits until the step under way has ended. What the engine has asked for by then is done, but
  // events that were still waiting are written first.
  void Stop();

  // Works until only the passing of time or somebody else's write gives it more to do.
  void RunUntilIdle();

  std::shared_ptr<const DriverSnapshot> snapshot() const;
  const Engine& engine() const { return *engine_; }

 private:
  EngineDriver(apiserver::Api& api, const Clock& clock, EngineDriverOptions options,
               std::unique_ptr<Engine> engine);

  void Loop();
  // False if there was nothing to do.
  bool Step();
  bool ReadFeeds();
  void Tell(const Change& change);
  bool SchedulePods();
  bool CarryOutCommands();
  void Carry(const Command& command);
  void CountBind(const BindPod& bind, const WriteResult& result);
  void Publish(bool idle);
  std::optional<Duration> TimeToWait() const;
  void OnDecision(const Decision& decision) override;

  apiserver::Api& api_;
  const Clock& clock_;
  const EngineDriverOptions options_;
  const Clock& stopwatch_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<WakeSignal> signal_;
  std::vector<ObjectFeed> feeds_;
  EngineWriter writer_;
  EventRecorder events_;
  CreationTimes creations_;
  std::unordered_map<std::string, Instant> created_;  // By uid, of pods that are not bound yet.
  std::vector<Change> changes_;                       // Of one step; kept for its memory.
  DriverSnapshot counts_;
  mutable std::mutex mutex_;  // Guards published_.
  std::shared_ptr<const DriverSnapshot> published_;
  std::thread thread_;
};

}  // namespace berth::world
