// Reserve, PreBind and Unreserve of VolumeBinding: what is assumed, written and waited for.
#include <map>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/writes.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/plugins/binding_testing.h"
#include "scheduler/plugins/volume_binding/volume_binding.h"
#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr const char* kPlugin = "VolumeBinding";
constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";

framework::WriteResult WrittenAs(const char* version) {
  return {framework::WriteResult::Kind::kOk, "", version};
}

// The pod "web", with a claim "data" that waits for a node, on the nodes "a" and "b".
class VolumeReservationTest : public testing::Test {
 protected:
  VolumeReservationTest()
      : world_{NodeYaml("a"), NodeYaml("b"), ClassYaml("slow"), ClaimYaml("data"), pod_} {}

  // Runs the filters and reserves node "b".
  void Reserve(const framework::PluginArgs& args = {}) {
    trial_ = std::make_unique<PluginHarness>(world_, MakePlugin(kPlugin, args), pod_);
    ASSERT_EQ(trial_->Filter(), "11");
    ASSERT_EQ(Text(trial_->As<framework::ReservePlugin>().Reserve(trial_->cycle(), node())),
              "Success");
  }
  std::string PreFlight() {
    return Text(
        trial_->As<framework::PreBindPlugin>().PreBindPreFlight(trial_->cycle(), node()).verdict);
  }
  void StartPreBind() {
    binding_ = std::make_unique<ManualBinding>(trial_->cycle(), node());
    task_.emplace(trial_->As<framework::PreBindPlugin>().PreBind(*binding_));
    task_->Start();
  }
  // What the task ended with; "waiting" if it has not.
  std::string Outcome() const { return task_->done() ? Text(task_->result()) : "waiting"; }
  void Unreserve() { trial_->As<framework::ReservePlugin>().Unreserve(trial_->cycle(), node()); }

  model::NodeRow node() const { return world_.node("b"); }
  const model::Storage& storage() { return world_.cluster().storage(); }
  model::Storage::ClaimRef Claim(const char* name = "data") {
    return storage().FindClaim({"default", name});
  }
  model::Storage::VolumeRef Volume(const char* name) {
    return storage().Current(*storage().catalog().FindVolume(name));
  }

  // The API shows the claim as bound to `volume`, on node "b", at `version`.
  void ShowBoundClaim(const char* volume, const char* version) {
    auto claim = std::make_shared<api::PersistentVolumeClaim>(
        *world_.cluster().objects<api::PersistentVolumeClaim>().Find({"default", "data"}));
    claim->metadata.resource_version = version;
    claim->metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
    claim->metadata.annotations[kSelectedNode] = "b";
    claim->volume_name = volume;
    world_.Add(api::Object(api::Ref<api::PersistentVolumeClaim>(std::move(claim))));
  }
  void ShowVolume(const model::Storage::VolumeRef& written, const char* version) {
    auto volume = std::make_shared<api::PersistentVolume>(*written);
    volume->metadata.resource_version = version;
    world_.Add(api::Object(api::Ref<api::PersistentVolume>(std::move(volume))));
  }

  const std::string pod_ = PodWithClaims("web", {"data"});
  TestCluster world_;
  std::unique_ptr<PluginHarness> trial_;
  std::unique_ptr<ManualBinding> binding_;
  std::optional<Task<framework::Verdict>> task_;
};

TEST_F(VolumeReservationTest, NothingToDoForPodsWithoutClaimsOrWithBoundOnes) {
  PluginHarness plain(world_, MakePlugin(kPlugin), PodYaml("plain"));
  EXPECT_EQ(plain.Filter(), "Skip");
  EXPECT_TRUE(plain.As<framework::ReservePlugin>().Reserve(plain.cycle(), node()).ok());
  EXPECT_TRUE(plain.As<framework::PreBindPlugin>()
                  .PreBindPreFlight(plain.cycle(), node())
                  .verdict.skipped());
  plain.As<framework::ReservePlugin>().Unreserve(plain.cycle(), node());

  world_.Add(VolumeYaml("pv", {.phase = "Bound"}));
  world_.Add(BoundClaimYaml("data", "pv"));
  Reserve();
  EXPECT_EQ(PreFlight(), "Skip");
  EXPECT_EQ(Volume("pv")->claim_ref, std::nullopt);
}

