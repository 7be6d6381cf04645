#include "ledger/block.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/string_hash.h"

namespace berth::ledger {
namespace {

// A row is: namespace, name, node, failure, scheduler name, uid, number, time, candidates, victims,
// numbers of nodes, phases, and what the pod waited for. Queries compare the first four.
//
// Numbers are written seven bits at a time, the lowest first; signed ones with the sign in the
// lowest bit.

constexpr size_t kMaxNumberBytes = 10;

// Those that a row has; the others are beside it.
constexpr Duration Phases::* kCyclePhases[] = {
    &Phases::pre_filter, &Phases::filter, &Phases::post_filter, &Phases::score, &Phases::reserve};

// Every attempt fits into a new block: its texts are limited, and a number needs kMaxNumberBytes.
constexpr size_t kMaxTextBytes =
    kMaxMessageBytes + kMaxNodeGroups * (kMaxNameBytes + kMaxReasonBytes) +
    (2 * kMaxPlugins + kMaxCandidates + 2 * kMaxVictims + 5) * kMaxNameBytes + 2 * kMaxReasonBytes;
constexpr size_t kMaxNumbers =
    3 * kMaxNodeGroups + 2 * kMaxPlugins + 2 * kMaxCandidates + 2 * kMaxVictims + 32;
static_assert(kMaxTextBytes + kMaxNumbers * kMaxNumberBytes < Block::kBytes - 2);

// The first `limit` elements, or all.
template <typename T>
std::span<const T> First(std::span<const T> all, size_t limit) {
  return all.first(std::min(all.size(), limit));
}

uint64_t ZigZag(int64_t number) {
  return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
}

int64_t UnZigZag(uint64_t number) {
  return static_cast<int64_t>(number >> 1 ^ (~(number & 1) + 1));
}

char* WriteNumber(char* to, uint64_t number) {
  while (number >= 0x80) {
    *to++ = static_cast<char>(number | 0x80);
    number >>= 7;
  }
  *to++ = static_cast<char>(number);
  return to;
}

void AppendNumber(std::string& to, uint64_t number) {
  char bytes[kMaxNumberBytes];
  to.append(bytes, WriteNumber(bytes, number));
}

void AppendInline(std::string& to, std::string_view text, size_t limit) {
  text = text.substr(0, limit);
  AppendNumber(to, text.size());
  to += text;
}

class Reader {
 public:
  explicit Reader(const char* at) : at_(at) {}

  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at_++);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
  }
  uint32_t Number32() { return static_cast<uint32_t>(Number()); }
  int64_t Signed() { return UnZigZag(Number()); }
  Duration Time() { return {Signed()}; }
  std::string_view Inline() {
    const size_t size = Number();
    const std::string_view text(at_, size);
    at_ += size;
    return text;
  }

 private:
  const char* at_;
};

// The part of a row that queries compare.
struct Head {
  std::string_view namespace_, name, node;
  std::string_view failure;  // Encoded; empty if the attempt did not fail.
};

Head ReadHead(const Block& block, Reader& from) {
  Head head;
  head.namespace_ = block.Text(from.Number32());
  head.name = from.Inline();
  head.node = from.Inline();
  head.failure = block.Text(from.Number32());
  return head;
}

void EncodeFailure(const FailureView& failure, std::string& to) {
  to.clear();
  const auto plugins = First(failure.plugins, kMaxPlugins);
  AppendNumber(to, plugins.size());
  for (std::string_view plugin : plugins) AppendInline(to, plugin, kMaxNameBytes);
  AppendInline(to, failure.message, kMaxMessageBytes);
  const auto groups = First(failure.groups, kMaxNodeGroups);
  AppendNumber(to, groups.size());
  for (const auto& group : groups) {
    AppendInline(to, group.plugin, kMaxNameBytes);
    AppendInline(to, group.reason, kMaxReasonBytes);
    AppendNumber(to, group.nodes);
  }
}

void DecodeFailure(std::string_view encoded, Attempt& into) {
  if (encoded.empty()) return;
  Reader from(encoded.data());
  into.plugins.resize(from.Number());
  for (std::string& plugin : into.plugins) plugin = from.Inline();
  into.message = from.Inline();
  into.groups.resize(from.Number());
  for (NodeGroup& group : into.groups) {
    group.plugin = from.Inline();
    group.reason = from.Inline();
    group.nodes = from.Number32();
  }
}

bool IsRejectedBy(std::string_view encoded, std::string_view plugin) {
  if (encoded.empty()) return false;
  Reader from(encoded.data());
  for (uint64_t left = from.Number(); left > 0; --left) {
    if (from.Inline() == plugin) return true;
  }
  return false;
}

uint32_t Micros(Duration duration) {
  return static_cast<uint32_t>(std::clamp<int64_t>(duration.nanos / 1000, 0, UINT32_MAX));
}

