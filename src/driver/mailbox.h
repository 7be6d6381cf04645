// Mailbox takes what the engine is to hear from other threads and keeps it until the driver reads
// it.
//
// Shared by the driver's connection and those who post, so that a late letter finds it alive.
#pragma once

#include <functional>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/events.h"

namespace berth::driver {

class Mailbox {
 public:
  // `wake` is called when something has come, on the thread that brought it.
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void Post(Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    wake_();
  }
  void Post(std::vector<Event> events) {
    {
      const std::lock_guard lock(mutex_);
      Append(std::move(events), events_);
    }
    wake_();
  }

  // Appends what has come, in order. False if nothing has.
  bool Take(std::vector<Event>& out) {
    std::vector<Event> events;
    {
      const std::lock_guard lock(mutex_);
      events.swap(events_);
    }
    const bool any = !events.empty();
    Append(std::move(events), out);
    return any;
  }

 private:
  static void Append(std::vector<Event> events, std::vector<Event>& out) {
    if (out.empty()) {
      out = std::move(events);
    } else {
      out.insert(out.end(), std::make_move_iterator(events.begin()),
                 std::make_move_iterator(events.end()));
    }
  }

  const std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<Event> events_;
};

}  // namespace berth::driver
