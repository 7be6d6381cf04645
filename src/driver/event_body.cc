#include "driver/event_body.h"

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/timestamp.h"

namespace berth::driver {
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
  Text(json, "lastObservedTime", MicroTime(event.last_observed));
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

std::string MicroTime(Instant instant) {
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t nanos = instant.nanos % kSecond;
  if (nanos < 0) nanos += kSecond;
  std::string text = api::FormatTimestamp({instant.nanos - nanos});
  text.pop_back();  // The Z.
  return fmt::format("{}.{:06}Z", text, nanos / 1'000);
}

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
  Text(json, "eventTime", MicroTime(event.at));
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

}  // namespace berth::driver
