// NodeSentence says why no node takes a pod.
//
// Of all that rejects the nodes, the obstacle decides that keeps off those which come closest: the
// nodes that lack only room; where there are none, those that are closed by cordons and taints; and
// only then those that would never do. A pod that asks for a GPU thus hears of the taint of the
// nodes that have one, not of the many nodes without, although these are the majority and count in
// kube-scheduler's message.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "api/pod.h"
#include "explain/node_standing.h"
#include "explain/wording.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {

// `standings` are those of all nodes, none of which takes the pod.
Sentence NodeSentence(const scheduler::model::Cluster& cluster, const api::Pod& pod,
                      const std::vector<NodeStanding>& standings);

// The nodes that a sentence is about, and how it names them.
class Nodes {
 public:
  using List = std::vector<const NodeStanding*>;

  // `all` says that they are all nodes of the cluster.
  Nodes(List nodes, bool all) : nodes_(std::move(nodes)), all_(all) {}

  const List& list() const { return nodes_; }
  size_t size() const { return nodes_.size(); }
  const NodeStanding& first() const { return *nodes_.front(); }
  std::vector<std::string> names() const;

  // "No node", "None of the 4 nodes that it may use", "Node a-1, the only one that it may use,".
  std::string None() const;
  // With a predicate: "No node has", "a-1, the only node, does not have".
  std::string None(std::string_view does, std::string_view does_not) const;
  // "every node", "all 4 nodes that it may use", "node a-1, the only one that it may use".
  std::string All() const;

 private:
  List nodes_;
  bool all_;
};

// For nodes of each distance. `others` are those of greater distance.
Sentence RoomSentence(const scheduler::model::Cluster& cluster, const api::Pod& pod,
                      const Nodes& nodes, const Nodes::List& others);
Sentence ClosedSentence(const Nodes& nodes);
// "is cordoned", "has the taint a=b:NoSchedule, which the pod does not tolerate"
std::string WhyClosed(const NodeStanding& standing);
Sentence UnsuitedSentence(const scheduler::model::Cluster& cluster, const api::Pod& pod,
                          const Nodes& nodes);

// "Its host port is taken on all 2 nodes that it may use: on a-1, port 80/TCP is taken by shop/web"
Sentence SentenceOfPlugin(const std::string& plugin, const Nodes& nodes);

}  // namespace berth::explain
