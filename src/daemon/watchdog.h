// Watchdog notices threads that do not end what they are doing.
//
// It looks at heartbeats, and asks event loops, which cannot tell that they wait, to run an empty
// piece of work. Only time in which it ran itself counts: a process that was stopped, or a machine
// that slept, makes no thread look stuck.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/heartbeat.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::daemon {

class Watchdog {
 public:
  // An event loop. Both functions are called on any thread.
  struct Asked {
    std::function<bool()> runs;
    std::function<void(std::function<void()>)> post;
  };
  struct Loop {
    std::string name;  // "driver"
    Duration silent;   // Since it last ended a piece of work, while it has one.
    bool stuck = false;
    bool vital = false;
  };
  struct Options {
    // A loop that is silent for so long is stuck.
    Duration stuck_after = Duration::Seconds(10);
    // Called on the watchdog's thread, after each look, with the vital loops that are stuck.
    std::function<void(const std::vector<Loop>& stuck)> on_stuck = {};
    // Called on the watchdog's thread, each time that it looks.
    std::function<void()> on_look = {};
  };

  explicit Watchdog(Options options) : options_(std::move(options)) {}
  ~Watchdog();  // Stops.
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Add loops; before Start. Nothing is scheduled without a vital one. `patience` multiplies the
  // time after which the loop is stuck.
  void Watch(std::string name, std::shared_ptr<const Heartbeat> heartbeat, bool vital,
             int patience = 1);
  void Watch(std::string name, Asked loop, bool vital, int patience = 1);

  void Start();
  void Stop();
  // Looks at all loops; `passed` since the last look. Start does it from time to time.
  void Look(Duration passed);
  // How often Start looks, and at most what a look counts.
  Duration period() const;

  // --- any thread ---

  std::vector<Loop> loops() const;
  // Fails if the loop is stuck: "the driver has not ended a step for 12s".
  Status Check(size_t loop) const;

 private:
  struct Watched {
    std::string name;
    bool vital = false;
    int patience = 1;
    std::shared_ptr<const Heartbeat> heartbeat;
    // Of a loop that is asked: the same heartbeat, and when it was asked last.
    std::shared_ptr<Heartbeat> answers;
    Asked asked;
    Duration since_asked;
    uint64_t beats = 0;  // At the last look.
    Duration silent;
  };

  void Run();
  void LookAt(Watched& loop, Duration passed) const;
  Loop StateOf(const Watched& loop) const;

  const Options options_;
  mutable std::mutex mutex_;  // Guards the members below.
  std::vector<Watched> watched_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace berth::daemon
