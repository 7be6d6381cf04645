// How DynamicResources allocates claims: PreFilter, Filter, Score and Reserve on small clusters.

#include <gmock/gmock.h>

#include "scheduler/model/device_model.h"
#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"
#include "scheduler/plugins/dynamic_resources/filter_state.h"
#include "scheduler/plugins/preemption/preemption_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string SliceOf(std::string_view node, std::string_view devices,
                    std::string_view version = "1") {
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: slice-{0}, "
      "resourceVersion: '{2}'}}, spec: {{driver: gpus, pool: {{name: {0}, generation: 1, "
      "resourceSliceCount: 1}}, nodeName: {0}, devices: [{1}]}}}}\n",
      node, devices, version);
}

constexpr const char* kClass =
    "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: "
    "{extendedResourceName: e.com/gpu, selectors: [{cel: {expression: 'device.driver == "
    "\"gpus\"'}}]}}\n";

std::string GpuClaim(std::string_view name, std::string_view requests, std::string_view status = "",
                     int version = 1) {
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: '{0}', "
      "namespace: "
      "default, uid: uid-{0}, resourceVersion: '{3}'}}, spec: {{devices: {{requests: [{1}]}}}}, "
      "status: {{{2}}}}}\n",
      name, requests, status, version);
}

std::string Count(int count, std::string_view more = "") {
  return fmt::format(
      "{{name: r, exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: {}{}}}}}",
      count, more);
}

std::string AllocatedOn(std::string_view node, std::string_view device, std::string_view more = "",
                        std::string_view result = "") {
  return fmt::format(
      "allocation: {{devices: {{results: [{{request: r, driver: gpus, pool: {0}, device: "
      "{1}{3}}}]}}, "
      "nodeSelector: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, "
      "values: [{0}]}}]}}]}}}}{2}",
      node, device, more, result);
}

// A pod that uses the claims.
std::string PodWith(const std::vector<std::string>& claims) {
  std::vector<std::string> entries;
  for (const std::string& claim : claims)
    entries.push_back(fmt::format("{{name: 'c-{0}', resourceClaimName: '{0}'}}", claim));
  return PodYaml("web", {.spec = fmt::format("resourceClaims: [{}]", fmt::join(entries, ", "))});
}

std::string PodRequesting(int gpus) {
  return PodYaml("web", {.spec = fmt::format("containers: [{{name: c, image: i, resources: "
                                             "{{requests: {{e.com/gpu: {}}}}}}}]",
                                             gpus)});
}

// Nodes a, b and c with two devices, one and none.
struct World : TestCluster {
  World() {
    for (const char* node : {"a", "b", "c"}) Add(NodeYaml(node));
    Add(SliceOf("a", "{name: one}, {name: two}"));
    Add(SliceOf("b", "{name: one}"));
    Add(kClass);
  }
};

// The devices that Filter has found: "a: one two".
std::string Devices(PluginHarness& trial, TestCluster& world, std::string_view node) {
  std::string text;
  for (const auto& [claim, allocation] :
       trial.As<framework::DeviceFilter>().Allocations(trial.cycle(), world.node(node))) {
    text += (text.empty() ? "" : "; ") + claim + ":";
    for (const auto& result : allocation.results) text += " " + result.device;
  }
  return text;
}

TEST(DynamicResourcesFilter, NeedsEnoughDevices) {
  World world;
  world.Add(GpuClaim("one", Count(1)) + GpuClaim("two", Count(2)) + GpuClaim("three", Count(3)));
  const struct {
    std::vector<std::string> claims;
    const char* want;
    const char* on_a;
  } kCases[] = {
      {{"one"}, "110", "one: one"},
      {{"two"}, "100", "two: one two"},
      {{"three"}, "000", ""},
      {{"one", "two"}, "000", ""},
  };
  for (const auto& c : kCases) {
    PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith(c.claims));
    EXPECT_EQ(trial.Filter(), c.want);
    EXPECT_EQ(Devices(trial, world, "a"), c.on_a);
  }
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith({"three"}));
  trial.Filter();
  EXPECT_EQ(trial.Explain("a"), "UnschedulableAndUnresolvable: cannot allocate all claims");
}

