#include "cluster/cluster.h"

#include "base/check.h"

namespace berth {

void Cluster::Put(const api::Object& object) {
  std::visit(
      [this]<typename T>(const std::shared_ptr<const T>& ref) {
        if constexpr (std::is_same_v<T, api::Pod>) {
          PutPod(ref);
        } else if constexpr (std::is_same_v<T, api::Node>) {
          nodes_.Put(ref);
        } else {
          std::get<Objects<T>>(objects_).Put(ref);
        }
      },
      object);
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
    // What was assumed counts as it was decided; the class follows when the pod is confirmed or forgotten.
    record.object = std::move(pod);
    return id;
  }

  const PodRecord old = record;
  record.object = std::move(pod);
  Describe(record, /*with_node_name=*/false);
  const NodeRow node =
      placed_by_api ? nodes_.RowFor(symbols_.Intern(record.object->spec.node_name)) : NodeRow{};
  // Most updates of a running pod change nothing that its node counts.
  const bool same_place = known && node == old.node && record.pod_class == old.pod_class;
  if (!same_place && old.state != PodState::kPending) {
    nodes_.RemovePod(old.node, old.id, classes_.Get(old.pod_class));
  }
  if (known) {
    classes_.Release(old.pod_class);
    label_sets_.Release(old.labels);
  }
  if (placed_by_api) nominations_.Clear(record.id);
  record.state = placed_by_api ? PodState::kBound : PodState::kPending;
  record.node = node;
  if (!same_place && placed_by_api) nodes_.AddPod(node, record.id, classes_.Get(record.pod_class));
  return record.id;
}

void Cluster::Describe(PodRecord& record, bool with_node_name) {
  record.pod_class = classes_.Acquire(record.object, with_node_name);
  nodes_.EnsureScalarColumns();  // The class may name resources that no node has.
  record.labels = label_sets_.Acquire(InternLabels(record.object->metadata.labels, symbols_));
}

void Cluster::UnplacePod(PodRecord& record) {
  nodes_.RemovePod(record.node, record.id, classes_.Get(record.pod_class));
  record.state = PodState::kPending;
  record.node = {};
}

void Cluster::DropPod(PodId id) {
  PodRecord& record = pods_.Get(id);
  nominations_.Clear(id);
  if (record.state != PodState::kPending) UnplacePod(record);
  classes_.Release(record.pod_class);
  label_sets_.Release(record.labels);
  pods_.Remove(id);
}

void Cluster::Assume(PodId pod, NodeRow node) {
  PodRecord& record = pods_.Get(pod);
  CHECK(record.state == PodState::kPending);
  nominations_.Clear(pod);
  record.state = PodState::kAssumed;
  record.node = node;
  nodes_.AddPod(node, pod, classes_.Get(record.pod_class));
}

void Cluster::Forget(PodId pod) {
  PodRecord& record = pods_.Get(pod);
  CHECK(record.state == PodState::kAssumed);
  const PodRecord old = record;
  UnplacePod(record);
  // The object may have changed while the pod was assumed.
  Describe(record, /*with_node_name=*/false);
  classes_.Release(old.pod_class);
  label_sets_.Release(old.labels);
}

ScalarId Cluster::UseScalar(std::string_view name) {
  const ScalarId id = scalars_.Intern(name);
  nodes_.EnsureScalarColumns();
  return id;
}

PodRecord Cluster::MakeVisitor(std::shared_ptr<const api::Pod> pod) {
  PodRecord record;
  record.object = std::move(pod);
  Describe(record, /*with_node_name=*/true);
  return record;
}

PodRecord Cluster::Retain(PodId pod) {
  PodRecord copy = pods_.Get(pod);
  classes_.Retain(copy.pod_class);
  label_sets_.Retain(copy.labels);
  return copy;
}

void Cluster::Release(const PodRecord& record) {
  classes_.Release(record.pod_class);
  label_sets_.Release(record.labels);
}

void Cluster::TryAddPod(const PodRecord& pod, NodeRow node) {
  nodes_.TryAddPod(node, pod.id, classes_.Get(pod.pod_class));
}

void Cluster::TryRemovePod(const PodRecord& pod, NodeRow node) {
  nodes_.TryRemovePod(node, pod.id, classes_.Get(pod.pod_class));
}

}  // namespace berth
