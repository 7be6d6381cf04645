#include "ledger/block.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>

#include "base/string_hash.h"
#include "base/time.h"

namespace berth::ledger {
namespace {

// Those that a row has; the others are beside it.
constexpr Duration Phases::* kCyclePhases[] = {
    &Phases::pre_filter, &Phases::filter, &Phases::post_filter, &Phases::score, &Phases::reserve};

// What a row begins with. Its texts follow: the name, the node and the uid, then the candidates and
// the victims.
//
// Numbers have a fixed size: the engine's thread has less to do than if small ones were short.
struct RowHead {
  int64_t time = 0, woken = 0, waited = 0;
  int64_t phases[std::size(kCyclePhases)] = {};
  TextOffset namespace_ = kEmptyText, failure = kEmptyText, scheduler_name = kEmptyText,
             waited_for = kEmptyText, event = kEmptyText, object = kEmptyText;
  uint32_t number = 0, evaluated = 0, feasible = 0;
  uint32_t victims = 0;  // Of which up to kMaxVictims follow.
  uint8_t candidates = 0;
};
static_assert(kMaxCandidates <= UINT8_MAX);

// The size of a text in a list; that of a text that rows refer to has four bytes.
using ShortSize = uint16_t;
static_assert(kMaxMessageBytes <= UINT16_MAX);
using LongSize = uint32_t;

// Every attempt fits into a new block.
constexpr size_t kMaxTexts =
    2 * kMaxNodeGroups + 2 * kMaxPlugins + kMaxCandidates + 2 * kMaxVictims + 16;
static_assert(sizeof(RowHead) + kMaxMessageBytes + kMaxNodeGroups * kMaxReasonBytes +
                  2 * kMaxReasonBytes + kMaxTexts * (kMaxNameBytes + 2 * sizeof(int64_t)) <
              Block::kBytes);

// Writes to memory that is large enough.
class Output {
 public:
  explicit Output(char* at) : at_(at) {}

  template <typename T>
  void Put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(at_, &value, sizeof(value));
    at_ += sizeof(value);
  }
  template <typename Size>
  void PutText(std::string_view text) {
    Put(static_cast<Size>(text.size()));
    at_ += text.copy(at_, text.size());
  }

 private:
  char* at_;
};

class Input {
 public:
  explicit Input(const char* at) : at_(at) {}

