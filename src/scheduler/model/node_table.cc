#include "scheduler/model/node_table.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "base/saturating.h"

namespace berth::scheduler::model {

size_t TaintsHash::operator()(const std::vector<api::Taint>& taints) const {
  size_t hash = taints.size();
  auto mix = [&](const std::string& text) {
    hash = hash * 1'000'003 + std::hash<std::string>()(text);
  };
  for (const api::Taint& taint : taints) {
    mix(taint.key);
    mix(taint.value);
    mix(taint.effect);
  }
  return hash;
}

void NodeColumns::Resize(size_t rows) {
  for (auto* column : {&allocatable_cpu, &allocatable_memory, &allocatable_ephemeral,
                       &allocatable_pods, &requested_cpu, &requested_memory, &requested_ephemeral,
                       &pod_count, &nonzero_cpu, &nonzero_memory}) {
    column->resize(rows);
  }
  for (ScalarId id : listed) {
    scalars[id.index()]->allocatable.resize(rows);
    scalars[id.index()]->requested.resize(rows);
  }
  taints.resize(rows);
  unschedulable.Resize(rows);
}

NodeRow NodeTable::Find(Symbol name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? NodeRow{} : found->second;
}

NodeRow NodeTable::RowFor(const std::string& name) {
  if (const NodeRow known = Find(symbols_.Find(name)); known.valid()) return known;
  NodeRow row;
  if (free_.empty()) {
    row = NodeRow{static_cast<uint32_t>(rows())};
    infos_.emplace_back(symbols_, scalars_);
    columns_.Resize(rows());
    present_.Resize(rows());
    topology_.Resize(rows());
    order_.Resize(rows());
  } else {
    row = free_.back();
    free_.pop_back();
  }
  NodeInfo& info = infos_[row.index()];
  info.name = info.name_holder.Intern(name);
  info.serial = next_serial_++;
  by_name_.emplace(info.name, row);
  ClearColumns(row);
  return row;
}

namespace {

bool IsSameBesidesResources(const api::Node& a, const api::Node& b) {
  return a.metadata.labels == b.metadata.labels && a.spec.taints == b.spec.taints &&
         a.spec.unschedulable == b.spec.unschedulable &&
         a.status.declared_features == b.status.declared_features;
}

}  // namespace

NodeRow NodeTable::Put(std::shared_ptr<const api::Node> node) {
  const NodeRow row = RowFor(node->metadata.name);
  NodeInfo& info = infos_[row.index()];
  if (info.object == nullptr || !IsSameBesidesResources(*info.object, *node)) TouchStatics(row);
  if (!present_.Test(row.index())) {
    present_.Set(row.index());
    ++present_count_;
  }
  SymbolHolder symbols(symbols_);
  Labels labels = InternLabels(node->metadata.labels, symbols);
  if (labels != info.labels) {
    info.labels = std::move(labels);
    topology_.Place(row, info.labels);
  }
  order_.Place(row, node->metadata.name, node->metadata.labels);
  info.declared_features.clear();
  for (const std::string& feature : node->status.declared_features) {
    info.declared_features.push_back(symbols.Intern(feature));
  }
  std::ranges::sort(info.declared_features);
  std::vector<Images::Report> reports;
  for (const api::ContainerImage& image : node->status.images) {
    for (const std::string& name : image.names)
      reports.push_back({symbols.Intern(name), image.size_bytes});
  }
  images_.SetHeld(row, node->metadata.name, std::move(reports));
  // What the symbols of the old object stood for is gone by now.
  info.symbols = std::move(symbols);
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
  info.symbols.Clear();
  SetColumns(row, api::Node{});
  Touch(row);
  TouchStatics(row);
  FreeIfEmpty(row);
  return true;
}

void NodeTable::SetColumns(NodeRow row, const api::Node& node) {
  const size_t r = row.index();
  ScalarHolder names(scalars_);
  const ResourceVector allocatable = ResourceVector::From(node.status.allocatable, names);
  columns_.allocatable_cpu[r] = allocatable.milli_cpu;
  columns_.allocatable_memory[r] = allocatable.memory;
  columns_.allocatable_ephemeral[r] = allocatable.ephemeral_storage;
  columns_.allocatable_pods[r] = allocatable.pods;
  SetScalars(row, allocatable.scalars, std::move(names));
  const TaintSetId taints =
      std::exchange(columns_.taints[r], taint_sets_.Acquire(node.spec.taints));
  if (taints.valid()) taint_sets_.Release(taints);
  columns_.unschedulable.Assign(r, node.spec.unschedulable);
}

void NodeTable::ClearColumns(NodeRow row) {
  const size_t r = row.index();
  for (auto* column :
       {&columns_.requested_cpu, &columns_.requested_memory, &columns_.requested_ephemeral,
        &columns_.pod_count, &columns_.nonzero_cpu, &columns_.nonzero_memory}) {
    (*column)[r] = 0;
  }
  for (ScalarId id : columns_.listed) columns_.scalars[id.index()]->requested[r] = 0;
  SetColumns(row, api::Node{});
}

void NodeTable::SetScalars(NodeRow row, std::span<const ResourceVector::Scalar> allocatable,
                           ScalarHolder names) {
  auto& columns = columns_.scalars;
  for (const auto& [id, amount] : allocatable) {
    if (id.index() >= columns.size()) columns.resize(id.index() + 1);
    auto& column = columns[id.index()];
    if (column == nullptr) {
      column = std::make_unique<NodeColumns::Scalar>();
      column->allocatable.resize(rows());
      column->requested.resize(rows());
      columns_.listed.push_back(id);
      // Held by this node alone, it is requested by no pod.
      column->counted = scalars_.holders(id) == 1;
      if (!column->counted) new_columns_.push_back(id);
    }
    ++column->nodes;
  }
  bool any_unlisted = false;
  std::swap(infos_[row.index()].scalar_names, names);
  for (ScalarId id : names.held()) {
    columns[id.index()]->allocatable[row.index()] = 0;
    any_unlisted |= --columns[id.index()]->nodes == 0;
  }
  for (const auto& [id, amount] : allocatable)
    columns[id.index()]->allocatable[row.index()] = amount;
  if (!any_unlisted) return;
  std::erase_if(columns_.listed, [&](ScalarId id) {
    if (columns[id.index()]->nodes > 0) return false;
    columns[id.index()] = nullptr;
    return true;
  });
  while (!columns.empty() && columns.back() == nullptr) columns.pop_back();
}

NodeColumns::Scalar* NodeTable::ColumnOf(ScalarId id) {
  return id.index() < columns_.scalars.size() ? columns_.scalars[id.index()].get() : nullptr;
}

void NodeTable::CountInNewColumns(NodeRow row, const PodClass& pod_class) {
  for (const auto& [id, amount] : pod_class.placed.scalars) {
    NodeColumns::Scalar* const column = ColumnOf(id);
    if (column == nullptr || column->counted) continue;
    int64_t& sum = column->requested[row.index()];
    sum = SaturatingAdd(sum, amount);
  }
}

void NodeTable::NewColumnsCounted() {
  for (ScalarId id : std::exchange(new_columns_, {})) columns_.scalars[id.index()]->counted = true;
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
  const auto add = [](int64_t& sum, int64_t amount) { sum = SaturatingAdd(sum, amount); };
  add(columns_.requested_cpu[r], pod_class.placed.milli_cpu);
  add(columns_.requested_memory[r], pod_class.placed.memory);
  add(columns_.requested_ephemeral[r], pod_class.placed.ephemeral_storage);
  add(columns_.nonzero_cpu[r], pod_class.placed_nonzero.milli_cpu);
  add(columns_.nonzero_memory[r], pod_class.placed_nonzero.memory);
  for (const auto& [id, amount] : pod_class.placed.scalars) {
    if (NodeColumns::Scalar* const column = ColumnOf(id)) add(column->requested[r], amount);
  }
  ++columns_.pod_count[r];
  NodeInfo& info = infos_[r];
  info.pods.push_back(pod);
  info.used_ports.insert(info.used_ports.end(), pod_class.host_ports.begin(),
                         pod_class.host_ports.end());
}

void NodeTable::TryAddSums(NodeRow row, const ResourceVector& amounts, int64_t pods) {
  const size_t r = row.index();
  columns_.requested_cpu[r] += amounts.milli_cpu;
  columns_.requested_memory[r] += amounts.memory;
  columns_.requested_ephemeral[r] += amounts.ephemeral_storage;
  columns_.pod_count[r] += pods;
  for (const auto& [id, amount] : amounts.scalars) {
    if (NodeColumns::Scalar* const column = ColumnOf(id)) column->requested[r] += amount;
  }
}

void NodeTable::TrySubtractSums(NodeRow row, const ResourceVector& amounts, int64_t pods) {
  const size_t r = row.index();
  columns_.requested_cpu[r] -= amounts.milli_cpu;
  columns_.requested_memory[r] -= amounts.memory;
  columns_.requested_ephemeral[r] -= amounts.ephemeral_storage;
  columns_.pod_count[r] -= pods;
  for (const auto& [id, amount] : amounts.scalars) {
    if (NodeColumns::Scalar* const column = ColumnOf(id)) column->requested[r] -= amount;
  }
}

void NodeTable::TrySwapSums(PodSums& sums) {
  columns_.requested_cpu.swap(sums.cpu);
  columns_.requested_memory.swap(sums.memory);
  columns_.requested_ephemeral.swap(sums.ephemeral_storage);
  columns_.pod_count.swap(sums.pods);
}

bool NodeTable::SumsAreSmall(NodeRow row) const {
  const size_t r = row.index();
  return IsSmallAmount(columns_.requested_cpu[r]) && IsSmallAmount(columns_.requested_memory[r]) &&
         IsSmallAmount(columns_.requested_ephemeral[r]) &&
         std::ranges::all_of(columns_.listed, [&](ScalarId id) {
           return IsSmallAmount(columns_.scalars[id.index()]->requested[r]);
         });
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
    NodeColumns::Scalar* const column = ColumnOf(scalar.id);
    if (column == nullptr) continue;
    subtract(column->requested,
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
  info.name_holder.Clear();
  free_.push_back(row);
}

Topology::KeyRef NodeTable::UseTopologyKey(std::string_view label) {
  return topology_.Use(label, present_,
                       [this](size_t row) -> const Labels& { return infos_[row].labels; });
}

}  // namespace berth::scheduler::model
