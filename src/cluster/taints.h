// TaintSets gives each distinct list of taints an id: nodes share few, so a rule judges each list
// once instead of each node.
//
// Lists are never forgotten, so that what was judged about an id stays true.
#pragma once

#include <map>
#include <vector>

#include "api/node.h"
#include "cluster/ids.h"

namespace berth {

class TaintSets {
 public:
  TaintSetId Intern(const std::vector<api::Taint>& taints) {
    const auto [found, added] =
        ids_.try_emplace(taints, TaintSetId{static_cast<uint32_t>(sets_.size())});
    if (added) sets_.push_back(&found->first);
    return found->second;
  }

  // In the order in which the node lists them.
  const std::vector<api::Taint>& Get(TaintSetId id) const { return *sets_[id.index()]; }
  size_t size() const { return sets_.size(); }

 private:
  std::map<std::vector<api::Taint>, TaintSetId> ids_;
  std::vector<const std::vector<api::Taint>*> sets_;
};

}  // namespace berth
