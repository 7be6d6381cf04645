// Block holds up to two thousand consecutive attempts of a ledger as rows of bytes, with all texts
// that they refer to. BlockWriter fills it.
//
// One thread writes. A row that counts never changes, so other threads read it without a lock; what
// becomes known later, about the binding, is in atomic numbers beside it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/attempt.h"

namespace berth::ledger {

// A text in a block: the offset of its size, which its bytes follow.
using TextOffset = uint32_t;
inline constexpr TextOffset kEmptyText = 0;

// The message of a binding that failed. It is in the block that was the newest then, which remains
// longer than the attempt's.
struct LateMessage {
  uint32_t block = 0;  // Its number; 0 if there is no message.
  TextOffset text = kEmptyText;
};

class Block {
 public:
  // A row of a pod that was bound takes some 220 bytes. The largest possible row fits.
  static constexpr size_t kBytes = size_t{384} << 10;
  static constexpr size_t kRows = 2048;

  // `number` starts at 1 and is one higher than that of the block before.
  Block(uint32_t number, uint64_t first_sequence);

  uint32_t number() const { return number_; }
  uint64_t first_sequence() const { return first_sequence_; }
  // How many rows can be read.
  uint32_t rows() const { return rows_.load(std::memory_order_acquire); }
  // One more than the sequence of the last row.
  uint64_t end_sequence() const { return first_sequence_ + rows(); }

  // What queries compare before they decode a row: hashes of the names of the pod and the node, and
  // the outcome.
  struct Key {
    uint32_t name = 0, node = 0;
    Outcome outcome = Outcome::kAssumed;
  };
  Key KeyOf(uint32_t row) const;
  // Of the end of the name, where most differ: equal hashes only cost the comparison of names.
  static uint32_t Hash(std::string_view name) {
    uint64_t end = 0;
    if (name.size() >= sizeof(end)) {
      std::memcpy(&end, name.data() + name.size() - sizeof(end), sizeof(end));
    } else if (!name.empty()) {
      std::memcpy(&end, name.data(), name.size());
    }
    return static_cast<uint32_t>((end ^ name.size()) * 0x9e37'79b9'7f4a'7c15 >> 32);
  }

  // Reports whether the attempt is one of this pod, chose or was nominated this node, and was
  // rejected by this plugin. Empty names are not compared.
  bool Matches(uint32_t row, std::string_view namespace_, std::string_view name,
               std::string_view node, std::string_view plugin) const;
  // Returns the attempt. Its message is empty if `late` says where it is.
  Attempt Read(uint32_t row, LateMessage& late) const;
  std::string_view Text(TextOffset offset) const;

  // On the writing thread: the binding has ended.
  void EndBinding(uint32_t row, const Phases& phases, Outcome outcome, LateMessage message);

 private:
  friend class BlockWriter;

  struct Slot {
    uint32_t offset = 0;                                       // Of the row's bytes.
    uint32_t name = 0, node = 0;                               // As in Key.
    std::atomic<uint32_t> permit = 0, pre_bind = 0, bind = 0;  // Microseconds.
    std::atomic<uint32_t> late_block = 0;
    std::atomic<uint32_t> state = 0;  // The late text's offset and the outcome; written last.
  };
  static uint32_t StateOf(TextOffset text, Outcome outcome) {
    return text << kOutcomeBits | static_cast<uint32_t>(outcome);
  }
  static Outcome OutcomeIn(uint32_t state) {
    return static_cast<Outcome>(state & ((1 << kOutcomeBits) - 1));
  }
  static constexpr uint32_t kOutcomeBits = 3;
  static_assert(kOutcomes <= 1 << kOutcomeBits && kBytes <= UINT32_MAX >> kOutcomeBits);

  const uint32_t number_;
  const uint64_t first_sequence_;
  std::atomic<uint32_t> rows_ = 0;
  std::array<Slot, kRows> slots_;
  std::array<char, kBytes> bytes_;  // Not initialized; only what was written is read.
};

// BlockWriter appends attempts to one block after the other.
//
// Texts that repeat are written once per block. The table that finds them again has a fixed size
// and gives up after a few probes: chosen names can make rows longer, but not slow.
class BlockWriter {
 public:
  // `block` must be new, and live until the next Start.
  void Start(Block& block);
  // Returns false if the block is full; into a new one every attempt fits. Texts are cut to the
  // limits in attempt.h.
  bool Append(const AttemptView& attempt);
  // Appends a copy of the last row. Returns false if there is none, if its namespace is another
  // one, or if the block is full.
  bool AppendCopy(const AttemptCopyView& copy);
  // Writes a message, and returns its offset; nothing if the block is full.
  std::optional<TextOffset> AppendMessage(std::string_view message);

 private:
  static constexpr size_t kTableSize = 4096;
  static constexpr size_t kMaxProbes = 8;

  struct Entry {
    uint32_t hash = 0;
    TextOffset text = kEmptyText;  // Empty if the entry is free.
  };

  // The texts of a row that are written once per block.
  struct Texts {
    TextOffset namespace_ = kEmptyText, scheduler_name = kEmptyText, failure = kEmptyText,
               waited_for = kEmptyText, event = kEmptyText, object = kEmptyText;
  };

  // Returns null, then and from then on, if the block is full.
  char* Reserve(size_t bytes);
  // Returns the offset of the text, which is written unless it is found.
  TextOffset Intern(std::string_view text);
  // The same, if `last`, the text of that field in the last row, is another one.
  void InternField(std::string_view text, size_t limit, TextOffset& last);
  void InternFailure(const AttemptView& attempt);
  void InternWaitedFor(const AttemptView& attempt);
  void WriteRow(const AttemptView& attempt);

  Block* block_ = nullptr;
  size_t used_ = 0;    // Of the block's bytes.
  bool full_ = false;  // A row or text did not fit.
  Texts texts_;        // Of the last row.
  uint64_t last_failure_id_ = 0;
  TextOffset last_failure_ = kEmptyText;
  uint64_t last_waited_for_id_ = 0;
  TextOffset last_waited_for_ = kEmptyText;
  std::string scratch_;  // A failure or a list before it is interned.
  std::array<Entry, kTableSize> table_;
};

}  // namespace berth::ledger
