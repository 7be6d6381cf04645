#include "scheduler/model/pod_class.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

std::string Key(const api::Pod& pod) { return PodClassKey(pod, /*with_node_name=*/false); }

// A pod that uses most of the fields, so that changing one has something to differ from.
api::Pod FullPod(const std::string& name) {
  api::Pod pod = MakePod(name)
                     .Request("cpu", "1")
                     .Request("memory", "1Gi")
                     .HostPort(80)
                     .NodeSelector("disk", "ssd")
                     .Tolerates("gpu", "yes", "NoSchedule")
                     .Mounts("data")
                     .Priority(5);
  pod.spec.init_containers = {{.name = "init", .image = "setup:1"}};
  auto& affinity = pod.spec.affinity.emplace();
  affinity.node_affinity.emplace().required.emplace().terms = {{{{"zone", "In", {"a"}}}, {}}};
  affinity.node_affinity->preferred = {{10, {{{"zone", "In", {"b"}}}, {}}}};
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels = {{"app", "web"}};
  term.topology_key = "zone";
  affinity.pod_affinity.emplace().required = {term};
  affinity.pod_anti_affinity.emplace().preferred = {{1, term}};
  api::TopologySpreadConstraint spread;
  spread.max_skew = 1;
  spread.topology_key = "zone";
  spread.when_unsatisfiable = "DoNotSchedule";
  pod.spec.topology_spread_constraints = {spread};
  return pod;
}

TEST(PodClassKey, IsEqualForCopies) {
  api::Pod copy = FullPod("b");
  copy.metadata.uid = "other";
  copy.metadata.labels = {{"pod-index", "7"}};
  copy.metadata.annotations = {{"note", "x"}};
  copy.metadata.owner_references = {{"apps/v1", "ReplicaSet", "web", "u", true}};
  copy.metadata.resource_version = "99";
  copy.spec.node_name = "n1";
  copy.spec.priority_class_name = "named";
  copy.spec.termination_grace_period_seconds = 3;
  copy.spec.containers[0].resources.limits = {{"cpu", Amount("2")}};
  copy.spec.tolerations[0].toleration_seconds = 30;
  copy.status.phase = "Running";
  copy.status.nominated_node_name = "n2";
  copy.status.conditions = {{.type = "PodResizePending", .reason = "Infeasible"}};
  copy.status.container_statuses = {{.name = "main"}};
  EXPECT_EQ(Key(copy), Key(FullPod("a")));
}

TEST(PodClassKey, DiffersForTheFinestAndTheLargestQuantities) {
  const auto key = [](const char* cpu) { return Key(MakePod("a").Request("cpu", cpu)); };
  EXPECT_EQ(key("1"), key("1000m"));
  EXPECT_NE(key("400u"), key("600u"));  // Two of each make one and two thousandths.
  EXPECT_NE(key("100E"), key("200E"));
}

TEST(PodClassKey, DoesNotCareHowANumberIsWritten) {
  EXPECT_EQ(Key(MakePod("p").Request("cpu", "1").Request("memory", "1Gi")),
            Key(MakePod("p").Request("cpu", "1000m").Request("memory", "1024Mi")));
  EXPECT_NE(Key(MakePod("p").Request("cpu", "1")), Key(MakePod("p").Request("cpu", "1001m")));
}

TEST(PodClassKey, ContainsTheNodeOnlyIfRequested) {
  const api::Pod here = MakePod("p").On("n1"), there = MakePod("p").On("n2");
  EXPECT_EQ(PodClassKey(here, false), PodClassKey(there, false));
  EXPECT_NE(PodClassKey(here, true), PodClassKey(there, true));
  EXPECT_EQ(PodClassKey(MakePod("p"), true), PodClassKey(MakePod("p"), false));
}

struct Change {
  const char* name;
  std::function<void(api::Pod&)> apply;
};