  template <typename T>
  T Take() {
    T value;
    std::memcpy(&value, at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }
  template <typename Size>
  std::string_view TakeText() {
    const auto size = Take<Size>();
    const std::string_view text(at_, size);
    at_ += size;
    return text;
  }

 private:
  const char* at_;
};

// The first `limit` elements, or all.
template <typename T>
std::span<const T> First(std::span<const T> all, size_t limit) {
  return all.first(std::min(all.size(), limit));
}

std::string_view Name(std::string_view name) { return name.substr(0, kMaxNameBytes); }

// --- failures: a text that rows refer to ---

// Calls `put` with each text, cut to its limit, and each number.
void VisitFailure(const FailureView& failure, auto put) {
  const auto plugins = First(failure.plugins, kMaxPlugins);
  put(static_cast<uint32_t>(plugins.size()));
  for (std::string_view plugin : plugins) put(Name(plugin));
  put(failure.message.substr(0, kMaxMessageBytes));
  const auto groups = First(failure.groups, kMaxNodeGroups);
  put(static_cast<uint32_t>(groups.size()));
  for (const auto& group : groups) {
    put(Name(group.plugin));
    put(group.reason.substr(0, kMaxReasonBytes));
    put(group.nodes);
  }
}

// Likewise, for the plugins that a pod waited for.
void VisitWaitedFor(std::span<const std::string_view> waited_for, auto put) {
  const auto plugins = First(waited_for, kMaxPlugins);
  put(static_cast<uint32_t>(plugins.size()));
  for (std::string_view plugin : plugins) put(Name(plugin));
}

struct EncodedSize {
  size_t bytes = 0;
  void operator()(std::string_view text) { bytes += sizeof(ShortSize) + text.size(); }
  void operator()(uint32_t) { bytes += sizeof(uint32_t); }
};

struct EncodedOutput {
  Output to;
  void operator()(std::string_view text) { to.PutText<ShortSize>(text); }
  void operator()(uint32_t number) { to.Put(number); }
};

// Replaces the content of `to` by what `visit` puts.
void Encode(std::string& to, auto visit) {
  EncodedSize size;
  visit(std::ref(size));
  to.resize(size.bytes);
  EncodedOutput output{Output(to.data())};
  visit(std::ref(output));
}

void DecodeFailure(std::string_view encoded, Attempt& into) {
  if (encoded.empty()) return;
  Input from(encoded.data());  // NOLINT(bugprone-suspicious-stringview-data-usage)
  into.plugins.resize(from.Take<uint32_t>());
  for (std::string& plugin : into.plugins) plugin = from.TakeText<ShortSize>();
  into.message = from.TakeText<ShortSize>();
  into.groups.resize(from.Take<uint32_t>());
  for (NodeGroup& group : into.groups) {
    group.plugin = from.TakeText<ShortSize>();
    group.reason = from.TakeText<ShortSize>();
    group.nodes = from.Take<uint32_t>();
  }
}

void DecodeWaitedFor(std::string_view encoded, Attempt& into) {
  if (encoded.empty()) return;
  Input from(encoded.data());  // NOLINT(bugprone-suspicious-stringview-data-usage)
  into.waited_for.resize(from.Take<uint32_t>());
  for (std::string& plugin : into.waited_for) plugin = from.TakeText<ShortSize>();
}

bool IsRejectedBy(std::string_view encoded, std::string_view plugin) {
  if (encoded.empty()) return false;
  Input from(encoded.data());  // NOLINT(bugprone-suspicious-stringview-data-usage)
  for (uint32_t left = from.Take<uint32_t>(); left > 0; --left) {
    if (from.TakeText<ShortSize>() == plugin) return true;
  }
  return false;
}

// --- what is beside a row ---

uint32_t Micros(Duration duration) {
  return static_cast<uint32_t>(std::clamp<int64_t>(duration.nanos / 1000, 0, UINT32_MAX));
}

Duration FromMicros(const std::atomic<uint32_t>& micros) {
  return {int64_t{micros.load(std::memory_order_relaxed)} * 1000};
}

}  // namespace

// --- Block ---

Block::Block(uint32_t number, uint64_t first_sequence)
    : number_(number), first_sequence_(first_sequence) {
  Output(bytes_.data() + kEmptyText).PutText<LongSize>("");
}

std::string_view Block::Text(TextOffset offset) const {
  return Input(bytes_.data() + offset).TakeText<LongSize>();
}

Block::Key Block::KeyOf(uint32_t row) const {
  const Slot& slot = slots_[row];
  return {slot.name, slot.node, OutcomeIn(slot.state.load(std::memory_order_relaxed))};
}

bool Block::Matches(uint32_t row, std::string_view namespace_, std::string_view name,
                    std::string_view node, std::string_view plugin) const {
  Input from(bytes_.data() + slots_[row].offset);
  const auto head = from.Take<RowHead>();
  return (name.empty() || Text(head.namespace_) == namespace_) &&
         (from.TakeText<ShortSize>() == name || name.empty()) &&
         (from.TakeText<ShortSize>() == node || node.empty()) &&
         (plugin.empty() || IsRejectedBy(Text(head.failure), plugin));
}

Attempt Block::Read(uint32_t row, LateMessage& late) const {
  const Slot& slot = slots_[row];
  Input from(bytes_.data() + slot.offset);
  const auto head = from.Take<RowHead>();
  Attempt attempt;
  attempt.sequence = first_sequence_ + row;
  attempt.time = {head.time};
  attempt.namespace_ = Text(head.namespace_);
  attempt.scheduler_name = Text(head.scheduler_name);
  DecodeFailure(Text(head.failure), attempt);
  DecodeWaitedFor(Text(head.waited_for), attempt);
  attempt.number = head.number;
  attempt.evaluated = head.evaluated;
  attempt.feasible = head.feasible;
  attempt.victim_count = head.victims;
  attempt.woken_by = {std::string(Text(head.event)), std::string(Text(head.object)), {head.woken}};
  attempt.waited = {head.waited};
  Phases& phases = attempt.phases;
  for (size_t i = 0; i < std::size(kCyclePhases); ++i) phases.*kCyclePhases[i] = {head.phases[i]};

  attempt.name = from.TakeText<ShortSize>();
  attempt.node = from.TakeText<ShortSize>();
  attempt.uid = from.TakeText<ShortSize>();
  attempt.candidates.resize(head.candidates);
  for (Candidate& candidate : attempt.candidates) {
    candidate.score = from.Take<int64_t>();
    candidate.node = from.TakeText<ShortSize>();
  }
  attempt.victims.resize(std::min<size_t>(head.victims, kMaxVictims));
  for (PodName& victim : attempt.victims) {
    victim.namespace_ = from.TakeText<ShortSize>();
    victim.name = from.TakeText<ShortSize>();
  }

  const uint32_t state = slot.state.load(std::memory_order_acquire);
  attempt.outcome = OutcomeIn(state);
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
  used_ = kEmptyText + sizeof(LongSize);
  full_ = false;
  texts_ = {};
  last_failure_id_ = 0;
  last_waited_for_id_ = 0;
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
  InternWaitedFor(attempt);
  Block::Slot& slot = block_->slots_[row];
  slot.offset = static_cast<uint32_t>(used_);
  slot.name = Block::Hash(Name(attempt.name));
  slot.node = Block::Hash(Name(attempt.node));
  slot.state.store(Block::StateOf(kEmptyText, attempt.outcome), std::memory_order_relaxed);
  WriteRow(attempt);
  if (full_) return false;
  block_->rows_.store(row + 1, std::memory_order_release);
  return true;
}

bool BlockWriter::AppendCopy(const AttemptCopyView& copy) {
  const uint32_t row = block_->rows_.load(std::memory_order_relaxed);
  if (row == 0 || row == Block::kRows) return false;
  const Block::Slot& last = block_->slots_[row - 1];
  auto head = Input(block_->bytes_.data() + last.offset).Take<RowHead>();
  if (head.candidates > 0 || head.victims > 0) return false;
  if (block_->Text(head.namespace_) != copy.namespace_) return false;
  const std::string_view name = Name(copy.name), uid = Name(copy.uid);
  const auto offset = static_cast<uint32_t>(used_);
  char* const at = Reserve(sizeof(RowHead) + 3 * sizeof(ShortSize) + name.size() + uid.size());
  if (at == nullptr) return false;

  head.time = copy.time.nanos;
  head.woken = copy.woken.nanos;
  head.waited = copy.waited.nanos;
  head.number = copy.number;
  for (size_t i = 0; i < std::size(kCyclePhases); ++i)
    head.phases[i] = (copy.phases.*kCyclePhases[i]).nanos;
  Output to(at);
  to.Put(head);
  to.PutText<ShortSize>(name);
  to.Put(ShortSize{0});  // The node.
  to.PutText<ShortSize>(uid);

  Block::Slot& slot = block_->slots_[row];
  slot.offset = offset;
  slot.name = Block::Hash(name);
  slot.node = last.node;
  slot.state.store(last.state.load(std::memory_order_relaxed), std::memory_order_relaxed);
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

TextOffset BlockWriter::Intern(std::string_view text) {
  if (text.empty()) return kEmptyText;
  const auto hash = static_cast<uint32_t>(StringHash{}(text));
  Entry* free = nullptr;
  for (size_t probe = 0; probe < kMaxProbes && free == nullptr; ++probe) {
    Entry& entry = table_[(hash + probe) % kTableSize];
    if (entry.text == kEmptyText) {
      free = &entry;
    } else if (entry.hash == hash && block_->Text(entry.text) == text) {
      return entry.text;
    }
  }
  const auto offset = static_cast<TextOffset>(used_);
  char* const at = Reserve(sizeof(LongSize) + text.size());
  if (at == nullptr) return kEmptyText;
  Output(at).PutText<LongSize>(text);
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
    Encode(scratch_, [&](auto put) { VisitFailure(failure, put); });
    last_failure_ = Intern(scratch_);
    last_failure_id_ = attempt.failure_id;
  }
  texts_.failure = last_failure_;
}

void BlockWriter::InternWaitedFor(const AttemptView& attempt) {
  if (attempt.waited_for.empty()) {
    texts_.waited_for = kEmptyText;
    return;
  }
  if (attempt.waited_for_id == 0 || attempt.waited_for_id != last_waited_for_id_) {
    Encode(scratch_, [&](auto put) { VisitWaitedFor(attempt.waited_for, put); });
    last_waited_for_ = Intern(scratch_);
    last_waited_for_id_ = attempt.waited_for_id;
  }
  texts_.waited_for = last_waited_for_;
}

// Must agree with Block::Read.
void BlockWriter::WriteRow(const AttemptView& attempt) {
  const std::string_view name = Name(attempt.name), node = Name(attempt.node),
                         uid = Name(attempt.uid);
  const auto candidates = First(attempt.candidates, kMaxCandidates);
  const auto victims = First(attempt.victims, kMaxVictims);
  size_t bytes = sizeof(RowHead) + 3 * sizeof(ShortSize) + name.size() + node.size() + uid.size();
  for (const auto& candidate : candidates)
    bytes += sizeof(int64_t) + sizeof(ShortSize) + Name(candidate.node).size();
  for (const auto& victim : victims)
    bytes += 2 * sizeof(ShortSize) + Name(victim.namespace_).size() + Name(victim.name).size();
  char* const at = Reserve(bytes);
  if (at == nullptr) return;

  RowHead head{.time = attempt.time.nanos,
               .woken = attempt.woken_by.time.nanos,
               .waited = attempt.waited.nanos,
               .namespace_ = texts_.namespace_,
               .failure = texts_.failure,
               .scheduler_name = texts_.scheduler_name,
               .waited_for = texts_.waited_for,
               .event = texts_.event,
               .object = texts_.object,
               .number = attempt.number,
               .evaluated = attempt.evaluated,
               .feasible = attempt.feasible,
               .victims = static_cast<uint32_t>(attempt.victims.size()),
               .candidates = static_cast<uint8_t>(candidates.size())};
  for (size_t i = 0; i < std::size(kCyclePhases); ++i)
    head.phases[i] = (attempt.phases.*kCyclePhases[i]).nanos;
  Output to(at);
  to.Put(head);
  to.PutText<ShortSize>(name);
  to.PutText<ShortSize>(node);
  to.PutText<ShortSize>(uid);
  for (const auto& candidate : candidates) {
    to.Put(candidate.score);
    to.PutText<ShortSize>(Name(candidate.node));
  }
  for (const auto& victim : victims) {
    to.PutText<ShortSize>(Name(victim.namespace_));
    to.PutText<ShortSize>(Name(victim.name));
  }
}

}  // namespace berth::ledger
