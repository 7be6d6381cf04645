#include "inspect/ledger_documents.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/timestamp.h"
#include "base/text.h"
#include "inspect/documents.h"
#include "inspect/queue_snapshot.h"

namespace berth::inspect {
namespace {

using api::JsonArray;
using api::JsonObject;
using ledger::Activity;
using ledger::Outcome;

constexpr size_t kMaxAttempts = 5'000;
constexpr size_t kMaxReasons = 20;
constexpr size_t kMaxRejections = 200;

std::optional<Outcome> ParseOutcome(std::string_view text) {
  for (size_t i = 0; i < ledger::kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    if (ToString(outcome) == text) return outcome;
  }
  return std::nullopt;
}

JsonObject PhasesJson(const ledger::Phases& phases) {
  JsonObject json;
  const auto add = [&](std::string_view name, Duration took) {
    if (took > Duration{}) json.emplace(name, took.seconds());
  };
  add("preFilter", phases.pre_filter);
  add("filter", phases.filter);
  add("postFilter", phases.post_filter);
  add("score", phases.score);
  add("reserve", phases.reserve);
  add("permit", phases.permit);
  add("preBind", phases.pre_bind);
  add("bind", phases.bind);
  return json;
}

JsonArray PodNamesJson(const auto& pods) {
  JsonArray list;
  for (const ledger::PodName& pod : pods) {
    list.emplace_back(PodNameJson(pod.namespace_, pod.name));
  }
  return list;
}

// The decisions that ActivityLog counts, as the API names them.
struct DecisionColumn {
  std::string_view name;
  std::array<std::optional<Outcome>, 2> outcomes;
};
constexpr DecisionColumn kDecisionColumns[] = {
    {"bound", {Outcome::kAssumed, Outcome::kWaiting}},
    {"unschedulable", {Outcome::kUnschedulable}},
    {"nominated", {Outcome::kNominated}},
    {"error", {Outcome::kError}},
};

struct LaneColumn {
  std::string_view name;
  std::array<std::optional<ledger::ApiLane>, 2> lanes;
};
constexpr LaneColumn kLaneColumns[] = {
    {"bind", {ledger::ApiLane::kBind}},
    {"status", {ledger::ApiLane::kStatus, ledger::ApiLane::kNominate}},
    {"event", {ledger::ApiLane::kEvent}},
    {"delete", {ledger::ApiLane::kEvict}},
};

// Sums up the columns of `all` that `which` names, in one step.
uint64_t SumAt(const auto& all, const auto& which, size_t step) {
  uint64_t sum = 0;
  for (const auto& one : which) {
    if (!one) continue;
    const std::vector<uint32_t>& column = all[static_cast<size_t>(*one)];
    if (step < column.size()) sum += column[step];
  }
  return sum;
}

std::array<uint32_t, kQueues> QueuesAt(const Activity& activity, size_t step) {
  const ledger::QueueLengths& at = activity.queues[step];
  const uint32_t waiting = std::min(at.waiting, at.in_flight);
  return {at.active, at.backoff, at.unschedulable, at.gated, at.in_flight - waiting, waiting};
}

// The reasons that are shown one by one, and what the others add up to.
struct Reasons {
  std::vector<const Activity::Reason*> shown;
  std::vector<uint64_t> other;  // Empty if there are none.
};

Reasons ReasonsOf(const Activity& activity) {
  Reasons reasons;
  for (const Activity::Reason& reason : activity.reasons) {
    if (reasons.shown.size() < kMaxReasons && reason.text != "other") {
      reasons.shown.push_back(&reason);
      continue;
    }
    reasons.other.resize(reason.attempts.size());
    for (size_t i = 0; i < reason.attempts.size(); ++i) reasons.other[i] += reason.attempts[i];
  }
  return reasons;
}

JsonArray BoundsJson() {
  JsonArray bounds;
  for (size_t i = 0; i + 1 < ledger::kLatencyBuckets; ++i) {
    bounds.emplace_back(ledger::LatencyBound(i).seconds());
  }
  return bounds;
}

JsonArray NumbersJson(const auto& numbers) { return JsonArray(numbers.begin(), numbers.end()); }

// Calls value(step) for each step.
JsonArray ColumnJson(const Activity& activity, auto&& value) {
  JsonArray column;
  const size_t steps = activity.binds.size();
  column.reserve(steps);
  for (size_t i = 0; i < steps; ++i) column.emplace_back(value(i));
  return column;
}

JsonObject ActivityJson(const Activity& activity) {
  JsonObject json = StartDocument("Activity");
  json.emplace("start", api::FormatMicroTime(activity.start));
  json.emplace("step", activity.step.seconds());
  JsonObject& decisions = json["decisions"].emplace_object();
  for (const DecisionColumn& column : kDecisionColumns) {
    decisions.emplace(column.name, ColumnJson(activity, [&](size_t i) {
                        return SumAt(activity.decisions, column.outcomes, i);
                      }));
  }
  json.emplace("binds", NumbersJson(activity.binds));
  json.emplace("bindFailures", NumbersJson(activity.bind_failures));
  json.emplace("preemptions", NumbersJson(activity.victims));
  json.emplace("latency", JsonObject{{"bounds", BoundsJson()},
                                     {"counts", ColumnJson(activity, [&](size_t i) {
                                        return NumbersJson(activity.attempt_latency[i]);
                                      })}});
  JsonObject& texts = json["reasons"].emplace_object();
  const Reasons reasons = ReasonsOf(activity);
  for (const Activity::Reason* reason : reasons.shown) {
    texts.emplace(reason->text, NumbersJson(reason->attempts));
  }
  if (!reasons.other.empty()) texts.emplace("other", NumbersJson(reasons.other));
  JsonObject& calls = json["apiCalls"].emplace_object();
  for (const LaneColumn& column : kLaneColumns) {
    calls.emplace(column.name, ColumnJson(activity, [&](size_t i) {
                    return SumAt(activity.api_calls, column.lanes, i);
                  }));
  }
  JsonObject& queues = json["queues"].emplace_object();
  for (size_t queue = 0; queue < kQueues; ++queue) {
    queues.emplace(kQueueNames[queue],
                   ColumnJson(activity, [&](size_t i) { return QueuesAt(activity, i)[queue]; }));
  }
  return json;
}

}  // namespace

JsonObject AttemptJson(const ledger::Attempt& attempt) {
  JsonObject json{{"sequence", attempt.sequence}, {"time", api::FormatMicroTime(attempt.time)}};
  json.emplace("namespace", attempt.namespace_);
  json.emplace("name", attempt.name);
  json.emplace("uid", attempt.uid);
  json.emplace("attempt", attempt.number);
  json.emplace("outcome", ToString(attempt.outcome));
  AddText(json, "node", attempt.node);
  AddText(json, "message", attempt.message);
  json.emplace("plugins", TextsJson(attempt.plugins));
  JsonArray& groups = json["groups"].emplace_array();
  for (const ledger::NodeGroup& group : attempt.groups) {
    groups.emplace_back(
        JsonObject{{"plugin", group.plugin}, {"reason", group.reason}, {"nodes", group.nodes}});
  }
  JsonArray& candidates = json["candidates"].emplace_array();
  for (const ledger::Candidate& candidate : attempt.candidates) {
    candidates.emplace_back(JsonObject{{"node", candidate.node}, {"score", candidate.score}});
  }
  json.emplace("victims", PodNamesJson(attempt.victims));
  json.emplace("victimCount", attempt.victim_count);
  // A search finds the best node without counting the others.
  if (attempt.evaluated > 0 || attempt.node.empty()) {
    json.emplace("evaluated", attempt.evaluated);
    json.emplace("feasible", attempt.feasible);
  }
  json.emplace("phases", PhasesJson(attempt.phases));
  if (!attempt.woken_by.event.empty()) {
    JsonObject& woken = json["wokenBy"].emplace_object();
    woken.emplace("event", attempt.woken_by.event);
    AddText(woken, "object", attempt.woken_by.object);
    woken.emplace("time", api::FormatMicroTime(attempt.woken_by.time));
  }
  json.emplace("waitedFor", attempt.waited.seconds());
  if (!attempt.waited_for.empty()) json.emplace("waitedOn", TextsJson(attempt.waited_for));
  return json;
}

Response AttemptListResponse(const History& history, const Request& request) {
  ledger::AttemptFilter filter;
  if (const std::string_view pod = request.Get("pod"); !pod.empty()) {
    const size_t slash = pod.find('/');
    if (slash == pod.npos || slash == 0 || slash + 1 == pod.size()) {
      return Failure(400, "pod: \"" + Shorten(pod) + "\": not namespace/name");
    }
    filter.namespace_ = pod.substr(0, slash);
    filter.name = pod.substr(slash + 1);
  }
  filter.node = request.Get("node");
  filter.plugin = request.Get("plugin");
  if (const std::string_view outcome = request.Get("outcome"); !outcome.empty()) {
    filter.outcome = ParseOutcome(outcome);
    if (!filter.outcome) {
      return Failure(400, "outcome: \"" + Shorten(outcome) + "\": no such outcome");
    }
  }
  const auto before = request.Number("before", UINT64_MAX, UINT64_MAX);
  if (!before) return Failure(400, before.error().message);
  const auto page = ReadPage(request, kMaxAttempts, 0);
  if (!page) return page.error();
  JsonObject json = StartDocument("AttemptList");
  JsonArray items;
  bool complete = true;
  if (history.ledger != nullptr) {
    // The token is the sequence with which the next page begins.
    const uint64_t end = page->first == 0 ? *before : std::min<uint64_t>(*before, page->first);
    const ledger::AttemptPage found = history.ledger->Query(filter, end, page->limit);
    for (const ledger::Attempt& attempt : found.attempts) items.emplace_back(AttemptJson(attempt));
    if (found.next != 0) json.emplace("continue", ContinueToken(0, found.next));
    complete = history.ledger->stats().first <= 1;
  }
  json.emplace("items", std::move(items));
  json.emplace("complete", complete);
  return Document(json);
}

Response ActivityResponse(const History& history, const Request& request, Instant now) {
  constexpr uint64_t kMaxWindow = 900;
  const auto window = request.Number("window", kMaxWindow, kMaxWindow);
  if (!window) return Failure(400, window.error().message);
  const auto step = request.Number("step", 5, kMaxWindow);
  if (!step) return Failure(400, step.error().message);
  Activity activity;
  if (history.activity != nullptr) {
    activity = history.activity->Read(now, Duration::Seconds(static_cast<int64_t>(*window)),
                                      Duration::Seconds(static_cast<int64_t>(*step)));
  } else {
    activity.start = now;
    activity.step = Duration::Seconds(static_cast<int64_t>(*step));
  }
  return Document(ActivityJson(activity));
}

JsonObject ActivityStepJson(const Activity& activity, size_t step) {
  JsonObject json{
      {"time", api::FormatMicroTime(activity.start + activity.step * static_cast<int64_t>(step))}};
  JsonObject& decisions = json["decisions"].emplace_object();
  for (const DecisionColumn& column : kDecisionColumns) {
    decisions.emplace(column.name, SumAt(activity.decisions, column.outcomes, step));
  }
  json.emplace("binds", activity.binds[step]);
  json.emplace("bindFailures", activity.bind_failures[step]);
  json.emplace("preemptions", activity.victims[step]);
  json.emplace("latency", NumbersJson(activity.attempt_latency[step]));
  JsonObject& texts = json["reasons"].emplace_object();
  const Reasons reasons = ReasonsOf(activity);
  for (const Activity::Reason* reason : reasons.shown) {
    if (reason->attempts[step] != 0) texts.emplace(reason->text, reason->attempts[step]);
  }
  if (!reasons.other.empty()) texts.emplace("other", reasons.other[step]);
  JsonObject& calls = json["apiCalls"].emplace_object();
  for (const LaneColumn& column : kLaneColumns) {
    calls.emplace(column.name, SumAt(activity.api_calls, column.lanes, step));
  }
  JsonObject& queues = json["queues"].emplace_object();
  for (size_t queue = 0; queue < kQueues; ++queue) {
    queues.emplace(kQueueNames[queue], QueuesAt(activity, step)[queue]);
  }
  return json;
}

JsonArray RejectionsJson(const ledger::NodeRejections::Report& report) {
  JsonArray list;
  for (const ledger::Rejection& rejection : report.rejections) {
    if (list.size() >= kMaxRejections) break;
    list.emplace_back(JsonObject{{"plugin", rejection.plugin},
                                 {"reason", rejection.reason},
                                 {"count", rejection.attempts},
                                 {"last", api::FormatMicroTime(rejection.last)},
                                 {"examples", PodNamesJson(rejection.examples)}});
  }
  return list;
}

}  // namespace berth::inspect
