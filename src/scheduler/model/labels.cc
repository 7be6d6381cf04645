#include "scheduler/model/labels.h"

#include <algorithm>

namespace berth::scheduler::model {

Labels InternLabels(const api::StringMap& labels, SymbolHolder& symbols) {
  Labels result;
  result.reserve(labels.size());
  symbols.Reserve(2 * labels.size());
  for (const auto& [key, value] : labels)
    result.push_back({symbols.Intern(key), symbols.Intern(value)});
  std::sort(result.begin(), result.end());
  return result;
}

Symbol FindLabel(LabelSpan labels, Symbol key) {
  auto found = std::lower_bound(labels.begin(), labels.end(), key,
                                [](const Label& label, Symbol k) { return label.key < k; });
  return found != labels.end() && found->key == key ? found->value : Symbol{};
}

LabelRequirement::LabelRequirement(const api::Requirement& requirement, SymbolHolder& symbols)
    : key(symbols.Intern(requirement.key)), op(requirement.op), bound(requirement.bound) {
  for (const std::string& value : requirement.values) values.push_back(symbols.Intern(value));
  std::sort(values.begin(), values.end());
}

void LabelRequirement::HoldBy(SymbolHolder& symbols) const {
  symbols.Hold(key);
  for (Symbol value : values) symbols.Hold(value);
}

void LabelRequirement::MixInto(HashMixer& mixer) const {
  mixer.Add(key.value);
  mixer.Add(static_cast<uint64_t>(op));
  for (Symbol value : values) mixer.Add(value.value);
}

bool LabelRequirement::Matches(Symbol value, const SymbolTable& symbols) const {
  using enum api::SelectorOp;
  switch (op) {
    case kIn:
      return value.valid() && std::binary_search(values.begin(), values.end(), value);
    case kNotIn:
      return !value.valid() || !std::binary_search(values.begin(), values.end(), value);
    case kExists:
      return value.valid();
    case kDoesNotExist:
      return !value.valid();
    case kGt:
    case kLt: {
      if (!value.valid()) return false;
      const auto number = api::ParseInt(symbols.Text(value));
      return number && (op == kGt ? *number > bound : *number < bound);
    }
  }
  return false;
}

LabelMatcher::LabelMatcher(const api::Selector& selector, SymbolHolder& symbols)
    : nothing_(selector.nothing()) {
  for (const auto& requirement : selector.requirements())
    requirements_.emplace_back(requirement, symbols);
}

void LabelMatcher::HoldBy(SymbolHolder& symbols) const {
  for (const LabelRequirement& requirement : requirements_) requirement.HoldBy(symbols);
}

void LabelMatcher::MixInto(HashMixer& mixer) const {
  mixer.Add(nothing_);
  for (const LabelRequirement& requirement : requirements_) requirement.MixInto(mixer);
}

bool LabelMatcher::Matches(LabelSpan labels, const SymbolTable& symbols) const {
  if (nothing_) return false;
  return std::ranges::all_of(requirements_, [&](const LabelRequirement& requirement) {
    return requirement.Matches(FindLabel(labels, requirement.key), symbols);
  });
}

bool Namespaces::Put(const std::string& name, const api::StringMap& labels) {
  SymbolHolder symbols(symbols_);
  const Symbol symbol = symbols.Intern(name);
  Labels interned = InternLabels(labels, symbols);
  const auto found = namespaces_.find(symbol);
  if (found != namespaces_.end() && found->second.labels == interned) return false;
  namespaces_.insert_or_assign(symbol, Namespace{std::move(symbols), std::move(interned)});
  return true;
}

}  // namespace berth::scheduler::model
