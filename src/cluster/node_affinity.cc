#include "cluster/node_affinity.h"

#include <algorithm>

#include "cluster/node_table.h"

namespace berth {

NodeTerm::NodeTerm(const api::CompiledNodeTerm& term, SymbolTable& symbols) {
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

RequiredNodeAffinity::RequiredNodeAffinity(const api::PodSpec& spec, SymbolTable& symbols) {
  if (spec.node_selector) equal_ = InternLabels(*spec.node_selector, symbols);
  if (spec.affinity && spec.affinity->node_affinity && spec.affinity->node_affinity->required) {
    SetTerms(*spec.affinity->node_affinity->required, symbols);
  }
}

RequiredNodeAffinity::RequiredNodeAffinity(const api::NodeSelector& selector,
                                           SymbolTable& symbols) {
  SetTerms(selector, symbols);
}

void RequiredNodeAffinity::SetTerms(const api::NodeSelector& selector, SymbolTable& symbols) {
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
    const std::vector<api::PreferredSchedulingTerm>& terms, SymbolTable& symbols) {
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

}  // namespace berth
