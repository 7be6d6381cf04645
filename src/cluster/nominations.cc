#include "cluster/nominations.h"

namespace berth {

void Nominations::Set(PodId pod, Symbol node) {
  if (auto old = node_of_.find(pod); old != node_of_.end()) {
    auto pods = by_node_.find(old->second);
    std::erase(pods->second, pod);
    if (pods->second.empty()) by_node_.erase(pods);
    node_of_.erase(old);
  }
  if (!node.valid()) return;
  node_of_.emplace(pod, node);
  by_node_[node].push_back(pod);
}

Symbol Nominations::NodeOf(PodId pod) const {
  auto found = node_of_.find(pod);
  return found == node_of_.end() ? Symbol{} : found->second;
}

const std::vector<PodId>& Nominations::PodsOn(Symbol node) const {
  static const std::vector<PodId> kNone;
  auto found = by_node_.find(node);
  return found == by_node_.end() ? kNone : found->second;
}

}  // namespace berth
