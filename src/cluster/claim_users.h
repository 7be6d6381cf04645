// ClaimUsers knows which placed pods use which PersistentVolumeClaim.
#pragma once

#include <map>
#include <vector>

#include "api/meta.h"
#include "cluster/ids.h"
#include "cluster/pod_class.h"

namespace berth {

class ClaimUsers {
 public:
  struct User {
    PodId pod;
    Symbol node;             // Where it was placed; the node need not exist.
    bool ephemeral = false;  // The claim was made for this pod.
    friend bool operator==(const User&, const User&) = default;
  };

  // Notes that `pod` was placed on `node`, or no longer is.
  void Add(PodId pod, const PodClass& pod_class, Symbol node);
  void Remove(PodId pod, const PodClass& pod_class, Symbol node);

  // In no particular order; a pod that names a claim twice is there twice.
  const std::vector<User>& Of(const api::ObjectKey& claim) const;

 private:
  std::map<api::ObjectKey, std::vector<User>> users_;
};

}  // namespace berth
