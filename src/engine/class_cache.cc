#include "engine/class_cache.h"

#include <algorithm>

namespace berth {

std::shared_ptr<ClassResults> ClassCache::For(const PodRecord& pod) {
  const size_t i = pod.pod_class.index();
  if (i >= entries_.size()) entries_.resize(cluster_.classes().capacity());
  Entry& entry = entries_[i];
  const uint64_t serial = cluster_.classes().serial(pod.pod_class);
  entry.last_used = ++uses_;
  if (entry.results != nullptr && entry.serial == serial) return entry.results;
  if (entry.results == nullptr) ++kept_;
  entry.serial = serial;
  entry.results =
      std::make_shared<ClassResults>(profile_, cluster_, cluster_.class_of(pod), workers_);
  auto results = entry.results;
  if (kept_ > 16 && kept_ * cluster_.nodes().rows() > kMaxRows) DropOldest();
  return results;
}

// Drops the half that was used least recently, so that this work is spread over many calls.
void ClassCache::DropOldest() {
  std::vector<uint64_t> uses;
  for (const Entry& entry : entries_) {
    if (entry.results != nullptr) uses.push_back(entry.last_used);
  }
  auto middle = uses.begin() + static_cast<ptrdiff_t>(uses.size() / 2);
  std::ranges::nth_element(uses, middle);
  for (Entry& entry : entries_) {
    if (entry.results == nullptr || entry.last_used >= *middle) continue;
    entry.results = nullptr;
    --kept_;
  }
}

}  // namespace berth
