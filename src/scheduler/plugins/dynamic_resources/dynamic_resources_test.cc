#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"

#include "scheduler/plugins/dynamic_resources/pod_claims.h"
#include "scheduler/plugins/preemption/preemption_testing.h"
#include "scheduler/plugins/queueing_hint_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string ClaimYaml(std::string_view name, std::string_view more_metadata = "",
                      std::string_view status = "") {
  return fmt::format(
      "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {0}, namespace: "
      "default, uid: uid-{0}{1}}}, status: {{{2}}}}}",
      name, more_metadata, status);
}

// A pod that names `claim`.
std::string PodOf(std::string_view claim) {
  return PodYaml(
      "web", {.spec = fmt::format("resourceClaims: [{{name: r, resourceClaimName: {}}}]", claim)});
}

// A pod with a claim made from a template, whose status says `made`.
std::string PodFromTemplate(std::string_view made) {
  return PodYaml("web", {.spec = "resourceClaims: [{name: r, resourceClaimTemplateName: any}]",
                         .status = fmt::format("resourceClaimStatuses: [{}]", made)});
}

std::string ClaimsText(TestCluster& world, const std::string& pod_yaml) {
  const api::Object pod = DecodeOrFail(pod_yaml).at(0);
  const auto claims = ClaimsOf(world.cluster(), *std::get<api::Ref<api::Pod>>(pod));
  if (!claims) return claims.error().message;
  std::string text;
  for (const model::ClaimRef& claim : *claims) text += claim->metadata.name + " ";
  return text;
}

