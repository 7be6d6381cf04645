// Connection is the interface between an EngineDriver and a Kubernetes API, embedded or over HTTP;
// Mailbox passes events from other threads to the driver.
//
// A connection delivers the engine's events and executes the engine's commands. All its functions
// are called on the driver's thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/steady_clock.h"
#include "base/time.h"
#include "runtime/driver_snapshot.h"
#include "scheduler/engine/events.h"

namespace berth::runtime {

// Logs a line for the operator.
using Log = std::function<void(const std::string&)>;

class Connection {
 public:
  virtual ~Connection() = default;

  // Appends the changes of objects and the results of writes since the last call, in order. Returns
  // false if there were none; the driver is woken when there are.
  virtual bool Read(std::vector<scheduler::engine::Event>& events) = 0;

  // Returns how many writes it accepts now. The engine holds back the rest, so that a more urgent
  // write can still overtake them.
  virtual size_t capacity() const = 0;
  // Starts a write. A later Read returns its result.
  virtual void Execute(scheduler::engine::Command command) = 0;

  // Does background work; called after each step of the driver. `idle` means that the driver has
  // nothing else to do. Returns false if there was no work.
  virtual bool DoIdleWork(bool idle) = 0;

  // Adds the counters of the connection.
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
// Shared by the connection and the posting threads, so that it is alive when a late post arrives.
class Mailbox {
 public:
  static constexpr size_t kMaxChanges = 65'536;

  // `wake` is called after each post, on the posting thread.
  explicit Mailbox(std::function<void()> wake, size_t max_changes = kMaxChanges)
      : wake_(std::move(wake)), max_changes_(max_changes) {}

  void Post(scheduler::engine::Event event) {
    {
      const std::lock_guard lock(mutex_);
      if (events_.empty()) oldest_ = SteadyClock().Now();
      events_.push_back(std::move(event));
    }
    wake_();
  }
  // Adds the changes as one batch, which may exceed the limit. Must not be called on the driver's
  // thread.
  void Post(std::vector<api::ObjectChange> changes) {
    {
      std::unique_lock lock(mutex_);
      taken_.wait(lock, [this] { return closed_ || changes_ < max_changes_; });
      if (closed_) return;
      if (events_.empty()) oldest_ = SteadyClock().Now();
      changes_ += changes.size();
      scheduler::engine::AppendEvents(std::move(changes), events_);
    }
    wake_();
  }

  // Appends the posted events in order. Returns false if there were none.
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

  // What was posted and is not taken yet.
  struct Backlog {
    size_t events = 0;
    Duration age;  // Of the oldest one, in real time.
  };
  // Any thread.
  Backlog backlog() const {
    const std::lock_guard lock(mutex_);
    if (events_.empty()) return {};
    return {events_.size(), SteadyClock().Now() - oldest_};
  }

  // Unblocks Post(changes) and drops the changes of blocked and later calls. Called when the driver
  // has stopped.
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
  mutable std::mutex mutex_;  // Guards the members below.
  std::condition_variable taken_;
  Instant oldest_;  // When the first of events_ was posted.
  std::vector<scheduler::engine::Event> events_;
  size_t changes_ = 0;  // Events in events_ that were posted as changes.
  bool closed_ = false;
};

}  // namespace berth::runtime
