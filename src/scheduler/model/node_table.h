// NodeTable: the nodes as rows of columns, with their taint sets, the log of changed rows, and
// cached predicates over rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/node.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/images.h"
#include "scheduler/model/labels.h"
#include "scheduler/model/pod_class.h"
#include "scheduler/model/pod_labels.h"
#include "scheduler/model/resources.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::model {

struct TaintsHash {
  size_t operator()(const std::vector<api::Taint>& taints) const;
};

// TaintSets gives each distinct list of taints that some node has an id: nodes share few, so a rule
// evaluates each list once instead of each node. Taints are in the order in which nodes list them.
using TaintSets = SharedTable<std::vector<api::Taint>, TaintSetId, TaintsHash>;

// RowChanges is a log of changed node rows: a cache of results per row is brought up to date at the
// cost of the rows that changed, not of all rows.
//
// The log is bounded: a reader that lags too far behind must start from scratch (see Covers).
class RowChanges {
 public:
  // The position after the newest change. Positions only grow.
  uint64_t now() const { return base_ + rows_.size(); }

  void Add(NodeRow row, size_t row_count) {
    if (rows_.size() >= 2 * row_count + 1024) {
      const size_t dropped = rows_.size() / 2;
      rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(dropped));
      base_ += dropped;
    }
    rows_.push_back(row);
  }

  // Reports whether the log still has all changes since `position`.
  bool Covers(uint64_t position) const { return position >= base_; }

  // Returns the rows changed since `position`, oldest first, with repetitions. Needs
  // Covers(position).
  std::span<const NodeRow> Since(uint64_t position) const {
    return std::span(rows_).subspan(static_cast<size_t>(position - base_));
  }

 private:
  uint64_t base_ = 0;
  std::vector<NodeRow> rows_;
};

// One entry per row in every column.
struct NodeColumns {
  // The capacity of the node. `allocatable_pods` is the number of pods it accepts.
  std::vector<int64_t> allocatable_cpu, allocatable_memory, allocatable_ephemeral, allocatable_pods;
  // The sums over its pods. They saturate: INT64_MAX stands for that or more.
  std::vector<int64_t> requested_cpu, requested_memory, requested_ephemeral, pod_count;
  // The sums used by scores, where pods without requests count with small defaults.
  std::vector<int64_t> nonzero_cpu, nonzero_memory;
  // A scalar resource that some node lists as allocatable. Others have no column: what pods request
  // in vain costs the pods alone, not every node.
  struct Scalar {
    std::vector<int64_t> allocatable, requested;
    size_t nodes = 0;      // That list it.
    bool counted = false;  // `requested` has the pods that were placed before the column was added.
  };
  std::vector<std::unique_ptr<Scalar>> scalars;  // By ScalarId; null if no node lists it.
  std::vector<ScalarId> listed;                  // Those that are not null.
  // Returns null if no node lists the resource.
  const Scalar* scalar(ScalarId id) const {
    return id.index() < scalars.size() ? scalars[id.index()].get() : nullptr;
  }

  std::vector<TaintSetId> taints;
  NodeMask unschedulable;

  void Resize(size_t rows);
};

// The data of a row that loops over all nodes do not read.
struct NodeInfo {
  NodeInfo(SymbolTable& names, ScalarNames& scalars)
      : name_holder(names), symbols(names), scalar_names(scalars) {}

  Symbol name;                              // Invalid while the row is free.
  uint64_t serial = 0;                      // Tells apart the nodes that have had the row.
  std::shared_ptr<const api::Node> object;  // Null if the row is not present.
  Labels labels;
  SymbolHolder name_holder;               // Of `name`, which may outlive the object.
  SymbolHolder symbols;                   // Of the object: labels, features and images.
  ScalarHolder scalar_names;              // The scalar resources that it lists.
  std::vector<Symbol> declared_features;  // Sorted.
  std::vector<PodId> pods;                // In no particular order.
  std::vector<HostPort> used_ports;       // One entry per pod and port.
  uint32_t holds = 0;                     // See HoldRow.
};

// NodeTable holds the nodes as rows of columns, so that evaluating all nodes is a loop over a few
// arrays.
//
// A row belongs to a node name while there is a node object of that name, a pod placed on it, or a
// holder (HoldRow). A row without a node object (the node was deleted, or not reported yet, while
// its pods are known) is not `present`: it retains its sums and is invisible to scheduling. Rows
// are reused when they are empty.
class NodeTable {
 public:
  // `class_of` returns the class as which a pod is counted; it is called only to sum up anew what
  // had overflowed.
  using ClassOf = std::function<const PodClass&(PodId)>;
  NodeTable(SymbolTable& symbols, ScalarNames& scalars, ClassOf class_of = {})
      : symbols_(symbols), scalars_(scalars), class_of_(std::move(class_of)), topology_(symbols) {}

  // --- reading ---

  // The number of rows, free ones included: the size of every column and NodeMask.
  size_t rows() const { return infos_.size(); }
  // The rows that have a node object, and their number.
  const NodeMask& present() const { return present_; }
  size_t present_count() const { return present_count_; }
  NodeRow Find(Symbol name) const;
  const NodeInfo& info(NodeRow row) const { return infos_[row.index()]; }
  const std::string& name(NodeRow row) const { return symbols_.Text(info(row).name); }
  const NodeColumns& columns() const { return columns_; }
  const TaintSets& taint_sets() const { return taint_sets_; }
  const Images& images() const { return images_; }
  const Topology& topology() const { return topology_; }
  const RowChanges& changes() const { return changes_; }
  // The rows whose nodes came, went, or changed their labels, taints, features or cordon. They are
  // in changes(), too.
  const RowChanges& static_changes() const { return static_changes_; }
  const NodeOrder& order() const { return order_; }
  // The serial of the next node that gets a row: all others have lower ones.
  uint64_t next_serial() const { return next_serial_; }

