// KnownFailures remembers which pods could not be scheduled for as long as nothing changes: a copy
// of a pod that just failed would fail the same way, so it need not be tried.
//
// Ten thousand copies of a pod that fits nowhere thus cost one attempt each time they are woken.
#pragma once

#include <map>

#include "cluster/cluster.h"
#include "engine/failure.h"
#include "queue/pod_likeness.h"

namespace berth {

class KnownFailures {
 public:
  // `cluster` must outlive this.
  explicit KnownFailures(const Cluster& cluster) : cluster_(cluster) {}

  // How `pod` would fail, if that is known.
  const Failure* Find(const PodRecord& pod, size_t profile);
  // Notes that `pod` has failed, unless others like it may fare differently. What went wrong with
  // an error is always tried again.
  void Add(const PodRecord& pod, size_t profile, const Failure& failure);

 private:
  // Whether the pod's own story plays a part.
  bool IsSpecial(const PodRecord& pod) const;

  const Cluster& cluster_;
  uint64_t version_ = 0;  // Of the cluster that the failures are for.
  std::map<PodLikeness, Failure> failures_;
};

}  // namespace berth
