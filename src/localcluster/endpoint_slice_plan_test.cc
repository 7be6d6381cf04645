#include "localcluster/endpoint_slice_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>

#include "api/json/parse.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

// The pods of a service, the ports that each has, and the slices that exist.
class SlicePlanTest : public ::testing::Test {
 protected:
  static std::string Ports(size_t number) {
    return fmt::format(R"([{{"name":"http","port":{},"protocol":"TCP"}}])", number);
  }

  void AddPod(size_t pod, size_t port) {
    auto object = std::make_shared<apiserver::store::Object>();
    object->key = {"default", fmt::format("pod-{:05}", pod)};
    object->uid = fmt::format("uid-{:05}", pod);
    pods_.push_back({.object = std::move(object)});
    const Json ports = *api::ParseJson(Ports(port));
    EndpointGroup& group = groups_[CanonicalText(ports)];
    group.ports = ports;
    group.endpoints.push_back({.pod = &pods_.back()});
  }
  void AddSlice(size_t port, const std::vector<size_t>& pods) {
    std::string endpoints;
    for (const size_t pod : pods) {
      endpoints += fmt::format(R"({}{{"targetRef":{{"uid":"uid-{:05}"}}}})",
                               endpoints.empty() ? "" : ",", pod);
    }
    auto object = std::make_shared<apiserver::store::Object>();
    object->key = {"default", fmt::format("web-{:05}", slices_.size())};
    object->json = fmt::format(R"({{"ports":{},"endpoints":[{}]}})", Ports(port), endpoints);
    slices_.push_back(std::move(object));
  }
  // Shows each slice of the plan as "web-00000: pod-00001 pod-00002".
  static std::vector<std::string> Show(const SlicePlan& plan) {
    std::vector<std::string> shown;
    for (const PlannedSlice& slice : plan.slices) {
      std::string text = slice.name ? slice.name->name + ":" : "new:";
      for (const ServiceEndpoint* endpoint : slice.endpoints) {
        text += " " + endpoint->pod->name().name;
      }
      shown.push_back(text);
    }
    return shown;
  }

  std::deque<PodRecord> pods_;
  EndpointGroups groups_;
  std::vector<apiserver::store::ObjectPtr> slices_;
};

TEST_F(SlicePlanTest, EndpointsStayInTheirSlice) {
  for (size_t pod = 1; pod <= 4; ++pod) AddPod(pod, 80);
  AddSlice(80, {3, 9});
  AddSlice(80, {1});
  EXPECT_THAT(Show(PlanSlices(groups_, slices_)),
              ElementsAre("web-00000: pod-00003", "web-00001: pod-00001 pod-00002 pod-00004"));
}

TEST_F(SlicePlanTest, PodsWithOtherPortsMoveToOtherSlices) {
  AddPod(1, 80);
  AddPod(2, 81);
  AddSlice(80, {1, 2});
  AddSlice(82, {});
  EXPECT_THAT(Show(PlanSlices(groups_, slices_)),
              ElementsAre("web-00000: pod-00001", "web-00001:", "new: pod-00002"));
}

// A plan that looks through all slices for each group takes millions of steps.
TEST_F(SlicePlanTest, TakesStepsLinearInEndpointsAndSlices) {
  constexpr size_t kGroups = 2000;
  for (size_t pod = 0; pod < kGroups; ++pod) AddPod(pod, 1 + pod);
  EXPECT_LE(PlanSlices(groups_, slices_).steps, 4 * kGroups);
  // Each pod was in the slice of another one.
  for (size_t pod = 0; pod < kGroups; ++pod) AddSlice(1 + pod, {(pod + 1) % kGroups});
  const SlicePlan plan = PlanSlices(groups_, slices_);
  EXPECT_EQ(plan.slices.size(), kGroups);
  EXPECT_LE(plan.steps, 6 * kGroups);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
