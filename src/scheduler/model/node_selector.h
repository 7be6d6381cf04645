// Node selectors compiled against interned node labels: those of pods, and those of storage
// objects.
//
// They mean what api/selector.h defines. A term that does not parse matches no node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/pod.h"
#include "api/selector.h"
#include "api/storage.h"
#include "scheduler/model/labels.h"

namespace berth::scheduler::model {

struct NodeInfo;

class NodeTerm {
 public:
  NodeTerm(const api::CompiledNodeTerm& term, SymbolHolder& symbols);
  bool Matches(const NodeInfo& node, const SymbolTable& symbols) const;

 private:
  struct Field {
    bool on_name;  // Otherwise on a field that no node has, whose value is "".
    bool equal;
    Symbol value;
  };
  std::vector<LabelRequirement> labels_;
  std::vector<Field> fields_;
};

// The conditions of a pod on its node: spec.nodeSelector and the required node affinity.
class RequiredNodeAffinity {
 public:
  RequiredNodeAffinity(const api::PodSpec& spec, SymbolHolder& symbols);
  RequiredNodeAffinity(const api::NodeSelector& selector, SymbolHolder& symbols);

  bool Matches(const NodeInfo& node, const SymbolTable& symbols) const;
  // Reports whether it matches every node because it has no conditions.
  bool empty() const { return equal_.empty() && !terms_; }

 private:
  void SetTerms(const api::NodeSelector& selector, SymbolHolder& symbols);

  std::vector<Label> equal_;
  std::optional<std::vector<NodeTerm>> terms_;  // Any must match.
};

// Preferred terms: the weights of those that match add up.
class PreferredNodeAffinity {
 public:
  // Fails if a term does not parse. Terms of weight 0 or without conditions are left out.
  static Result<PreferredNodeAffinity> Make(const std::vector<api::PreferredSchedulingTerm>& terms,
                                            SymbolHolder& symbols);

  int64_t WeightOf(const NodeInfo& node, const SymbolTable& symbols) const;

 private:
  struct Term {
    NodeTerm term;
    int64_t weight;
  };
  std::vector<Term> terms_;
};

// NodeLabelTerms is a condition on a node's labels: any of its terms must hold, and in a term all
// requirements. Storage objects state with it from where a volume is accessible.
class NodeLabelTerms {
 public:
  // A PersistentVolume's node affinity: matchFields are ignored, and terms that are empty or do not
  // parse never hold.
  NodeLabelTerms(const api::NodeSelector& selector, SymbolHolder& symbols);
  // A StorageClass's allowedTopologies; the same.
  NodeLabelTerms(const std::vector<api::TopologySelectorTerm>& terms, SymbolHolder& symbols);
  // A CSIStorageCapacity's nodeTopology: none, or one that does not parse, never holds.
  NodeLabelTerms(const std::optional<api::LabelSelector>& selector, SymbolHolder& symbols);

  bool Match(LabelSpan node_labels, const SymbolTable& symbols) const;

  // Returns a requirement that one label has one of some values, which every matching node fulfils;
  // null if there is none that simple. It lets a caller narrow down the nodes.
  const LabelRequirement* Pivot() const;

 private:
  using Term = std::vector<LabelRequirement>;
  std::vector<Term> terms_;
};

}  // namespace berth::scheduler::model