const Change kChanges[] = {
    {"namespace", [](api::Pod& p) { p.metadata.namespace_ = "other"; }},
    {"schedulerName", [](api::Pod& p) { p.spec.scheduler_name = "other"; }},
    {"priority", [](api::Pod& p) { p.spec.priority = 6; }},
    {"preemptionPolicy", [](api::Pod& p) { p.spec.preemption_policy = "Never"; }},
    {"initContainer", [](api::Pod& p) { p.spec.init_containers.clear(); }},
    {"sidecar", [](api::Pod& p) { p.spec.init_containers[0].restart_policy = "Always"; }},
    {"container", [](api::Pod& p) { p.spec.containers.push_back({.name = "second"}); }},
    {"image", [](api::Pod& p) { p.spec.containers[0].image = "app:2"; }},
    {"request", [](api::Pod& p) { p.spec.containers[0].resources.requests["cpu"] = Amount("2"); }},
    {"zeroRequest",
     [](api::Pod& p) { p.spec.containers[0].resources.requests["x.io/gpu"] = Amount("0"); }},
    {"hostPort", [](api::Pod& p) { p.spec.containers[0].ports[0].host_port = 81; }},
    {"hostIP", [](api::Pod& p) { p.spec.containers[0].ports[0].host_ip = "10.0.0.1"; }},
    {"protocol", [](api::Pod& p) { p.spec.containers[0].ports[0].protocol = "UDP"; }},
    {"podResources", [](api::Pod& p) { p.spec.resources.emplace(); }},
    {"podRequest", [](api::Pod& p) { p.spec.resources.emplace().requests["cpu"] = Amount("2"); }},
    {"overhead", [](api::Pod& p) { p.spec.overhead["cpu"] = Amount("1m"); }},
    {"nodeSelector", [](api::Pod& p) { p.spec.node_selector->clear(); }},
    {"noNodeSelector", [](api::Pod& p) { p.spec.node_selector.reset(); }},
    {"requiredNodeTerm",
     [](api::Pod& p) {
       p.spec.affinity->node_affinity->required->terms[0].match_expressions[0].op = "NotIn";
     }},
    {"requiredNodeField",
     [](api::Pod& p) {
       p.spec.affinity->node_affinity->required->terms[0].match_fields = {
           {"metadata.name", "In", {"n1"}}};
     }},
    {"preferredNodeTerm",
     [](api::Pod& p) { p.spec.affinity->node_affinity->preferred[0].weight = 11; }},
    {"noPodAffinity", [](api::Pod& p) { p.spec.affinity->pod_affinity.reset(); }},
    {"podAffinitySelector",
     [](api::Pod& p) { p.spec.affinity->pod_affinity->required[0].label_selector.reset(); }},
    {"podAffinityNamespaces",
     [](api::Pod& p) { p.spec.affinity->pod_affinity->required[0].namespaces = {"x"}; }},
    {"podAffinityNamespaceSelector",
     [](api::Pod& p) { p.spec.affinity->pod_affinity->required[0].namespace_selector.emplace(); }},
    {"podAffinityTopologyKey",
     [](api::Pod& p) { p.spec.affinity->pod_affinity->required[0].topology_key = "host"; }},
    {"podAntiAffinityWeight",
     [](api::Pod& p) { p.spec.affinity->pod_anti_affinity->preferred[0].weight = 2; }},
    {"tolerationKey", [](api::Pod& p) { p.spec.tolerations[0].key = "x"; }},
    {"tolerationOperator", [](api::Pod& p) { p.spec.tolerations[0].op = "Exists"; }},
    {"tolerationValue", [](api::Pod& p) { p.spec.tolerations[0].value = "no"; }},
    {"tolerationEffect", [](api::Pod& p) { p.spec.tolerations[0].effect = ""; }},
    {"maxSkew", [](api::Pod& p) { p.spec.topology_spread_constraints[0].max_skew = 2; }},
    {"spreadKey", [](api::Pod& p) { p.spec.topology_spread_constraints[0].topology_key = "host"; }},
    {"whenUnsatisfiable",
     [](api::Pod& p) {
       p.spec.topology_spread_constraints[0].when_unsatisfiable = "ScheduleAnyway";
     }},
    {"spreadSelector",
     [](api::Pod& p) { p.spec.topology_spread_constraints[0].label_selector.emplace(); }},
    {"minDomains", [](api::Pod& p) { p.spec.topology_spread_constraints[0].min_domains = 1; }},
    {"nodeAffinityPolicy",
     [](api::Pod& p) { p.spec.topology_spread_constraints[0].node_affinity_policy = "Ignore"; }},
    {"nodeTaintsPolicy",
     [](api::Pod& p) { p.spec.topology_spread_constraints[0].node_taints_policy = "Ignore"; }},
    {"matchLabelKeys",
     [](api::Pod& p) { p.spec.topology_spread_constraints[0].match_label_keys = {"hash"}; }},
    {"schedulingGate", [](api::Pod& p) { p.spec.scheduling_gates = {"wait"}; }},
    {"volumeName", [](api::Pod& p) { p.spec.volumes[0].name = "other"; }},
    {"claim",
     [](api::Pod& p) {
       p.spec.volumes[0].source = api::PersistentVolumeClaimSource{"other", false};
     }},
    {"readOnlyClaim",
     [](api::Pod& p) {
       p.spec.volumes[0].source = api::PersistentVolumeClaimSource{"data", true};
     }},
    {"ephemeralVolume", [](api::Pod& p) { p.spec.volumes[0].source = api::EphemeralSource{}; }},
    {"otherVolume", [](api::Pod& p) { p.spec.volumes[0].source = api::OtherSource{}; }},
    {"inlineCsi", [](api::Pod& p) { p.spec.volumes[0].source = api::CsiInlineSource{"x.io"}; }},
    {"imageVolume", [](api::Pod& p) { p.spec.volumes[0].source = api::ImageSource{"model:1"}; }},
    {"gcePersistentDisk",
     [](api::Pod& p) { p.spec.volumes[0].source = api::GcePersistentDiskSource{"data", false}; }},
    {"awsElasticBlockStore",
     [](api::Pod& p) {
       p.spec.volumes[0].source = api::AwsElasticBlockStoreSource{"data", false};
     }},
    {"rbd",
     [](api::Pod& p) { p.spec.volumes[0].source = api::RbdSource{{"m"}, "rbd", "i", false}; }},
    {"iscsi",
     [](api::Pod& p) { p.spec.volumes[0].source = api::IscsiSource{"portal", "iqn", 1, false}; }},
    {"azureDisk",
     [](api::Pod& p) { p.spec.volumes[0].source = api::AzureDiskSource{"d", "u", "k"}; }},
    {"azureFile",
     [](api::Pod& p) { p.spec.volumes[0].source = api::AzureFileSource{"s", "n", "f"}; }},
    {"cinder", [](api::Pod& p) { p.spec.volumes[0].source = api::CinderSource{"data"}; }},
    {"vsphere", [](api::Pod& p) { p.spec.volumes[0].source = api::VsphereSource{"data"}; }},
    {"portworx", [](api::Pod& p) { p.spec.volumes[0].source = api::PortworxSource{"data"}; }},
    {"resourceClaim", [](api::Pod& p) { p.spec.resource_claims = {{.name = "gpu"}}; }},
    {"resourceClaimName",
     [](api::Pod& p) { p.spec.resource_claims = {{"gpu", "claim", std::nullopt}}; }},
    {"resourceClaimTemplate",
     [](api::Pod& p) { p.spec.resource_claims = {{"gpu", std::nullopt, "claim"}}; }},
    {"hostNetwork", [](api::Pod& p) { p.spec.host_network = true; }},
    {"hostUsers", [](api::Pod& p) { p.spec.host_users = true; }},
    {"noHostUsers", [](api::Pod& p) { p.spec.host_users = false; }},
    {"restartRule",
     [](api::Pod& p) { p.spec.containers[0].restart_policy_rule_actions = {"Restart"}; }},
    {"allocatedResources",
     [](api::Pod& p) {
       p.status.container_statuses = {{"main", std::nullopt, {{"cpu", Amount("1")}}}};
     }},
    {"moreAllocatedResources",
     [](api::Pod& p) {
       p.status.container_statuses = {{"main", std::nullopt, {{"cpu", Amount("2")}}}};
     }},
    {"infeasibleResize",
     [](api::Pod& p) {
       p.status.container_statuses = {{"main", std::nullopt, {{"cpu", Amount("1")}}}};
       p.status.conditions = {{.type = "PodResizePending", .reason = "Infeasible"}};
     }},
    {"podLevelStatus", [](api::Pod& p) { p.status.resources.emplace(); }},
    {"podLevelAllocation", [](api::Pod& p) { p.status.allocated_resources["cpu"] = Amount("1"); }},
};