TEST(DynamicResourcesFilter, AllocatedClaimsKeepThePodToTheirNodes) {
  World world;
  world.Add(GpuClaim("one", Count(1)) + GpuClaim("mine", Count(1), AllocatedOn("a", "one")));
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith({"mine"}));
  EXPECT_EQ(trial.Filter(), "100");
  EXPECT_EQ(trial.Explain("b"),
            "UnschedulableAndUnresolvable: resourceclaim not available on the node");
  EXPECT_EQ(trial.RawScores(), "0 0 0");
  PluginHarness both(world, MakePlugin("DynamicResources"), PodWith({"mine", "one"}));
  EXPECT_EQ(both.Filter(), "100");
  EXPECT_EQ(Devices(both, world, "a"), "one: two") << "one is allocated";
  EXPECT_EQ(both.Explain("c"), "UnschedulableAndUnresolvable: cannot allocate all claims");
}

TEST(DynamicResourcesFilter, RejectsClaimsThatCannotBeAllocatedAnywhere) {
  World world;
  world.Add(GpuClaim("absent",
                     "{name: r, exactly: {deviceClassName: x, allocationMode: ExactCount, "
                     "count: 1}}"));
  world.Add(GpuClaim("strange", "{name: r}"));
  const struct {
    const char* claim;
    const char* want;
  } kCases[] = {
      {"absent", "UnschedulableAndUnresolvable: request r: device class x does not exist"},
      {"strange",
       "UnschedulableAndUnresolvable: resource claim default/strange, request r: unknown request "
       "type"},
      {"gone", "UnschedulableAndUnresolvable: could not find ResourceClaim \"default/gone\""},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(PluginHarness(world, MakePlugin("DynamicResources"), PodWith({c.claim})).Filter(),
              c.want);
  }
}

TEST(DynamicResourcesFilter, ErrorsEndTheCycle) {
  World world;
  world.Add(GpuClaim("many", Count(33)));
  EXPECT_EQ(PluginHarness(world, MakePlugin("DynamicResources"), PodWith({"many"})).Filter(),
            "Error: claim default/many: number of requested devices 33 exceeds the claim limit of "
            "32");
}

std::string DevicesThatDiffer(int count) {
  std::string devices;
  for (int i = 0; i < count; ++i)
    devices += fmt::format("{{name: d{:02}, capacity: {{m: {{value: {}}}}}}}, ", i, i + 1);
  return devices;
}

TEST(DynamicResourcesFilter, ANodeThatIsNotDecidedWithinTheLimitIsRejected) {
  World world;
  world.Add(SliceOf("c", DevicesThatDiffer(40), "2"));
  world.Add(GpuClaim("big", Count(16)) + GpuClaim("more", Count(30)));
  framework::DynamicResourcesArgs args;
  args.filter_timeout = Duration::Millis(10);  // 1,000 units.
  PluginHarness trial(world, MakePlugin("DynamicResources", args), PodWith({"big", "more"}));
  EXPECT_EQ(trial.Filter(), "000");
  EXPECT_EQ(trial.Explain("c"),
            "UnschedulableAndUnresolvable: cannot allocate all claims: not decided within the "
            "limit of the search");
  EXPECT_THAT(trial.As<framework::FilterPlugin>().Details(trial.cycle(), world.node("c")),
              HasSubstr("within the limit of 1000 units of work"));
  EXPECT_EQ(trial.Explain("a"), "UnschedulableAndUnresolvable: cannot allocate all claims");
}

// On each node the search ends just within its limit; together they would take ten times as long.
TEST(DynamicResourcesFilter, TheSearchesOfAnAttemptAreLimited) {
  TestCluster world;
  world.Add(kClass + GpuClaim("big", Count(3)) + GpuClaim("more", Count(30)) +
            GpuClaim("most", Count(30)));
  framework::DynamicResourcesArgs args;
  args.filter_timeout = Duration::Millis(60);  // 6,000 units.
  const auto plugin = [&] { return MakePlugin("DynamicResources", args); };
  for (int i = 0; i < 20; ++i) {
    const std::string node = fmt::format("n{:02}", i);
    world.Add(NodeYaml(node));
    world.Add(SliceOf(node, DevicesThatDiffer(60)));
    if (i > 0) continue;
    PluginHarness trial(world, plugin(), PodWith({"big", "more", "most"}));
    EXPECT_EQ(trial.Filter(), "0");
    EXPECT_EQ(trial.Explain(node), "UnschedulableAndUnresolvable: cannot allocate all claims");
  }
  PluginHarness trial(world, plugin(), PodWith({"big", "more", "most"}));
  EXPECT_THAT(trial.Filter(), EndsWith(": timed out trying to allocate devices"));
  // The next attempts go on where that one ended.
  int attempts = 1;
  while (attempts < 20 && trial.Filter() != std::string(20, '0')) ++attempts;
  EXPECT_LT(attempts, 20);
}

