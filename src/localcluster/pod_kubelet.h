// PodKubelet runs the pods that are bound to the nodes of this world: the part of all their
// kubelets that deals with pods.
//
// A pod costs one write to start and one to end. It is taken in if it fits on its node beside those
// that run there, and rejected otherwise: a check of whoever bound it.
#pragma once

#include <optional>
#include <string>

#include "localcluster/controller.h"
#include "localcluster/pod_lifecycle.h"

namespace berth::localcluster {

class PodKubelet final : public Controller {
 public:
  explicit PodKubelet(Context& context) : Controller("pod-kubelet", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& pod) override;  // The key is a pod's.

 private:
  // Does the step that is due to the document. False if it leaves it as it is.
  bool Do(const PodStep& step, const PodRecord& pod, const NodeRecord& node, JsonObject& document);
  bool Start(const PodRecord& pod, const NodeRecord& node, JsonObject& document);
  PodTiming Timing(const NodeRecord& node) const;
};

}  // namespace berth::localcluster
