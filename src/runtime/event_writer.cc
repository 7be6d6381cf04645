#include "runtime/event_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/watch_events.h"

namespace berth::runtime {
namespace {

constexpr int kMaxTries = 12;
constexpr Duration kPause = Duration::Seconds(10);
// How often a refused event is worth a warning.
constexpr Duration kWarnPeriod = Duration::Seconds(600);
constexpr std::string_view kDiscovery = "/apis/events.k8s.io/v1";

}  // namespace

EventWriter::EventWriter(client::RestClient& client, net::Executor& executor,
                         const Clock& wall_clock, const WriteFence& fence,
                         EventWriterOptions options, client::Warn warn)
    : client_(client),
      executor_(executor),
      wall_clock_(wall_clock),
      fence_(fence),
      options_(std::move(options)),
      warn_(std::move(warn)),
      series_(options_.host, executor.Now(), options_.seed),
      random_(options_.seed) {}

// Ten seconds plus a jitter of up to a quarter, so that clients do not retry in step.
Duration EventWriter::RetryPause() {
  return kPause + Duration{static_cast<int64_t>(random_.Below((kPause / 4).nanos))};
}

void EventWriter::Start() {
  client::RestRequest request;
  request.path = kDiscovery;
  client_.Send(std::move(request),
               callback_guard_.Guard([this](const net::HttpResult<net::HttpResponse>& response) {
                 if (!response) {
                   executor_.After(RetryPause(), callback_guard_.Guard([this] { Start(); }));
                   return;
                 }
                 const bool has_none = response->status == 404;
                 group_ = has_none ? EventGroup::kCore : EventGroup::kEvents;
                 Pump();
               }));
}

void EventWriter::Add(scheduler::framework::RecordEvent event) {
  auto write = series_.Add(std::move(event), {executor_.Now(), wall_clock_.Now()});
  if (write) Queue(*std::move(write));
  SetTimer();
}

void EventWriter::SetTimer() {
  const auto due = series_.next_due();
  if (timer_set_ || !due) return;
  timer_set_ = true;
  const Duration delay = std::max(*due - executor_.Now(), Duration{});
  executor_.After(delay, callback_guard_.Guard([this] {
    timer_set_ = false;
    for (EventWrite& write : series_.Due(executor_.Now())) Queue(std::move(write));
    SetTimer();
  }));
}

void EventWriter::Queue(EventWrite write) {
  if (waiting() >= options_.max_waiting) {
    ++options_.counts->dropped;
    return;
  }
  waiting_.push_back(std::move(write));
  options_.counts->waiting = waiting();
  Pump();
}

void EventWriter::Pump() {
  while (group_ && !waiting_.empty() && under_way_.size() < options_.max_under_way) {
    EventWrite write = std::move(waiting_.front());
    waiting_.pop_front();
    std::string name = NamespaceOf(write.event) + "/" + write.event.name;
    if (under_way_.insert(name).second) {
      Send(std::move(write), 1);
    } else {
      held_.emplace(std::move(name), std::move(write));
    }
  }
  options_.counts->waiting = waiting();
}

std::string EventWriter::PathOf(const ReportedEvent& event) const {
  return fmt::format("{}/namespaces/{}/events",
                     group_ == EventGroup::kCore ? "/api/v1" : kDiscovery, NamespaceOf(event));
}

void EventWriter::Send(EventWrite write, int tries) {
  client::RestRequest request;
  request.path = PathOf(write.event);
  if (write.patch) {
    request.method = "PATCH";
    request.path += "/" + write.event.name;
    request.content_type = "application/strategic-merge-patch+json";
    request.body = SeriesPatch(write.event);
  } else {
    request.method = "POST";
    request.content_type = "application/json";
    request.body = EventBody(write.event, *group_);
  }
  request.may_send = [&fence = fence_] { return fence.holds_lease(); };
  client_.Send(std::move(request), callback_guard_.Guard([this, write = std::move(write),
                                                          tries](const auto& response) mutable {
    OnResponse(std::move(write), tries, response);
  }));
}

void EventWriter::OnResponse(EventWrite write, int tries,
                             const net::HttpResult<net::HttpResponse>& response) {
  const bool stopped = !response && response.error().kind == net::HttpError::Kind::kCancelled;
  if (!response && !stopped && tries < kMaxTries) {
    executor_.After(RetryPause(),
                    callback_guard_.Guard([this, write = std::move(write), tries]() mutable {
                      Send(std::move(write), tries + 1);
                    }));
    return;
  }
  if (response && response->status == 404 && write.patch) {
    write.patch = false;
    return Send(std::move(write), tries);
  }
  EventCounts& counts = *options_.counts;
  // Rejected events are not sent again.
  ++(!response ? counts.dropped : response->ok() ? counts.written : counts.refused);
  if (response && !response->ok()) WarnOfRefusal(*response);
  Finish(NamespaceOf(write.event) + "/" + write.event.name);
}

// A terminating namespace accepts no events, which is not worth a warning.
void EventWriter::WarnOfRefusal(const net::HttpResponse& response) {
  if (response.status == 404 || response.body.contains("NamespaceTerminating")) return;
  const Instant now = executor_.Now();
  if (warned_at_ && now - *warned_at_ < kWarnPeriod) return;
  warned_at_ = now;
  const auto status = client::ReadServerStatus(response.status, response.body,
                                               client::FormOf(response.content_type()));
  warn_(fmt::format("an event could not be written ({} so far): {}",
                    options_.counts->refused.load(), status.message));
}

void EventWriter::Finish(const std::string& name) {
  if (const auto next = held_.find(name); next != held_.end()) {
    EventWrite write = std::move(next->second);
    held_.erase(next);
    return Send(std::move(write), 1);
  }
  under_way_.erase(name);
  Pump();
}

}  // namespace berth::runtime
