#include "benchmark/pod_tracker.h"

#include <algorithm>
#include <utility>

#include "api/scheme/scheme.h"

namespace berth::benchmark {
namespace {

using apiserver::store::Object;
using apiserver::store::ObjectName;
using apiserver::store::ObjectPtr;

constexpr size_t kEventsAtATime = 4'096;

bool HasLabels(const Object& object, const api::StringMap& labels) {
  return std::ranges::all_of(labels, [&](const auto& wanted) {
    return std::ranges::any_of(object.labels, [&](const auto& label) {
      return label.first == wanted.first && label.second == wanted.second;
    });
  });
}

size_t Index(PodStage stage) { return static_cast<size_t>(stage); }

}  // namespace

bool PodCount::Matches(const Object& pod) const {
  return (namespaces_.empty() || namespaces_.contains(pod.key.namespace_)) &&
         HasLabels(pod, labels_);
}

PodTracker::PodTracker(apiserver::store::Store& store)
    : store_(store), collection_(api::scheme::KindOf("pods").collection) {
  const auto& fields = api::scheme::KindOf("pods").selectable_fields;
  node_name_field_ =
      static_cast<size_t>(std::ranges::find(fields, "spec.nodeName") - fields.begin());
  List();
}

PodTracker::~PodTracker() = default;

template <typename Change>
void PodTracker::ForEachCount(const Object& pod, Change change) {
  for (const std::weak_ptr<PodCount>& weak : counts_) {
    const auto count = weak.lock();
    if (count != nullptr && count->Matches(pod)) change(*count);
  }
}

void PodTracker::Put(const ObjectPtr& object) {
  PodStage stage = PodStage::kPending;
  if (!object->fields[node_name_field_].empty()) {
    stage = PodStage::kScheduled;
  } else if (object->json.find(R"("type":"PodScheduled")") != std::string::npos) {
    stage = PodStage::kAttempted;
  }
  const auto [found, is_new] = pods_.try_emplace(object->key, Pod{object, stage});
  const PodStage before = is_new ? PodStage::kPending : found->second.stage;
  // Labels may change.
  if (!is_new)
    ForEachCount(*found->second.object, [&](auto& count) { --count.counts_[Index(before)]; });
  found->second = {object, stage};
  ForEachCount(*object, [&](PodCount& count) {
    ++count.counts_[Index(stage)];
    count.bound_ += stage == PodStage::kScheduled && before != PodStage::kScheduled;
  });
}

void PodTracker::Remove(const ObjectName& name) {
  const auto found = pods_.find(name);
  if (found == pods_.end()) return;
  const PodStage stage = found->second.stage;
  ForEachCount(*found->second.object, [&](PodCount& count) { --count.counts_[Index(stage)]; });
  pods_.erase(found);
}

void PodTracker::List() {
  const auto list = store_.List(collection_, {});
  cursor_ = store_.Watch(collection_, list.version, [] {});
  std::set<ObjectName> listed;
  for (const ObjectPtr& object : list.objects) {
    listed.insert(object->key);
    Put(object);
  }
  std::vector<ObjectName> gone;
  for (const auto& [name, pod] : pods_) {
    if (!listed.contains(name)) gone.push_back(name);
  }
  for (const ObjectName& name : gone) Remove(name);
}

void PodTracker::Read() {
  for (;;) {
    events_.clear();
    if (!cursor_->Read(kEventsAtATime, events_)) return List();
    if (events_.empty()) return;
    for (const apiserver::store::Event& event : events_) {
      if (event.type == apiserver::store::EventType::kDeleted) {
        Remove(event.object->key);
      } else {
        Put(event.object);
      }
    }
  }
}

std::shared_ptr<const PodCount> PodTracker::Count(std::vector<std::string> namespaces,
                                                  api::StringMap labels) {
  Read();
  auto count = std::make_shared<PodCount>(std::move(namespaces), std::move(labels));
  for (const auto& [name, pod] : pods_) {
    if (count->Matches(*pod.object)) ++count->counts_[Index(pod.stage)];
  }
  std::erase_if(counts_, [](const auto& weak) { return weak.expired(); });
  counts_.push_back(count);
  return count;
}

std::vector<std::string> PodTracker::Names(const std::string& namespace_,
                                           const api::StringMap& labels) const {
  std::vector<std::string> names;
  for (auto pod = pods_.lower_bound({namespace_, ""});
       pod != pods_.end() && pod->first.namespace_ == namespace_; ++pod) {
    if (HasLabels(*pod->second.object, labels)) names.push_back(pod->first.name);
  }
  return names;
}

std::string PodTracker::FirstPending(const PodCount& count) const {
  for (const auto& [name, pod] : pods_) {
    if (pod.stage != PodStage::kScheduled && count.Matches(*pod.object)) {
      return name.namespace_ + "/" + name.name;
    }
  }
  return "";
}

}  // namespace berth::benchmark
