// PodTracker follows the pods of a store: which are scheduled, and which were attempted. PodCount
// counts those of some namespaces with some labels.
//
// Used by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/meta.h"
#include "apiserver/store/store.h"

namespace berth::benchmark {

// How far a pod has come.
enum class PodStage : uint8_t { kPending, kAttempted, kScheduled };

class PodCount {
 public:
  // No namespaces means all.
  PodCount(std::vector<std::string> namespaces, api::StringMap labels)
      : namespaces_(namespaces.begin(), namespaces.end()), labels_(std::move(labels)) {}

  uint64_t scheduled() const { return counts_[static_cast<size_t>(PodStage::kScheduled)]; }
  uint64_t attempted() const {
    return scheduled() + counts_[static_cast<size_t>(PodStage::kAttempted)];
  }
  // How many have become scheduled since counting began, including those that are gone.
  uint64_t bound() const { return bound_; }

 private:
  friend class PodTracker;
  bool Matches(const apiserver::store::Object& pod) const;

  std::set<std::string, std::less<>> namespaces_;
  api::StringMap labels_;
  std::array<uint64_t, 3> counts_ = {};
  uint64_t bound_ = 0;
};

class PodTracker {
 public:
  // `store` must outlive the tracker.
  explicit PodTracker(apiserver::store::Store& store);
  ~PodTracker();

  // Reads all changes since the last call.
  void Read();

  // Counts the pods that are known and those to come, as long as the result is alive.
  std::shared_ptr<const PodCount> Count(std::vector<std::string> namespaces, api::StringMap labels);
  // Returns the names of the pods in a namespace with the labels, in order.
  std::vector<std::string> Names(const std::string& namespace_, const api::StringMap& labels) const;
  // Returns "namespace/name" of one that is not scheduled; empty if there is none.
  std::string FirstPending(const PodCount& count) const;

 private:
  struct Pod {
    apiserver::store::ObjectPtr object;
    PodStage stage = PodStage::kPending;
  };

  void List();
  void Put(const apiserver::store::ObjectPtr& object);
  void Remove(const apiserver::store::ObjectName& name);
  template <typename Change>
  void ForEachCount(const apiserver::store::Object& pod, Change change);

  apiserver::store::Store& store_;
  const apiserver::store::Collection collection_;
  size_t node_name_field_ = 0;
  std::unique_ptr<apiserver::store::Store::Cursor> cursor_;
  std::map<apiserver::store::ObjectName, Pod> pods_;
  std::vector<std::weak_ptr<PodCount>> counts_;
  std::vector<apiserver::store::Event> events_;  // Of one Read; a member to reuse its memory.
};

}  // namespace berth::benchmark