Duration FromMicros(const std::atomic<uint32_t>& micros) {
  return {int64_t{micros.load(std::memory_order_relaxed)} * 1000};
}

}  // namespace

// --- Block ---

Block::Block(uint32_t number, uint64_t first_sequence, Instant base)
    : number_(number), first_sequence_(first_sequence), base_(base) {
  bytes_[kEmptyText] = 0;
}

std::string_view Block::Text(TextOffset offset) const {
  return Reader(bytes_.data() + offset).Inline();
}

Block::Key Block::KeyOf(uint32_t row) const {
  const Slot& slot = slots_[row];
  const uint32_t state = slot.state.load(std::memory_order_relaxed);
  return {slot.name, slot.node, static_cast<Outcome>(state & ((1 << kOutcomeBits) - 1))};
}

bool Block::Matches(uint32_t row, std::string_view namespace_, std::string_view name,
                    std::string_view node, std::string_view plugin) const {
  Reader from(bytes_.data() + slots_[row].offset);
  const Head head = ReadHead(*this, from);
  return (name.empty() || (head.name == name && head.namespace_ == namespace_)) &&
         (node.empty() || head.node == node) &&
         (plugin.empty() || IsRejectedBy(head.failure, plugin));
}

Attempt Block::Read(uint32_t row, LateMessage& late) const {
  const Slot& slot = slots_[row];
  Reader from(bytes_.data() + slot.offset);
  Attempt attempt;
  attempt.sequence = first_sequence_ + row;
  const Head head = ReadHead(*this, from);
  attempt.namespace_ = head.namespace_;
  attempt.name = head.name;
  attempt.node = head.node;
  DecodeFailure(head.failure, attempt);
  attempt.scheduler_name = Text(from.Number32());
  attempt.uid = from.Inline();
  attempt.number = from.Number32();
  attempt.time = base_ + from.Time();
  attempt.candidates.resize(from.Number());
  for (Candidate& candidate : attempt.candidates) {
    candidate.node = from.Inline();
    candidate.score = from.Signed();
  }
  attempt.victim_count = from.Number32();
  attempt.victims.resize(std::min<size_t>(attempt.victim_count, kMaxVictims));
  for (PodName& victim : attempt.victims) {
    victim.namespace_ = from.Inline();
    victim.name = from.Inline();
  }
  attempt.evaluated = from.Number32();
  attempt.feasible = from.Number32();
  Phases& phases = attempt.phases;
  for (Duration Phases::* phase : kCyclePhases) phases.*phase = from.Time();
  attempt.woken_by.event = Text(from.Number32());
  attempt.woken_by.object = Text(from.Number32());
  attempt.woken_by.time = base_ + from.Time();
  attempt.waited = from.Time();
  attempt.waited_for.resize(from.Number());
  for (std::string& plugin : attempt.waited_for) plugin = from.Inline();

  const uint32_t state = slot.state.load(std::memory_order_acquire);
  attempt.outcome = static_cast<Outcome>(state & ((1 << kOutcomeBits) - 1));
  phases.permit = FromMicros(slot.permit);
  phases.pre_bind = FromMicros(slot.pre_bind);
  phases.bind = FromMicros(slot.bind);
  late = {slot.late_block.load(std::memory_order_relaxed), state >> kOutcomeBits};
  return attempt;
}

void Block::EndBinding(uint32_t row, const Phases& phases, Outcome outcome, LateMessage message) {
  Slot& slot = slots_[row];
  slot.permit.store(Micros(phases.permit), std::memory_order_relaxed);
  slot.pre_bind.store(Micros(phases.pre_bind), std::memory_order_relaxed);
  slot.bind.store(Micros(phases.bind), std::memory_order_relaxed);
  slot.late_block.store(message.block, std::memory_order_relaxed);
  slot.state.store(StateOf(message.text, outcome), std::memory_order_release);
}

// --- BlockWriter ---

void BlockWriter::Start(Block& block) {
  block_ = &block;
  used_ = kEmptyText + 1;
  full_ = false;
  texts_ = {};
  last_failure_id_ = 0;
  table_ = {};
}

bool BlockWriter::Append(const AttemptView& attempt) {
  const uint32_t row = block_->rows_.load(std::memory_order_relaxed);
  if (row == Block::kRows) return false;
  InternField(attempt.namespace_, kMaxNameBytes, texts_.namespace_);
  InternField(attempt.scheduler_name, kMaxNameBytes, texts_.scheduler_name);
  InternField(attempt.woken_by.event, kMaxReasonBytes, texts_.event);
  InternField(attempt.woken_by.object, kMaxReasonBytes, texts_.object);
  InternFailure(attempt);
  Block::Slot& slot = block_->slots_[row];
  slot.offset = static_cast<uint32_t>(used_);
  slot.name = Block::Hash(attempt.name.substr(0, kMaxNameBytes));
  slot.node = Block::Hash(attempt.node.substr(0, kMaxNameBytes));
  slot.state.store(Block::StateOf(kEmptyText, attempt.outcome), std::memory_order_relaxed);
  PutRow(attempt);
  if (full_) return false;
  block_->rows_.store(row + 1, std::memory_order_release);
  return true;
}

