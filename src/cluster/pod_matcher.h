// PodMatcher is one affinity term's idea of which pods it means: those of some namespaces with some
// labels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/pod.h"
#include "cluster/labels.h"

namespace berth {

class PodMatcher {
 public:
  // The pods of one namespace with the given labels.
  PodMatcher(Symbol namespace_, LabelMatcher labels);

  // The pods that an affinity term of a pod in `owner_namespace` means. A selector that does not
  // parse matches nothing.
  PodMatcher(const api::PodAffinityTerm& term, const std::string& owner_namespace,
             SymbolTable& symbols);

  // `namespace_labels` are those of the pod's namespace, empty if it is not known.
  bool Matches(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
               const SymbolTable& symbols) const;

  // The same as kube-scheduler does it for the terms of the pod to be placed: its namespace
  // selectors are looked up among the known namespaces, yet also tried on no labels at all, so that
  // a selector of negations alone matches every namespace.
  bool MatchesForIncoming(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
                          const SymbolTable& symbols) const;

  bool depends_on_namespaces() const { return namespace_selector_.has_value(); }
  friend bool operator==(const PodMatcher&, const PodMatcher&) = default;

 private:
  std::vector<Symbol> namespaces_;  // Sorted.
  std::optional<LabelMatcher> namespace_selector_;
  LabelMatcher labels_;
};

}  // namespace berth
