#include "scheduler/model/cluster.h"

#include <tuple>
#include <type_traits>
#include <utility>

#include "api/object.h"
#include "base/check.h"
#include "scheduler/model/device_model.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/owner_selectors.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/model/storage_model.h"

namespace berth::scheduler::model {

namespace {

// Reports whether preemption would see another victim, though the pod requests the same.
bool LooksDifferent(const api::Pod& before, const api::Pod& after) {
  return before.status.start_time != after.status.start_time ||
         before.metadata.labels != after.metadata.labels;
}

}  // namespace

struct Cluster::ObjectTables {
  template <typename T>
  Objects<T>& of() {
    return std::get<Objects<T>>(by_kind);
  }

  std::tuple<Objects<api::Namespace>, Objects<api::Service>, Objects<api::ReplicationController>,
             Objects<api::ReplicaSet>, Objects<api::StatefulSet>, Objects<api::PersistentVolume>,
             Objects<api::PersistentVolumeClaim>, Objects<api::StorageClass>, Objects<api::CsiNode>,
             Objects<api::CsiDriver>, Objects<api::CsiStorageCapacity>,
             Objects<api::VolumeAttachment>, Objects<api::PodDisruptionBudget>,
             Objects<api::PriorityClass>, Objects<api::ResourceClaim>, Objects<api::DeviceClass>,
             Objects<api::ResourceSlice>, Objects<api::PodGroup>>
      by_kind;
};

Cluster::Cluster(const Features& features)
    : features_(features),
      objects_(std::make_unique<ObjectTables>()),
      owner_selectors_(std::make_unique<OwnerSelectors>()),
      groups_(std::make_unique<PodGroups>()),
      counters_(std::make_unique<PodCounters>(symbols_, pods_, pod_labels_, namespaces_)),
      affinity_terms_(std::make_unique<AffinityTerms>(symbols_, pod_labels_, namespaces_)),
      storage_(std::make_unique<Storage>(nodes_, pods_, objects_->of<api::PersistentVolumeClaim>(),
                                         symbols_)),
      devices_(std::make_unique<Devices>(nodes_, symbols_, features_)) {}

Cluster::~Cluster() = default;

template <typename T>
const Objects<T>& Cluster::objects() const {
  return objects_->of<T>();
}

template <typename T>
void Cluster::Put(const std::shared_ptr<const T>& object) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    PutPod(object);
  } else if constexpr (std::is_same_v<T, api::Node>) {
    PutNode(object);
  } else {
    ++version_;
    if constexpr (OwnsPods<T>)
      owner_selectors_->Change<T>(objects_->of<T>().FindRef(ObjectName(object->metadata)), object);
    objects_->of<T>().Put(object);
    storage_->Put(object);
    devices_->Put(object);
    // NodeResourcesFit leaves resources to classes that provide them.
    if constexpr (std::is_same_v<T, api::DeviceClass>) nodes_.AllChanged();
    if constexpr (std::is_same_v<T, api::Namespace>) {
      if (namespaces_.Put(object->metadata.name, object->metadata.labels)) NamespacesChanged();
    }
  }
}

void Cluster::Put(const api::Object& object) {
  std::visit([this](const auto& ref) { Put(ref); }, object);
}

template <typename T>
bool Cluster::Remove(const api::ObjectKey& key) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    const PodId id = pods_.Find(key.namespace_, key.name);
    if (!id.valid()) return false;
    DropPod(id);
    return true;
  } else if constexpr (std::is_same_v<T, api::Node>) {
    return RemoveNode(key.name);
  } else {
    ++version_;
    if constexpr (OwnsPods<T>) owner_selectors_->Change<T>(objects_->of<T>().FindRef(key), nullptr);
    const bool removed = objects_->of<T>().Remove(key);
    storage_->Remove<T>(key);
    devices_->Remove<T>(key);
    if constexpr (std::is_same_v<T, api::DeviceClass>) nodes_.AllChanged();
    if constexpr (std::is_same_v<T, api::Namespace>) {
      if (namespaces_.Remove(key.name)) NamespacesChanged();
    }
    return removed;
  }
}

