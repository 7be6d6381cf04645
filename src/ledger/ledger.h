// Ledger holds the last attempts to schedule pods, in memory: what was decided, and why.
//
// One thread writes, the engine's; it takes a lock only when a block is full, every few thousand
// attempts. Any thread may read, and delays the writer by no more than a look at the list of
// blocks.
//
// Attempts are rows of bytes in blocks (ledger/block.h). A block holds all texts that its rows
// refer to, and goes as a whole: names that are never seen twice cannot fill the memory.
#pragma once

#include <array>
#include <atomic>
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
struct LateMessage;

struct LedgerOptions {
  // Reports whether attempts are kept at all.
  bool on() const { return attempts > 0 && memory > 0; }

  size_t attempts = 1'000'000;        // The last ones remain: these, and up to two blocks more.
  size_t memory = size_t{512} << 20;  // Limits the bytes of all blocks; at least kMinLedgerMemory.
};
// With less there would be too few blocks for attempts to leave gradually.
inline constexpr size_t kMinLedgerMemory = size_t{8} << 20;

// Which attempts a reader asks for; empty fields accept all.
struct AttemptFilter {
  std::string namespace_ = {}, name = {};  // Of the pod: both or none.
  std::string node = {};                   // The chosen or nominated one.
  std::optional<Outcome> outcome = {};
  std::string plugin = {};  // One of Attempt::plugins.
};

struct AttemptPage {
  std::vector<Attempt> attempts;  // Newest first.
  // The query continues with `before` set to this; 0 if there are no older attempts.
  uint64_t next = 0;
};

// LedgerCursor is how far a reader has followed the ledger: two numbers, that it may write down.
// That of a scheduler which has ended starts over.
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
  // Stores a copy of the attempt that was appended last, which must have failed without a node,
  // candidates and victims. Returns its sequence, or 0 if it must be appended as a whole.
  uint64_t AppendCopy(const AttemptCopyView& copy);
  // The binding of an attempt has ended: the pod is bound, or `failure` says why not. `phases` are
  // those of the binding. Does nothing if the attempt has left the ledger.
  void EndBinding(uint64_t sequence, const Phases& phases,
                  std::optional<std::string_view> failure = {});

  // --- on any thread ---

  // How many attempts one call compares with a filter of plugins at most, and returns at most: some
  // milliseconds of work.
  static constexpr size_t kMaxDecoded = 16'384;

  // Returns up to `limit` attempts that `filter` accepts and whose sequence is below `before`,
  // newest first. The work and the size of a page are limited: one that is short, or even empty, is
  // the last one only if `next` is 0.
  AttemptPage Query(const AttemptFilter& filter, uint64_t before = UINT64_MAX,
                    size_t limit = 500) const;
  // How many ends of bindings a follower can be behind: those of a tenth of a second at full speed.
  // It misses those before.
  static constexpr uint64_t kEndedBindings = 16'384;
  // Returns up to `limit` attempts that are new since `cursor`.
  LedgerNews Follow(LedgerCursor cursor, size_t limit) const;
  // The cursor of a reader that has read all attempts up to now, or up to `sequence`. One that
  // queries, too, takes the cursor first: it misses the end of no binding then.
  LedgerCursor Latest() const;
  LedgerCursor After(uint64_t sequence) const;

  struct Stats {
    uint64_t first = 0, last = 0;  // Sequences; 0 if there are no attempts.
    size_t bytes = 0;
  };
  Stats stats() const;

 private:
  // Of the attempts of one page; texts from users can make one attempt large.
  static constexpr size_t kMaxPageBytes = size_t{8} << 20;
  // How many attempts one call looks at: 32 bytes each.
  static constexpr size_t kMaxScanned = size_t{1} << 20;

  // On the engine's thread. Adds a block, and removes the oldest.
  void StartBlock();
  // Removes the oldest blocks, so that one can be added.
  void MakeRoom();
  // Writes the message to the last block, or to a new one.
  LateMessage WriteMessage(std::string_view message);

  // Return null if no block has the attempt, or the number.
  std::shared_ptr<Block> FindBlock(uint64_t sequence) const;
  std::shared_ptr<Block> FindNumber(uint32_t number) const;
  Attempt Read(const Block& block, uint32_t row) const;

  const size_t max_attempts_, max_blocks_;
  // Of the engine's thread.
  std::unique_ptr<BlockWriter> writer_;  // Of the last block.
  uint64_t next_sequence_ = 1;
  // The attempts whose bindings ended last, by how many had ended before, modulo kEndedBindings.
  std::unique_ptr<std::array<std::atomic<uint64_t>, kEndedBindings>> ended_;
  std::atomic<uint64_t> ended_count_ = 0;

  mutable std::mutex mutex_;
  // Changed by the engine's thread, which therefore reads it without the mutex. Oldest first.
  std::deque<std::shared_ptr<Block>> blocks_;
};

}  // namespace berth::ledger
