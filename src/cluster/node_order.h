// NodeOrder is the order in which nodes are listed: one from each zone in turn, the nodes of a zone
// by name and the zones by their first nodes. It decides between equally good nodes and where a
// partial search starts.
//
// It is the order kube-scheduler has after it listed all nodes; it does not depend on who came
// first. Adding and removing are O(log n); reading after a change rebuilds the list, O(n).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/meta.h"
#include "cluster/ids.h"

namespace berth {

class NodeOrder {
 public:
  // Makes room for rows below `rows`; they are in no zone.
  void Resize(size_t rows);
  // Puts the node into the zone that its labels name, moving it if it was in another.
  void Place(NodeRow row, const std::string& name, const api::StringMap& labels);
  void Take(NodeRow row, const std::string& name);

  // The nodes in order.
  const std::vector<NodeRow>& rows() const;
  // The place of each row in that order; meaningless for rows that are not in it.
  const std::vector<uint32_t>& rank() const;
  // Rises with every change of the order.
  uint64_t version() const { return version_; }

 private:
  void Rebuild() const;

  std::map<std::string, std::map<std::string, NodeRow>> zones_;
  std::vector<std::string> zone_of_;  // By row.
  mutable std::vector<NodeRow> rows_;
  mutable std::vector<uint32_t> rank_;
  mutable bool stale_ = false;
  uint64_t version_ = 0;
};

}  // namespace berth
