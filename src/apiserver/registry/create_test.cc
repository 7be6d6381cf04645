// Creation: the fields that the server sets, and the objects that it rejects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "apiserver/registry/api_testing.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

using ::testing::MatchesRegex;

TEST(ApiCreate, APodIsDefaulted) {
  ApiFixture fixture;
  api::Json pod = fixture.Make("pods", kPodA);
  api::JsonObject& metadata = pod.get_object()["metadata"].get_object();
  EXPECT_THAT(std::string(api::AsString(api::At(&metadata, "uid"))),
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  metadata.erase("uid");
  metadata.erase("resourceVersion");
  EXPECT_EQ(pod, Doc(R"({
    'kind':'Pod','apiVersion':'v1',
    'metadata':{'name':'a','namespace':'default','generation':1,
                'creationTimestamp':'2026-01-01T00:00:00Z'},
    'spec':{
      'containers':[{'name':'c','image':'i','resources':{},
        'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',
        'imagePullPolicy':'Always'}],
      'restartPolicy':'Always','terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst',
      'securityContext':{},'schedulerName':'default-scheduler','enableServiceLinks':true,
      'priority':0,'preemptionPolicy':'PreemptLowerPriority',
      'serviceAccountName':'default','serviceAccount':'default',
      'tolerations':[
        {'key':'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute',
         'tolerationSeconds':300},
        {'key':'node.kubernetes.io/unreachable','operator':'Exists','effect':'NoExecute',
         'tolerationSeconds':300}]},
    'status':{'phase':'Pending','qosClass':'BestEffort'}})"));
}

TEST(ApiCreate, TheJsonStartsWithTypeAndName) {
  ApiFixture fixture;
  const auto written = fixture.Create(
      "configmaps", "{'data':{'z':'1'},'metadata':{'labels':{'b':'2','a':'1'},'name':'m'}}");
  ASSERT_TRUE(written);
  const store::Object& object = *written->object;
  EXPECT_EQ(object.json,
            fmt::format(R"({{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"m",)"
                        R"("namespace":"default","uid":"{}","resourceVersion":"{}",)"
                        R"("creationTimestamp":"2026-01-01T00:00:00Z",)"
                        R"("labels":{{"b":"2","a":"1"}}}},"data":{{"z":"1"}}}})",
                        object.uid, object.version));
  EXPECT_EQ(object.labels, (decltype(object.labels){{"a", "1"}, {"b", "2"}}));
  EXPECT_TRUE(written->created);
}

TEST(ApiCreate, ClientsCannotSetSystemMetadata) {
  ApiFixture fixture;
  const api::Json pod = fixture.Make("pods", R"({
    'metadata':{'name':'a','uid':'mine','generation':7,'creationTimestamp':'2020-01-01T00:00:00Z',
                'deletionTimestamp':'2020-01-01T00:00:00Z','deletionGracePeriodSeconds':3,
                'selfLink':'x','managedFields':[{'manager':'m'}]},
    'spec':{'containers':[{'name':'c','image':'i'}]},
    'status':{'phase':'Running','podIP':'1.2.3.4'}})");
  EXPECT_HOLDS(pod, R"({'metadata':{'generation':1,'creationTimestamp':'2026-01-01T00:00:00Z',
      'deletionTimestamp':null,'deletionGracePeriodSeconds':null,'managedFields':null},
      'status':{'phase':'Pending','podIP':null}})");
  EXPECT_NE(api::StringAt(api::ObjectAt(api::AsObject(pod), "metadata"), "uid"), "mine");
}

