// NodeKubelet makes nodes ready: conditions, addresses, what they run on and the range of their
// pods' addresses; the part of all kubelets that deals with the nodes themselves.
//
// A node costs one write. What its creator said is kept: a Ready condition that is False stays so,
// which is how a user breaks a node; Unknown, which a controller says, is put right.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "world/controller.h"

namespace berth::world {

class NodeKubelet final : public Controller {
 public:
  explicit NodeKubelet(Context& context) : Controller("node-kubelet", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key is a node's.
  size_t index_size() const override { return numbers_.size() + taken_.size(); }

 private:
  // The node's number, from which its addresses follow. It is the least that is free.
  uint32_t NumberOf(const std::string& node);
  void Complete(JsonObject& node, uint32_t number);

  std::map<std::string, uint32_t> numbers_;
  std::set<uint32_t> taken_;
};

}  // namespace berth::world
