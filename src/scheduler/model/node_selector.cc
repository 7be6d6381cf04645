#include "scheduler/model/node_selector.h"

#include <algorithm>

#include "api/selector.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::model {

NodeTerm::NodeTerm(const api::CompiledNodeTerm& term, SymbolHolder& symbols) {
  for (const api::Requirement& requirement : term.labels)
    labels_.emplace_back(requirement, symbols);
  for (const auto& field : term.fields) {
    fields_.push_back({field.key == "metadata.name", field.equal, symbols.Intern(field.value)});
  }
}

bool NodeTerm::Matches(const NodeInfo& node, const SymbolTable& symbols) const {
  for (const LabelRequirement& requirement : labels_) {
    if (!requirement.Matches(FindLabel(node.labels, requirement.key), symbols)) return false;
  }
  for (const Field& field : fields_) {
    const bool equal = field.on_name ? node.name == field.value : symbols.Text(field.value).empty();
    if (equal != field.equal) return false;
  }
  return true;
}

RequiredNodeAffinity::RequiredNodeAffinity(const api::PodSpec& spec, SymbolHolder& symbols) {
  if (spec.node_selector) equal_ = InternLabels(*spec.node_selector, symbols);
  if (spec.affinity && spec.affinity->node_affinity && spec.affinity->node_affinity->required) {
    SetTerms(*spec.affinity->node_affinity->required, symbols);
  }
}

RequiredNodeAffinity::RequiredNodeAffinity(const api::NodeSelector& selector,
                                           SymbolHolder& symbols) {
  SetTerms(selector, symbols);
}

void RequiredNodeAffinity::SetTerms(const api::NodeSelector& selector, SymbolHolder& symbols) {
  terms_.emplace();
  const auto compiled = api::CompiledNodeSelector::MakeLazy(selector);
  for (const api::CompiledNodeTerm& term : compiled.terms()) terms_->emplace_back(term, symbols);
}

bool RequiredNodeAffinity::Matches(const NodeInfo& node, const SymbolTable& symbols) const {
  for (const Label& wanted : equal_) {
    if (FindLabel(node.labels, wanted.key) != wanted.value) return false;
  }
  return !terms_ || std::ranges::any_of(
                        *terms_, [&](const NodeTerm& term) { return term.Matches(node, symbols); });
}

Result<PreferredNodeAffinity> PreferredNodeAffinity::Make(
    const std::vector<api::PreferredSchedulingTerm>& terms, SymbolHolder& symbols) {
  PreferredNodeAffinity result;
  for (size_t i = 0; i < terms.size(); ++i) {
    const api::PreferredSchedulingTerm& term = terms[i];
    const bool says_nothing =
        term.preference.match_expressions.empty() && term.preference.match_fields.empty();
    if (term.weight == 0 || says_nothing) continue;
    auto compiled = api::CompiledNodeTerm::Make(term.preference, "[" + std::to_string(i) + "]");
    if (!compiled) return std::unexpected(compiled.error());
    result.terms_.push_back({NodeTerm(*compiled, symbols), term.weight});
  }
  return result;
}

int64_t PreferredNodeAffinity::WeightOf(const NodeInfo& node, const SymbolTable& symbols) const {
  int64_t weight = 0;
  for (const Term& term : terms_) {
    if (term.term.Matches(node, symbols)) weight += term.weight;
  }
  return weight;
}

NodeLabelTerms::NodeLabelTerms(const api::NodeSelector& selector, SymbolHolder& symbols) {
  const auto compiled = api::CompiledNodeSelector::MakeLazy(selector);
  for (const api::CompiledNodeTerm& term : compiled.terms()) {
    Term& labels = terms_.emplace_back();
    for (const api::Requirement& requirement : term.labels) {
      labels.emplace_back(requirement, symbols);
    }
  }
}

NodeLabelTerms::NodeLabelTerms(const std::vector<api::TopologySelectorTerm>& terms,
                               SymbolHolder& symbols) {
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
                               SymbolHolder& symbols) {
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

}  // namespace berth::scheduler::model
