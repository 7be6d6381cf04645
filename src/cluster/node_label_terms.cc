#include "cluster/node_label_terms.h"

#include <algorithm>

#include "api/selector.h"

namespace berth {

NodeLabelTerms::NodeLabelTerms(const api::NodeSelector& selector, SymbolTable& symbols) {
  const auto compiled = api::CompiledNodeSelector::MakeLazy(selector);
  for (const api::CompiledNodeTerm& term : compiled.terms()) {
    Term& labels = terms_.emplace_back();
    for (const api::Requirement& requirement : term.labels) {
      labels.emplace_back(requirement, symbols);
    }
  }
}

NodeLabelTerms::NodeLabelTerms(const std::vector<api::TopologySelectorTerm>& terms,
                               SymbolTable& symbols) {
  for (const api::TopologySelectorTerm& term : terms) {
    Term labels;
    for (const api::TopologySelectorRequirement& wanted : term.match_label_expressions) {
      const auto requirement =
          api::Requirement::Make(wanted.key, api::SelectorOp::kIn, wanted.values);
      if (!requirement) {
        labels.clear();
        break;
      }
      labels.emplace_back(*requirement, symbols);
    }
    if (!labels.empty()) terms_.push_back(std::move(labels));
  }
}

NodeLabelTerms::NodeLabelTerms(const std::optional<api::LabelSelector>& selector,
                               SymbolTable& symbols) {
  const auto compiled = api::Selector::FromLabelSelector(selector);
  if (!compiled || compiled->nothing()) return;
  Term& labels = terms_.emplace_back();
  for (const api::Requirement& requirement : compiled->requirements()) {
    labels.emplace_back(requirement, symbols);
  }
}

bool NodeLabelTerms::Match(LabelSpan node_labels, const SymbolTable& symbols) const {
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return std::ranges::all_of(term, [&](const LabelRequirement& requirement) {
      return requirement.Matches(FindLabel(node_labels, requirement.key), symbols);
    });
  });
}

const LabelRequirement* NodeLabelTerms::Pivot() const {
  if (terms_.size() != 1) return nullptr;
  const auto found = std::ranges::find(terms_.front(), api::SelectorOp::kIn, &LabelRequirement::op);
  return found == terms_.front().end() ? nullptr : &*found;
}

}  // namespace berth