uint64_t SearchesOf(PluginHarness& trial) {
  return trial.cycle().state<FilterState>(trial.As<framework::Plugin>()).outcomes->searches();
}

// Devices that all nodes share beside their own: one search is enough for all nodes.
TEST(DynamicResourcesFilter, NodesShareASearchIfTheirOwnDevicesDoNotMatter) {
  TestCluster world;
  world.Add(kClass + GpuClaim("c", Count(2)));
  for (const char* node : {"a", "b", "c"}) {
    world.Add(NodeYaml(node));
    std::string own = SliceOf(node, "{name: other}");
    own.replace(own.find("driver: gpus"), 12, "driver: nics");
    world.Add(own);
  }
  std::string shared = SliceOf("pool", "{name: x}, {name: 'y'}");
  shared.replace(shared.find("nodeName: pool"), 14, "allNodes: true");
  world.Add(shared);
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith({"c"}));
  EXPECT_EQ(trial.Filter(), "111");
  EXPECT_EQ(SearchesOf(trial), 1u);
  // Not if a device of the node's own can be chosen.
  world.Add(SliceOf("b", "{name: own}", "2"));
  PluginHarness again(world, MakePlugin("DynamicResources"), PodWith({"c"}));
  EXPECT_EQ(again.Filter(), "111");
  EXPECT_EQ(SearchesOf(again), 2u);
}

TEST(DynamicResourcesScore, PrefersTheFirstAlternatives) {
  World world;
  world.Add(GpuClaim("c",
                     "{name: r, firstAvailable: [{name: one, deviceClassName: gpu, allocationMode: "
                     "ExactCount, count: 2}, {name: two, deviceClassName: gpu, allocationMode: "
                     "ExactCount, count: 1}]}"));
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith({"c"}));
  EXPECT_EQ(trial.Filter(), "110");
  EXPECT_EQ(trial.RawScores("110"), "8 7 -");
  EXPECT_EQ(trial.Scores("110"), "100 87 -");
}

// --- what changes between two pods ---

TEST(DynamicResourcesCache, FollowsEveryChange) {
  World world;
  world.Add(GpuClaim("one", Count(1)));
  world.Add(GpuClaim("other", Count(1)));
  const auto plugin = MakePlugin("DynamicResources");
  const auto& filter = dynamic_cast<const framework::FilterPlugin&>(*plugin);
  const auto& pre_filter = dynamic_cast<const framework::PreFilterPlugin&>(*plugin);
  const auto pod = std::get<api::Ref<api::Pod>>(DecodeOrFail(PodWith({"one"})).at(0));
  const model::PodRecord record = world.cluster().MakeHypotheticalPod(pod);
  framework::ClassStates compiled;
  compiled.push_back(plugin->Compile(world.cluster(), world.cluster().class_of(record)));
  auto run = [&] {
    framework::Cycle cycle(world.cluster(), record, compiled);
    EXPECT_TRUE(pre_filter.PreFilter(cycle).verdict.ok());
    model::NodeMask nodes = world.cluster().nodes().present();
    EXPECT_TRUE(filter.Filter(cycle, nodes).ok());
    std::string marks;
    for (model::NodeRow node : world.nodes()) marks += nodes.Test(node.index()) ? '1' : '0';
    return marks;
  };
  EXPECT_EQ(run(), "110");
  world.Add(GpuClaim("other", Count(1), AllocatedOn("b", "one"), 2));
  EXPECT_EQ(run(), "100") << "a device was allocated";
  world.Add(GpuClaim("other", Count(1), "", 3));
  EXPECT_EQ(run(), "110") << "and deallocated";
  world.Add(SliceOf("c", "{name: new}"));
  EXPECT_EQ(run(), "111") << "a slice came";
  world.cluster().Remove<api::ResourceSlice>({"", "slice-a"});
  EXPECT_EQ(run(), "011") << "and one went";
  world.cluster().Remove<api::DeviceClass>({"", "gpu"});
  world.Add(
      "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: "
      "{selectors: [{cel: {expression: 'false'}}]}}");
  EXPECT_EQ(run(), "000") << "the class changed";
  world.Add(kClass);
  EXPECT_EQ(run(), "011");
  world.cluster().Release(record);
}

