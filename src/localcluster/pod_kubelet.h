// PodKubelet is the part of the fake kubelets that runs pods.
//
// A pod costs one write to start and one to end, unless its behavior (pod_behavior.h) makes either
// take a while. A pod is admitted if it fits on its node beside
// the pods that run there, and rejected otherwise, as a real kubelet does.
#pragma once

#include "localcluster/controller.h"
#include "localcluster/pod_behavior.h"
#include "localcluster/pod_lifecycle.h"

namespace berth::localcluster {

class PodKubelet final : public Controller {
 public:
  explicit PodKubelet(Context& context) : Controller("pod-kubelet", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& pod) override;  // The key names a pod.

 private:
  // Applies the step to the pod's document. Returns false if it leaves the document unchanged.
  bool Execute(const PodStep& step, const PodRecord& pod, const NodeRecord& node,
               JsonObject& document);
  // Applies a step of a pod that has not started.
  bool Start(const PodStep& step, const PodRecord& pod, const NodeRecord& node,
             JsonObject& document);
  // Returns false if it rejects the pod.
  bool Admit(const PodRecord& pod, const NodeRecord& node, JsonObject& document);
  PodBehavior BehaviorOf(const PodRecord& pod, const JsonObject& document) const;
  // Records that the containers are stopped, if the change is the deletion of the pod.
  void RecordDeletion(const Change& change);
};

}  // namespace berth::localcluster