TEST_F(VolumeReservationTest, ReservedVolumeIsTakenForTheNextPod) {
  world_.Add(ClassYaml("slow",
                       "provisioner: kubernetes.io/no-provisioner, volumeBindingMode: "
                       "WaitForFirstConsumer"));
  world_.Add(VolumeYaml("pv", {}));
  world_.Add(ClaimYaml("logs"));
  Reserve();
  EXPECT_EQ(PreFlight(), "Success");
  const api::ObjectReference want{.api_version = "v1",
                                  .kind = "PersistentVolumeClaim",
                                  .namespace_ = "default",
                                  .name = "data",
                                  .uid = "uid-of-data",
                                  .resource_version = "7"};
  EXPECT_EQ(Volume("pv")->claim_ref, want);
  EXPECT_EQ(Volume("pv")->metadata.annotations.at(kBoundByController), "yes");
  EXPECT_EQ(FilterBy(kPlugin, world_, PodWithClaims("next", {"logs"})), "00");

  Unreserve();
  EXPECT_EQ(Volume("pv")->claim_ref, std::nullopt);
  EXPECT_EQ(FilterBy(kPlugin, world_, PodWithClaims("next", {"logs"})), "11");
}

TEST_F(VolumeReservationTest, ReservedNodeIsSelectedForTheNextPodWithTheSameClaim) {
  Reserve();
  EXPECT_EQ(Claim()->metadata.annotations.at(kSelectedNode), "b");
  EXPECT_EQ(FilterBy(kPlugin, world_, PodWithClaims("next", {"data"})), "01");
  Unreserve();
  EXPECT_FALSE(Claim()->metadata.annotations.contains(kSelectedNode));
  EXPECT_EQ(FilterBy(kPlugin, world_, PodWithClaims("next", {"data"})), "11");
}

TEST_F(VolumeReservationTest, AssumptionEndsWhenTheApiShowsANewerVersion) {
  Reserve();
  world_.Add(ClaimYaml("data"));  // The same version again, as after a new list.
  EXPECT_TRUE(Claim()->metadata.annotations.contains(kSelectedNode));
  auto newer = std::make_shared<api::PersistentVolumeClaim>(
      *world_.cluster().objects<api::PersistentVolumeClaim>().Find({"default", "data"}));
  newer->metadata.resource_version = "8";
  world_.Add(api::Object(api::Ref<api::PersistentVolumeClaim>(std::move(newer))));
  EXPECT_FALSE(Claim()->metadata.annotations.contains(kSelectedNode));
}

TEST_F(VolumeReservationTest, VolumeThatAUserBoundIsNotMarkedAsOurs) {
  world_.Add(VolumeYaml("pv", {.spec = "claimRef: {namespace: default, name: data}"}));
  Reserve();
  EXPECT_EQ(Volume("pv")->claim_ref->uid, "uid-of-data");
  EXPECT_FALSE(Volume("pv")->metadata.annotations.contains(kBoundByController));
}

TEST_F(VolumeReservationTest, VolumeIsWrittenAndThenWaitedFor) {
  world_.Add(VolumeYaml("pv", {}));
  Reserve();
  const model::Storage::VolumeRef decided = Volume("pv");
  StartPreBind();
  ASSERT_EQ(binding_->writes,
            (std::vector<framework::ApiWrite>{framework::UpdatePersistentVolume{decided}}));
  binding_->Complete(WrittenAs("20"));
  ASSERT_TRUE(binding_->sleeping());

  // The claim may be shown as bound before the volume is shown as written: not yet.
  ShowBoundClaim("pv", "21");
  binding_->Wait();
  EXPECT_EQ(Outcome(), "waiting");
  ShowVolume(decided, "20");
  EXPECT_EQ(Outcome(), "waiting") << "looked at once a second only";
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_EQ(binding_->now(), Instant::FromUnixSeconds(102));
}

