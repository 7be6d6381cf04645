#include "scheduler/plugins/queueing_hint_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// A pod of one container with `requests`.
std::string Asking(std::string_view requests, std::string_view name = "waits",
                   std::string_view more_spec = "") {
  return PodYaml(
      name, {.spec = fmt::format("containers: [{{name: c, resources: {{requests: {{{}}}}}}}], {}",
                                 requests, more_spec)});
}

std::string Running(std::string_view requests) { return Asking(requests, "other", "nodeName: a"); }

std::string Node(std::string_view allocatable) {
  return NodeYaml("a", {.status = fmt::format("allocatable: {{{}}}", allocatable)});
}

TEST(NodeResourcesFitHints, Pods) {
  const std::string small = Asking("cpu: 1");
  CheckHints(*MakePlugin("NodeResourcesFit"),
             {
                 {"ARunningPodGoes", small, Running(""), "", "Queue"},
                 {"ANominatedPodGoes", small, PodYaml("other", {.status = "nominatedNodeName: a"}),
                  "", "Queue"},
                 {"APodOnNoNodeGoes", small, PodYaml("other"), "", "Skip"},
                 {"ARunningPodTakesLess", small, Running("cpu: 2"), Running("cpu: 1500m"), "Queue"},
                 {"ItTakesLessOfSomethingElse", small, Running("cpu: 2, memory: 2Gi"),
                  Running("cpu: 2, memory: 1Gi"), "Skip"},
                 {"ItTakesMore", small, Running("cpu: 1"), Running("cpu: 2"), "Skip"},
                 {"ItTakesNothingMore", small, Running("cpu: 1"), Running(""), "Queue"},
                 {"WhatIsAskedForAsZeroIsNotWaitedFor", Asking("cpu: 0, memory: 1"),
                  Running("cpu: 2"), Running("cpu: 1"), "Skip"},
                 {"ScalarsCountToo", Asking("example.com/gpu: 1"), Running("example.com/gpu: 2"),
                  Running("example.com/gpu: 1"), "Queue"},
                 {"APodOnNoNodeAsksForLess", small, Asking("cpu: 2", "other"),
                  Asking("cpu: 1", "other"), "Skip"},
                 {"ThePodItselfAsksForLess", small, Asking("cpu: 2"), Asking("cpu: 1"), "Queue"},
             });
}

TEST(NodeResourcesFitHints, Nodes) {
  const std::string pod = Asking("cpu: 2, example.com/gpu: 1");
  const std::string fits = "cpu: 4, memory: 4Gi, pods: 5, example.com/gpu: 1";
  CheckHints(
      *MakePlugin("NodeResourcesFit"),
      {
          {"ANodeComes", pod, "", Node(fits), "Queue"},
          {"ATooSmallOneComes", pod, "", Node("cpu: 1, pods: 5, example.com/gpu: 1"), "Skip"},
          {"OneWithoutTheScalarComes", pod, "", Node("cpu: 4, pods: 5"), "Skip"},
          {"OneForNoPodsComes", pod, "", Node("cpu: 4, example.com/gpu: 1, pods: 0"), "Skip"},
          {"CpuGrows", pod, Node("cpu: 3, pods: 5, example.com/gpu: 1"), Node(fits), "Queue"},
          {"AScalarGrows", pod, Node("cpu: 4, pods: 5"), Node(fits), "Queue"},
          {"MorePodsAreAllowed", pod, Node("cpu: 4, pods: 4, example.com/gpu: 1"), Node(fits),
           "Queue"},
          {"SomethingElseGrows", pod, Node("cpu: 4, memory: 2Gi, pods: 5, example.com/gpu: 1"),
           Node(fits), "Skip"},
          {"ItGrowsNotEnough", pod, Node("cpu: 1, pods: 5, example.com/gpu: 1"),
           Node("cpu: 1500m, pods: 5, example.com/gpu: 1"), "Skip"},
          {"ItShrinks", pod, Node("cpu: 8, memory: 4Gi, pods: 5, example.com/gpu: 1"), Node(fits),
           "Skip"},
          {"APodThatAsksForNothing", PodYaml("waits"), "", Node("pods: 1"), "Queue"},
      });
}

TEST(NodeResourcesFitHints, DeviceClasses) {
  const std::string plain =
      "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}";
  auto standing_for = [](std::string_view resource) {
    return fmt::format(
        "{{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {{name: gpu}}, spec: "
        "{{extendedResourceName: {}}}}}",
        resource);
  };
  const std::string gpu = standing_for("example.com/gpu");
  const std::string wants_gpu = Asking("example.com/gpu: 1");
  const std::string wants_class = Asking("deviceclass.resource.kubernetes.io/gpu: 1");
  CheckHints(*MakePlugin("NodeResourcesFit"),
             {{"NamesAnotherResource", wants_gpu, "", standing_for("example.com/tpu"), "Skip"},
              {"NamesTheResource", wants_gpu, "", gpu, "Queue"},
              {"NowNamesTheResource", wants_gpu, plain, gpu, "Queue"},
              {"NamedItBefore", wants_gpu, gpu, gpu, "Skip"},
              {"IsAskedForByItsOwnName", wants_class, "", plain, "Queue"},
              {"WasThereBefore", wants_class, plain, gpu, "Skip"},
              {"NothingOfTheKindIsWanted", Asking("cpu: 1, hugepages-2Mi: 2Mi"), "", gpu, "Skip"}});
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
