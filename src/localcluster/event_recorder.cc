#include "localcluster/event_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/timestamp.h"
#include "apiserver/store/codec.h"

namespace berth::localcluster {

namespace {

// The limits of client-go's spam filter.
constexpr double kEventBurst = 25;
constexpr double kTokensPerSecond = 1.0 / 300;
// How many objects and events are remembered; client-go's caches have this size. When one is full
// it is emptied: then events are counted anew, which is rare and harmless.
constexpr size_t kMaxRemembered = 4096;

constexpr Duration kLifetime = Duration::Seconds(3600);
constexpr Duration kExpiryInterval = Duration::Seconds(600);
constexpr Duration kRealExpiryInterval = Duration::Seconds(10);

std::string_view NameOf(EventType type) {
  return type == EventType::kNormal ? "Normal" : "Warning";
}

const Kind& Events() {
  static const Kind& kind = api::scheme::KindOf("events");
  return kind;
}

}  // namespace

InvolvedObject InvolvedObject::Of(const Kind& kind, const JsonObject& document) {
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  return {kind,
          {std::string(StringAt(metadata, "namespace")), std::string(StringAt(metadata, "name"))},
          std::string(StringAt(metadata, "uid")),
          std::string(StringAt(metadata, "resourceVersion"))};
}

InvolvedObject InvolvedObject::Of(const Kind& kind, const apiserver::store::Object& object) {
  return {kind, object.key, object.uid, fmt::format("{}", object.version)};
}

void EventRecorder::Record(InvolvedObject object, EventType type, std::string_view reason,
                           std::string message, std::string_view component, std::string_view host) {
  if (full()) return;
  waiting_.push_back({std::move(object), type, std::string(reason), std::move(message),
                      std::string(component), std::string(host), clock_.Now()});
}

bool EventRecorder::Write(size_t limit) {
  if (waiting_.empty()) return false;
  for (; limit > 0 && !waiting_.empty(); --limit) {
    const Waiting event = std::move(waiting_.front());
    waiting_.pop_front();
    if (WithinBudget(event)) WriteOne(event);
  }
  return true;
}

void EventRecorder::DeleteExpired(double speed) {
  const Instant now = clock_.Now();
  if (disabled_ || now < next_expiry_) return;
  next_expiry_ = now + std::max(kExpiryInterval, kRealExpiryInterval * speed);
  if (api_.store().Count(Events().collection) == 0) return;
  for (const auto& object : api_.store().List(Events().collection, {}).objects) {
    const Json document = apiserver::store::Parse(*object);
    const JsonObject* fields = AsObject(document);
    Instant last = TimeAt(ObjectAt(fields, "metadata"), "creationTimestamp").value_or(now);
    for (const std::string_view key : {"lastTimestamp", "eventTime"}) {
      last = std::max(last, TimeAt(fields, key).value_or(last));
    }
    last = std::max(last, TimeAt(ObjectAt(fields, "series"), "lastObservedTime").value_or(last));
    if (now - last > kLifetime) (void)api_.Delete(Events(), object->key, {.uid = object->uid});
  }
}

bool EventRecorder::WithinBudget(const Waiting& event) {
  if (budgets_.size() >= kMaxRemembered) budgets_.clear();
  const auto [found, added] =
      budgets_.try_emplace(event.component + '/' + event.host + '/' + event.object.uid);
  Budget& budget = found->second;
  if (added) {
    budget = {kEventBurst, event.at};
  } else {
    const double gained = (event.at - budget.updated).seconds() * kTokensPerSecond;
    budget = {std::min(kEventBurst, budget.tokens + gained), event.at};
  }
  if (budget.tokens < 1) return false;
  budget.tokens -= 1;
  return true;
}

JsonObject EventRecorder::DocumentOf(const Waiting& event, std::string_view name) const {
  const InvolvedObject& object = event.object;
  const std::string time = api::FormatTime(event.at);
  JsonObject document;
  SetString(EnsureObject(document, "metadata"), "name", name);
  JsonObject& involved = EnsureObject(document, "involvedObject");
  SetString(involved, "kind", object.kind.kind);
  SetString(involved, "apiVersion", object.kind.api_version());
  if (!object.name.namespace_.empty()) SetString(involved, "namespace", object.name.namespace_);
  SetString(involved, "name", object.name.name);
  SetString(involved, "uid", object.uid);
  if (!object.version.empty()) SetString(involved, "resourceVersion", object.version);
  if (!object.field_path.empty()) SetString(involved, "fieldPath", object.field_path);
  SetString(document, "reason", event.reason);
  SetString(document, "message", event.message);
  SetString(document, "type", NameOf(event.type));
  JsonObject& source = EnsureObject(document, "source");
  SetString(source, "component", event.component);
  if (!event.host.empty()) SetString(source, "host", event.host);
  SetString(document, "reportingComponent", event.component);
  SetString(document, "reportingInstance", event.host);
  SetString(document, "firstTimestamp", time);
  SetString(document, "lastTimestamp", time);
  SetInt(document, "count", 1);
  return document;
}

bool EventRecorder::CountAgain(const Waiting& event, Written& written) {
  const auto repeated = api_.Modify(Events(), written.name, [&](Json& document) {
    JsonObject& fields = document.get_object();
    SetInt(fields, "count", written.count + 1);
    SetString(fields, "lastTimestamp", api::FormatTime(event.at));
    return true;
  });
  if (repeated) ++written.count;
  return repeated.has_value();
}

void EventRecorder::WriteOne(const Waiting& event) {
  const InvolvedObject& object = event.object;
  if (written_.size() >= kMaxRemembered) written_.clear();
  Written& written =
      written_[fmt::format("{}/{}/{}/{}/{}/{}/{}", event.component, event.host, object.uid,
                           object.field_path, NameOf(event.type), event.reason, event.message)];
  if (written.count > 0 && CountAgain(event, written)) return;
  // Objects of the cluster have their events in the namespace "default".
  const std::string namespace_ =
      object.name.namespace_.empty() ? "default" : object.name.namespace_;
  // The time makes the name unique in a data directory, the number within this run.
  const std::string name =
      fmt::format("{}.{:x}{:04x}", object.name.name, static_cast<uint64_t>(event.at.nanos) >> 16,
                  next_name_++ & 0xffff);
  // Fails in a namespace that is being terminated.
  const auto created = api_.Create(Events(), namespace_, DocumentOf(event, name));
  written = created ? Written{{namespace_, name}, 1} : Written{};
}

}  // namespace berth::localcluster