TEST(PodClassKey, DiffersForEachFieldThatARuleReads) {
  std::map<std::string, std::string> seen = {{Key(FullPod("p")), "the pod itself"}};
  for (const Change& change : kChanges) {
    api::Pod pod = FullPod("p");
    change.apply(pod);
    const auto [found, added] = seen.emplace(Key(pod), change.name);
    EXPECT_TRUE(added) << change.name << " has the key of " << found->second;
  }
}

TEST(PodClassKey, DistinguishesListsByWhereTheyEnd) {
  api::Pod first = MakePod("p"), second = MakePod("p");
  first.spec.scheduling_gates = {"ab", "c"};
  second.spec.scheduling_gates = {"a", "bc"};
  EXPECT_NE(Key(first), Key(second));
}

TEST(PodClassKey, IgnoresTheNamesOfVolumesThatNoRuleReads) {
  api::Pod first = MakePod("a"), second = MakePod("b");
  first.spec.volumes = {{"kube-api-access-x7k2p", api::OtherSource{}}};
  second.spec.volumes = {{"kube-api-access-9qwzt", api::OtherSource{}}};
  EXPECT_EQ(Key(first), Key(second));
}

TEST(PodClassKey, PodsWithGeneratedClaimNamesAreOneOfAKind) {
  api::Pod first = MakePod("a"), second = MakePod("b");
  for (api::Pod* pod : {&first, &second}) {
    pod->spec.volumes = {{"scratch", api::EphemeralSource{}}};
  }
  EXPECT_NE(Key(first), Key(second));
}

