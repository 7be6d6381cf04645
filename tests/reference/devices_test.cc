// Cases of devices that the conformance vectors do not have: feature gates that are off, what the
// scheduler knows before the API shows it, configs, and the bounds of the search. The expected
// values are derived by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/json/yaml.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/reference_profile.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant kNow = Instant::FromUnixSeconds(1'900'000'000);

// A node, a class for all devices, and a pod with the claim c.
constexpr std::string_view kBasics = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, uid: n1}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: any}
spec:
  extendedResourceName: example.com/device
  config: [{opaque: {driver: d, parameters: {a: 1}}}]
)";

constexpr std::string_view kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, uid: p}
spec:
  resourceClaims: [{name: c, resourceClaimName: c}]
  containers: [{name: main, resources: {requests: {cpu: 1}}}]
)";

constexpr std::string_view kPodByResource = R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, uid: p}
spec:
  containers: [{name: main, resources: {requests: {example.com/device: 1}}}]
)";

std::vector<api::Object> Decode(std::string_view yaml) {
  auto objects = api::DecodeObjects(yaml, "test");
  EXPECT_TRUE(objects.has_value()) << objects.error().message << yaml;
  return std::move(objects).value_or(std::vector<api::Object>{});
}

std::string Slice(std::string_view devices) {
  return fmt::format(R"(
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s1}}
spec: {{driver: d, nodeName: n1, pool: {{name: p, generation: 1, resourceSliceCount: 1}}, devices: [{}]}}
)",
                     devices);
}

// `more` are further fields, with a leading comma: of spec.devices, and of the object.
std::string Claim(std::string_view name, std::string_view requests, std::string_view more = "",
                  std::string_view status = "{}") {
  return fmt::format(R"(
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: {0}, namespace: default, uid: uid-{0}}}
spec: {{devices: {{requests: [{1}]{2}}}}}
status: {3}
)",
                     name, requests, more, status);
}

constexpr std::string_view kOne =
    "{name: r, exactly: {deviceClassName: any, allocationMode: ExactCount, count: 1}}";
constexpr std::string_view kHasX =
    "{allocation: {devices: {results: [{request: r, driver: d, pool: p, device: x}]}}}";

Snapshot Cluster(const std::string& yaml) {
  Snapshot snapshot;
  for (const api::Object& object : Decode(std::string(kBasics) + yaml)) snapshot.Put(object);
  return snapshot;
}

Evaluation EvaluatePod(const Snapshot& snapshot, std::string_view pod = kPod,
                       const model::Features& features = {}) {
  ReferenceProfile profile;
  profile.features = features;
  return Evaluate(snapshot, *std::get<api::Ref<api::Pod>>(Decode(pod)[0]), profile, kNow);
}

std::string ReasonOn(const Evaluation& evaluation) {
  return evaluation.nodes.at("n1").verdict.Message();
}

// The devices on n1, as "request=device".
std::vector<std::string> DevicesOn(const Evaluation& evaluation) {
  std::vector<std::string> devices;
  for (const ClaimAllocation& allocation : evaluation.nodes.at("n1").allocations) {
    for (const auto& result : allocation.allocation.results)
      devices.push_back(result.request + "=" + result.device);
  }
  return devices;
}

api::Ref<api::ResourceClaim> ClaimOf(const std::string& yaml) {
  return std::get<api::Ref<api::ResourceClaim>>(Decode(yaml)[0]);
}

TEST(ReferenceDevices, ClaimsInFlightHaveTheirDevices) {
  Snapshot snapshot = Cluster(Slice("{name: x}, {name: z}") + Claim("c", kOne));
  EXPECT_THAT(DevicesOn(EvaluatePod(snapshot)), ElementsAre("r=x"));
  snapshot.devices.in_flight["uid-b"] = ClaimOf(Claim("b", kOne, "", kHasX));
  EXPECT_THAT(DevicesOn(EvaluatePod(snapshot)), ElementsAre("r=z"));
}

TEST(ReferenceDevices, AClaimInFlightIsNotAllocatedAgain) {
  Snapshot snapshot = Cluster(Slice("{name: x}, {name: z}") + Claim("c", kOne));
  snapshot.devices.in_flight["uid-c"] = ClaimOf(Claim("c", kOne, "", kHasX));
  EXPECT_EQ(EvaluatePod(snapshot).pre_filter.Message(),
            "resource claim default/c is in the process of being allocated");
}

TEST(ReferenceDevices, TheKnownClassOfAnExtendedResourceCounts) {
  Snapshot snapshot = Cluster(Slice("{name: x}"));
  EXPECT_THAT(DevicesOn(EvaluatePod(snapshot, kPodByResource)),
              ElementsAre("container-0-request-0=x"));
  snapshot.devices.class_by_resource.emplace();
  EXPECT_EQ(ReasonOn(EvaluatePod(snapshot, kPodByResource)), "Insufficient example.com/device");
}

