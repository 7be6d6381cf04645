// ClassCache finds the kept results of a pod class, per profile.
//
// Results are large (a few words per node), so only the classes used last are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/class_results.h"

namespace berth {

class ClassCache {
 public:
  // All must outlive the cache; `workers` may be null.
  ClassCache(const Profile& profile, Cluster& cluster, Workers* workers)
      : profile_(profile), cluster_(cluster), workers_(workers) {}

  // The results of the pod's class, made if need be. Holders keep them alive beyond the cache's own
  // choice.
  std::shared_ptr<ClassResults> For(const PodRecord& pod);

 private:
  // What all kept results may take together, roughly.
  static constexpr size_t kMaxRows = size_t{32} << 20;

  struct Entry {
    uint64_t serial = 0;  // Of the class that the results are for.
    uint64_t last_used = 0;
    std::shared_ptr<ClassResults> results;
  };

  void DropOldest();

  const Profile& profile_;
  Cluster& cluster_;
  Workers* const workers_;
  std::vector<Entry> entries_;  // By class id.
  size_t kept_ = 0;
  uint64_t uses_ = 0;
};

}  // namespace berth
