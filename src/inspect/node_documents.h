// The documents about nodes: Cluster, NodeMap and Node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "base/time.h"
#include "inspect/mirror.h"
#include "inspect/request.h"
#include "scheduler/model/cluster.h"

namespace berth::inspect {

struct Resource {
  std::string name;
  std::string_view unit;  // "cores", "bytes" or "count"
};

// Resource amounts of nodes, by resource and row.
class ResourceColumns {
 public:
  explicit ResourceColumns(const scheduler::model::Cluster& cluster);

  const std::vector<Resource>& resources() const { return resources_; }
  // Of the resource at that place, in base units.
  int64_t Allocatable(size_t resource, scheduler::model::NodeRow row) const;
  int64_t Requested(size_t resource, scheduler::model::NodeRow row) const;

 private:
  struct Columns {
    const std::vector<int64_t>* allocatable;
    const std::vector<int64_t>* requested;
  };
  std::vector<Resource> resources_;
  std::vector<Columns> columns_;
};

// NodeList is the order of the map, and what the nodes have in common; valid for one generation.
class NodeList {
 public:
  // Labels by which the map groups: the first that any node has of those that are in use for it.
  enum Grouping : uint8_t { kZone, kRack, kPool };

  void Refresh(const Mirror& mirror);

  uint64_t generation() const { return generation_; }
  const std::vector<scheduler::model::NodeRow>& rows() const { return rows_; }  // By name.
  // The place of a row in the list; -1 if it has none.
  int64_t PlaceOf(scheduler::model::NodeRow row) const;
  // Empty if no node has such a label.
  const std::string& key(Grouping grouping) const { return keys_[grouping]; }
  const std::vector<std::string>& label_keys() const { return label_keys_; }
  const std::vector<std::string>& taints() const { return taints_; }

 private:
  uint64_t generation_ = 0;
  std::vector<scheduler::model::NodeRow> rows_;
  std::vector<int32_t> places_;  // By row.
  std::array<std::string, 3> keys_;
  std::vector<std::string> label_keys_;
  std::vector<std::string> taints_;
};

// "key=value:effect"
std::string TaintText(const api::Taint& taint);
// The bits of NodeMap.flags.
int FlagsOf(const api::Node& node);

// Adds resources, topologyKeys, labelKeys and taints to the document Cluster.
void AddNodeFacts(const Mirror& mirror, const NodeList& nodes, api::JsonObject& cluster);
api::JsonObject NodeMapJson(const Mirror& mirror, const NodeList& nodes, const Page& page);
// Of the node at that place in the list; without rejections.
api::JsonObject NodeJson(const Mirror& mirror, const NodeList& nodes, size_t place);
// The event `nodes`: what has changed in these rows of the model.
api::JsonObject NodeDeltaJson(const Mirror& mirror, const NodeList& nodes,
                              const std::vector<scheduler::model::NodeRow>& changed);

}  // namespace berth::inspect
