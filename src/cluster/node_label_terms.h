// NodeLabelTerms is a condition on a node's labels: any of its terms must hold, and in a term all
// requirements. Storage objects say with it where a volume can be reached.
#pragma once

#include <optional>
#include <vector>

#include "api/node_selector.h"
#include "api/storage.h"
#include "cluster/labels.h"

namespace berth {

class NodeLabelTerms {
 public:
  // A PersistentVolume's node affinity: matchFields are not looked at, and terms that are empty or
  // do not parse never hold.
  NodeLabelTerms(const api::NodeSelector& selector, SymbolTable& symbols);
  // A StorageClass's allowedTopologies; the same.
  NodeLabelTerms(const std::vector<api::TopologySelectorTerm>& terms, SymbolTable& symbols);
  // A CSIStorageCapacity's nodeTopology: none, or one that does not parse, never holds.
  NodeLabelTerms(const std::optional<api::LabelSelector>& selector, SymbolTable& symbols);

  bool Match(LabelSpan node_labels, const SymbolTable& symbols) const;

  // A requirement that one label has one of some values, which every matching node fulfils; null if
  // there is none that simple. Lets a caller find the few nodes worth asking about.
  const LabelRequirement* Pivot() const;

 private:
  using Term = std::vector<LabelRequirement>;
  std::vector<Term> terms_;
};

}  // namespace berth
