#include "serve/engine_measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "queue/queue_entry.h"

namespace berth::serve {
namespace {

constexpr std::string_view kResultNames[] = {"scheduled", "unschedulable", "error"};
constexpr std::string_view kQueueNames[] = {"active", "backoff", "unschedulable"};
constexpr std::string_view kHintNames[] = {"Queue", "QueueSkip", "Error"};

size_t IndexOf(auto value) { return static_cast<size_t>(value); }

// The series at `place`, found by its labels the first time. Labels are made only then.
template <typename Series, typename MakeLabels>
Series& Known(Series*& place, net::MetricFamily<Series>& family, MakeLabels&& labels) {
  if (place == nullptr) {
    const auto made = labels();
    const std::vector<std::string_view> views(made.begin(), made.end());
    place = &family.With(views);
  }
  return *place;
}

using Labels = std::vector<std::string>;
std::string Text(auto name) { return std::string(ToString(name)); }

void ForEachSlot(PluginMask plugins, auto&& visit) {
  for (; plugins != 0; plugins &= plugins - 1)
    visit(static_cast<size_t>(std::countr_zero(plugins)));
}

}  // namespace

EngineMeasurements::EngineMeasurements(SchedulerMetrics& metrics, Stopwatch stopwatch)
    : Measurements(stopwatch),
      metrics_(metrics),
      active_(metrics.pending_pods.With({"active"})),
      backoff_(metrics.pending_pods.With({"backoff"})),
      unschedulable_(metrics.pending_pods.With({"unschedulable"})),
      gated_(metrics.pending_pods.With({"gated"})),
      bindings_(metrics.goroutines.With({"binding"})),
      evictions_(metrics.goroutines.With({"DefaultPreemption"})),
      nodes_(metrics.cache_size.With({"nodes"})),
      pods_(metrics.cache_size.With({"pods"})),
      assumed_pods_(metrics.cache_size.With({"assumed_pods"})) {}

EngineMeasurements::~EngineMeasurements() = default;

void EngineMeasurements::Serve(std::span<const Profile* const> profiles) {
  for (const Profile* profile : profiles) {
    auto known = std::make_unique<OfProfile>();
    known->name = profile->scheduler_name();
    known->extender.name = "Extender";
    for (const auto& plugin : profile->plugins()) {
      known->plugins.push_back(std::make_unique<OfPlugin>());
      known->plugins.back()->name = plugin->name();
    }
    profiles_.push_back(std::move(known));
  }
}

EngineMeasurements::OfPlugin* EngineMeasurements::PluginIn(OfProfile& profile, size_t slot) {
  if (slot < profile.plugins.size()) return profile.plugins[slot].get();
  return PluginMask{1} << slot == Rejectors::kExtender ? &profile.extender : nullptr;
}

// --- one pod's way ---

void EngineMeasurements::AttemptEnded(size_t profile, AttemptResult result, Duration took) {
  OfProfile& of = *profiles_[profile];
  const size_t i = IndexOf(result);
  auto labels = [&] { return Labels{std::string(kResultNames[i]), of.name}; };
  Known(of.attempts[i], metrics_.schedule_attempts, labels).IncrementAlone();
  Known(of.attempt_duration[i], metrics_.attempt_duration, labels).ObserveAlone(took.seconds());
}

void EngineMeasurements::AlgorithmEnded(Duration took) {
  metrics_.algorithm_duration.ObserveAlone(took.seconds());
}

void EngineMeasurements::PointEnded(size_t profile, MeasuredPoint point, Code code, Duration took) {
  OfProfile& of = *profiles_[profile];
  Known(of.points[IndexOf(point)][IndexOf(code)], metrics_.point_duration, [&] {
    return Labels{Text(point), Text(code), of.name};
  }).ObserveAlone(took.seconds());
}

void EngineMeasurements::PluginEnded(size_t profile, const Plugin& plugin, MeasuredPoint point,
                                     Code code, Duration took) {
  OfPlugin& of = *profiles_[profile]->plugins[plugin.slot()];
  Known(of.duration[IndexOf(point)][IndexOf(code)], metrics_.plugin_duration, [&] {
    return Labels{of.name, Text(point), Text(code)};
  }).ObserveAlone(took.seconds());
}

void EngineMeasurements::PluginsTookPart(size_t profile, MeasuredPoint point, PluginMask plugins) {
  OfProfile& of = *profiles_[profile];
  ForEachSlot(plugins, [&](size_t slot) {
    OfPlugin& plugin = *of.plugins[slot];
    Known(plugin.evaluations[IndexOf(point)], metrics_.plugin_evaluations, [&] {
      return Labels{plugin.name, Text(point), of.name};
    }).IncrementAlone();
  });
}

void EngineMeasurements::PermitWaited(Code code, Duration waited) {
  Known(permit_wait_[IndexOf(code)], metrics_.permit_wait, [&] {
    return Labels{Text(code)};
  }).ObserveAlone(waited.seconds());
}

void EngineMeasurements::PodBound(uint32_t attempts, Duration since_ready, bool after_flush) {
  metrics_.pod_attempts.ObserveAlone(attempts);
  const size_t label = std::clamp<size_t>(attempts, 1, kAttemptLabels);
  Known(sli_[label - 1], metrics_.sli_duration, [&] {
    return Labels{label == kAttemptLabels ? "15+" : fmt::format("{}", label)};
  }).ObserveAlone(since_ready.seconds());
  if (after_flush) metrics_.scheduled_after_flush.IncrementAlone();
}

// --- preemption ---

void EngineMeasurements::PreemptionTried() { metrics_.preemption_attempts.IncrementAlone(); }

void EngineMeasurements::VictimsChosen(size_t victims) {
  metrics_.preemption_victims.ObserveAlone(static_cast<double>(victims));
}

void EngineMeasurements::EvictionEnded(bool all_went, Duration took) {
  const std::string_view result = all_went ? "success" : "error";
  metrics_.evictions.With({result}).IncrementAlone();
  metrics_.eviction_duration.With({result}).ObserveAlone(took.seconds());
}

// --- the queue ---

void EngineMeasurements::PodQueued(QueueName queue, EventLabel why) {
  Known(incoming_[IndexOf(queue)][why.index()], metrics_.queue_incoming, [&] {
    return Labels{std::string(kQueueNames[IndexOf(queue)]), why.Text()};
  }).IncrementAlone();
}

void EngineMeasurements::RejectionsChanged(size_t profile, PluginMask plugins, int delta) {
  OfProfile& of = *profiles_[profile];
  ForEachSlot(plugins, [&](size_t slot) {
    OfPlugin* plugin = PluginIn(of, slot);
    if (plugin == nullptr) return;  // Nobody's name.
    Known(plugin->unschedulable, metrics_.unschedulable_pods, [&] {
      return Labels{plugin->name, of.name};
    }).AddAlone(delta);
  });
}

void EngineMeasurements::InFlightChanged(EventLabel label, int delta) {
  Known(in_flight_[label.index()], metrics_.inflight_events, [&] {
    return Labels{label.Text()};
  }).AddAlone(delta);
}

void EngineMeasurements::HintGiven(size_t profile, const Plugin& plugin, EventLabel event,
                                   HintOutcome outcome, Duration took) {
  OfPlugin& of = *profiles_[profile]->plugins[plugin.slot()];
  Known(of.hints[event.index()][IndexOf(outcome)], metrics_.hint_duration, [&] {
    return Labels{of.name, event.Text(), std::string(kHintNames[IndexOf(outcome)])};
  }).ObserveAlone(took.seconds());
}

// --- the rest ---

void EngineMeasurements::EventHandled(EventLabel event, Duration took) {
  Known(handling_[event.index()], metrics_.event_handling, [&] {
    return Labels{event.Text()};
  }).ObserveAlone(took.seconds());
}

void EngineMeasurements::SizesAre(const EngineSizes& sizes) {
  auto set = [](net::Gauge& gauge, size_t size) { gauge.Set(static_cast<double>(size)); };
  set(active_, sizes.active);
  set(backoff_, sizes.backoff);
  set(unschedulable_, sizes.unschedulable);
  set(gated_, sizes.gated);
  set(bindings_, sizes.bindings);
  set(evictions_, sizes.evictions);
  set(nodes_, sizes.nodes);
  set(pods_, sizes.pods);
  set(assumed_pods_, sizes.assumed_pods);
}

}  // namespace berth::serve
