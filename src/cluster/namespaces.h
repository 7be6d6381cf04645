// Namespaces knows the labels of each namespace, as symbols.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "cluster/labels.h"

namespace berth {

class Namespaces {
 public:
  // Returns true if the labels are new or differ from before.
  bool Put(Symbol name, Labels labels) {
    auto [found, added] = labels_.try_emplace(name);
    if (!added && found->second == labels) return false;
    found->second = std::move(labels);
    return true;
  }
  bool Remove(Symbol name) { return labels_.erase(name) > 0; }

  // Empty if the namespace is not known.
  LabelSpan LabelsOf(Symbol name) const {
    auto found = labels_.find(name);
    return found == labels_.end() ? LabelSpan{} : LabelSpan(found->second);
  }

 private:
  std::unordered_map<Symbol, Labels> labels_;
};

}  // namespace berth
