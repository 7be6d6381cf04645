#include "observability/scheduling/attempt_recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "scheduler/framework/extender.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"

namespace berth::observability::scheduling {
namespace {

using scheduler::engine::AttemptReport;
using scheduler::engine::BindingReport;
using scheduler::engine::FailureAccount;
using scheduler::framework::AttemptMeter;
using scheduler::framework::Diagnosis;
using scheduler::framework::EngineSizes;
using scheduler::framework::EventLabel;
using scheduler::framework::Phase;
using scheduler::framework::PluginMask;
using scheduler::framework::Verdict;
using scheduler::framework::VerdictTable;
using scheduler::framework::WriteLane;
using scheduler::queue::Rejectors;

constexpr size_t kRejectionsShare = 8;  // Of the memory, one part.

// What is left for attempts.
ledger::LedgerOptions Remaining(ledger::LedgerOptions options) {
  options.memory = std::max(options.memory, ledger::kMinLedgerMemory);
  options.memory -= options.memory / kRejectionsShare + ledger::ActivityLog::MaxBytes();
  return options;
}

ledger::Outcome OutcomeOf(AttemptReport::Outcome outcome) {
  switch (outcome) {
    case AttemptReport::Outcome::kAssumed:
      return ledger::Outcome::kAssumed;
    case AttemptReport::Outcome::kWaiting:
      return ledger::Outcome::kWaiting;
    case AttemptReport::Outcome::kUnschedulable:
      return ledger::Outcome::kUnschedulable;
    case AttemptReport::Outcome::kNominated:
      return ledger::Outcome::kNominated;
    case AttemptReport::Outcome::kError:
      break;
  }
  return ledger::Outcome::kError;
}

ledger::ApiLane LaneOf(WriteLane lane) {
  switch (lane) {
    case WriteLane::kBind:
      return ledger::ApiLane::kBind;
    case WriteLane::kNominate:
      return ledger::ApiLane::kNominate;
    case WriteLane::kEvict:
      return ledger::ApiLane::kEvict;
    case WriteLane::kStatus:
      return ledger::ApiLane::kStatus;
    case WriteLane::kEvent:
      break;
  }
  return ledger::ApiLane::kEvent;
}

ledger::Phases PhasesOf(const AttemptMeter& meter) {
  return {.pre_filter = meter.took(Phase::kPreFilter),
          .filter = meter.took(Phase::kFilter),
          .post_filter = meter.took(Phase::kPostFilter),
          .score = meter.took(Phase::kScore),
          .reserve = meter.took(Phase::kReserve),
          .permit = meter.took(Phase::kPermit),
          .pre_bind = meter.took(Phase::kPreBind),
          .bind = meter.took(Phase::kBind)};
}

ledger::NodeVerdicts::Verdict Copy(const Verdict& verdict) {
  return {verdict.plugin(), verdict.reasons()};
}

// Users can give each node a taint of its own, and so a verdict: those beyond a number are left
// out.
ledger::NodeVerdicts VerdictsOf(const Diagnosis& diagnosis, uint64_t next_serial) {
  constexpr size_t kMaxVerdicts = 1024;
  const VerdictTable& table = diagnosis.verdicts();
  ledger::NodeVerdicts verdicts;
  verdicts.next_serial = next_serial;
  for (size_t i = 0; i < std::min(table.size(), kMaxVerdicts); ++i)
    verdicts.verdicts.push_back(Copy(table[static_cast<VerdictTable::Number>(i)]));
  if (table.size() <= kMaxVerdicts) verdicts.absent = Copy(diagnosis.absent);
  const auto by_row = diagnosis.by_row();
  verdicts.by_row.resize(by_row.size());
  std::ranges::transform(by_row, verdicts.by_row.begin(), [](VerdictTable::Number number) {
    return number < kMaxVerdicts ? static_cast<uint16_t>(number) : ledger::NodeVerdicts::kNone;
  });
  return verdicts;
}

uint32_t Narrow(size_t number) {
  return static_cast<uint32_t>(std::min<size_t>(number, UINT32_MAX));
}

}  // namespace

AttemptRecorder::AttemptRecorder(const ledger::LedgerOptions& options)
    : ledger_(Remaining(options)), rejections_(options.memory / kRejectionsShare) {}

uint64_t AttemptRecorder::OnAttempt(const AttemptReport& report) {
  if (IsCopy(report)) {
    if (const uint64_t sequence = AppendCopy(report)) return sequence;
  }
  SetCommon(report);
  const api::ObjectMeta& pod = report.pod.object->metadata;
  const scheduler::queue::QueueEntry& entry = report.entry;
  NameCandidates(report);
  NameVictims(report);
  NameRejectors(report);
  const std::string* object = entry.woken_by.object.get();
  const ledger::AttemptView attempt{
      .time = report.now.wall,
      .scheduler_name = report.profile.scheduler_name(),
      .namespace_ = pod.namespace_,
      .name = pod.name,
      .uid = pod.uid,
      .number = entry.attempts,
      .outcome = OutcomeOf(report.outcome),
      .node = report.node,
      .failure = Failure(report),
      .failure_id = report.failure == nullptr ? 0 : report.failure->id,
      .candidates = candidates_,
      .victims = victims_,
      .evaluated = Narrow(report.evaluated),
      .feasible = Narrow(report.feasible),
      .phases = PhasesOf(report.meter),
      .woken_by = {.event = TextOf(entry.woken_by.event),
                   .object = object == nullptr ? std::string_view() : *object,
                   .time = report.now.wall - (report.now.steady - entry.woken_by.time)},
      .waited_for = waited_for_,
      .waited_for_id = waited_id_,
      .waited = report.now.steady - entry.order.timestamp};
  activity_.CountDecision(report.now.wall, attempt.outcome, report.meter.so_far(),
                          report.victims.size());
  if (report.failure != nullptr) {
    CountRejections(report);
    CountReasons();
    NumberReasons(report.now.wall, *report.failure);
    uncounted_at_ = report.now.wall;
    uncounted_ = 1;
  }
  return ledger_.Append(attempt);
}

bool AttemptRecorder::IsCopy(const AttemptReport& report) const {
  const scheduler::queue::QueueEntry& entry = report.entry;
  return report.failure != nullptr && report.failure->id == common_.failure &&
         report.diagnosis == nullptr && report.node.empty() && report.candidates.empty() &&
         report.victims.empty() && report.outcome == common_.outcome &&
         &report.profile == common_.profile && entry.rejectors.all() == common_.rejectors &&
         report.evaluated == common_.evaluated && report.feasible == common_.feasible &&
         entry.woken_by.event == common_.event && entry.woken_by.object == common_.object;
}

void AttemptRecorder::SetCommon(const AttemptReport& report) {
  const bool can_be_copied = report.failure != nullptr && report.node.empty() &&
                             report.candidates.empty() && report.victims.empty();
  common_.failure = can_be_copied ? report.failure->id : 0;
  if (common_.failure == 0) return;
  common_ = {.failure = common_.failure,
             .outcome = report.outcome,
             .profile = &report.profile,
             .rejectors = report.entry.rejectors.all(),
             .evaluated = report.evaluated,
             .feasible = report.feasible,
             .event = report.entry.woken_by.event,
             .object = report.entry.woken_by.object};
}

// Returns 0 if the attempt must be appended as a whole.
uint64_t AttemptRecorder::AppendCopy(const AttemptReport& report) {
  const api::ObjectMeta& pod = report.pod.object->metadata;
  const scheduler::queue::QueueEntry& entry = report.entry;
  const uint64_t sequence =
      ledger_.AppendCopy({.time = report.now.wall,
                          .namespace_ = pod.namespace_,
                          .name = pod.name,
                          .uid = pod.uid,
                          .number = entry.attempts,
                          .phases = PhasesOf(report.meter),
                          .woken = report.now.wall - (report.now.steady - entry.woken_by.time),
                          .waited = report.now.steady - entry.order.timestamp});
  if (sequence == 0) return 0;
  activity_.CountDecision(report.now.wall, OutcomeOf(report.outcome), report.meter.so_far(), 0);
  rejections_.Count(report.failure->id, report.now.wall, {pod.namespace_, pod.name});
  if (uncounted_at_ != report.now.wall) {
    CountReasons();
    NumberReasons(report.now.wall, *report.failure);
    uncounted_at_ = report.now.wall;
  }
  ++uncounted_;
  return sequence;
}

void AttemptRecorder::OnBindingEnd(const BindingReport& report) {
  ledger_.EndBinding(report.attempt, PhasesOf(report.meter),
                     report.bound ? std::nullopt : std::optional(report.message));
  activity_.CountBinding(report.now.wall, report.bound, report.since_ready);
}

void AttemptRecorder::OnSizes(const Now& now, const EngineSizes& sizes) {
  rejections_.Publish();
  CountReasons();
  activity_.SetQueues(now.wall, {.active = Narrow(sizes.active),
                                 .backoff = Narrow(sizes.backoff),
                                 .unschedulable = Narrow(sizes.unschedulable),
                                 .gated = Narrow(sizes.gated),
                                 .in_flight = Narrow(sizes.bindings),
                                 .waiting = Narrow(sizes.waiting)});
}

void AttemptRecorder::OnCommand(const Now& now, WriteLane lane) {
  activity_.CountCalls(now.wall, LaneOf(lane), 1);
}

std::string_view AttemptRecorder::TextOf(EventLabel event) {
  std::string& text = event_texts_[event.index()];
  if (text.empty()) text = event.Text();
  return text;
}

ledger::FailureView AttemptRecorder::Failure(const AttemptReport& report) {
  const uint64_t id = report.failure == nullptr ? 0 : report.failure->id;
  if (report.failure == failure_ && id == failure_id_) return {report.message, plugins_, groups_};
  failure_ = report.failure;
  failure_id_ = id;
  plugins_.clear();
  groups_.clear();
  if (report.failure != nullptr) {
    plugins_.assign(report.failure->plugins.begin(), report.failure->plugins.end());
    for (const FailureAccount::Group& group : report.failure->groups)
      groups_.push_back({group.plugin, group.reason, Narrow(group.nodes)});
  }
  return {report.message, plugins_, groups_};
}

void AttemptRecorder::NameCandidates(const AttemptReport& report) {
  candidates_.clear();
  for (const scheduler::framework::ScoredNode& candidate : report.candidates)
    candidates_.push_back({report.cluster.nodes().name(candidate.node), candidate.score});
}

void AttemptRecorder::NameVictims(const AttemptReport& report) {
  victims_.clear();
  for (const api::ObjectKey& victim : report.victims)
    victims_.push_back({victim.namespace_, victim.name});
}

void AttemptRecorder::NameRejectors(const AttemptReport& report) {
  const PluginMask rejectors = report.entry.rejectors.all();
  if (rejectors == waited_mask_ && (rejectors == 0 || &report.profile == waited_profile_)) return;
  waited_mask_ = rejectors;
  waited_profile_ = &report.profile;
  ++waited_id_;
  waited_for_.clear();
  if (rejectors == 0) return;
  for (const auto& plugin : report.profile.plugins()) {
    if ((rejectors >> plugin->slot()) & 1) waited_for_.push_back(plugin->name());
  }
  if ((rejectors & Rejectors::kExtender) != 0)
    waited_for_.push_back(scheduler::framework::kExtenderPlugin);
  std::ranges::sort(waited_for_);
}

void AttemptRecorder::CountRejections(const AttemptReport& report) {
  const uint64_t failure = report.failure->id;
  if (report.diagnosis != nullptr) {
    rejections_.Add(failure, VerdictsOf(*report.diagnosis, report.cluster.nodes().next_serial()));
  }
  const api::ObjectMeta& pod = report.pod.object->metadata;
  rejections_.Count(failure, report.now.wall, {pod.namespace_, pod.name});
}

void AttemptRecorder::NumberReasons(Instant now, const FailureAccount& failure) {
  if (failure.id == reasons_of_ && activity_.reasons_version() == reasons_version_) return;
  reasons_.clear();
  for (const FailureAccount::Group& group : failure.groups)
    reasons_.push_back(activity_.ReasonNumber(now, group.plugin, group.reason));
  // Several may count as "other".
  std::ranges::sort(reasons_);
  reasons_.erase(std::ranges::unique(reasons_).begin(), reasons_.end());
  reasons_of_ = failure.id;
  reasons_version_ = activity_.reasons_version();
}

void AttemptRecorder::CountReasons() {
  if (uncounted_ == 0) return;
  for (uint8_t reason : reasons_) activity_.CountReason(uncounted_at_, reason, uncounted_);
  uncounted_ = 0;
}

}  // namespace berth::observability::scheduling