TEST(ClaimsOf, EachWay) {
  TestCluster world{
      ClaimYaml("mine"), ClaimYaml("going", ", deletionTimestamp: 2026-01-01T00:00:00Z"),
      ClaimYaml("made",
                ", ownerReferences: [{apiVersion: v1, kind: Pod, name: web, uid: uid-of-web, "
                "controller: true}]"),
      ClaimYaml("others",
                ", ownerReferences: [{apiVersion: v1, kind: Pod, name: web, uid: "
                "uid-other, controller: true}]")};
  const std::string neither = PodYaml("web", {.spec = "resourceClaims: [{name: r}]"});
  const struct {
    std::string pod;
    const char* want;
  } kCases[] = {
      {PodYaml("web"), ""},
      {PodOf("mine"), "mine "},
      {PodOf("gone"), "could not find ResourceClaim \"default/gone\""},
      {PodOf("going"), "resourceclaim \"going\" is being deleted"},
      {neither,
       "pod \"default/web\", spec.resourceClaim \"r\": none of the supported fields are set"},
      {PodFromTemplate(""), "pod \"default/web\": ResourceClaim not created yet"},
      {PodFromTemplate("{name: r}"), ""},
      {PodFromTemplate("{name: r, resourceClaimName: made}"), "made "},
      {PodFromTemplate("{name: r, resourceClaimName: others}"),
       "ResourceClaim default/others was not created for Pod default/web (Pod is not owner)"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ClaimsText(world, c.pod), c.want) << c.pod;
}

TEST(DynamicResourcesHints, EachKind) {
  TestCluster world{ClaimYaml("mine"), ClaimYaml("other")};
  const std::string plain = PodYaml("web");
  const std::string allocated = "allocation: {devices: {}}";
  const std::string reserved = allocated + ", reservedFor: [{resource: pods, name: a, uid: a}]";
  const HintCase kCases[] = {
      {"ThePodHasAllItsClaims", plain, plain, plain, "Queue"},
      {"AClaimOfThePodIsMissing", PodOf("gone"), PodOf("gone"), PodOf("gone"), "Skip"},
      {"AnotherPod", plain, PodYaml("b"), PodYaml("b"), "Skip"},
      {"ItsClaimCame", PodOf("mine"), "", ClaimYaml("mine"), "Queue"},
      {"AnotherClaimCame", PodOf("mine"), "", ClaimYaml("other"), "Skip"},
      {"OneOfItsClaimsIsStillMissing", PodOf("gone"), "", ClaimYaml("mine"), "Skip"},
      {"DevicesWereGivenBack", plain, ClaimYaml("other", "", allocated), ClaimYaml("other"),
       "Queue"},
      {"GivenBackButItsOwnIsMissing", PodOf("gone"), ClaimYaml("other", "", allocated),
       ClaimYaml("other"), "Skip"},
      {"ItsClaimIsReserved", PodOf("mine"), ClaimYaml("mine", "", allocated),
       ClaimYaml("mine", "", reserved), "Queue"},
      {"ItsClaimIsLabelled", PodOf("mine"), ClaimYaml("mine"),
       ClaimYaml("mine", ", labels: {a: b}"), "Skip"},
      {"AnotherClaimIsReserved", PodOf("mine"), ClaimYaml("other", "", allocated),
       ClaimYaml("other", "", reserved), "Skip"},
  };
  const auto plugin = MakePlugin("DynamicResources");
  for (const HintCase& c : kCases) {
    EXPECT_EQ(Hint(world, *plugin, c.pod, EventOf(c.before, c.after)), c.want) << c.name;
  }
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

constexpr const char* kClaim = "resourceClaims: [{name: gpu, resourceClaimName: my-gpu}]";
constexpr const char* kMyGpu =
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: my-gpu, namespace: "
    "default}}";

std::string PreEnqueue(const std::string& spec) {
  TestCluster world;
  world.Add(kMyGpu);
  world.Add(PodYaml("web", {.spec = spec}));
  const auto plugin = MakePlugin("DynamicResources");
  return Text(dynamic_cast<const framework::PreEnqueuePlugin&>(*plugin).PreEnqueue(
      world.cluster(), world.cluster().pod(world.pod("web"))));
}

TEST(DynamicResources, KeepsPodsOutOfTheQueueWhileAClaimIsMissing) {
  EXPECT_EQ(PreEnqueue(""), "Success");
  EXPECT_EQ(PreEnqueue(kClaim), "Success");
  EXPECT_EQ(PreEnqueue("resourceClaims: [{name: gpu, resourceClaimName: gone}]"),
            "UnschedulableAndUnresolvable: could not find ResourceClaim \"default/gone\"");
}

TEST(DynamicResources, SkipsPodsWithoutClaims) {
  TestCluster world{NodeYaml("a"), NodeYaml("b"), kMyGpu};
  EXPECT_EQ(PluginHarness(world, MakePlugin("DynamicResources"), PodYaml("web")).Filter(), "Skip");
}

TEST(DynamicResources, ScoresNothing) {
  TestCluster world{NodeYaml("a"), NodeYaml("b")};
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodYaml("web"));
  EXPECT_EQ(trial.Scores("01"), "- 0");
}

TEST(DynamicResources, HasNothingToReserveOrWrite) {
  TestCluster world{NodeYaml("a")};
  PluginHarness trial(world, MakePlugin("DynamicResources"), PodYaml("web"));
  const model::NodeRow node = world.node("a");
  EXPECT_EQ(Text(trial.As<framework::ReservePlugin>().Reserve(trial.cycle(), node)), "Success");
  EXPECT_EQ(
      Text(trial.As<framework::PreBindPlugin>().PreBindPreFlight(trial.cycle(), node).verdict),
      "Skip");
}

TEST(DynamicResources, HasNothingToDeallocate) {
  TestCluster world{NodeYaml("a"), PodYaml("web")};
  const auto profile = ProfileOf({"NodeResourcesFit", "DynamicResources"});
  EXPECT_EQ(PreemptionHarness(world, *profile, "web").PostFilter("DynamicResources"),
            "Unschedulable: no new claims to deallocate (kept)");
}

TEST(DynamicResources, CannotSayIfAnotherPluginEndedPreFilterFirst) {
  TestCluster world{
      NodeYaml("a"),
      PodYaml(
          "web",
          {.spec =
               "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
               "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In}]}]}}}"})};
  const auto profile = ProfileOf({"NodeAffinity", "DynamicResources"});
  EXPECT_EQ(PreemptionHarness(world, *profile, "web").PostFilter("DynamicResources"),
            "Error: not found (kept)");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