TEST(ApiCreate, GeneratedNamesAreUnused) {
  ApiFixture fixture;
  std::set<std::string> names;
  for (int i = 0; i < 200; ++i) {
    const auto written = fixture.Create(
        "pods",
        "{'metadata':{'generateName':'web-'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
    ASSERT_TRUE(written);
    EXPECT_THAT(written->object->key.name, MatchesRegex("web-[bcdfghjklmnpqrstvwxz2456789]{5}"));
    names.insert(written->object->key.name);
  }
  EXPECT_EQ(names.size(), 200U);
}

TEST(ApiCreate, ADryRunStoresNothing) {
  ApiFixture fixture;
  const store::Version before = fixture.store->version();
  const auto written =
      fixture.api.Create(api::scheme::KindOf("pods"), "default", Doc(kPodA), {.dry_run = true});
  EXPECT_EQ(ErrorOf(written), "ok");
  EXPECT_HOLDS(store::Parse(*written->object),
               "{'metadata':{'name':'a'},'status':{'phase':'Pending'}}");
  EXPECT_EQ(fixture.store->version(), before);
  fixture.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(fixture.api.Create(api::scheme::KindOf("pods"), "default", Doc(kPodA),
                                       {.dry_run = true})),
            "409 AlreadyExists: pods \"a\" already exists");
}

struct Refusal {
  const char* name;
  const char* kind;
  const char* document;
  const char* want;
  const char* namespace_ = "default";
};

class ApiCreateRejects : public ::testing::TestWithParam<Refusal> {};

TEST_P(ApiCreateRejects, With) {
  ApiFixture fixture;
  fixture.Make("namespaces", "{'metadata':{'name':'going'}}");
  ASSERT_TRUE(fixture.Delete("namespaces", "going"));
  fixture.Make("pods", kPodA);
  const Refusal& refusal = GetParam();
  EXPECT_EQ(ErrorOf(fixture.Create(refusal.kind, refusal.document, refusal.namespace_)),
            refusal.want);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ApiCreateRejects,
    ::testing::Values(
        Refusal{"ANameThatIsTaken", "pods",
                "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}]}}",
                "409 AlreadyExists: pods \"a\" already exists"},
        Refusal{"ANamespaceThatIsNot", "pods", "{'metadata':{'name':'b'}}",
                "404 NotFound: namespaces \"nowhere\" not found", "nowhere"},
        Refusal{"ANamespaceThatGoes", "pods", "{'metadata':{'name':'b'}}",
                "403 Forbidden: pods \"b\" is forbidden: unable to create new content in "
                "namespace going because it is being terminated",
                "going"},
        Refusal{"AnotherNamespace", "pods", "{'metadata':{'name':'b','namespace':'other'}}",
                "400 BadRequest: the namespace of the provided object does not match the "
                "namespace sent on the request"},
        Refusal{"AnotherKind", "pods", "{'kind':'Node','metadata':{'name':'b'}}",
                "400 BadRequest: the object provided is unrecognized (must be of type Pod): kind "
                "is Node, not Pod"},
        Refusal{"AnotherVersion", "pods", "{'apiVersion':'v2','metadata':{'name':'b'}}",
                "400 BadRequest: the object provided is unrecognized (must be of type Pod): "
                "apiVersion is v2, not v1"},
        Refusal{"NoObject", "pods", "[1]",
                "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: the body must "
                "be a JSON object"},
        Refusal{"LabelsThatAreNoTexts", "pods", "{'metadata':{'name':'b','labels':{'a':1}}}",
                "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: "
                "metadata.labels must be a map of strings"},
        Refusal{"AResourceVersion", "pods", "{'metadata':{'name':'b','resourceVersion':'5'}}",
                "400 BadRequest: resourceVersion should not be set on objects to be created"},
        Refusal{"NoName", "configmaps", "{}",
                "422 Invalid: ConfigMap \"\" is invalid: metadata.name: Required value: name or "
                "generateName is required"},
        Refusal{"AnUnknownPriorityClass", "pods",
                "{'metadata':{'name':'b'},'spec':{'priorityClassName':'high',"
                "'containers':[{'name':'c','image':'i'}]}}",
                "403 Forbidden: pods \"b\" is forbidden: no PriorityClass with name high was "
                "found"},
        Refusal{"APriorityOfOnesOwn", "pods",
                "{'metadata':{'name':'b'},'spec':{'priority':5,"
                "'containers':[{'name':'c','image':'i'}]}}",
                "403 Forbidden: pods \"b\" is forbidden: the integer value of priority (5) must "
                "not be provided in pod spec; priority admission controller computed 0 from the "
                "given PriorityClass name"},
        Refusal{"AQuantityThatIsNone", "pods",
                "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c','image':'i',"
                "'resources':{'requests':{'cpu':'lots'}}}]}}",
                "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: quantities must "
                "match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' "
                "(field spec.containers[0].resources.requests[cpu], value \"lots\")"}),
    [](const auto& test) { return test.param.name; });