  // --- writing ---

  // Adds or replaces the node. CountInNewColumns must follow for each placed pod if
  // has_new_columns().
  NodeRow Put(std::shared_ptr<const api::Node> node);
  // Returns false if there was no such node.
  bool Remove(Symbol name);

  // Returns the row of `name`; adds one that is not present if there is none.
  NodeRow RowFor(const std::string& name);
  // Adds the pod to the sums of `row`, or removes it. RemovePod may free the row.
  void AddPod(NodeRow row, PodId pod, const PodClass& pod_class);
  void RemovePod(NodeRow row, PodId pod, const PodClass& pod_class);

  // Like AddPod and RemovePod, but without an entry in changes(): for dry runs on a present row.
  void TryAddPod(NodeRow row, PodId pod, const PodClass& pod_class);
  void TryRemovePod(NodeRow row, PodId pod, const PodClass& pod_class);
  // Add to the sums of `row` what `pods` pods request together, or subtract it: nothing else, so
  // that only filters that see no more than sums may be asked then. The opposite call must follow.
  // Neither the sums nor the amounts may be near the end of their range: see SumsAreSmall.
  void TryAddSums(NodeRow row, const ResourceVector& amounts, int64_t pods);
  void TrySubtractSums(NodeRow row, const ResourceVector& amounts, int64_t pods);
  // Exchanges the sums of all rows, likewise; `sums` has as many. The same call must follow.
  void TrySwapSums(PodSums& sums);
  // Reports whether small amounts (ResourceVector::IsSmall) can be added to the sums of `row`.
  bool SumsAreSmall(NodeRow row) const;

  // Records that something outside of the table changed that results for all rows depend on.
  void AllChanged() {
    for (uint32_t row = 0; row < rows(); ++row) Touch(NodeRow{row});
  }
  // Records that a pod on `row` changed, though its requests did not, or one nominated to it.
  void PodChanged(NodeRow row) { Touch(row); }

  // Holds are counted: a held row retains its name until the last hold is released, which may free
  // it.
  void HoldRow(NodeRow row) { ++infos_[row.index()].holds; }
  void ReleaseRow(NodeRow row);

  // Reports whether a node lists scalar resources that no node listed before and that some pods may
  // request.
  bool has_new_columns() const { return !new_columns_.empty(); }
  // Adds the scalar requests of a pod on `row` to the new columns.
  void CountInNewColumns(NodeRow row, const PodClass& pod_class);
  // All placed pods are counted.
  void NewColumnsCounted();

  Topology::KeyRef UseTopologyKey(std::string_view label);

 private:
  void SetColumns(NodeRow row, const api::Node& node);
  void SetScalars(NodeRow row, std::span<const ResourceVector::Scalar> allocatable,
                  ScalarHolder names);
  void ClearColumns(NodeRow row);
  // Null if no node lists the resource.
  NodeColumns::Scalar* ColumnOf(ScalarId id);
  void FreeIfEmpty(NodeRow row);
  // Subtracts from `sum` what a pod that has left the row requested, amount_of(its class).
  template <typename AmountOf>
  void Subtract(const NodeInfo& info, const PodClass& pod_class, int64_t& sum,
                AmountOf amount_of) const;
  void Touch(NodeRow row) { changes_.Add(row, rows()); }
  void TouchStatics(NodeRow row) { static_changes_.Add(row, rows()); }

  SymbolTable& symbols_;
  ScalarNames& scalars_;
  const ClassOf class_of_;
  NodeColumns columns_;
  std::vector<ScalarId> new_columns_;
  std::vector<NodeInfo> infos_;
  NodeMask present_;
  size_t present_count_ = 0;
  std::unordered_map<Symbol, NodeRow> by_name_;
  std::vector<NodeRow> free_;
  TaintSets taint_sets_;
  Images images_;
  Topology topology_;
  RowChanges changes_, static_changes_;
  NodeOrder order_;
  uint64_t next_serial_ = 0;
};

// RowPredicate caches the set of present nodes whose rows fulfil a condition, and re-evaluates only
// rows that changed.
class RowPredicate {
 public:
  // Returns the present rows for which holds(row) is true. `holds` must depend on the row alone and
  // be the same each time.
  template <typename Holds>
  const NodeMask& Refresh(const NodeTable& nodes, Holds&& holds) {
    const RowChanges& changes = nodes.changes();
    rows_.Resize(nodes.rows());
    auto look = [&](size_t row) { rows_.Assign(row, nodes.present().Test(row) && holds(row)); };
    if (started_ && changes.Covers(position_)) {
      for (NodeRow row : changes.Since(position_)) look(row.index());
    } else {
      for (size_t row = 0; row < nodes.rows(); ++row) look(row);
    }
    started_ = true;
    position_ = changes.now();
    return rows_;
  }

 private:
  NodeMask rows_;
  uint64_t position_ = 0;
  bool started_ = false;
};

}  // namespace berth::scheduler::model