struct GateCase {
  const char* name;
  bool model::Features::* gate;
  const char* devices;
  const char* request;
  const char* with;     // The message with the gate, or "".
  const char* without;  // And without it.
};

class ReferenceDeviceGates : public testing::TestWithParam<GateCase> {};

TEST_P(ReferenceDeviceGates, ChangeTheResult) {
  const GateCase& param = GetParam();
  const Snapshot snapshot = Cluster(Slice(param.devices) + Claim("c", param.request));
  const auto message = [](const Evaluation& evaluation) {
    if (!evaluation.pre_filter.ok()) return evaluation.pre_filter.Message();
    return ReasonOn(evaluation);
  };
  EXPECT_EQ(message(EvaluatePod(snapshot)), param.with);
  model::Features features;
  features.*param.gate = false;
  EXPECT_EQ(message(EvaluatePod(snapshot, kPod, features)), param.without);
}

constexpr const char* kWithCapacity =
    "{name: r, exactly: {deviceClassName: any, allocationMode: ExactCount, count: 1, "
    "capacity: {requests: {memory: 1}}}}";

INSTANTIATE_TEST_SUITE_P(
    Gates, ReferenceDeviceGates,
    testing::Values(
        GateCase{"PrioritizedList", &model::Features::dra_prioritized_list, "{name: x}",
                 "{name: r, firstAvailable: [{name: s, deviceClassName: any, "
                 "allocationMode: ExactCount, count: 1}]}",
                 "",
                 "resource claim default/c, request r: has subrequests, but the "
                 "DRAPrioritizedList feature is disabled"},
        GateCase{"PartitionableDevices", &model::Features::dra_partitionable_devices,
                 "{name: x, consumesCounters: [{counterSet: none, counters: {a: {value: 1}}}]}",
                 kOne.data(), "invalid resource pools were encountered",
                 "cannot allocate all claims"},
        GateCase{"DeviceTaints", &model::Features::dra_device_taints,
                 "{name: x, taints: [{key: k, effect: NoSchedule}]}", kOne.data(),
                 "cannot allocate all claims", ""},
        GateCase{"ConsumableCapacity", &model::Features::dra_consumable_capacity,
                 "{name: x, capacity: {memory: {value: 8}}}", kWithCapacity, "",
                 "running \"DynamicResources\" filter plugin: claim default/c, request r: has "
                 "capacity requests, but the DRAConsumableCapacity feature is disabled"},
        GateCase{"BindingConditions", &model::Features::dra_device_binding_conditions,
                 "{name: x, bindingConditions: [ready], bindingFailureConditions: [failed]}",
                 kOne.data(), "", "cannot allocate all claims"},
        GateCase{"DeviceStatus", &model::Features::dra_resource_claim_device_status,
                 "{name: x, bindingConditions: [ready], bindingFailureConditions: [failed]}",
                 kOne.data(), "", "cannot allocate all claims"}),
    [](const auto& param) { return param.param.name; });

TEST(ReferenceDevices, TheOlderAllocatorIgnoresCapacityRequests) {
  const Snapshot snapshot =
      Cluster(Slice("{name: x, bindsToNode: true}") + Claim("c", kWithCapacity));
  const model::Features older{.dra_consumable_capacity = false,
                              .dra_device_binding_conditions = false};
  EXPECT_THAT(DevicesOn(EvaluatePod(snapshot, kPod, older)), ElementsAre("r=x"));
}

TEST(ReferenceDevices, TheOlderAllocatorHasNoDistinctAttribute) {
  const Snapshot snapshot =
      Cluster(Slice("{name: x, attributes: {a: {int: 1}}}") +
              Claim("c", kOne, ", constraints: [{requests: [r], distinctAttribute: d/a}]"));
  EXPECT_THAT(DevicesOn(EvaluatePod(snapshot)), ElementsAre("r=x"));
  const model::Features older{.dra_consumable_capacity = false,
                              .dra_device_binding_conditions = false};
  EXPECT_EQ(EvaluatePod(snapshot, kPod, older).error,
            "running \"DynamicResources\" filter plugin: claim default/c, constraint #0: empty "
            "constraint (unsupported constraint type?)");
}

TEST(ReferenceDevices, WithoutExtendedResourcesTheyAreNotHandedOver) {
  const Snapshot snapshot = Cluster(Slice("{name: x}"));
  const Evaluation evaluation =
      EvaluatePod(snapshot, kPodByResource, {.dra_extended_resource = false});
  EXPECT_EQ(ReasonOn(evaluation), "Insufficient example.com/device");
}

