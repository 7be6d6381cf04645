// Selector is a CEL expression of a class or a request, compiled once for all that have the same
// text, with its results for the devices that it was evaluated for.
//
// SelectorTable shares them. Results are dropped with their device, and all of them when they take
// too much memory.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_hash.h"
#include "cel/device.h"
#include "cel/device_selector.h"

namespace berth::scheduler::devices {

class SelectorTable;

// A device as selectors see it.
struct SelectedDevice {
  uint32_t slot = 0;  // Of its look.
  const cel::Device& device;
};

class Selector {
 public:
  enum class Outcome : uint8_t {
    kNo,
    kYes,
    kError,
    kTooCostly,  // Beyond kMaxCost or kMaxSteps: what it would be is not known.
  };
  struct Evaluation {
    Outcome outcome = Outcome::kNo;
    // What it takes, in units of some nanoseconds, rounded up to a power of two; the same whether
    // the result was cached or not.
    uint64_t work = 0;
  };
  // Of one evaluation: about a millisecond.
  // DIFFERS: kube-scheduler allows a million units of cost, and counts no steps.
  static constexpr uint64_t kMaxCost = 50'000;
  static constexpr uint64_t kMaxSteps = 200'000;
  // Units of work for a unit of cost, and for a step.
  static constexpr uint64_t kWorkOfCost = 4, kWorkOfStep = 1;

  Selector(SelectorTable& table, std::string expression);
  ~Selector();
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;

  // Evaluates the expression for the device, or returns the cached result.
  Evaluation Evaluate(const SelectedDevice& device);
  // The same, without a cache.
  Evaluation Evaluate(const cel::Device& device);
  // Returns why it cannot be evaluated for the device, with the prefix of kube-scheduler: "CEL
  // runtime error: ...". Evaluate has returned kError.
  std::string ErrorFor(const cel::Device& device) const;

  const std::string& expression() const { return expression_; }

 private:
  friend class SelectorTable;

  SelectorTable& table_;
  const std::string expression_;
  std::optional<std::expected<cel::DeviceSelector, cel::CompileError>> compiled_;  // On first use.
  std::vector<uint8_t> results_;  // By slot; 0 is unknown, otherwise see Encode.
};

class SelectorTable {
 public:
  // The most memory that results may take: 100 expressions for 300,000 devices.
  static constexpr size_t kMaxResultBytes = size_t{32} << 20;

  SelectorTable() = default;
  SelectorTable(const SelectorTable&) = delete;
  SelectorTable& operator=(const SelectorTable&) = delete;

  // Returns the selector of the expression. The table must outlive it.
  std::shared_ptr<Selector> Use(const std::string& expression);

  // A slot for a device, or for all that look alike, until it is released.
  uint32_t AddDevice();
  void ReleaseDevice(uint32_t slot);

  // The number of distinct expressions in use, and the memory of their results.
  size_t size() const { return selectors_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  friend class Selector;
  void Grow(Selector& selector, uint32_t slot);

  std::unordered_map<std::string, std::weak_ptr<Selector>, StringHash, std::equal_to<>> selectors_;
  std::vector<Selector*> all_;
  std::vector<uint32_t> free_;
  uint32_t slots_ = 0;
  size_t bytes_ = 0;
};

}  // namespace berth::scheduler::devices