TEST(PodClass, HoldsWhatRulesReadCompiled) {
  SymbolTable symbols;
  ScalarNames scalars;
  const PodClass compiled = CompilePodClass(MakePod("p")
                                                .Namespace("team")
                                                .Request("cpu", "250m")
                                                .Request("example.com/gpu", "2")
                                                .HostPort(80)
                                                .Priority(7)
                                                .Mounts("z")
                                                .Mounts("a"),
                                            false, symbols, scalars);
  EXPECT_EQ(symbols.Text(compiled.namespace_), "team");
  EXPECT_EQ(compiled.priority, 7);
  EXPECT_EQ(compiled.requests.milli_cpu, 250);
  EXPECT_EQ(compiled.requests.ScalarAmount(scalars.Find("example.com/gpu")), 2);
  EXPECT_EQ(compiled.placed, compiled.requests);
  EXPECT_EQ(compiled.placed_nonzero, (api::NonZeroRequest{250, 200 << 20}));
  EXPECT_EQ(compiled.host_ports.size(), 1u);
  ASSERT_EQ(compiled.claims.size(), 2u);
  EXPECT_EQ(symbols.Text(compiled.claims[0]), "z");
  EXPECT_EQ(symbols.Text(compiled.claims[1]), "a");
  EXPECT_EQ(compiled.node_name, "");
}

TEST(PodClass, KnowsTheNodeThatAPodAsksForByName) {
  SymbolTable symbols;
  ScalarNames scalars;
  const api::Pod pod = MakePod("p").On("n1");
  auto compile = [&](bool with_node_name) {
    return CompilePodClass(pod, with_node_name, symbols, scalars);
  };
  EXPECT_EQ(compile(true).node_name, "n1");
  EXPECT_EQ(compile(false).node_name, "");
}

