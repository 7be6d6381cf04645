// Node selectors compiled against interned node labels.
//
// The meaning is api/selector.h's. A term that does not parse matches no node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/pod.h"
#include "api/selector.h"
#include "cluster/labels.h"

namespace berth {

struct NodeInfo;

class NodeTerm {
 public:
  NodeTerm(const api::CompiledNodeTerm& term, SymbolTable& symbols);
  bool Matches(const NodeInfo& node, const SymbolTable& symbols) const;

 private:
  struct Field {
    bool on_name;  // Else on a field that no node has, whose value is "".
    bool equal;
    Symbol value;
  };
  std::vector<LabelRequirement> labels_;
  std::vector<Field> fields_;
};

// What a pod requires of its node: spec.nodeSelector and the required node affinity.
class RequiredNodeAffinity {
 public:
  RequiredNodeAffinity(const api::PodSpec& spec, SymbolTable& symbols);
  RequiredNodeAffinity(const api::NodeSelector& selector, SymbolTable& symbols);

  bool Matches(const NodeInfo& node, const SymbolTable& symbols) const;
  // True if it matches every node for want of conditions.
  bool empty() const { return equal_.empty() && !terms_; }

 private:
  void SetTerms(const api::NodeSelector& selector, SymbolTable& symbols);

  std::vector<Label> equal_;
  std::optional<std::vector<NodeTerm>> terms_;  // Any must match.
};

// Preferred terms: the weights of those that match add up.
class PreferredNodeAffinity {
 public:
  // Fails if a term does not parse. Terms of weight 0 or without conditions are left out.
  static Result<PreferredNodeAffinity> Make(const std::vector<api::PreferredSchedulingTerm>& terms,
                                            SymbolTable& symbols);

  int64_t WeightOf(const NodeInfo& node, const SymbolTable& symbols) const;

 private:
  struct Term {
    NodeTerm term;
    int64_t weight;
  };
  std::vector<Term> terms_;
};

}  // namespace berth
