// Nominations knows which waiting pods were promised room on which node, so that others leave it to
// them.
#pragma once

#include <unordered_map>
#include <vector>

#include "cluster/ids.h"

namespace berth {

class Nominations {
 public:
  // Records that `pod` waits for room on `node`, instead of what was recorded before. An invalid
  // `node` records nothing.
  void Set(PodId pod, Symbol node);
  void Clear(PodId pod) { Set(pod, {}); }

  // The node promised to `pod`, or an invalid symbol.
  Symbol NodeOf(PodId pod) const;
  // The pods nominated to `node`, in order of nomination.
  const std::vector<PodId>& PodsOn(Symbol node) const;
  // The nodes that pods are nominated to, in no particular order.
  const std::unordered_map<Symbol, std::vector<PodId>>& by_node() const { return by_node_; }
  bool empty() const { return by_node_.empty(); }

 private:
  std::unordered_map<PodId, Symbol> node_of_;
  std::unordered_map<Symbol, std::vector<PodId>> by_node_;
};

}  // namespace berth
