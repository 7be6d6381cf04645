// Room adds up what pods take of a node.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "api/node.h"
#include "api/pod.h"

namespace berth::sim {

class Room {
 public:
  // False if a host port of the pod's is taken already.
  bool Take(const api::Pod& pod);
  // What the pods take too much of `node`, in words; empty if all is well.
  std::string Excess(const api::Node& node) const;

 private:
  api::ResourceList taken_;
  int64_t pods_ = 0;
  std::set<std::pair<std::string, int32_t>> ports_;
};

}  // namespace berth::sim
