#include "world/event_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "admission/metadata.h"

namespace berth::world {
namespace {

using apiserver::Json;
using apiserver::JsonObject;
using apiserver::MicroTimeText;

constexpr Duration kSeriesEnds = Duration::Seconds(360);
constexpr Duration kRewriteAfter = Duration::Seconds(10);
constexpr size_t kMaxRecent = 10'000;

// As kube-scheduler counts: a pod whose message has changed has a new version, and so a new event.
std::string KeyOf(const RecordEvent& event) {
  std::string key;
  for (const std::string* part : {&event.uid, &event.type, &event.reason, &event.action,
                                  &event.scheduler_name, &event.note}) {
    key.append(*part).push_back('\0');
  }
  return key;
}

}  // namespace

EventRecorder::EventRecorder(apiserver::Api& api, std::string instance, Log log)
    : api_(api),
      instance_(std::move(instance)),
      log_(std::move(log)),
      events_(apiserver::KindOf("events.events.k8s.io")) {}

void EventRecorder::Add(RecordEvent event) { waiting_.push_back({std::move(event), api_.now()}); }

void EventRecorder::Write(size_t limit) {
  for (; limit > 0 && !waiting_.empty(); --limit) {
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    WriteOne(next);
  }
}

void EventRecorder::WriteOne(const Waiting& waiting) {
  Forget(waiting.at);
  std::string key = KeyOf(waiting.event);
  const auto found = recent_.find(key);
  const bool in_series = found != recent_.end() && waiting.at - found->second.seen < kSeriesEnds;
  if (in_series && Repeat(found->second, waiting.at)) return;
  Create(waiting, std::move(key));
}

bool EventRecorder::Repeat(Recent& recent, Instant at) {
  ++recent.count;
  recent.seen = at;
  if (recent.count > 2 && at - recent.written < kRewriteAfter) return true;
  recent.written = at;
  const JsonObject patch{
      {"series", {{"count", recent.count}, {"lastObservedTime", MicroTimeText(at)}}}};
  return api_.Patch(events_, recent.name, "", apiserver::PatchType::kStrategic, patch).has_value();
}

void EventRecorder::Create(const Waiting& waiting, std::string key) {
  const RecordEvent& event = waiting.event;
  // Names must differ, even where time stands still.
  last_stamp_ = std::max(waiting.at.nanos, last_stamp_ + 1);
  const std::string name = fmt::format("{}.{:x}", event.pod.name, last_stamp_);
  Json body{{"kind", "Event"},
            {"apiVersion", "events.k8s.io/v1"},
            {"metadata", {{"name", name}, {"namespace", event.pod.namespace_}}},
            {"eventTime", MicroTimeText(waiting.at)},
            {"reportingController", event.scheduler_name},
            {"reportingInstance", fmt::format("{}-{}", event.scheduler_name, instance_)},
            {"action", event.action},
            {"reason", event.reason},
            {"regarding",
             {{"kind", "Pod"},
              {"apiVersion", "v1"},
              {"namespace", event.pod.namespace_},
              {"name", event.pod.name},
              {"uid", event.uid}}},
            {"note", event.note},
            {"type", event.type}};
  const auto written = api_.Create(events_, event.pod.namespace_, std::move(body));
  if (!written) {
    // A namespace that is going takes no events: nobody misses them.
    if (written.error().code != 403 && written.error().code != 404 && !std::exchange(failed_, true))
      log_("an event could not be written: " + written.error().message);
    return;
  }
  const Recent recent{{event.pod.namespace_, name}, 1, waiting.at, waiting.at};
  if (recent_.insert_or_assign(key, recent).second) order_.push_back(std::move(key));
}

void EventRecorder::Forget(Instant now) {
  while (!order_.empty()) {
    const auto oldest = recent_.find(order_.front());
    const bool is_over = now - oldest->second.seen >= kSeriesEnds;
    if (!is_over && order_.size() <= kMaxRecent) return;
    recent_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace berth::world