PodId Cluster::PutPod(std::shared_ptr<const api::Pod> pod) {
  PodId id = pods_.Find(pod->metadata.namespace_, pod->metadata.name);
  if (id.valid() && (pod->finished() || pods_.Get(id).uid() != pod->metadata.uid)) {
    DropPod(id);
    id = {};
  }
  if (pod->finished()) return {};

  const bool known = id.valid();
  PodRecord& record = known ? pods_.Get(id) : pods_.Add(pod);
  const bool placed_by_api = !pod->spec.node_name.empty();
  if (known && record.state == PodState::kAssumed && !placed_by_api) {
    // The pod counts as it was when it was assumed; its class follows when it is confirmed or
    // forgotten. Only termination takes effect at once.
    ++version_;
    const PodRecord old = record;
    record.object = std::move(pod);
    if (record.terminating() != old.terminating()) {
      Count(old, old.node, -1);
      Count(record, record.node, +1);
    }
    if (LooksDifferent(*old.object, *record.object)) nodes_.PodChanged(record.node);
    return id;
  }

  const PodRecord old = record;
  record.object = std::move(pod);
  Describe(record, /*with_node_name=*/false);
  // Others do not see a pod that waits, so that ten thousand that fail and get their conditions do
  // not look like ten thousand changes.
  const bool waits = !placed_by_api &&
                     (!known || (old.state == PodState::kPending &&
                                 record.pod_class == old.pod_class && record.labels == old.labels));
  if (!waits || nominations_.NodeOf(record.id).valid() || IsInGroup(record)) ++version_;
  const NodeRow node = placed_by_api ? nodes_.RowFor(record.object->spec.node_name) : NodeRow{};
  // Most updates of a running pod change nothing that its node or any counter sees.
  const bool was_placed = known && old.state != PodState::kPending;
  const bool same_place = was_placed && node == old.node && record.pod_class == old.pod_class;
  const bool same_count =
      same_place && record.labels == old.labels && record.terminating() == old.terminating();
  record.state = placed_by_api ? PodState::kBound : PodState::kPending;
  record.node = node;
  if (placed_by_api) ++placed_pods_;
  if (was_placed) --placed_pods_;
  if (old.state == PodState::kAssumed) --assumed_pods_;
  if (was_placed && !same_count) Count(old, old.node, -1);
  // Added before it is removed, so that its row is not freed in between.
  if (placed_by_api && !same_place) nodes_.AddPod(node, record.id, classes_.Get(record.pod_class));
  if (was_placed && !same_place) nodes_.RemovePod(old.node, old.id, classes_.Get(old.pod_class));
  if (placed_by_api && !same_count) Count(record, node, +1);
  if (same_place && LooksDifferent(*old.object, *record.object)) nodes_.PodChanged(node);
  if (placed_by_api) {
    SetNomination(record.id, {});
  } else if (known) {
    NominatedPodChanged(nominations_.NodeOf(record.id));
  }
  if (features_.has_groups()) groups_->Put(record);
  if (known) Release(old);
  affinity_terms_->Trim();
  return record.id;
}

bool Cluster::IsInGroup(const PodRecord& record) const {
  return features_.has_groups() && GroupNamedBy(*record.object).has_value();
}

void Cluster::Describe(PodRecord& record, bool with_node_name) {
  record.pod_class = classes_.Acquire(*record.object, with_node_name);
  const LabelSetId labels = pod_labels_.Acquire(record.object->metadata);
  if (record.id.valid()) {
    pods_.SetLabels(record, labels);
  } else {
    record.labels = labels;  // Of a hypothetical pod.
  }
}

void Cluster::Count(const PodRecord& pod, NodeRow row, int32_t delta) {
  counters_->Count({pod.labels, pod.terminating(), row}, delta);
  affinity_terms_->Count(class_of(pod), classes_.serial(pod.pod_class), row, delta,
                         [this](std::string_view label) { return nodes_.UseTopologyKey(label); });
  const PodClass& pod_class = class_of(pod);
  if (!pod_class.uses_storage) return;
  const Symbol node = nodes_.info(row).name;
  if (delta > 0) {
    storage_->PodPlaced(pod.id, pod_class, node);
  } else {
    storage_->PodUnplaced(pod.id, pod_class, node);
  }
}

