#include "world/event_recorder.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace berth::world {
namespace {

using driver::EventGroup;

// Names of events about pods with very long names; they need not differ from run to run, as the
// store's versions do not.
constexpr uint64_t kSeed = 1;

}  // namespace

EventRecorder::EventRecorder(apiserver::Api& api, std::string instance, Log log)
    : api_(api),
      log_(std::move(log)),
      events_(apiserver::KindOf("events.events.k8s.io")),
      series_(std::move(instance), api.now(), kSeed) {}

void EventRecorder::Add(RecordEvent event) { waiting_.push_back({std::move(event), api_.now()}); }

size_t EventRecorder::waiting() const {
  const auto due = series_.next_due();
  return waiting_.size() + (due && *due <= api_.now() ? 1 : 0);
}

void EventRecorder::Write(size_t limit) {
  for (const auto& write : series_.Due(api_.now())) Carry(write);
  for (; limit > 0 && !waiting_.empty(); --limit) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    const auto write = series_.Add(std::move(next.event), next.at);
    if (write) Carry(*write);
  }
}

void EventRecorder::Carry(const driver::EventWrite& write) {
  if (write.patch) {
    const store::ObjectName name{NamespaceOf(write.event), write.event.name};
    const auto patch = boost::json::parse(SeriesPatch(write.event));
    const auto patched = api_.Patch(events_, name, "", apiserver::PatchType::kStrategic, patch);
    if (patched || patched.error().code != 404) return;
  }
  Create(write.event);
}

void EventRecorder::Create(const driver::ReportedEvent& event) {
  auto body = boost::json::parse(EventBody(event, EventGroup::kEvents));
  const auto written = api_.Create(events_, NamespaceOf(event), std::move(body));
  if (written) return;
  // A namespace that is going takes no events: nobody misses them.
  if (written.error().code != 403 && written.error().code != 404 && !std::exchange(failed_, true))
    log_("an event could not be written: " + written.error().message);
}

}  // namespace berth::world
