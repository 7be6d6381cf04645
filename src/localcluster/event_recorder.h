// EventRecorder writes the Events of controllers and kubelets, which `kubectl describe` shows.
//
// It limits them as the recorder of client-go does: an event that repeats is counted in one object,
// an object causes at most 25 events of a component at once and then one every five minutes, and
// events beyond 1,000 that wait to be written are dropped. They are written when there is nothing
// else to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/scheme/kind_set.h"
#include "apiserver/registry/api.h"
#include "base/time.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

// The object that an event is about.
struct InvolvedObject {
  const Kind& kind;
  apiserver::store::ObjectName name;
  std::string uid;
  std::string version = {};
  std::string field_path = {};  // "spec.containers{web}"
  // Of an object of a custom kind: its kind, whose definition may be deleted before the event is
  // written.
  api::scheme::KindPtr owned_kind = {};

  static InvolvedObject Of(const Kind& kind, const JsonObject& document);
  static InvolvedObject Of(const Kind& kind, const apiserver::store::Object& object);
};

enum class EventType : uint8_t { kNormal, kWarning };

class EventRecorder {
 public:
  // How many events may wait; the queue of client-go's broadcaster has this length.
  static constexpr size_t kMaxWaiting = 1000;

  // Both must outlive the recorder.
  EventRecorder(apiserver::registry::Api& api, const Clock& clock) : api_(api), clock_(clock) {}

  // `component` is "replicaset-controller", `host` the node of a kubelet or "".
  void Record(InvolvedObject object, EventType type, std::string_view reason, std::string message,
              std::string_view component, std::string_view host = {});
  // Writes up to `limit` events. Returns false if there were none.
  bool Write(size_t limit);
  // Deletes all events that are older than an hour, also those of others, as a kube-apiserver does.
  // Looks at most every ten minutes, and every ten seconds of real time.
  void DeleteExpired(double speed);

  size_t waiting() const { return waiting_.size(); }
  // Reports whether further events would be dropped, so that callers need not prepare them.
  bool full() const { return disabled_ || waiting_.size() >= kMaxWaiting; }
  // Discards all events from now on.
  void Disable() { disabled_ = true; }

 private:
  struct Waiting {
    InvolvedObject object;
    EventType type;
    std::string reason;
    std::string message;
    std::string component;
    std::string host;
    Instant at;
  };
  struct Budget {
    double tokens = 0;
    Instant updated = {};
  };
  // An event that was written and may repeat.
  struct Written {
    apiserver::store::ObjectName name;
    int64_t count = 0;
  };

  bool WithinBudget(const Waiting& event);
  void WriteOne(const Waiting& event);
  // Raises the count of an event that repeats. Returns false if it no longer exists.
  bool CountAgain(const Waiting& event, Written& written);
  JsonObject DocumentOf(const Waiting& event, std::string_view name) const;

  apiserver::registry::Api& api_;
  const Clock& clock_;
  bool disabled_ = false;
  std::deque<Waiting> waiting_;
  std::unordered_map<std::string, Budget> budgets_;   // By component and uid.
  std::unordered_map<std::string, Written> written_;  // By content.
  uint64_t next_name_ = 0;
  Instant next_expiry_ = {};
};

}  // namespace berth::localcluster
