#include "scheduler/framework/priority_view.h"

#include <algorithm>

#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

void PriorityView::Refresh(const model::Cluster& cluster) {
  const model::NodeTable& nodes = cluster.nodes();
  const model::RowChanges& changes = nodes.changes();
  if (started_ && position_ == changes.now()) return;
  contested_.Resize(nodes.rows());
  rivals_.resize(nodes.rows());
  if (started_ && changes.Covers(position_)) {
    for (model::NodeRow row : changes.Since(position_)) Look(cluster, row);
  } else {
    contested_.ClearAll();
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
  known = nullptr;
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
  known = std::make_unique<const Rivals>(std::move(rivals));
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
