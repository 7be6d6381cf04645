#include "ledger/ledger.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "ledger/block.h"

namespace berth::ledger {
namespace {

// Of a block, with what an allocator and the list of blocks add.
constexpr size_t kBlockBytes = sizeof(Block) + 64;
// Of everything else: the writer, with its buffer for a failure, and the bindings that ended.
constexpr size_t kFixedBytes = sizeof(BlockWriter) + Block::kBytes + Ledger::kEndedBindings * 8;

size_t BytesOf(const Attempt& attempt) {
  size_t bytes = sizeof(Attempt) + attempt.message.size();
  for (const std::string& plugin : attempt.plugins) bytes += sizeof(plugin) + plugin.size();
  for (const NodeGroup& group : attempt.groups)
    bytes += sizeof(group) + group.plugin.size() + group.reason.size();
  bytes += attempt.victims.size() * sizeof(PodName);
  for (const PodName& victim : attempt.victims)
    bytes += victim.namespace_.size() + victim.name.size();
  for (const Candidate& candidate : attempt.candidates)
    bytes += sizeof(candidate) + candidate.node.size();
  for (const std::string& plugin : attempt.waited_for) bytes += sizeof(plugin) + plugin.size();
  return bytes;
}

size_t MaxBlocks(size_t memory) {
  constexpr size_t kFewest = 2;
  return memory < kFixedBytes ? kFewest : std::max((memory - kFixedBytes) / kBlockBytes, kFewest);
}

// CompiledFilter compares keys first, and decodes a row only if they are equal.
class CompiledFilter {
 public:
  explicit CompiledFilter(const AttemptFilter& filter)
      : filter_(filter), name_(Block::Hash(filter.name)), node_(Block::Hash(filter.node)) {}

  bool KeyMatches(const Block::Key& key) const {
    return (filter_.name.empty() || key.name == name_) &&
           (filter_.node.empty() || key.node == node_) &&
           (!filter_.outcome || key.outcome == *filter_.outcome);
  }
  bool RowMatches(const Block& block, uint32_t row) const {
    return block.Matches(row, filter_.namespace_, filter_.name, filter_.node, filter_.plugin);
  }

 private:
  const AttemptFilter& filter_;
  const uint32_t name_, node_;
};

}  // namespace

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAssumed:
      return "assumed";
    case Outcome::kWaiting:
      return "waiting";
    case Outcome::kBound:
      return "bound";
    case Outcome::kUnschedulable:
      return "unschedulable";
    case Outcome::kNominated:
      return "nominated";
    case Outcome::kError:
      return "error";
  }
  return "unknown";
}

Ledger::Ledger(const LedgerOptions& options)
    : max_attempts_(options.attempts),
      max_blocks_(MaxBlocks(options.memory)),
      writer_(std::make_unique<BlockWriter>()),
      ended_(std::make_unique<std::array<std::atomic<uint64_t>, kEndedBindings>>()) {}

Ledger::~Ledger() = default;

// --- on the engine's thread ---

uint64_t Ledger::Append(const AttemptView& attempt) {
  if (blocks_.empty() || !writer_->Append(attempt)) {
    StartBlock();
    CHECK(writer_->Append(attempt));
  }
  return next_sequence_++;
}

uint64_t Ledger::AppendCopy(const AttemptCopyView& copy) {
  return !blocks_.empty() && writer_->AppendCopy(copy) ? next_sequence_++ : 0;
}

void Ledger::StartBlock() {
  const uint32_t number = blocks_.empty() ? 1 : blocks_.back()->number() + 1;
  MakeRoom();
  auto block = std::make_shared<Block>(number, next_sequence_);
  writer_->Start(*block);
  const std::lock_guard lock(mutex_);
  blocks_.push_back(std::move(block));
}

void Ledger::MakeRoom() {
  const auto is_too_old = [&] {
    return blocks_.size() > 1 && next_sequence_ - blocks_[1]->first_sequence() >= max_attempts_;
  };
  std::vector<std::shared_ptr<Block>> removed;  // Destroyed without the mutex.
  const std::lock_guard lock(mutex_);
  while (blocks_.size() >= max_blocks_ || is_too_old()) {
    removed.push_back(std::move(blocks_.front()));
    blocks_.pop_front();
  }
}

void Ledger::EndBinding(uint64_t sequence, const Phases& phases,
                        std::optional<std::string_view> failure) {
  // Most bindings end soon.
  const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const auto& block) {
    return block->first_sequence() <= sequence;
  });
  if (found == blocks_.rend() || sequence >= (*found)->end_sequence()) return;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a new one may remove it.
  const std::shared_ptr<Block> block = *found;
  LateMessage message;
  if (failure) message = WriteMessage(*failure);
  block->EndBinding(static_cast<uint32_t>(sequence - block->first_sequence()), phases,
                    failure ? Outcome::kError : Outcome::kBound, message);
  const uint64_t count = ended_count_.load(std::memory_order_relaxed);
  (*ended_)[count % kEndedBindings].store(sequence, std::memory_order_relaxed);
  ended_count_.store(count + 1, std::memory_order_release);
}