// --- Reserve ---

TEST(DynamicResourcesReserve, DevicesAreTakenOnce) {
  World world;
  world.Add(GpuClaim("x", Count(1)) + GpuClaim("y", Count(1)));
  PluginHarness first(world, MakePlugin("DynamicResources"), PodWith({"x"}));
  EXPECT_EQ(first.Filter(), "110");
  const auto& reserve = first.As<framework::ReservePlugin>();
  EXPECT_EQ(Text(reserve.Reserve(first.cycle(), world.node("b"))), "Success");
  EXPECT_TRUE(world.cluster().devices().IsInFlight("uid-x"));

  PluginHarness same(world, MakePlugin("DynamicResources"), PodWith({"x"}));
  EXPECT_EQ(same.Filter(),
            "UnschedulableAndUnresolvable: resource claim default/x is in the process of being "
            "allocated");
  PluginHarness second(world, MakePlugin("DynamicResources"), PodWith({"y"}));
  EXPECT_EQ(second.Filter(), "100");

  reserve.Unreserve(first.cycle(), world.node("b"));
  EXPECT_FALSE(world.cluster().devices().IsInFlight("uid-x"));
  PluginHarness third(world, MakePlugin("DynamicResources"), PodWith({"y"}));
  EXPECT_EQ(third.Filter(), "110");
}

TEST(DynamicResourcesReserve, TheClaimStateHasWhatPreBindWrites) {
  World world;
  world.Add(GpuClaim("mine", Count(1), AllocatedOn("a", "one")) + GpuClaim("new", Count(1)));
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith({"mine", "new"}));
  EXPECT_EQ(trial.Filter(), "100");
  EXPECT_EQ(Text(trial.As<framework::ReservePlugin>().Reserve(trial.cycle(), world.node("a"))),
            "Success");
  const auto& claims = trial.cycle().state<ClaimState>(trial.As<framework::Plugin>()).pod->claims;
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_FALSE(claims[0].allocation);
  ASSERT_TRUE(claims[1].allocation);
  EXPECT_EQ(claims[1].allocation->results.at(0).device, "two");
  EXPECT_EQ(claims[1].object->metadata.name, "new");
}

// --- extended resources ---

TEST(DynamicResourcesExtended, DevicesProvideThem) {
  World world;
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodRequesting(2));
  EXPECT_EQ(trial.Filter(), "100");
  EXPECT_EQ(Devices(trial, world, "a"), "<extended-resources>: one two");
  EXPECT_EQ(Text(trial.As<framework::ReservePlugin>().Reserve(trial.cycle(), world.node("a"))),
            "Success");
  const PodClaims& pod = *trial.cycle().state<ClaimState>(trial.As<framework::Plugin>()).pod;
  ASSERT_EQ(pod.claims.size(), 1u);
  EXPECT_TRUE(pod.claims[0].special);
  EXPECT_FALSE(pod.claims[0].in_api());
  EXPECT_EQ(pod.claims[0].object->spec.requests.at(0).name, "container-0-request-0");
  EXPECT_EQ(pod.mappings,
            std::vector<ExtendedResourceMapping>({{"c", "e.com/gpu", "container-0-request-0"}}));
}

TEST(DynamicResourcesExtended, DevicePluginsComeFirst) {
  World world;
  world.Add(NodeYaml("c", {.status = "allocatable: {e.com/gpu: 1}"}));
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodRequesting(1));
  EXPECT_EQ(trial.Filter(), "111");
  EXPECT_EQ(Devices(trial, world, "c"), "");
  EXPECT_EQ(Text(trial.As<framework::ReservePlugin>().Reserve(trial.cycle(), world.node("c"))),
            "Success");
  PluginHarness fit(world, MakePlugin("NodeResourcesFit"), PodRequesting(2));
  world.Add(NodeYaml("a", {.status = "allocatable: {pods: 9}"}));
  EXPECT_EQ(fit.Filter(), "100") << "what devices provide is not checked";
}

