#include "scheduler/model/node_table.h"

#include <algorithm>

#include "base/check.h"
#include "base/saturating.h"

namespace berth::scheduler::model {

TaintSetId TaintSets::Intern(const std::vector<api::Taint>& taints) {
  const auto [found, added] =
      ids_.try_emplace(taints, TaintSetId{static_cast<uint32_t>(sets_.size())});
  if (added) sets_.push_back(&found->first);
  return found->second;
}

void NodeColumns::Resize(size_t rows) {
  for (auto* column : {&allocatable_cpu, &allocatable_memory, &allocatable_ephemeral,
                       &allocatable_pods, &requested_cpu, &requested_memory, &requested_ephemeral,
                       &pod_count, &nonzero_cpu, &nonzero_memory}) {
    column->resize(rows);
  }
  for (Scalar& scalar : scalars) {
    scalar.allocatable.resize(rows);
    scalar.requested.resize(rows);
  }
  taints.resize(rows);
  unschedulable.Resize(rows);
}

NodeRow NodeTable::Find(Symbol name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? NodeRow{} : found->second;
}

NodeRow NodeTable::RowFor(Symbol name) {
  auto [found, added] = by_name_.try_emplace(name);
  if (!added) return found->second;
  if (free_.empty()) {
    found->second = NodeRow{static_cast<uint32_t>(rows())};
    infos_.emplace_back();
    columns_.Resize(rows());
    present_.Resize(rows());
    topology_.Resize(rows());
    order_.Resize(rows());
  } else {
    found->second = free_.back();
    free_.pop_back();
  }
  infos_[found->second.index()].name = name;
  ClearColumns(found->second);
  return found->second;
}

NodeRow NodeTable::Put(std::shared_ptr<const api::Node> node) {
  const NodeRow row = RowFor(symbols_.Intern(node->metadata.name));
  NodeInfo& info = infos_[row.index()];
  if (!present_.Test(row.index())) {
    present_.Set(row.index());
    ++present_count_;
  }
  Labels labels = InternLabels(node->metadata.labels, symbols_);
  if (labels != info.labels) {
    info.labels = std::move(labels);
    topology_.Place(row, info.labels);
  }
  order_.Place(row, node->metadata.name, node->metadata.labels);
  info.declared_features.clear();
  for (const std::string& feature : node->status.declared_features) {
    info.declared_features.push_back(symbols_.Intern(feature));
  }
  std::ranges::sort(info.declared_features);
  std::vector<Images::Report> reports;
  for (const api::ContainerImage& image : node->status.images) {
    for (const std::string& name : image.names)
      reports.push_back({symbols_.Intern(name), image.size_bytes});
  }
  images_.SetHeld(row, node->metadata.name, std::move(reports));
  SetColumns(row, *node);
  info.object = std::move(node);
  Touch(row);
  return row;
}

bool NodeTable::Remove(Symbol name) {
  const NodeRow row = Find(name);
  if (!row.valid() || !present_.Test(row.index())) return false;
  NodeInfo& info = infos_[row.index()];
  present_.Clear(row.index());
  --present_count_;
  order_.Take(row, info.object->metadata.name);
  images_.SetHeld(row, info.object->metadata.name, {});
  info.object = nullptr;
  info.labels.clear();
  info.declared_features.clear();
  topology_.Place(row, {});
  SetColumns(row, api::Node{});
  Touch(row);
  FreeIfEmpty(row);
  return true;
}

void NodeTable::SetColumns(NodeRow row, const api::Node& node) {
  const size_t r = row.index();
  const ResourceVector allocatable = ResourceVector::From(node.status.allocatable, scalars_);
  EnsureScalarColumns();
  columns_.allocatable_cpu[r] = allocatable.milli_cpu;
  columns_.allocatable_memory[r] = allocatable.memory;
  columns_.allocatable_ephemeral[r] = allocatable.ephemeral_storage;
  columns_.allocatable_pods[r] = allocatable.pods;
  for (auto& scalar : columns_.scalars) scalar.allocatable[r] = 0;
  for (const auto& scalar : allocatable.scalars) {
    columns_.scalars[scalar.id.index()].allocatable[r] = scalar.amount;
  }
  columns_.taints[r] = taint_sets_.Intern(node.spec.taints);
  columns_.unschedulable.Assign(r, node.spec.unschedulable);
}

void NodeTable::ClearColumns(NodeRow row) {
  const size_t r = row.index();
  for (auto* column :
       {&columns_.requested_cpu, &columns_.requested_memory, &columns_.requested_ephemeral,
        &columns_.pod_count, &columns_.nonzero_cpu, &columns_.nonzero_memory}) {
    (*column)[r] = 0;
  }
  for (auto& scalar : columns_.scalars) scalar.requested[r] = 0;
  SetColumns(row, api::Node{});
}

void NodeTable::EnsureScalarColumns() {
  while (columns_.scalars.size() < scalars_.size()) {
    auto& scalar = columns_.scalars.emplace_back();
    scalar.allocatable.resize(rows());
    scalar.requested.resize(rows());
  }
}

void NodeTable::AddPod(NodeRow row, PodId pod, const PodClass& pod_class) {
  TryAddPod(row, pod, pod_class);
  Touch(row);
}

void NodeTable::RemovePod(NodeRow row, PodId pod, const PodClass& pod_class) {
  TryRemovePod(row, pod, pod_class);
  Touch(row);
  FreeIfEmpty(row);
}

void NodeTable::TryAddPod(NodeRow row, PodId pod, const PodClass& pod_class) {
  const size_t r = row.index();
  EnsureScalarColumns();
  const auto add = [](int64_t& sum, int64_t amount) { sum = SaturatingAdd(sum, amount); };
  add(columns_.requested_cpu[r], pod_class.placed.milli_cpu);
  add(columns_.requested_memory[r], pod_class.placed.memory);
  add(columns_.requested_ephemeral[r], pod_class.placed.ephemeral_storage);
  add(columns_.nonzero_cpu[r], pod_class.placed_nonzero.milli_cpu);
  add(columns_.nonzero_memory[r], pod_class.placed_nonzero.memory);
  for (const auto& scalar : pod_class.placed.scalars) {
    add(columns_.scalars[scalar.id.index()].requested[r], scalar.amount);
  }
  ++columns_.pod_count[r];
  NodeInfo& info = infos_[r];
  info.pods.push_back(pod);
  info.used_ports.insert(info.used_ports.end(), pod_class.host_ports.begin(),
                         pod_class.host_ports.end());
}

// A saturated sum does not say by how much it is exceeded: only the pods that are left do.
template <typename AmountOf>
void NodeTable::Subtract(const NodeInfo& info, const PodClass& pod_class, int64_t& sum,
                         AmountOf amount_of) const {
  if (sum != INT64_MAX) [[likely]] {
    sum -= amount_of(pod_class);
    return;
  }
  sum = 0;
  for (const PodId pod : info.pods) sum = SaturatingAdd(sum, amount_of(class_of_(pod)));
}

void NodeTable::TryRemovePod(NodeRow row, PodId pod, const PodClass& pod_class) {
  const size_t r = row.index();
  NodeInfo& info = infos_[r];
  auto found = std::ranges::find(info.pods, pod);
  CHECK(found != info.pods.end());
  *found = info.pods.back();
  info.pods.pop_back();
  const auto subtract = [&](std::vector<int64_t>& column, auto amount_of) {
    Subtract(info, pod_class, column[r], amount_of);
  };
  subtract(columns_.requested_cpu, [](const PodClass& c) { return c.placed.milli_cpu; });
  subtract(columns_.requested_memory, [](const PodClass& c) { return c.placed.memory; });
  subtract(columns_.requested_ephemeral,
           [](const PodClass& c) { return c.placed.ephemeral_storage; });
  subtract(columns_.nonzero_cpu, [](const PodClass& c) { return c.placed_nonzero.milli_cpu; });
  subtract(columns_.nonzero_memory, [](const PodClass& c) { return c.placed_nonzero.memory; });
  for (const auto& scalar : pod_class.placed.scalars) {
    subtract(columns_.scalars[scalar.id.index()].requested,
             [&](const PodClass& c) { return c.placed.ScalarAmount(scalar.id); });
  }
  --columns_.pod_count[r];
  for (const HostPort& port : pod_class.host_ports) {
    auto used = std::ranges::find(info.used_ports, port);
    CHECK(used != info.used_ports.end());
    *used = info.used_ports.back();
    info.used_ports.pop_back();
  }
}

void NodeTable::ReleaseRow(NodeRow row) {
  CHECK(infos_[row.index()].holds > 0);
  --infos_[row.index()].holds;
  FreeIfEmpty(row);
}

void NodeTable::FreeIfEmpty(NodeRow row) {
  NodeInfo& info = infos_[row.index()];
  if (info.object != nullptr || !info.pods.empty() || info.holds > 0) return;
  by_name_.erase(info.name);
  info.name = {};
  free_.push_back(row);
}

TopologyKeyId NodeTable::UseTopologyKey(Symbol label) {
  return topology_.Use(label, present_, rows(),
                       [this](size_t row) -> const Labels& { return infos_[row].labels; });
}

}  // namespace berth::scheduler::model