void Cluster::CountAllOn(NodeRow row, int32_t delta) {
  for (PodId id : nodes_.info(row).pods) Count(pods_.Get(id), row, delta);
}

// A node that changes its labels moves its pods from domain to domain.
void Cluster::PutNode(const std::shared_ptr<const api::Node>& node) {
  ++version_;
  const NodeRow row = nodes_.Find(symbols_.Find(node->metadata.name));
  const bool moves = row.valid() && !nodes_.info(row).pods.empty() &&
                     (nodes_.info(row).object == nullptr ||
                      nodes_.info(row).object->metadata.labels != node->metadata.labels);
  if (moves) CountAllOn(row, -1);
  const std::shared_ptr<const api::Node> before = row.valid() ? nodes_.info(row).object : nullptr;
  nodes_.Put(node);
  devices_->NodeChanged(nodes_.Find(symbols_.Find(node->metadata.name)), before.get(), node.get());
  if (nodes_.has_new_columns()) FillNewColumns();
  if (moves) CountAllOn(row, +1);
}

// Pods may have requested a resource before the first node listed it.
void Cluster::FillNewColumns() {
  pods_.ForEach([this](const PodRecord& pod) {
    if (pod.state != PodState::kPending) nodes_.CountInNewColumns(pod.node, class_of(pod));
  });
  nodes_.NewColumnsCounted();
}

bool Cluster::RemoveNode(const std::string& name) {
  ++version_;
  const Symbol symbol = symbols_.Find(name);
  const NodeRow row = nodes_.Find(symbol);
  const bool has_pods = row.valid() && !nodes_.info(row).pods.empty();
  if (has_pods) CountAllOn(row, -1);
  const bool removed = nodes_.Remove(symbol);
  devices_->NodeChanged(row, nullptr, nullptr);
  if (has_pods) CountAllOn(row, +1);
  return removed;
}

std::shared_ptr<const PodCounter> Cluster::CountPods(const PodQuery& query,
                                                     std::span<const Topology::KeyRef> keys) {
  return counters_->Take(query, keys);
}

void Cluster::NamespacesChanged() {
  counters_->NamespacesChanged();
  affinity_terms_->NamespacesChanged();
}

void Cluster::SetNomination(PodId pod, Symbol node) {
  if (nominations_.empty() && !node.valid()) return;
  NominatedPodChanged(nominations_.NodeOf(pod));
  nominations_.Set(pod, node);
  NominatedPodChanged(node);
}

void Cluster::NominatedPodChanged(Symbol node) {
  if (!node.valid()) return;
  if (const NodeRow row = nodes_.Find(node); row.valid()) nodes_.PodChanged(row);
}

void Cluster::UnplacePod(PodRecord& record) {
  Count(record, record.node, -1);
  nodes_.RemovePod(record.node, record.id, classes_.Get(record.pod_class));
  record.state = PodState::kPending;
  record.node = {};
}

void Cluster::DropPod(PodId id) {
  ++version_;
  PodRecord& record = pods_.Get(id);
  if (features_.has_groups()) groups_->Remove(id);
  SetNomination(id, {});
  if (record.state == PodState::kAssumed) --assumed_pods_;
  if (record.state != PodState::kPending) {
    --placed_pods_;
    UnplacePod(record);
  }
  Release(record);
  pods_.Remove(id);
  affinity_terms_->Trim();
}

void Cluster::Assume(PodId pod, NodeRow node) {
  ++version_;
  PodRecord& record = pods_.Get(pod);
  CHECK(record.state == PodState::kPending);
  SetNomination(pod, {});
  record.state = PodState::kAssumed;
  ++placed_pods_;
  ++assumed_pods_;
  record.node = node;
  nodes_.AddPod(node, pod, classes_.Get(record.pod_class));
  Count(record, node, +1);
  if (features_.has_groups()) groups_->Put(record);
}

