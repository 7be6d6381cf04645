#include "runtime/event_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/writer.h"
#include "api/timestamp.h"

namespace berth::runtime {
namespace {

using api::JsonWriter;

void Text(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  json.String(text);
}

void TextIfAny(JsonWriter& json, std::string_view key, std::string_view text) {
  if (!text.empty()) Text(json, key, text);
}

void Series(JsonWriter& json, const ReportedEvent& event) {
  json.Key("series");
  json.BeginObject();
  json.Key("count");
  json.Int(event.count);
  Text(json, "lastObservedTime", api::FormatMicroTime(event.last_observed));
  json.EndObject();
}

void Regarding(JsonWriter& json, const ReportedEvent& event) {
  json.BeginObject();
  Text(json, "kind", "Pod");
  Text(json, "namespace", NamespaceOf(event));
  Text(json, "name", event.what.pod.name);
  TextIfAny(json, "uid", event.what.uid);
  Text(json, "apiVersion", "v1");
  TextIfAny(json, "resourceVersion", event.what.resource_version);
  json.EndObject();
}

}  // namespace

const std::string& NamespaceOf(const ReportedEvent& event) {
  static const std::string kDefault = "default";
  return event.what.pod.namespace_.empty() ? kDefault : event.what.pod.namespace_;
}

std::string EventBody(const ReportedEvent& event, EventGroup group) {
  const bool is_core = group == EventGroup::kCore;
  JsonWriter json;
  json.BeginObject();
  Text(json, "kind", "Event");
  Text(json, "apiVersion", is_core ? "v1" : "events.k8s.io/v1");
  json.Key("metadata");
  json.BeginObject();
  Text(json, "name", event.name);
  Text(json, "namespace", NamespaceOf(event));
  json.EndObject();
  Text(json, "eventTime", api::FormatMicroTime(event.at));
  if (event.count > 1) Series(json, event);
  Text(json, is_core ? "reportingComponent" : "reportingController", event.what.scheduler_name);
  Text(json, "reportingInstance", event.reporting_instance);
  Text(json, "action", event.what.action);
  Text(json, "reason", event.what.reason);
  json.Key(is_core ? "involvedObject" : "regarding");
  Regarding(json, event);
  TextIfAny(json, is_core ? "message" : "note", event.what.note);
  Text(json, "type", event.what.type);
  json.EndObject();
  return json.Take();
}

std::string SeriesPatch(const ReportedEvent& event) {
  JsonWriter json;
  json.BeginObject();
  Series(json, event);
  json.EndObject();
  return json.Take();
}

namespace {

constexpr Duration kFinish = Duration::Seconds(360);
constexpr Duration kRefresh = Duration::Seconds(1800);
constexpr size_t kMaxNameSize = 253;

std::string KeyOf(const scheduler::framework::RecordEvent& event) {
  std::string key;
  for (const std::string* part :
       {&event.type, &event.action, &event.reason, &event.scheduler_name, &event.pod.namespace_,
        &event.pod.name, &event.uid, &event.resource_version}) {
    key.append(*part).push_back('\0');
  }
  if (event.resource_version.empty()) key += event.note;
  return key;
}

// Advances `last` by the whole periods that ended by `now`. Returns false if none did.
bool Pass(Instant& last, Duration period, Instant now) {
  const int64_t periods = (now - last) / period;
  if (periods <= 0) return false;
  last += period * periods;
  return true;
}

}  // namespace

EventSeries::EventSeries(std::string host, Instant start, uint64_t seed)
    : host_(std::move(host)), random_(seed), last_finish_(start), last_refresh_(start) {}

std::optional<EventWrite> EventSeries::Add(scheduler::framework::RecordEvent event,
                                           const Now& now) {
  std::string key = KeyOf(event);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    found->second->last_seen = now.steady;
    ReportedEvent& known = found->second->event;
    ++known.count;
    known.last_observed = now.wall;
    if (known.count > 2) return std::nullopt;
    return EventWrite{true, known};
  }
  if (entries_.size() >= kMaxSeries) {
    by_key_.erase(entries_.front().key);
    entries_.pop_front();
  }
  ReportedEvent reported{
      .what = std::move(event), .name = {}, .reporting_instance = {}, .at = now.wall};
  reported.name = NewName(reported.what.pod.name, now.wall);
  reported.reporting_instance = fmt::format("{}-{}", reported.what.scheduler_name, host_);
  const auto entry =
      entries_.insert(entries_.end(), {std::move(key), std::move(reported), now.steady});
  by_key_.emplace(entry->key, entry);
  return EventWrite{false, entry->event};
}

// Returns a unique name, even if the clock stands still.
std::string EventSeries::NewName(const std::string& pod, Instant now) {
  last_stamp_ = std::max(now.nanos, last_stamp_ + 1);
  std::string name = fmt::format("{}.{:x}", pod, last_stamp_);
  if (name.size() <= kMaxNameSize) return name;
  const uint64_t high = random_.Next();
  const uint64_t low = random_.Next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff,
                     high & 0xfff, 0x8000 | (low >> 48 & 0x3fff), low & 0xffff'ffff'ffff);
}

std::optional<Instant> EventSeries::next_due() const {
  if (entries_.empty()) return std::nullopt;
  return std::min(last_finish_ + kFinish, last_refresh_ + kRefresh);
}

std::vector<EventWrite> EventSeries::Due(Instant now) {
  std::vector<EventWrite> out;
  if (Pass(last_finish_, kFinish, now)) Finish(last_finish_, out);
  if (Pass(last_refresh_, kRefresh, now)) {
    for (const Entry& entry : entries_) {
      if (entry.event.count > 1) out.push_back({true, entry.event});
    }
  }
  return out;
}

void EventSeries::Finish(Instant now, std::vector<EventWrite>& out) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    ReportedEvent& event = entry->event;
    const bool is_series = event.count > 1;
    if (now - entry->last_seen <= kFinish) {
      ++entry;
      continue;
    }
    by_key_.erase(entry->key);
    if (is_series) out.push_back({true, std::move(event)});
    entry = entries_.erase(entry);
  }
}

}  // namespace berth::runtime
