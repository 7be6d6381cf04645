// HeldJournal is a journal in memory for tests: what is appended becomes durable when the test says
// so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/journal.h"

namespace berth::store {

class HeldJournal final : public Journal {
 public:
  // What the journal was told; outlives it.
  struct Notes {
    std::vector<JournalEntry> appended;
    std::vector<Compaction> compactions;
    std::function<void(Result<Version>)> durable;
    Version reserved = 1'000'000;
    Recovered recovered;
  };
  explicit HeldJournal(std::shared_ptr<Notes> notes) : notes_(std::move(notes)) {}

  Result<Recovered> Recover() override { return notes_->recovered; }
  Status Replay(const std::function<Status(const JournalEntry&)>& entry) override {
    for (const JournalEntry& kept : notes_->appended) {
      if (const Status taken = entry(kept); !taken) return taken;
    }
    return {};
  }
  Status Start(Version, std::function<void(Result<Version>)> durable) override {
    notes_->durable = std::move(durable);
    return {};
  }
  Version reserved() const override { return notes_->reserved; }
  void Append(JournalEntry entry) override { notes_->appended.push_back(std::move(entry)); }
  void Compact(Compaction compaction) override {
    notes_->compactions.push_back(std::move(compaction));
  }
  const std::string& name() const override { return name_; }

 private:
  std::shared_ptr<Notes> notes_;
  std::string name_ = "the held journal";
};

}  // namespace berth::store
