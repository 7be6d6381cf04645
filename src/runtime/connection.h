// Connection is what an EngineDriver runs its engine on: a Kubernetes API, embedded or over HTTP.
//
// It delivers the engine's events and executes the engine's commands. All its functions are called
// on the driver's thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/driver_snapshot.h"
#include "scheduler/engine/events.h"

namespace berth::runtime {

// Logs a line for the operator.
using Log = std::function<void(const std::string&)>;

class Connection {
 public:
  virtual ~Connection() = default;

  // Appends what has happened, in order: changes of objects, and results of writes. Returns false
  // if there was nothing to read: the driver is woken when there is.
  virtual bool Read(std::vector<scheduler::engine::Event>& events) = 0;

  // How many writes it accepts now. The engine holds the rest back, so that a more urgent one can
  // still overtake.
  virtual size_t capacity() const = 0;
  // Starts a write. Its result comes with a later Read.
  virtual void Execute(scheduler::engine::Command command) = 0;

  // Called after each step of the driver: does work that nothing waits for. `idle` means that the
  // driver has nothing else to do. Returns false if there was nothing to do here, either.
  virtual bool DoIdleWork(bool idle) = 0;

  // Adds its counters.
  virtual void Count(DriverSnapshot& snapshot) const = 0;
};

// Mailbox passes events from other threads to the driver, in order of arrival.
//
// Object changes are bounded: Post(changes) blocks while too many wait to be taken, so that a slow
// driver slows the watch's thread down, TCP slows the server down, and a server that gives up
// closes the watch, which the reflector then lists again. (HTTP/2 pings of the blocked thread's
// connections pause as well.) Results of writes never block; the connection and the engine bound
// them.
//
// Shared by the connection and those who post, so that a late post finds it alive.
class Mailbox {
 public:
  static constexpr size_t kMaxChanges = 65'536;

  // `wake` is called after each post, on the posting thread.
  explicit Mailbox(std::function<void()> wake, size_t max_changes = kMaxChanges)
      : wake_(std::move(wake)), max_changes_(max_changes) {}

  void Post(scheduler::engine::Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    wake_();
  }
  // A batch is not divided: the limit may be exceeded by one batch. Not on the driver's thread.
  void Post(std::vector<api::ObjectChange> changes) {
    {
      std::unique_lock lock(mutex_);
      taken_.wait(lock, [this] { return closed_ || changes_ < max_changes_; });
      if (closed_) return;
      changes_ += changes.size();
      scheduler::engine::AppendEvents(std::move(changes), events_);
    }
    wake_();
  }

  // Appends what has arrived, in order. Returns false if nothing has.
  bool Take(std::vector<scheduler::engine::Event>& out) {
    std::vector<scheduler::engine::Event> events;
    {
      const std::lock_guard lock(mutex_);
      events.swap(events_);
      changes_ = 0;
    }
    taken_.notify_all();
    const bool any = !events.empty();
    Append(std::move(events), out);
    return any;
  }

  // Unblocks Post(changes) and drops the changes of blocked and later calls: the driver has
  // stopped.
  void Close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    taken_.notify_all();
  }

 private:
  static void Append(std::vector<scheduler::engine::Event> events,
                     std::vector<scheduler::engine::Event>& out) {
    if (out.empty()) {
      out = std::move(events);
    } else {
      out.insert(out.end(), std::make_move_iterator(events.begin()),
                 std::make_move_iterator(events.end()));
    }
  }

  const std::function<void()> wake_;
  const size_t max_changes_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable taken_;
  std::vector<scheduler::engine::Event> events_;
  size_t changes_ = 0;  // Of events_, those that were posted as changes.
  bool closed_ = false;
};

}  // namespace berth::runtime
