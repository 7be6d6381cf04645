// Labels as symbols, selectors compiled against them, and the labels of namespaces.
//
// A requirement means what api/selector.h defines; here matching costs integer comparisons.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/selector.h"
#include "base/hash_mixer.h"
#include "base/symbol_table.h"

namespace berth::scheduler::model {

struct Label {
  Symbol key;
  Symbol value;
  friend constexpr auto operator<=>(const Label&, const Label&) = default;
};

struct LabelHash {
  size_t operator()(const Label& label) const {
    HashMixer mixer(label.key.value);
    mixer.Add(label.value.value);
    return mixer.hash();
  }
};

// Sorted by key; a key occurs once.
using Labels = std::vector<Label>;
using LabelSpan = std::span<const Label>;

Labels InternLabels(const api::StringMap& labels, SymbolHolder& symbols);

// Returns the value under `key`, or an invalid symbol.
Symbol FindLabel(LabelSpan labels, Symbol key);

struct LabelRequirement {
  Symbol key;
  api::SelectorOp op = api::SelectorOp::kExists;
  std::vector<Symbol> values;  // Sorted.
  int64_t bound = 0;           // Of Gt and Lt.

  LabelRequirement(const api::Requirement& requirement, SymbolHolder& symbols);

  // Lets `symbols` hold what this compares with, so that a copy may outlive the original holder.
  void HoldBy(SymbolHolder& symbols) const;
  void MixInto(HashMixer& mixer) const;

  // `value` is invalid if the label is absent. `symbols` is needed to read numbers for Gt and Lt.
  bool Matches(Symbol value, const SymbolTable& symbols) const;
  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;
};

class LabelMatcher {
 public:
  LabelMatcher(const api::Selector& selector, SymbolHolder& symbols);

  void HoldBy(SymbolHolder& symbols) const;
  void MixInto(HashMixer& mixer) const;

  bool Matches(LabelSpan labels, const SymbolTable& symbols) const;
  // Reports whether it matches everything because it has no requirements.
  bool empty() const { return !nothing_ && requirements_.empty(); }
  // Reports whether it matches no labels, whatever the requirements, of which all must hold.
  bool nothing() const { return nothing_; }
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  friend bool operator==(const LabelMatcher&, const LabelMatcher&) = default;

 private:
  bool nothing_;
  std::vector<LabelRequirement> requirements_;
};

// Namespaces holds the labels of each namespace, as symbols.
class Namespaces {
 public:
  // `symbols` must outlive this.
  explicit Namespaces(SymbolTable& symbols) : symbols_(symbols) {}

  // Returns true if the labels are new or differ from before.
  bool Put(const std::string& name, const api::StringMap& labels);
  bool Remove(const std::string& name) { return namespaces_.erase(symbols_.Find(name)) > 0; }

  // Empty if the namespace is not known.
  LabelSpan LabelsOf(Symbol name) const {
    auto found = namespaces_.find(name);
    return found == namespaces_.end() ? LabelSpan{} : LabelSpan(found->second.labels);
  }

 private:
  struct Namespace {
    SymbolHolder symbols;  // Its name and labels.
    Labels labels;
  };
  SymbolTable& symbols_;
  std::unordered_map<Symbol, Namespace> namespaces_;
};

}  // namespace berth::scheduler::model
