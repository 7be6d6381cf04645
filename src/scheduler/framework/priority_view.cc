#include "scheduler/framework/priority_view.h"

#include <algorithm>

#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

void PriorityView::Refresh(const model::Cluster& cluster) {
  const model::NodeTable& nodes = cluster.nodes();
  const model::RowChanges& changes = nodes.changes();
  if (started_ && position_ == changes.now()) return;
  contested_.Resize(nodes.rows());
  uncounted_.Resize(nodes.rows());
  rivals_.resize(nodes.rows());
  if (started_ && changes.Covers(position_)) {
    for (auto* sums : {&sums_.cpu, &sums_.memory, &sums_.ephemeral_storage, &sums_.pods})
      sums->resize(nodes.rows());
    for (model::NodeRow row : changes.Since(position_)) Look(cluster, row);
  } else {
    CopyAllSums(nodes);
    contested_.ClearAll();
    uncounted_.ClearAll();
    std::ranges::fill(rivals_, nullptr);
    for (const auto& [name, pods] : cluster.nominations().by_node()) {
      if (const model::NodeRow row = nodes.Find(name); row.valid()) Look(cluster, row);
    }
  }
  started_ = true;
  position_ = changes.now();
}

void PriorityView::Look(const model::Cluster& cluster, model::NodeRow row) {
  auto& known = rivals_[row.index()];
  contested_.Clear(row.index());
  uncounted_.Clear(row.index());
  known = nullptr;
  CopySums(cluster.nodes(), row);
  if (!cluster.nodes().present().Test(row.index())) return;
  Rivals rivals;
  for (model::PodId id : cluster.nominations().PodsOn(cluster.nodes().info(row).name)) {
    const model::PodClass& pod_class = cluster.class_of(cluster.pod(id));
    if (pod_class.priority < priority_) continue;
    rivals.requests.Add(pod_class.placed);
    ++rivals.pods;
  }
  if (rivals.pods == 0) return;
  rivals.are_small = rivals.requests.IsSmall() && cluster.nodes().SumsAreSmall(row);
  contested_.Set(row.index());
  if (rivals.are_small && rivals.requests.scalars.empty()) {
    sums_.cpu[row.index()] += rivals.requests.milli_cpu;
    sums_.memory[row.index()] += rivals.requests.memory;
    sums_.ephemeral_storage[row.index()] += rivals.requests.ephemeral_storage;
    sums_.pods[row.index()] += rivals.pods;
  } else {
    uncounted_.Set(row.index());
  }
  known = std::make_unique<const Rivals>(std::move(rivals));
}

void PriorityView::CopySums(const model::NodeTable& nodes, model::NodeRow row) {
  const model::NodeColumns& columns = nodes.columns();
  const size_t r = row.index();
  sums_.cpu[r] = columns.requested_cpu[r];
  sums_.memory[r] = columns.requested_memory[r];
  sums_.ephemeral_storage[r] = columns.requested_ephemeral[r];
  sums_.pods[r] = columns.pod_count[r];
}

void PriorityView::CopyAllSums(const model::NodeTable& nodes) {
  const model::NodeColumns& columns = nodes.columns();
  sums_ = {columns.requested_cpu, columns.requested_memory, columns.requested_ephemeral,
           columns.pod_count};
}

std::shared_ptr<PriorityView> PriorityViews::For(const model::Cluster& cluster, int32_t priority) {
  Used& used = views_[priority];
  if (used.view == nullptr) used.view = std::make_shared<PriorityView>(priority);
  used.last = ++uses_;
  const std::shared_ptr<PriorityView> view = used.view;
  if (views_.size() > kMaxViews) {
    views_.erase(
        std::ranges::min_element(views_, {}, [](const auto& entry) { return entry.second.last; }));
  }
  view->Refresh(cluster);
  return view;
}

}  // namespace berth::scheduler::framework
