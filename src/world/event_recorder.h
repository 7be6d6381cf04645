// EventRecorder writes what the engine tells users as events of events.k8s.io.
//
// Nothing waits for an event, so they queue here while there is something more urgent to do. What
// is told again becomes a series (driver/event_series.h).
#pragma once

#include <deque>
#include <string>

#include "apiserver/api.h"
#include "base/time.h"
#include "driver/event_series.h"
#include "framework/writes.h"
#include "world/object_feed.h"

namespace berth::world {

class EventRecorder {
 public:
  // `api` must outlive the recorder. `instance` names this process in events.
  EventRecorder(apiserver::Api& api, std::string instance, Log log);

  void Add(RecordEvent event);
  // How many writes there are to make, as far as is known.
  size_t waiting() const;
  // Writes up to `limit` of the events that wait, oldest first, and the counts of series whose time
  // has come.
  void Write(size_t limit);

 private:
  struct Waiting {
    RecordEvent event;
    Instant at;
  };

  void Carry(const driver::EventWrite& write);
  void Create(const driver::ReportedEvent& event);

  apiserver::Api& api_;
  const Log log_;
  const apiserver::Kind& events_;
  driver::EventSeries series_;
  std::deque<Waiting> waiting_;
  bool failed_ = false;
};

}  // namespace berth::world