TEST_F(VolumeReservationTest, NewVolumeIsRequestedAndThenAwaited) {
  Reserve();
  StartPreBind();
  ASSERT_EQ(binding_->writes,
            (std::vector<framework::ApiWrite>{framework::UpdatePersistentVolumeClaim{Claim()}}));
  binding_->Complete(WrittenAs("20"));
  binding_->Wait();
  EXPECT_EQ(Outcome(), "waiting") << "the claim is not shown as written yet";

  ShowBoundClaim("new", "21");
  binding_->Wait();
  EXPECT_EQ(Outcome(), "waiting") << "the volume is not shown yet";
  world_.Add(VolumeYaml("new", {.phase = "Bound"}));
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Success");
}

TEST_F(VolumeReservationTest, VolumesAreWrittenBeforeClaimsAndNothingAfterAFailure) {
  world_.Add(VolumeYaml("pv", {}));
  world_.Add(ClaimYaml("logs"));
  trial_ = std::make_unique<PluginHarness>(world_, MakePlugin(kPlugin),
                                           PodWithClaims("two", {"data", "logs"}));
  ASSERT_EQ(trial_->Filter(), "11");
  ASSERT_TRUE(trial_->As<framework::ReservePlugin>().Reserve(trial_->cycle(), node()).ok());
  StartPreBind();
  ASSERT_EQ(binding_->writes.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<framework::UpdatePersistentVolume>(binding_->writes[0]));
  binding_->Complete(WrittenAs("20"));
  ASSERT_EQ(binding_->writes.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<framework::UpdatePersistentVolumeClaim>(binding_->writes[1]));
  binding_->Complete({framework::WriteResult::Kind::kConflict, "the object has been modified"});
  EXPECT_EQ(Outcome(), "Error: the object has been modified");

  Unreserve();
  EXPECT_EQ(Volume("pv")->claim_ref, std::nullopt);
  EXPECT_FALSE(Claim("logs")->metadata.annotations.contains(kSelectedNode));
}

TEST_F(VolumeReservationTest, WaitingEndsAfterTheTimeout) {
  Reserve(framework::VolumeBindingArgs{.bind_timeout_seconds = 3, .shape = {}});
  StartPreBind();
  binding_->Complete(WrittenAs("20"));
  binding_->Wait();
  binding_->Wait();
  EXPECT_EQ(Outcome(), "waiting");
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: binding volumes: context deadline exceeded");
  EXPECT_EQ(binding_->now(), Instant::FromUnixSeconds(103));
}

TEST_F(VolumeReservationTest, CancellingEndsTheWait) {
  Reserve();
  StartPreBind();
  binding_->Complete(WrittenAs("20"));
  binding_->is_cancelled = true;
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: context canceled");
}

TEST_F(VolumeReservationTest, NothingIsWrittenAndNotWaitedForOnceCancelled) {
  world_.Add(VolumeYaml("pv", {}));
  world_.Add(ClaimYaml("logs"));
  trial_ = std::make_unique<PluginHarness>(world_, MakePlugin(kPlugin),
                                           PodWithClaims("two", {"data", "logs"}));
  ASSERT_EQ(trial_->Filter(), "11");
  ASSERT_TRUE(trial_->As<framework::ReservePlugin>().Reserve(trial_->cycle(), node()).ok());
  StartPreBind();
  binding_->is_cancelled = true;
  binding_->Complete(WrittenAs("20"));
  EXPECT_EQ(binding_->writes.size(), 1u);
  EXPECT_EQ(Outcome(), "Error: context canceled");
}

// Counts the errors of each stage.
class StageErrors final : public framework::Measurements {
 public:
  StageErrors() : framework::Measurements([]() -> int64_t { return 0; }) {}
  void VolumeStageFailed(framework::VolumeStage stage) override { ++counts[stage]; }
  std::map<framework::VolumeStage, int> counts;
};

