// SelectorIndex knows the selectors of a kind's objects, and so which of them want a pod.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/selector.h"
#include "world/documents.h"
#include "world/work_queue.h"

namespace berth::world {

class SelectorIndex {
 public:
  void Put(const Kind& kind, const ObjectName& name, const JsonObject& document) {
    selectors_[name] = SelectorOf(kind, document);
  }
  void Remove(const ObjectName& name) { selectors_.erase(name); }
  const api::Selector* Find(const ObjectName& name) const {
    const auto found = selectors_.find(name);
    return found == selectors_.end() ? nullptr : &found->second;
  }

  // The objects in the pod's namespace whose selector matches it, in order.
  std::vector<ObjectName> Matching(const store::Object& pod) const {
    std::vector<ObjectName> found;
    const std::string& namespace_ = pod.key.namespace_;
    for (auto at = selectors_.lower_bound({namespace_, ""});
         at != selectors_.end() && at->first.namespace_ == namespace_; ++at) {
      if (Matches(at->second, pod)) found.push_back(at->first);
    }
    return found;
  }

  size_t size() const { return selectors_.size(); }

 private:
  std::map<ObjectName, api::Selector> selectors_;
};

}  // namespace berth::world
