// Ledger holds the last attempts to schedule pods, in memory: what was decided, and why.
//
// One thread writes, the engine's; it takes a lock only when a block is full, every few thousand
// attempts. Any thread may read, and delays the writer by no more than a look at the list of
// blocks.
//
// Attempts are rows of bytes in blocks (ledger/block.h). A block holds all texts that its rows
// refer to, and goes as a whole: names that are never seen twice cannot fill the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/attempt.h"

namespace berth::ledger {

class Block;
class BlockWriter;

struct LedgerOptions {
  size_t attempts = 1'000'000;        // The last ones remain: these, and up to a block more.
  size_t memory = size_t{512} << 20;  // Limits the bytes of all blocks; at least kMinLedgerMemory.
};
// With less there would be too few blocks for attempts to leave gradually.
inline constexpr size_t kMinLedgerMemory = size_t{4} << 20;

// Which attempts a reader asks for; empty fields accept all.
struct AttemptFilter {
  std::string namespace_, name;  // Of the pod: both or none.
  std::string node;              // The chosen or nominated one.
  std::optional<Outcome> outcome = {};
  std::string plugin;  // One of Attempt::plugins.
};

struct AttemptPage {
  std::vector<Attempt> attempts;  // Newest first.
  // The query continues with `before` set to this; 0 if there are no older attempts.
  uint64_t next = 0;
};

// LedgerCursor is how far a reader has followed the ledger.
struct LedgerCursor {
  uint64_t sequence = 0;  // Of the last attempt that was read.
  uint64_t bindings = 0;  // How many bindings had ended by then.
};

struct LedgerNews {
  // First those whose binding has ended since they were read, which have the same sequence as then;
  // then the new ones, oldest first.
  std::vector<Attempt> attempts;
  uint64_t lost = 0;  // New attempts that left the ledger before they were read.
  LedgerCursor next;  // To continue with.
};

class Ledger {
 public:
  explicit Ledger(const LedgerOptions& options = {});
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // --- on the engine's thread ---

  // Stores the attempt, cut to the limits in attempt.h, and returns its sequence.
  uint64_t Append(const AttemptView& attempt);
  // The binding of an attempt has ended: the pod is bound, or `failure` says why not. `phases` are
  // those of the binding. Does nothing if the attempt has left the ledger.
  void EndBinding(uint64_t sequence, const Phases& phases,
                  std::optional<std::string_view> failure = {});

  // --- on any thread ---

  // How many attempts one call decodes at most: some milliseconds of work.
  static constexpr size_t kMaxDecoded = 16'384;

  // Returns up to `limit` attempts that `filter` accepts and whose sequence is below `before`,
  // newest first. Stops after kMaxDecoded attempts: a page that is short, even empty, is the last
  // one only if `next` is 0.
  AttemptPage Query(const AttemptFilter& filter, uint64_t before = UINT64_MAX,
                    size_t limit = 500) const;
  // Returns up to `limit` attempts that are new since `cursor`.
  LedgerNews Follow(LedgerCursor cursor, size_t limit) const;
  // The cursor of a reader that has read all attempts up to now, or up to `sequence`.
  LedgerCursor Latest() const;
  LedgerCursor After(uint64_t sequence) const;

  struct Stats {
    uint64_t first = 0, last = 0;  // Sequences; 0 if there are no attempts.
    size_t bytes = 0;
  };
  Stats stats() const;

 private:
  // The last ends of bindings, for readers that follow: enough for a second of them.
  static constexpr size_t kEndedBindings = 16'384;

  std::shared_ptr<Block> FindBlock(uint64_t sequence) const;
  std::optional<Attempt> Read(uint64_t sequence) const;
  void StartBlock();

  const LedgerOptions options_;
  std::unique_ptr<BlockWriter> writer_;        // Of the last block.
  mutable std::mutex mutex_;                   // Guards the members below.
  std::deque<std::shared_ptr<Block>> blocks_;  // Oldest first.
};

}  // namespace berth::ledger
