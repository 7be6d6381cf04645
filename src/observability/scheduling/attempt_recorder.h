// AttemptRecorder writes what the engine reports to a ledger: the attempts, who was rejected on
// which node, and the activity over time.
//
// Its owner runs the engine. Written on the engine's thread; the three parts may be read on any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/activity.h"
#include "ledger/ledger.h"
#include "ledger/node_rejections.h"
#include "scheduler/engine/attempt_report.h"

namespace berth::observability::scheduling {

class AttemptRecorder final : public scheduler::engine::AttemptObserver {
 public:
  // An eighth of the memory is for NodeRejections.
  explicit AttemptRecorder(const ledger::LedgerOptions& options = {});

  const ledger::Ledger& ledger() const { return ledger_; }
  const ledger::NodeRejections& rejections() const { return rejections_; }
  const ledger::ActivityLog& activity() const { return activity_; }

  uint64_t OnAttempt(const scheduler::engine::AttemptReport& report) override;
  void OnBindingEnd(const scheduler::engine::BindingReport& report) override;
  void OnSizes(const Now& now, const scheduler::framework::EngineSizes& sizes) override;
  void OnCommand(const Now& now, scheduler::framework::WriteLane lane) override;

 private:
  // What attempts have in common that are copies of each other (ledger::AttemptCopyView).
  struct Common {
    uint64_t failure = 0;  // Its id; 0 if there can be no copy.
    scheduler::engine::AttemptReport::Outcome outcome = {};
    const scheduler::framework::Profile* profile = nullptr;
    scheduler::framework::PluginMask rejectors = 0;
    size_t evaluated = 0, feasible = 0;
    scheduler::framework::EventLabel event =
        scheduler::framework::EventLabel::kScheduleAttemptFailure;
    std::shared_ptr<const std::string> object;
  };
  bool IsCopy(const scheduler::engine::AttemptReport& report) const;
  void SetCommon(const scheduler::engine::AttemptReport& report);
  uint64_t AppendCopy(const scheduler::engine::AttemptReport& report);

  std::string_view TextOf(scheduler::framework::EventLabel event);
  // These fill the buffers below.
  ledger::FailureView Failure(const scheduler::engine::AttemptReport& report);
  void NameCandidates(const scheduler::engine::AttemptReport& report);
  void NameVictims(const scheduler::engine::AttemptReport& report);
  void NameRejectors(const scheduler::engine::AttemptReport& report);

  void CountRejections(const scheduler::engine::AttemptReport& report);
  // Prepares `reasons_`.
  void NumberReasons(Instant now, const scheduler::engine::FailureAccount& failure);
  void CountReasons();

  ledger::Ledger ledger_;
  ledger::NodeRejections rejections_;
  ledger::ActivityLog activity_;

  std::array<std::string, scheduler::framework::EventLabel::kCount> event_texts_;  // Once used.
  // Buffers of one attempt. Those about a failure, and what the pod waited for, are filled again
  // only if they differ from those of the last: most pods that fail are copies.
  std::vector<std::string_view> plugins_, waited_for_;
  std::vector<ledger::BasicNodeGroup<std::string_view>> groups_;
  std::vector<ledger::BasicCandidate<std::string_view>> candidates_;
  std::vector<ledger::BasicPodName<std::string_view>> victims_;
  const scheduler::engine::FailureAccount* failure_ = nullptr;  // In the buffers, with its id.
  uint64_t failure_id_ = 0;
  const scheduler::framework::Profile* waited_profile_ = nullptr;  // Of `waited_for_`.
  scheduler::framework::PluginMask waited_mask_ = 0;
  uint64_t waited_id_ = 0;  // Another for each list.
  Common common_;           // Of the last attempt.
  // The reasons of the last failure, and how many attempts they are not counted for yet.
  uint64_t reasons_of_ = 0, reasons_version_ = 0;
  std::vector<uint8_t> reasons_;
  Instant uncounted_at_;
  size_t uncounted_ = 0;
};

}  // namespace berth::observability::scheduling
