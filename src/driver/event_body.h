// Events as the Kubernetes API has them: what is sent to create one, and to count on one.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "framework/writes.h"

namespace berth::driver {

// One event, and how often it has happened.
struct ReportedEvent {
  RecordEvent what;
  std::string name;                // metadata.name
  std::string reporting_instance;  // "<scheduler>-<host>"
  Instant at;
  int64_t count = 1;           // A series from 2 on.
  Instant last_observed = {};  // Of a series.

  friend bool operator==(const ReportedEvent&, const ReportedEvent&) = default;
};

// The two groups that serve events; the second is for servers without the first.
enum class EventGroup { kEvents, kCore };

// The namespace that the event belongs in: the pod's.
const std::string& NamespaceOf(const ReportedEvent& event);

// The event as JSON, with its series if it has one.
std::string EventBody(const ReportedEvent& event, EventGroup group);
// A merge patch that brings the series of the event up to date.
std::string SeriesPatch(const ReportedEvent& event);

// Exactly six decimals: "2026-01-01T00:00:00.000000Z".
std::string MicroTime(Instant instant);

}  // namespace berth::driver
