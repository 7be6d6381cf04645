// Labels as symbols, selectors compiled against them, and the labels of namespaces.
//
// A requirement means what api/selector.h defines; here matching costs integer comparisons.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "api/selector.h"
#include "base/symbol_table.h"

namespace berth::scheduler::model {

struct Label {
  Symbol key;
  Symbol value;
  friend constexpr auto operator<=>(const Label&, const Label&) = default;
};

// Sorted by key; a key occurs once.
using Labels = std::vector<Label>;
using LabelSpan = std::span<const Label>;

Labels InternLabels(const api::StringMap& labels, SymbolTable& symbols);

// Returns the value under `key`, or an invalid symbol.
Symbol FindLabel(LabelSpan labels, Symbol key);

struct LabelRequirement {
  Symbol key;
  api::SelectorOp op = api::SelectorOp::kExists;
  std::vector<Symbol> values;  // Sorted.
  int64_t bound = 0;           // Of Gt and Lt.

  LabelRequirement(const api::Requirement& requirement, SymbolTable& symbols);

  // `value` is invalid if the label is absent. `symbols` is needed to read numbers for Gt and Lt.
  bool Matches(Symbol value, const SymbolTable& symbols) const;
  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;
};

class LabelMatcher {
 public:
  LabelMatcher(const api::Selector& selector, SymbolTable& symbols);

  bool Matches(LabelSpan labels, const SymbolTable& symbols) const;
  // Reports whether it matches everything because it has no requirements.
  bool empty() const { return !nothing_ && requirements_.empty(); }
  friend bool operator==(const LabelMatcher&, const LabelMatcher&) = default;

 private:
  bool nothing_;
  std::vector<LabelRequirement> requirements_;
};

// Namespaces holds the labels of each namespace, as symbols.
class Namespaces {
 public:
  // Returns true if the labels are new or differ from before.
  bool Put(Symbol name, Labels labels) {
    auto [found, added] = labels_.try_emplace(name);
    if (!added && found->second == labels) return false;
    found->second = std::move(labels);
    return true;
  }
  bool Remove(Symbol name) { return labels_.erase(name) > 0; }

  // Empty if the namespace is not known.
  LabelSpan LabelsOf(Symbol name) const {
    auto found = labels_.find(name);
    return found == labels_.end() ? LabelSpan{} : LabelSpan(found->second);
  }

 private:
  std::unordered_map<Symbol, Labels> labels_;
};

}  // namespace berth::scheduler::model
