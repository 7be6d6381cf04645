// Which changes of which objects give waiting pods another chance.
#include "scheduler/engine/event_handlers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

// A plugin from outside the tree that rejects every node. It does not say which events may help.
class RejectAll final : public framework::NodeFilter {
 public:
  static constexpr std::string_view kName = "RejectAll";
  std::string_view name() const override { return kName; }
  framework::Verdict FilterNode(const framework::Cycle&, model::NodeRow) const override {
    return {framework::Code::kUnschedulable, "rejected"};
  }
  static Result<std::unique_ptr<framework::Plugin>> Make(const framework::PluginArgs&) {
    return std::make_unique<RejectAll>();
  }
};

// An engine with one pod that RejectAll rejected.
class RejectedPod {
 public:
  RejectedPod() : harness_({Profile()}, Registry()) {
    harness_.Put(MakeNode("n1"));
    harness_.Put(MakePod("waiting"));
  }

  // Reports whether the event requeues the pod.
  bool IsRequeuedByPut(const api::Object& object) {
    BeUnschedulable();
    harness_.Put(object);
    return IsRequeued();
  }
  bool IsRequeuedByRemove(const api::Object& object) {
    BeUnschedulable();
    harness_.Remove(object);
    return IsRequeued();
  }

 private:
  static framework::ProfileConfig Profile() {
    framework::ProfileConfig config = DefaultProfile();
    config.multi_point.enabled.push_back({"RejectAll", 0});
    return config;
  }
  static framework::Registry Registry() {
    framework::Registry registry = plugins::InTreeRegistry();
    registry.Add(RejectAll::kName, &RejectAll::Make);
    return registry;
  }
  void BeUnschedulable() {
    harness_.Pass(Duration::Seconds(20));  // Longer than any backoff.
    harness_.Schedule();
    harness_.Commands();
    EXPECT_EQ(harness_.engine().queue().sizes().unschedulable, 1u);
  }
  bool IsRequeued() { return harness_.engine().queue().sizes().unschedulable == 0; }

  EngineHarness harness_;
};

struct KindCase {
  const char* name;
  api::Object object;
  bool requeues;
};

template <typename T>
KindCase Kind(const char* name, bool requeues, const std::string& namespace_ = "") {
  return {name, MakeObject<T>("x", namespace_), requeues};
}

TEST(EventHandlers, EveryChangeRequeuesPodsOfPluginsThatRegisterForNoParticularEvents) {
  const KindCase cases[] = {
      Kind<api::PersistentVolume>("PersistentVolume", true),
      Kind<api::PersistentVolumeClaim>("PersistentVolumeClaim", true, "default"),
      Kind<api::CsiNode>("CSINode", true),
      Kind<api::CsiDriver>("CSIDriver", true),
      Kind<api::CsiStorageCapacity>("CSIStorageCapacity", true, "default"),
      Kind<api::StorageClass>("StorageClass", true),
      Kind<api::ResourceClaim>("ResourceClaim", true, "default"),
      Kind<api::DeviceClass>("DeviceClass", true),
      // kube-scheduler does not register unspecific plugins for these.
      Kind<api::VolumeAttachment>("VolumeAttachment", false),
      Kind<api::ResourceSlice>("ResourceSlice", false),
      Kind<api::Namespace>("Namespace", false),
  };
  for (const KindCase& c : cases) {
    RejectedPod pod;
    EXPECT_EQ(pod.IsRequeuedByPut(c.object), c.requeues) << c.name << " added";
    EXPECT_EQ(pod.IsRequeuedByPut(c.object), c.requeues) << c.name << " updated";
    EXPECT_EQ(pod.IsRequeuedByRemove(c.object), c.requeues) << c.name << " deleted";
  }
}

TEST(EventHandlers, PodsUpToItsPriorityAreRequeuedWhenANominatedPodIsDeleted) {
  for (const int32_t priority : {0, 5}) {
    SCOPED_TRACE(priority);
    EngineHarness harness;
    harness.Put(MakeNode("n1").Cpu("2"));
    // The nominated pod waits for a victim to leave.
    api::Pod victim = MakePod("victim").Request("cpu", "1").On("n1");
    victim.metadata.deletion_timestamp = Instant::FromUnixSeconds(999);
    victim.status.conditions = {
        {.type = "DisruptionTarget", .status = "True", .reason = "PreemptionByScheduler"}};
    harness.Put(std::make_shared<const api::Pod>(victim));
    const MakePod preemptor = MakePod("preemptor").Priority(5).Request("cpu", "2").Nominated("n1");
    harness.Put(preemptor);
    harness.Put(MakePod("next").Priority(priority).Request("cpu", "1"));
    harness.Schedule();
    harness.Commands();
    EXPECT_EQ(harness.Queue(), "0/0/2/0");
    harness.Remove(preemptor);
    EXPECT_EQ(harness.Queue(), "0/1/0/0");
  }
}

TEST(EventHandlers, AGatedPodReservesItsNominatedNodeOnceItIsUpdated) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  const auto nominated = [&] {
    return harness.cluster().nominations().NodeOf(harness.Find("p")).valid();
  };
  harness.Put(MakePod("p").Nominated("n1").Gate("wait"));
  EXPECT_FALSE(nominated());
  harness.Put(MakePod("p").Nominated("n1").Gate("wait").Label("a", "b"));
  EXPECT_TRUE(nominated()) << "as in kube-scheduler";
  harness.Remove(MakePod("p"));
  harness.Put(MakePod("p").Nominated("n1"));
  EXPECT_TRUE(nominated());
}

TEST(EventHandlers, AGatedPodReservesItsNominatedNodeOnceItHasFailed) {
  const auto gate = std::make_shared<GateScript>();
  gate->pre_enqueue = [](const model::PodRecord&) {
    return framework::Verdict(framework::Code::kUnschedulableAndUnresolvable, "closed");
  };
  ScriptedEngine scripted;
  scripted.Add<FakeGate>("Gate", gate);
  EngineHarness& harness = scripted.Start();
  harness.Put(MakeNode("n1").Cpu("1"));
  // It fits nowhere, and may not preempt: its nomination remains.
  MakePod pod =
      MakePod("p").Priority(9).Request("cpu", "1").NodeSelector("disk", "ssd").Nominated("n1");
  pod.object.spec.preemption_policy = "Never";
  harness.Put(pod);
  EXPECT_EQ(harness.Queue(), "0/0/0/1");
  gate->pre_enqueue = nullptr;
  harness.Put(MakeNode("n2").Cordoned());
  EXPECT_EQ(harness.Schedule(), 1u);
  harness.Put(MakePod("other").Request("cpu", "1"));
  EXPECT_EQ(harness.Schedule(), 1u);
  EXPECT_EQ(harness.Where("other"), "pending");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
