// PodKubelet is the part of the fake kubelets that runs pods.
//
// A pod costs one write to start and one to end. A pod is admitted if it fits on its node beside
// the pods that run there, and rejected otherwise, as a real kubelet does.
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
  void Sync(const ObjectName& pod) override;  // The key names a pod.

 private:
  // Applies the step to the pod's document. Returns false if it leaves the document unchanged.
  bool Execute(const PodStep& step, const PodRecord& pod, const NodeRecord& node,
               JsonObject& document);
  // Admits or rejects the pod.
  bool Start(const PodRecord& pod, const NodeRecord& node, JsonObject& document);
  PodTiming Timing(const NodeRecord& node) const;
  // Records the events of a step that was taken; `document` is the pod after it.
  void RecordStep(const PodStep& step, const PodRecord& pod, const JsonObject& document);
};

}  // namespace berth::localcluster