TEST(PodClass, CountsOnItsNodeWhatAResizeHasGranted) {
  SymbolTable symbols;
  ScalarNames scalars;
  const PodClass compiled =
      CompilePodClass(MakePod("p").Request("cpu", "1").Holds("cpu", "2"), false, symbols, scalars);
  EXPECT_EQ(compiled.requests.milli_cpu, 1000);
  EXPECT_EQ(compiled.placed.milli_cpu, 2000);
  EXPECT_EQ(compiled.placed_nonzero.milli_cpu, 2000);
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

class PodClassesTest : public testing::Test {
 protected:
  // Pods of equal priority are of one class.
  PodClassId Acquire(int32_t priority) {
    return classes_.Acquire(MakePod("p").Priority(priority), false);
  }

  SymbolTable symbols_;
  ScalarNames scalars_;
  PodClasses classes_{symbols_, scalars_};
};

TEST_F(PodClassesTest, CopiesShareAClass) {
  const PodClassId first = Acquire(1);
  EXPECT_EQ(Acquire(1), first);
  EXPECT_NE(Acquire(2), first);
  EXPECT_EQ(classes_.Get(first).id, first);
  EXPECT_EQ(classes_.Get(first).priority, 1);
}

TEST_F(PodClassesTest, AnEmptyClassIsRetained) {
  const PodClassId first = Acquire(1);
  const uint64_t serial = classes_.serial(first);
  const PodClass* compiled = &classes_.Get(first);
  classes_.Release(first);
  EXPECT_EQ(Acquire(1), first);
  EXPECT_EQ(classes_.serial(first), serial);
  EXPECT_EQ(&classes_.Get(first), compiled);
}

TEST_F(PodClassesTest, ClassesThatHaveBeenEmptyLongestAreDroppedFirst) {
  constexpr int kRetained = 1024;
  const PodClassId held = Acquire(-1);
  const PodClassId refilled = Acquire(-2);
  classes_.Release(refilled);
  EXPECT_EQ(Acquire(-2), refilled);
  const PodClassId first = Acquire(0);
  const uint64_t serial = classes_.serial(first);
  classes_.Release(first);
  // The entry of the refilled class counts as one of those retained.
  for (int32_t i = 1; i < kRetained - 1; ++i) classes_.Release(Acquire(i));
  EXPECT_EQ(classes_.serial(first), serial);
  EXPECT_EQ(classes_.removed(), 0u);

  const PodClassId last = Acquire(kRetained);
  const uint64_t last_serial = classes_.serial(last);
  classes_.Release(last);  // One too many: the older half goes, but not what is in use again.
  EXPECT_EQ(classes_.Get(refilled).priority, -2);
  EXPECT_EQ(classes_.Get(held).priority, -1);
  EXPECT_NE(classes_.serial(first), serial);
  EXPECT_EQ(classes_.removed(), size_t{kRetained} / 2);
  EXPECT_EQ(Acquire(kRetained), last);
  EXPECT_EQ(classes_.serial(last), last_serial);
  EXPECT_LE(classes_.capacity(), size_t{kRetained} + 4);
}

TEST_F(PodClassesTest, RetainedClassesAreLimitedInBytes) {
  // Their keys take 100 KB each.
  for (int i = 0; i < 200; ++i) {
    const std::string value(100'000, static_cast<char>('a' + i % 20));
    api::Pod pod = MakePod("p").Priority(i);
    pod.spec.tolerations.push_back({"key", "Equal", value, "NoSchedule"});
    classes_.Release(classes_.Acquire(pod, false));
    EXPECT_LE(classes_.size(), 42u);
  }
  EXPECT_GE(classes_.size(), 10u);
  classes_.DropEmpty(0, 0);
  EXPECT_EQ(classes_.size(), 0u);
  EXPECT_EQ(symbols_.size(), 0u);
}

TEST_F(PodClassesTest, ClassDoesNotRetainItsFirstPod) {
  api::Pod pod = MakePod("p").Request("cpu", "1").Request("example.com/gpu", "2").HostPort(80);
  pod.metadata.annotations["note"] = std::string(1'000'000, 'x');
  pod.metadata.labels["app"] = "web";
  pod.status.conditions.push_back({.type = "Ready", .message = std::string(1000, 'x')});
  const auto shared = std::make_shared<const api::Pod>(pod);
  const PodClass& compiled = classes_.Get(classes_.Acquire(*shared, false));
  EXPECT_EQ(shared.use_count(), 1);
  EXPECT_EQ(compiled.spec(), pod.spec);
  EXPECT_EQ(compiled.example.metadata.namespace_, "default");
  EXPECT_TRUE(compiled.example.metadata.annotations.empty());
  EXPECT_TRUE(compiled.example.metadata.labels.empty());
  EXPECT_TRUE(compiled.example.status.conditions.empty());
}

TEST_F(PodClassesTest, RetainedClassOutlivesItsPods) {
  const PodClassId id = Acquire(1);
  const uint64_t serial = classes_.serial(id);
  classes_.Retain(id);
  classes_.Release(id);
  for (int32_t i = 2; i < 3000; ++i) classes_.Release(Acquire(i));
  EXPECT_EQ(classes_.serial(id), serial);
  EXPECT_EQ(classes_.Get(id).priority, 1);
  EXPECT_EQ(Acquire(1), id);
}

TEST_F(PodClassesTest, AnIdThatIsUsedAgainHasAnotherSerial) {
  const PodClassId id = Acquire(1);
  const uint64_t serial = classes_.serial(id);
  classes_.Release(id);
  for (int32_t i = 2; i < 3000; ++i) classes_.Release(Acquire(i));
  for (int32_t i = 3000; classes_.serial(id) == serial && i < 6000; ++i) Acquire(i);
  EXPECT_NE(classes_.serial(id), serial);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
