// EventRecorder writes what the engine tells users as events of events.k8s.io.
//
// Nothing waits for an event, so they queue here while there is something more urgent to do. What
// is told again within six minutes becomes a series: its count grows, in the API at most once in
// ten seconds.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "apiserver/api.h"
#include "base/time.h"
#include "framework/writes.h"
#include "world/object_feed.h"

namespace berth::world {

class EventRecorder {
 public:
  // `api` must outlive the recorder. `instance` names this process in events.
  EventRecorder(apiserver::Api& api, std::string instance, Log log);

  void Add(RecordEvent event);
  size_t waiting() const { return waiting_.size(); }
  // Writes up to `limit` of those that wait, oldest first.
  void Write(size_t limit);

 private:
  struct Waiting {
    RecordEvent event;
    Instant at;
  };
  struct Recent {
    store::ObjectName name;
    int64_t count = 1;
    Instant seen;
    Instant written;
  };

  void WriteOne(const Waiting& waiting);
  // False if the event is gone.
  bool Repeat(Recent& recent, Instant at);
  void Create(const Waiting& waiting, std::string key);
  void Forget(Instant now);

  apiserver::Api& api_;
  const std::string instance_;
  const Log log_;
  const apiserver::Kind& events_;
  std::deque<Waiting> waiting_;
  std::unordered_map<std::string, Recent> recent_;  // By all that makes two events the same.
  std::deque<std::string> order_;                   // The keys of recent_, by their first time.
  int64_t last_stamp_ = 0;
  bool failed_ = false;
};

}  // namespace berth::world