LateMessage Ledger::WriteMessage(std::string_view message) {
  std::optional<TextOffset> text = writer_->AppendMessage(message);
  if (!text) {
    StartBlock();
    text = writer_->AppendMessage(message);
    CHECK(text);
  }
  return {blocks_.back()->number(), *text};
}

// --- on any thread ---

std::shared_ptr<Block> Ledger::FindBlock(uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  const auto after = std::ranges::partition_point(
      blocks_, [&](const auto& block) { return block->first_sequence() <= sequence; });
  if (after == blocks_.begin()) return nullptr;
  const std::shared_ptr<Block>& block = *std::prev(after);
  return sequence < block->end_sequence() ? block : nullptr;
}

std::shared_ptr<Block> Ledger::FindNumber(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  if (blocks_.empty() || number < blocks_.front()->number()) return nullptr;
  const size_t index = number - blocks_.front()->number();
  return index < blocks_.size() ? blocks_[index] : nullptr;
}

Attempt Ledger::Read(const Block& block, uint32_t row) const {
  LateMessage late;
  Attempt attempt = block.Read(row, late);
  if (late.block == 0) return attempt;
  // It may have gone since: the attempt's block is then held only by this reader.
  if (const auto with_message = FindNumber(late.block))
    attempt.message = with_message->Text(late.text);
  return attempt;
}

AttemptPage Ledger::Query(const AttemptFilter& filter, uint64_t before, size_t limit) const {
  const CompiledFilter compiled(filter);
  AttemptPage page;
  const Stats held = stats();
  size_t scanned = 0, decoded = 0, bytes = 0;
  std::shared_ptr<Block> block;
  for (uint64_t sequence = std::min(before, held.last + 1); sequence-- > held.first;) {
    if (page.attempts.size() >= limit || scanned++ >= kMaxScanned || decoded >= kMaxDecoded ||
        bytes >= kMaxPageBytes) {
      page.next = sequence + 1;
      return page;
    }
    if (block == nullptr || sequence < block->first_sequence()) block = FindBlock(sequence);
    if (block == nullptr) return page;  // It has left the ledger, and so have all before it.
    const auto row = static_cast<uint32_t>(sequence - block->first_sequence());
    if (!compiled.KeyMatches(block->KeyOf(row))) continue;
    ++decoded;
    if (!compiled.RowMatches(*block, row)) continue;
    bytes += BytesOf(page.attempts.emplace_back(Read(*block, row)));
  }
  return page;
}

LedgerNews Ledger::Follow(LedgerCursor cursor, size_t limit) const {
  LedgerNews news;
  limit = std::min(limit, kMaxDecoded);
  size_t bytes = 0;
  auto add = [&](uint64_t sequence) {
    const auto block = FindBlock(sequence);
    if (block == nullptr) return false;
    const auto row = static_cast<uint32_t>(sequence - block->first_sequence());
    bytes += BytesOf(news.attempts.emplace_back(Read(*block, row)));
    return true;
  };
  auto is_full = [&] { return news.attempts.size() >= limit || bytes >= kMaxPageBytes; };

  const uint64_t ended = ended_count_.load(std::memory_order_acquire);
  const Stats held = stats();
  if (cursor.sequence > held.last || cursor.bindings > ended) cursor = {};
  cursor.bindings = std::max(cursor.bindings, ended - std::min(ended, kEndedBindings));
  for (; cursor.bindings < ended && !is_full(); ++cursor.bindings) {
    const uint64_t sequence =
        (*ended_)[cursor.bindings % kEndedBindings].load(std::memory_order_relaxed);
    if (sequence <= cursor.sequence) add(sequence);
  }
  if (held.first > cursor.sequence + 1) {
    news.lost = held.first - cursor.sequence - 1;
    cursor.sequence = held.first - 1;
  }
  while (cursor.sequence < held.last && !is_full()) {
    if (!add(++cursor.sequence)) ++news.lost;
  }
  news.next = cursor;
  return news;
}

LedgerCursor Ledger::Latest() const { return After(stats().last); }

LedgerCursor Ledger::After(uint64_t sequence) const {
  return {sequence, ended_count_.load(std::memory_order_acquire)};
}

Ledger::Stats Ledger::stats() const {
  const std::lock_guard lock(mutex_);
  Stats stats;
  stats.bytes = kFixedBytes + blocks_.size() * kBlockBytes;
  if (blocks_.empty()) return stats;
  stats.first = blocks_.front()->first_sequence();
  stats.last = blocks_.back()->end_sequence() - 1;
  return stats.first <= stats.last ? stats : Stats{.bytes = stats.bytes};
}

}  // namespace berth::ledger