void Cluster::Forget(PodId pod) {
  ++version_;
  PodRecord& record = pods_.Get(pod);
  CHECK(record.state == PodState::kAssumed);
  --placed_pods_;
  --assumed_pods_;
  const PodRecord old = record;
  UnplacePod(record);
  // The object may have changed while the pod was assumed.
  Describe(record, /*with_node_name=*/false);
  Release(old);
  if (features_.has_groups()) groups_->Put(record);
}

PodRecord Cluster::MakeHypotheticalPod(std::shared_ptr<const api::Pod> pod) {
  PodRecord record;
  record.object = std::move(pod);
  Describe(record, /*with_node_name=*/true);
  return record;
}

PodRecord Cluster::Retain(PodId pod) {
  PodRecord copy = pods_.Get(pod);
  classes_.Retain(copy.pod_class);
  pod_labels_.Retain(copy.labels);
  return copy;
}

void Cluster::Release(const PodRecord& record) {
  classes_.Release(record.pod_class);
  pod_labels_.Release(record.labels);
}

void Cluster::DropUnused() {
  classes_.DropEmpty(0, 0);
  affinity_terms_->RemoveUnused();
}

void Cluster::TryAddPod(const PodRecord& pod, NodeRow node) {
  nodes_.TryAddPod(node, pod.id, classes_.Get(pod.pod_class));
  Count(pod, node, +1);
}

void Cluster::TryRemovePod(const PodRecord& pod, NodeRow node) {
  Count(pod, node, -1);
  nodes_.TryRemovePod(node, pod.id, classes_.Get(pod.pod_class));
}

void Cluster::TakeOff(PodId pod) {
  ++version_;
  const PodRecord& record = pods_.Get(pod);
  CHECK(record.state != PodState::kPending);
  nodes_.HoldRow(record.node);  // It may have been its last pod.
  Count(record, record.node, -1);
  nodes_.RemovePod(record.node, pod, classes_.Get(record.pod_class));
}

void Cluster::PutBack(PodId pod) {
  ++version_;
  const PodRecord& record = pods_.Get(pod);
  nodes_.AddPod(record.node, pod, classes_.Get(record.pod_class));
  Count(record, record.node, +1);
  nodes_.ReleaseRow(record.node);
}

// The templates above, for every kind.
#define BERTH_INSTANTIATE(KIND)                                            \
  template void Cluster::Put(const std::shared_ptr<const api::KIND>& ref); \
  template bool Cluster::Remove<api::KIND>(const api::ObjectKey& key)
#define BERTH_INSTANTIATE_TABLE(KIND) \
  BERTH_INSTANTIATE(KIND);            \
  template const Objects<api::KIND>& Cluster::objects<api::KIND>() const
BERTH_INSTANTIATE(Pod);
BERTH_INSTANTIATE(Node);
BERTH_INSTANTIATE_TABLE(Namespace);
BERTH_INSTANTIATE_TABLE(Service);
BERTH_INSTANTIATE_TABLE(ReplicationController);
BERTH_INSTANTIATE_TABLE(ReplicaSet);
BERTH_INSTANTIATE_TABLE(StatefulSet);
BERTH_INSTANTIATE_TABLE(PersistentVolume);
BERTH_INSTANTIATE_TABLE(PersistentVolumeClaim);
BERTH_INSTANTIATE_TABLE(StorageClass);
BERTH_INSTANTIATE_TABLE(CsiNode);
BERTH_INSTANTIATE_TABLE(CsiDriver);
BERTH_INSTANTIATE_TABLE(CsiStorageCapacity);
BERTH_INSTANTIATE_TABLE(VolumeAttachment);
BERTH_INSTANTIATE_TABLE(PodDisruptionBudget);
BERTH_INSTANTIATE_TABLE(PriorityClass);
BERTH_INSTANTIATE_TABLE(ResourceClaim);
BERTH_INSTANTIATE_TABLE(DeviceClass);
BERTH_INSTANTIATE_TABLE(ResourceSlice);
BERTH_INSTANTIATE_TABLE(PodGroup);
#undef BERTH_INSTANTIATE_TABLE
#undef BERTH_INSTANTIATE

}  // namespace berth::scheduler::model