TEST(ReferenceDevices, ConfigsAreRepeatedForTheirRequests) {
  const std::string two = std::string(kOne) +
                          ", {name: s, firstAvailable: [{name: t, deviceClassName: any, "
                          "allocationMode: ExactCount, count: 1}]}";
  const Snapshot snapshot =
      Cluster(Slice("{name: x}, {name: z}") +
              Claim("c", two,
                    ", config: [{opaque: {driver: e, parameters: {}}}, "
                    "{requests: [r, s/t], opaque: {driver: f, parameters: {}}}]"));
  const Evaluation evaluation = EvaluatePod(snapshot);
  EXPECT_THAT(DevicesOn(evaluation), ElementsAre("r=x", "s/t=z"));
  std::vector<std::string> configs;
  for (const auto& config : evaluation.nodes.at("n1").allocations[0].allocation.config) {
    std::string requests;
    for (const std::string& request : config.requests) requests += " " + request;
    configs.push_back(config.source + " " + config.opaque->driver + requests);
  }
  EXPECT_THAT(configs, ElementsAre("FromClass d r s/t", "FromClaim e", "FromClaim f r s/t",
                                   "FromClaim f r s/t"));
}

// As in kube-scheduler: d2 is tried and put back, since s needs it; then nothing is left of r to
// compare d3 with, though it has d1.
TEST(ReferenceDevices, ADeviceThatIsPutBackIsForgottenWithTheOthersOfItsRequest) {
  const std::string requests =
      "{name: r, exactly: {deviceClassName: any, allocationMode: ExactCount, count: 2}}, "
      "{name: s, exactly: {deviceClassName: any, allocationMode: ExactCount, count: 1, "
      "selectors: [{cel: {expression: 'device.attributes[\"d\"].number == 2'}}]}}";
  for (const char* model_of_d3 : {"a", "b"}) {
    const std::string devices = fmt::format(
        "{{name: d1, attributes: {{model: {{string: a}}, number: {{int: 1}}}}}}, "
        "{{name: d2, attributes: {{model: {{string: b}}, number: {{int: 2}}}}}}, "
        "{{name: d3, attributes: {{model: {{string: {}}}, number: {{int: 3}}}}}}",
        model_of_d3);
    const Snapshot snapshot = Cluster(
        Slice(devices) +
        Claim("c", requests, ", constraints: [{requests: [r], distinctAttribute: d/model}]"));
    EXPECT_THAT(DevicesOn(EvaluatePod(snapshot)), ElementsAre("r=d1", "r=d3", "s=d2"))
        << model_of_d3;
  }
}

// Ten of thirty devices can be picked in 30 million ways, none of which leaves the 31st.
TEST(ReferenceDevices, ASearchThatIsTooLongIsGivenUp) {
  std::string devices = "{name: d0}";
  for (int i = 1; i < 30; ++i) devices += fmt::format(", {{name: d{}}}", i);
  const Snapshot snapshot = Cluster(
      Slice(devices) +
      Claim("c",
            "{name: r, exactly: {deviceClassName: any, allocationMode: ExactCount, count: 10}},"
            " {name: s, exactly: {deviceClassName: any, allocationMode: ExactCount, count: 22}}"));
  const Evaluation evaluation = EvaluatePod(snapshot);
  EXPECT_TRUE(evaluation.gave_up);
  EXPECT_EQ(evaluation.error,
            "running \"DynamicResources\" filter plugin: node n1: timed out trying to allocate "
            "devices");
}

// The search is recursive; a pod may have many claims.
TEST(ReferenceDevices, ASearchThatIsTooDeepIsGivenUp) {
  std::string claims;
  std::string entries;
  for (int i = 0; i < 1500; ++i) {
    claims += Claim(fmt::format("c{}", i), kOne);
    entries += fmt::format("{}{{name: e{}, resourceClaimName: c{}}}", i == 0 ? "" : ", ", i, i);
  }
  const Snapshot snapshot = Cluster(Slice("{name: x, allowMultipleAllocations: true}") + claims);
  const std::string pod = fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: p, namespace: default, uid: p}}
spec: {{resourceClaims: [{}], containers: [{{name: main}}]}}
)",
                                      entries);
  EXPECT_TRUE(EvaluatePod(snapshot, pod).gave_up);
}

TEST(ReferenceDevices, APodWithoutClaimsIsSkipped) {
  const Evaluation evaluation = EvaluatePod(Cluster(Slice("{name: x}")), R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, uid: p}
spec: {containers: [{name: main}]}
)");
  EXPECT_THAT(DevicesOn(evaluation), IsEmpty());
  EXPECT_EQ(evaluation.nodes.at("n1").scores.at("DynamicResources"), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::reference
