// Trial is one node as a single run of the filters sees it: the pods that are on it, or would be if
// nominated pods arrived or victims went.
//
// It remembers how it came to be. Rules that take stock of the whole cluster before they look at a
// node correct their stock by these changes, as kube-scheduler does, and not always exactly.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "twin/world.h"

namespace berth::twin {

struct HostPort {
  std::string ip;  // Never empty: 0.0.0.0 stands for all.
  std::string protocol;
  int32_t port = 0;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

// The ports of the host that the pod's long-running containers take.
std::vector<HostPort> HostPortsOf(const api::Pod& pod);

class Trial {
 public:
  struct Change {
    api::Ref<api::Pod> pod;
    int by = 0;  // 1 if it was added, -1 if it was removed.
  };

  // The node as it is.
  Trial(const World& world, const api::Node& node);

  void Add(const api::Ref<api::Pod>& pod);
  // The pod must be there. Its host ports become free even if another pod has the same ones: a node
  // has a set of ports, whoever put them there.
  void Remove(const api::Ref<api::Pod>& pod);

  const api::Node& node() const { return *node_; }
  const std::string& name() const { return node_->metadata.name; }
  const api::StringMap& labels() const { return node_->metadata.labels; }
  const std::vector<api::Ref<api::Pod>>& pods() const { return pods_; }
  const std::set<HostPort>& used_ports() const { return used_ports_; }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  const api::Node* node_;
  std::vector<api::Ref<api::Pod>> pods_;
  std::set<HostPort> used_ports_;
  std::vector<Change> changes_;
};

}  // namespace berth::twin