std::optional<TextOffset> BlockWriter::AppendMessage(std::string_view message) {
  const TextOffset offset = Intern(message.substr(0, kMaxMessageBytes));
  if (full_) return std::nullopt;
  return offset;
}

char* BlockWriter::Reserve(size_t bytes) {
  if (full_ || bytes > Block::kBytes - used_) {
    full_ = true;
    return nullptr;
  }
  char* const at = block_->bytes_.data() + used_;
  used_ += bytes;
  return at;
}

void BlockWriter::PutNumber(uint64_t number) {
  if (full_ || Block::kBytes - used_ < kMaxNumberBytes) {
    full_ = true;
    return;
  }
  char* const bytes = block_->bytes_.data();
  used_ = static_cast<size_t>(WriteNumber(bytes + used_, number) - bytes);
}

void BlockWriter::PutSigned(int64_t number) { PutNumber(ZigZag(number)); }

void BlockWriter::PutInline(std::string_view text, size_t limit) {
  text = text.substr(0, limit);
  PutNumber(text.size());
  if (char* to = Reserve(text.size())) std::memcpy(to, text.data(), text.size());
}

TextOffset BlockWriter::Intern(std::string_view text) {
  const auto hash = static_cast<uint32_t>(StringHash{}(text));
  Entry* free = nullptr;
  for (size_t probe = 0; probe < kMaxProbes && free == nullptr; ++probe) {
    Entry& entry = table_[(hash + probe) % kTableSize];
    if (entry.text == 0) {
      free = &entry;
    } else if (entry.hash == hash && block_->Text(entry.text) == text) {
      return entry.text;
    }
  }
  const auto offset = static_cast<TextOffset>(used_);
  PutInline(text, text.size());
  if (full_) return kEmptyText;
  if (free != nullptr) *free = {hash, offset};
  return offset;
}

void BlockWriter::InternField(std::string_view text, size_t limit, TextOffset& last) {
  text = text.substr(0, limit);
  if (block_->Text(last) != text) last = Intern(text);
}

void BlockWriter::InternFailure(const AttemptView& attempt) {
  const FailureView& failure = attempt.failure;
  if (failure.message.empty() && failure.plugins.empty() && failure.groups.empty()) {
    texts_.failure = kEmptyText;
    return;
  }
  if (attempt.failure_id == 0 || attempt.failure_id != last_failure_id_) {
    EncodeFailure(failure, scratch_);
    last_failure_ = Intern(scratch_);
    last_failure_id_ = attempt.failure_id;
  }
  texts_.failure = last_failure_;
}

// Must agree with Block::Read.
void BlockWriter::PutRow(const AttemptView& attempt) {
  PutNumber(texts_.namespace_);
  PutInline(attempt.name, kMaxNameBytes);
  PutInline(attempt.node, kMaxNameBytes);
  PutNumber(texts_.failure);
  PutNumber(texts_.scheduler_name);
  PutInline(attempt.uid, kMaxNameBytes);
  PutNumber(attempt.number);
  PutSigned((attempt.time - block_->base_).nanos);
  PutCandidates(attempt);
  PutVictims(attempt);
  PutNumber(attempt.evaluated);
  PutNumber(attempt.feasible);
  for (Duration Phases::* phase : kCyclePhases) PutSigned((attempt.phases.*phase).nanos);
  PutWait(attempt);
}

void BlockWriter::PutCandidates(const AttemptView& attempt) {
  const auto candidates = First(attempt.candidates, kMaxCandidates);
  PutNumber(candidates.size());
  for (const auto& candidate : candidates) {
    PutInline(candidate.node, kMaxNameBytes);
    PutSigned(candidate.score);
  }
}

void BlockWriter::PutVictims(const AttemptView& attempt) {
  PutNumber(attempt.victims.size());
  for (const auto& victim : First(attempt.victims, kMaxVictims)) {
    PutInline(victim.namespace_, kMaxNameBytes);
    PutInline(victim.name, kMaxNameBytes);
  }
}

void BlockWriter::PutWait(const AttemptView& attempt) {
  PutNumber(texts_.event);
  PutNumber(texts_.object);
  PutSigned((attempt.woken_by.time - block_->base_).nanos);
  PutSigned(attempt.waited.nanos);
  const auto plugins = First(attempt.waited_for, kMaxPlugins);
  PutNumber(plugins.size());
  for (std::string_view plugin : plugins) PutInline(plugin, kMaxNameBytes);
}

}  // namespace berth::ledger