TEST(DynamicResourcesExtended, AClaimOfAnEarlierAttemptMustGoFirst) {
  World world;
  world.Add(
      "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: old, namespace: "
      "default, uid: old, annotations: {resource.kubernetes.io/extended-resource-claim: 'true'}, "
      "ownerReferences: [{apiVersion: v1, kind: Pod, name: web, uid: uid-of-web, controller: "
      "true}]}, spec: {devices: {requests: [" +
      Count(1) + "]}}}\n---\n" + PodRequesting(1));
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodRequesting(1));
  EXPECT_EQ(trial.Filter(), "000");
  EXPECT_EQ(trial.Explain("a"),
            "UnschedulableAndUnresolvable: cannot schedule extended resource claim");
  const auto profile = ProfileOf({"DynamicResources"});
  EXPECT_EQ(PreemptionHarness(world, *profile, "web").PostFilter("DynamicResources"),
            "Unschedulable: deletion of ResourceClaim completed (kept)");
}

// --- PostFilter ---

std::string PostFilterFor(const std::string& claim) {
  TestCluster world{NodeYaml("b"), SliceOf("a", "{name: one}"), kClass, claim, PodWith({"mine"})};
  const auto profile = ProfileOf({"DynamicResources"});
  return PreemptionHarness(world, *profile, "web").PostFilter("DynamicResources");
}

TEST(DynamicResourcesPostFilter, GivesUpDevicesThatNobodyElseUses) {
  const std::string own = ", reservedFor: [{resource: pods, name: web, uid: uid-of-web}]";
  const std::string other = ", reservedFor: [{resource: pods, name: x, uid: x}]";
  constexpr const char* kDone = "Unschedulable: deallocation of ResourceClaim completed (kept)";
  constexpr const char* kNot = "Unschedulable: still not schedulable (kept)";
  EXPECT_EQ(PostFilterFor(GpuClaim("mine", Count(1), AllocatedOn("a", "one"))), kDone);
  EXPECT_EQ(PostFilterFor(GpuClaim("mine", Count(1), AllocatedOn("a", "one", own))), kDone);
  EXPECT_EQ(PostFilterFor(GpuClaim("mine", Count(1), AllocatedOn("a", "one", other))), kNot);
  EXPECT_EQ(PostFilterFor(GpuClaim("mine", Count(1))), kNot);
}

// --- binding conditions ---

TEST(DynamicResourcesReadiness, FailedAndLateDevicesAreNotAvailable) {
  const std::string conditions = ", bindingConditions: [ready], bindingFailureConditions: [broken]";
  auto status = [](std::string_view type) {
    return fmt::format(
        ", devices: [{{driver: gpus, pool: a, device: one, conditions: [{{type: {}, status: "
        "'True', "
        "reason: r, message: m, lastTransitionTime: '2026-01-01T00:00:00Z'}}]}}]",
        type);
  };
  auto filter = [&](const std::string& more, Instant date) {
    World world;
    std::string claim = GpuClaim("mine", Count(1), AllocatedOn("a", "one", more, conditions));
    claim.replace(claim.find("allocation: {"), 13,
                  "allocation: {allocationTimestamp: '1970-01-01T00:10:00Z', ");
    world.Add(claim);
    PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith({"mine"}));
    trial.cycle().set_date(date);
    return trial.Filter();
  };
  const Instant soon = Instant::FromUnixSeconds(700);
  const Instant late = Instant::FromUnixSeconds(1201);
  EXPECT_EQ(filter("", soon), "100") << "there is time";
  EXPECT_EQ(filter("", late), "000");
  EXPECT_EQ(filter(status("ready"), late), "100");
  EXPECT_EQ(filter(status("broken"), soon), "000");
  EXPECT_EQ(filter(status("other"), late), "000");
}

// --- explanations ---

TEST(DynamicResourcesDetails, SayWhichRequestCannotBeMet) {
  World world;
  world.Add(GpuClaim("two", Count(2)) + GpuClaim("x", Count(1), AllocatedOn("a", "one")));
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodWith({"two"}));
  EXPECT_EQ(trial.Filter(), "000");
  const auto& filter = trial.As<framework::FilterPlugin>();
  EXPECT_EQ(filter.Details(trial.cycle(), world.node("a")),
            "claim default/two, request r: needs 2 devices; 2 of 2 devices on the node match the "
            "selectors, 1 of them allocated to default/x");
  EXPECT_EQ(filter.Details(trial.cycle(), world.node("b")),
            "claim default/two, request r: needs 2 devices; 1 of 1 device on the node match the "
            "selectors");
  EXPECT_EQ(filter.Details(trial.cycle(), world.node("c")),
            "claim default/two, request r: needs 2 devices, and the node has none");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