TEST(ApiCreate, APodGetsThePriorityOfItsClass) {
  ApiFixture fixture;
  fixture.Make("priorityclasses.scheduling.k8s.io",
               "{'metadata':{'name':'high'},'value':1000,'preemptionPolicy':'Never'}");
  const api::Json pod = fixture.Make("pods",
                                     "{'metadata':{'name':'a'},'spec':{'priorityClassName':'high',"
                                     "'containers':[{'name':'c','image':'i'}]}}");
  EXPECT_HOLDS(pod, "{'spec':{'priority':1000,'preemptionPolicy':'Never'}}");
}

TEST(ApiCreate, PodsWithoutAClassGetTheDefaultClass) {
  ApiFixture fixture;
  fixture.Make("priorityclasses.scheduling.k8s.io",
               "{'metadata':{'name':'usual'},'value':10,'globalDefault':true}");
  EXPECT_HOLDS(fixture.Make("pods", kPodA), "{'spec':{'priority':10,'priorityClassName':'usual'}}");
  EXPECT_EQ(ErrorOf(fixture.Create("priorityclasses.scheduling.k8s.io",
                                   "{'metadata':{'name':'other'},'value':1,'globalDefault':true}")),
            "403 Forbidden: priorityclasses.scheduling.k8s.io \"other\" is forbidden: "
            "PriorityClass usual is already marked as default. Only one default can exist");
  ASSERT_TRUE(fixture.Delete("priorityclasses.scheduling.k8s.io", "usual"));
  const api::Json pod = fixture.Make(
      "pods", "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
  EXPECT_HOLDS(pod, "{'spec':{'priority':0,'priorityClassName':null}}");
}

TEST(ApiCreate, AGatedPodHasACondition) {
  ApiFixture fixture;
  const api::Json pod =
      fixture.Make("pods",
                   "{'metadata':{'name':'a'},'spec':{'schedulingGates':[{'name':'g'}],"
                   "'containers':[{'name':'c','image':'i'}]}}");
  EXPECT_HOLDS(pod, R"({'status':{'phase':'Pending','conditions':[
      {'type':'PodScheduled','status':'False','reason':'SchedulingGated',
       'lastTransitionTime':'2026-01-01T00:00:00Z'}]}})");
}

TEST(ApiCreate, LabelKeysOfAPodAreMergedIntoItsSelectors) {
  ApiFixture fixture;
  const api::Json pod = fixture.Make("pods", R"({
    'metadata':{'name':'p','labels':{'app':'web','version':'v2'}},
    'spec':{'containers':[{'name':'c','image':'i'}],
      'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone',
        'whenUnsatisfiable':'DoNotSchedule','labelSelector':{'matchLabels':{'app':'web'}},
        'matchLabelKeys':['version','absent']}],
      'affinity':{
        'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1,
          'podAffinityTerm':{'topologyKey':'zone','labelSelector':{'matchExpressions':[
            {'key':'app','operator':'Exists'}]},'matchLabelKeys':['version']}}]},
        'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[
          {'topologyKey':'zone','labelSelector':{},'mismatchLabelKeys':['version']},
          {'topologyKey':'zone','mismatchLabelKeys':['version']}]}}}})");
  EXPECT_HOLDS(pod, R"({'spec':{
    'topologySpreadConstraints':[{'labelSelector':{'matchExpressions':[
      {'key':'version','operator':'In','values':['v2']}]}}],
    'affinity':{
      'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{
        'podAffinityTerm':{'labelSelector':{'matchExpressions':[
          {'key':'app','operator':'Exists'},
          {'key':'version','operator':'In','values':['v2']}]}}}]},
      'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[
        {'labelSelector':{'matchExpressions':[
          {'key':'version','operator':'NotIn','values':['v2']}]}},
        {'labelSelector':null}]}}}})");
}

