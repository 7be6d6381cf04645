#include "scheduler/devices/selectors.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace berth::scheduler::devices {
namespace {

// One byte: the outcome plus 1 in the lower three bits, the logarithm of the work in the others.
uint8_t Encode(Selector::Outcome outcome, uint64_t work) {
  const auto log = std::min<uint64_t>(31, std::bit_width(work > 0 ? work - 1 : 0));
  return static_cast<uint8_t>((static_cast<uint8_t>(outcome) + 1) | (log << 3));
}

Selector::Evaluation Decode(uint8_t result) {
  return {static_cast<Selector::Outcome>((result & 7) - 1), uint64_t{1} << (result >> 3)};
}

}  // namespace

Selector::Selector(SelectorTable& table, std::string expression)
    : table_(table), expression_(std::move(expression)) {
  table_.all_.push_back(this);
}

Selector::~Selector() {
  table_.bytes_ -= results_.capacity();
  table_.selectors_.erase(expression_);
  std::erase(table_.all_, this);
}

Selector::Evaluation Selector::Evaluate(const SelectedDevice& device) {
  if (device.slot < results_.size() && results_[device.slot] != 0)
    return Decode(results_[device.slot]);
  const Evaluation evaluation = Evaluate(device.device);
  if (device.slot >= results_.size()) table_.Grow(*this, device.slot);
  results_[device.slot] = Encode(evaluation.outcome, evaluation.work);
  return Decode(results_[device.slot]);
}

Selector::Evaluation Selector::Evaluate(const cel::Device& device) {
  if (!compiled_) compiled_ = cel::DeviceSelector::Compile(expression_);
  if (!*compiled_) return {Outcome::kError, 1};
  const auto evaluated = (*compiled_)->Evaluate(device, kMaxCost, kMaxSteps);
  const uint64_t work = 1 + evaluated.cost * kWorkOfCost + evaluated.steps * kWorkOfStep;
  if (evaluated.matches) return {*evaluated.matches ? Outcome::kYes : Outcome::kNo, work};
  const bool too_costly = evaluated.matches.error().kind == cel::EvaluationError::Kind::kCost;
  return {too_costly ? Outcome::kTooCostly : Outcome::kError, work};
}

std::string Selector::ErrorFor(const cel::Device& device) const {
  if (!*compiled_) return "CEL compile error: " + compiled_->error().message;
  const auto evaluated = (*compiled_)->Evaluate(device);
  return "CEL runtime error: " +
         (evaluated.matches ? std::string() : evaluated.matches.error().message);
}

std::shared_ptr<Selector> SelectorTable::Use(const std::string& expression) {
  if (const auto found = selectors_.find(expression); found != selectors_.end()) {
    if (auto shared = found->second.lock()) return shared;
  }
  auto made = std::make_shared<Selector>(*this, expression);
  selectors_.insert_or_assign(expression, made);
  return made;
}

uint32_t SelectorTable::AddDevice() {
  if (free_.empty()) return slots_++;
  const uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void SelectorTable::ReleaseDevice(uint32_t slot) {
  for (Selector* selector : all_) {
    if (slot < selector->results_.size()) selector->results_[slot] = 0;
  }
  free_.push_back(slot);
}

void SelectorTable::Grow(Selector& selector, uint32_t slot) {
  const size_t before = selector.results_.capacity();
  selector.results_.resize(std::max<size_t>(slot + 1, slots_));
  bytes_ += selector.results_.capacity() - before;
  if (bytes_ <= kMaxResultBytes) return;
  // Rarely: an attacker with many expressions, or a huge cluster, pays with evaluations.
  for (Selector* other : all_) {
    if (other == &selector) continue;
    bytes_ -= other->results_.capacity();
    std::vector<uint8_t>().swap(other->results_);  // An assignment would retain the memory.
  }
}

}  // namespace berth::scheduler::devices
