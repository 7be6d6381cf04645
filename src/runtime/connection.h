// Connection is what an EngineDriver runs its engine on: a Kubernetes API, near or far.
//
// It brings what the engine is to hear and carries out what the engine asks for. All its functions
// are called on the driver's thread; whatever else it does with threads is its own affair.
#pragma once

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

// A line for whoever runs the program.
using Log = std::function<void(const std::string&)>;

class Connection {
 public:
  virtual ~Connection() = default;

  // Appends what has happened, in order: changes of objects, and the ends of writes. False if there
  // was nothing to read: the driver is woken when there is.
  virtual bool Read(std::vector<scheduler::engine::Event>& events) = 0;

  // How many writes it would take on now. The engine keeps the rest, so that a more urgent one can
  // still overtake.
  virtual size_t capacity() const = 0;
  // Takes a write on. Its end comes with a later Read.
  virtual void Execute(scheduler::engine::Command command) = 0;

  // Asked when the driver has done a step: a chance to do what nobody waits for. `idle` means that
  // the driver has nothing else to do. False if there was nothing to do here, either.
  virtual bool DoIdleWork(bool idle) = 0;

  // Adds what it has counted.
  virtual void Count(DriverSnapshot& snapshot) const = 0;
};

// Mailbox takes what the engine is to hear from other threads and keeps it until the driver reads
// it.
//
// Shared by the driver's connection and those who post, so that a late letter finds it alive.
class Mailbox {
 public:
  // `wake` is called when something has come, on the thread that brought it.
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void Post(scheduler::engine::Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    wake_();
  }
  void Post(std::vector<api::ObjectChange> changes) {
    {
      const std::lock_guard lock(mutex_);
      scheduler::engine::AppendEvents(std::move(changes), events_);
    }
    wake_();
  }

  // Appends what has come, in order. False if nothing has.
  bool Take(std::vector<scheduler::engine::Event>& out) {
    std::vector<scheduler::engine::Event> events;
    {
      const std::lock_guard lock(mutex_);
      events.swap(events_);
    }
    const bool any = !events.empty();
    Append(std::move(events), out);
    return any;
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
  std::mutex mutex_;
  std::vector<scheduler::engine::Event> events_;
};

}  // namespace berth::runtime