TEST(ApiCreate, ANodeIsTaintedUnlessItIsReady) {
  ApiFixture fixture;
  EXPECT_HOLDS(
      fixture.Make("nodes", "{'metadata':{'name':'n'},'status':{'capacity':{'cpu':'4.0'}}}"),
      R"({'metadata':{'generation':null},
                   'spec':{'taints':[{'key':'node.kubernetes.io/not-ready','effect':'NoSchedule'}]},
                   'status':{'capacity':{'cpu':'4'},'allocatable':{'cpu':'4'}}})");
  EXPECT_HOLDS(fixture.Make("nodes", R"({'metadata':{'name':'m'},'spec':{'podCIDR':'10.0.0.0/24'},
                          'status':{'conditions':[{'type':'Ready','status':'True'}]}})"),
               "{'spec':{'taints':null,'podCIDRs':['10.0.0.0/24']}}");
}

TEST(ApiCreate, AClusterHasBootstrapObjects) {
  ApiFixture fixture;
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    EXPECT_HOLDS(fixture.Get("namespaces", name), "{'status':{'phase':'Active'}}") << name;
  }
  EXPECT_HOLDS(fixture.Get("priorityclasses.scheduling.k8s.io", "system-node-critical"),
               "{'value':2000001000,'preemptionPolicy':'PreemptLowerPriority'}");
  EXPECT_HOLDS(fixture.Get("services", "kubernetes"), "{'spec':{'clusterIP':'10.96.0.1'}}");
  // A second Api on the same store creates nothing.
  const store::Version before = fixture.store->version();
  const Api again(*fixture.store, fixture.clock, 2);
  EXPECT_EQ(fixture.store->version(), before);
}

// A journal whose writes complete when the test calls it.
class ManualJournal final : public store::Journal {
 public:
  Result<store::Recovered> Recover() override { return store::Recovered(); }
  Status Replay(const std::function<Status(const store::JournalEntry&)>&) override { return {}; }
  Status Start(store::Version, std::function<void(Result<store::Version>)> durable) override {
    durable_ = std::move(durable);
    return {};
  }
  store::Version reserved() const override { return 1'000'000; }
  void Append(store::JournalEntry entry) override { newest_ = entry.object->version; }
  void Compact(store::Compaction) override {}
  const std::string& name() const override { return name_; }

  void CompleteAll() { durable_(newest_); }
  void FailAll(std::string why) { durable_(Fail(std::move(why))); }

 private:
  std::string name_ = "manual";
  store::Version newest_ = 0;
  std::function<void(Result<store::Version>)> durable_;
};

TEST(ApiCreate, AFailedStoreRejectsWrites) {
  auto journal = std::make_unique<ManualJournal>();
  ManualJournal& manual = *journal;
  auto opened =
      store::Store::Open({.collections = api::scheme::CollectionNames()}, std::move(journal));
  ASSERT_TRUE(opened);
  const std::unique_ptr<store::Store> store = std::move(*opened);
  const SimClock clock;
  Api api(*store, clock, 1);
  manual.CompleteAll();
  EXPECT_EQ(ErrorOf(api.Create(api::scheme::KindOf("pods"), "default", Doc(kPodA))), "ok");
  manual.FailAll("the disk is full");
  EXPECT_EQ(ErrorOf(api.Create(api::scheme::KindOf("pods"), "default", Doc(kPodA))),
            "500 InternalError: Internal error occurred: the disk is full");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