TEST_F(VolumeReservationTest, ErrorsAreCountedByStage) {
  using Counts = std::map<framework::VolumeStage, int>;
  StageErrors errors;
  Reserve();
  trial_->cycle().set_measurements(&errors);
  StartPreBind();
  binding_->Complete({framework::WriteResult::Kind::kConflict, "the object has been modified"});
  EXPECT_EQ(errors.counts, (Counts{{framework::VolumeStage::kBind, 1}}));
  Unreserve();
  Reserve();
  trial_->cycle().set_measurements(&errors);
  StartPreBind();
  binding_->Complete(WrittenAs("20"));
  EXPECT_EQ(errors.counts, (Counts{{framework::VolumeStage::kBind, 1}}));
}

// What may happen while a pod waits for a new volume, and why it is given up.
struct GivingUp {
  const char* name;
  void (*happens)(TestCluster&);
  const char* want;
};

class GivingUpTest : public VolumeReservationTest, public testing::WithParamInterface<GivingUp> {};

TEST_P(GivingUpTest, PreBindFails) {
  Reserve();
  StartPreBind();
  binding_->Complete(WrittenAs("7"));
  GetParam().happens(world_);
  binding_->Wait();
  EXPECT_EQ(Outcome(), std::string("Error: binding volumes: ") + GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, GivingUpTest,
    testing::Values(
        GivingUp{"PodGone",
                 [](TestCluster& world) { world.cluster().Remove<api::Pod>({"default", "web"}); },
                 "pod does not exist any more: pod \"web\" not found"},
        GivingUp{"NodeGone",
                 [](TestCluster& world) { world.cluster().Remove<api::Node>({"", "b"}); },
                 "failed to get node \"b\": node \"b\" not found"},
        GivingUp{"ClaimGone",
                 [](TestCluster& world) {
                   world.cluster().Remove<api::PersistentVolumeClaim>({"default", "data"});
                 },
                 "failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "
                 "\"default/data\""},
        GivingUp{"AnnotationsGone", [](TestCluster& world) { world.Add(ClaimYaml("data")); },
                 "selectedNode annotation reset for PVC \"data\""},
        GivingUp{
            "ProvisionerGaveUp",
            [](TestCluster& world) { world.Add(ClaimYaml("data", {.annotations = "x: 'y'"})); },
            "provisioning failed for PVC \"data\""},
        GivingUp{"AnotherNodeIsSelected",
                 [](TestCluster& world) {
                   world.Add(
                       ClaimYaml("data", {.annotations = "volume.kubernetes.io/selected-node: a"}));
                 },
                 "provisioning failed for PVC \"data\""},
        GivingUp{"VolumeElsewhere",
                 [](TestCluster& world) {
                   world.Add(VolumeYaml(
                       "new", {.spec = "nodeAffinity: {required: {nodeSelectorTerms: "
                                       "[{matchExpressions: [{key: host, operator: Exists}]}]}}"}));
                   world.Add(
                       ClaimYaml("data", {.spec = "volumeName: new",
                                          .annotations = "volume.kubernetes.io/selected-node: b"}));
                 },
                 "pv \"new\" node affinity doesn't match node \"b\": no matching "
                 "NodeSelectorTerms"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(VolumeReservationTest, VolumeThatLostItsClaimIsGivenUp) {
  world_.Add(VolumeYaml("pv", {}));
  Reserve();
  StartPreBind();
  binding_->Complete(WrittenAs("7"));
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: binding volumes: ClaimRef got reset for pv \"pv\"");
}

TEST_F(VolumeReservationTest, VolumeThatIsGoneIsGivenUp) {
  world_.Add(VolumeYaml("pv", {}));
  Reserve();
  StartPreBind();
  binding_->Complete(WrittenAs("20"));
  world_.cluster().Remove<api::PersistentVolume>({"", "pv"});
  binding_->Wait();
  EXPECT_EQ(Outcome(),
            "Error: binding volumes: failed to check binding: could not find v1.PersistentVolume "
            "\"pv\"");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
