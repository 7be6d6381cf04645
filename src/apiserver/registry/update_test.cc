// Updates and patches: the changes that are allowed, and conflicts.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <thread>
#include <vector>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

constexpr std::string_view kDeployment =
    "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
    "'template':{'metadata':{'labels':{'a':'b'}},"
    "'spec':{'containers':[{'name':'c','image':'i'}]}}}}";

api::Json With(api::Json document, std::string_view patch) {
  return patch::ApplyMergePatch(std::move(document), Doc(patch));
}

TEST(ApiUpdate, AnEqualObjectIsNotWritten) {
  ApiFixture fixture;
  const api::Json made = fixture.Make("pods", kPodA);
  const store::Version before = fixture.store->version();
  // Another order of keys, a null and an old status change nothing.
  api::Json same = With(made, "{'status':{'phase':'Running'}}");
  same.get_object()["spec"].get_object()["nodeName"] = nullptr;
  const auto written = fixture.Update("pods", "a", same);
  EXPECT_EQ(ErrorOf(written), "ok");
  EXPECT_EQ(store::Parse(*written->object), made);
  EXPECT_EQ(fixture.store->version(), before);
}

TEST(ApiUpdate, AStaleVersionIsAConflict) {
  ApiFixture fixture;
  const api::Json made = fixture.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(fixture.Update("pods", "a", With(made, "{'metadata':{'labels':{'x':'1'}}}"))),
            "ok");
  EXPECT_EQ(ErrorOf(fixture.Update("pods", "a", With(made, "{'metadata':{'labels':{'x':'2'}}}"))),
            "409 Conflict: Operation cannot be fulfilled on pods \"a\": the object has been "
            "modified; please apply your changes to the latest version and try again");
  // Without a version the last write wins.
  const api::Json blind = With(made, "{'metadata':{'resourceVersion':null,'labels':{'x':'3'}}}");
  EXPECT_EQ(ErrorOf(fixture.Update("pods", "a", blind)), "ok");
  EXPECT_HOLDS(fixture.Get("pods", "a"), "{'metadata':{'labels':{'x':'3'}}}");
}

TEST(ApiUpdate, TheBodyMustMatchTheUrl) {
  ApiFixture fixture;
  const api::Json made = fixture.Make("pods", kPodA);
  const std::string uid(api::StringAt(api::ObjectAt(api::AsObject(made), "metadata"), "uid"));
  EXPECT_EQ(ErrorOf(fixture.Update("pods", "a", With(made, "{'metadata':{'name':'b'}}"))),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(
      ErrorOf(fixture.Update("pods", "a",
                             With(made, "{'metadata':{'uid':'x','resourceVersion':null}}"))),
      "409 Conflict: Operation cannot be fulfilled on pods \"a\": Precondition failed: UID in "
      "precondition: x, UID in object meta: " +
          uid);
  EXPECT_EQ(ErrorOf(fixture.Update("pods", "b", With(made, "{'metadata':{'name':'b'}}"))),
            "404 NotFound: pods \"b\" not found");
}

TEST(ApiUpdate, SomeKindsRequireAVersionAndSomeAreCreated) {
  ApiFixture fixture;
  constexpr std::string_view kLeases = "leases.coordination.k8s.io";
  const api::Json lease = Doc("{'metadata':{'name':'l'},'spec':{'holderIdentity':'me'}}");
  const auto created = fixture.Update(kLeases, "l", lease);
  EXPECT_EQ(ErrorOf(created), "ok");
  EXPECT_TRUE(created->created);
  EXPECT_EQ(ErrorOf(fixture.Update(kLeases, "l", lease)),
            "422 Invalid: Lease.coordination.k8s.io \"l\" is invalid: metadata.resourceVersion: "
            "Invalid value: \"\": must be specified for an update");
  const api::Json renewed =
      With(fixture.Get(kLeases, "l"), "{'spec':{'renewTime':'2026-01-01T00:00:01.123456Z'}}");
  EXPECT_EQ(ErrorOf(fixture.Update(kLeases, "l", renewed)), "ok");
  EXPECT_HOLDS(fixture.Get(kLeases, "l"), "{'spec':{'renewTime':'2026-01-01T00:00:01.123456Z'}}");
}

TEST(ApiUpdate, TheStatusIsWrittenThroughItsSubresource) {
  ApiFixture fixture;
  const api::Json node = fixture.Make("nodes", R"({'metadata':{'name':'n'},'spec':{},
      'status':{'capacity':{'cpu':'4'},'conditions':[{'type':'Ready','status':'True'}]}})");
  const api::Json changed =
      With(node,
           "{'metadata':{'resourceVersion':null},'spec':{'unschedulable':true},"
           "'status':{'capacity':{'cpu':'8000m'}}}");
  EXPECT_EQ(ErrorOf(fixture.Update("nodes", "n", changed)), "ok");
  EXPECT_HOLDS(fixture.Get("nodes", "n"),
               "{'spec':{'unschedulable':true},'status':{'capacity':{'cpu':'4'}}}");
  const api::Json status = With(changed, "{'spec':{'unschedulable':false}}");
  EXPECT_EQ(ErrorOf(fixture.Update("nodes", "n", status, "status")), "ok");
  EXPECT_HOLDS(fixture.Get("nodes", "n"),
               "{'spec':{'unschedulable':true},'status':{'capacity':{'cpu':'8'}}}");
}

TEST(ApiUpdate, ANodesAllocatableResourcesAreItsCapacityByDefault) {
  ApiFixture fixture;
  const api::Json made = fixture.Make("nodes", R"({'metadata':{'name':'n'},
      'status':{'capacity':{'cpu':'4'},'conditions':[{'type':'Ready','status':'True'}]}})");
  EXPECT_HOLDS(made, "{'status':{'allocatable':{'cpu':'4'}}}");
  const api::Json status = With(made, "{'status':{'capacity':{'cpu':'8'},'allocatable':null}}");
  EXPECT_EQ(ErrorOf(fixture.Update("nodes", "n", status, "status")), "ok");
  EXPECT_HOLDS(fixture.Get("nodes", "n"), "{'status':{'allocatable':{'cpu':'8'}}}");
}

TEST(ApiUpdate, TheGenerationCountsChangesOfTheSpec) {
  ApiFixture fixture;
  fixture.Make("deployments.apps", kDeployment);
  EXPECT_EQ(ErrorOf(fixture.Merge("deployments.apps", "d", "{'metadata':{'labels':{'x':'y'}}}")),
            "ok");
  EXPECT_HOLDS(fixture.Get("deployments.apps", "d"), "{'metadata':{'generation':1}}");
  EXPECT_EQ(ErrorOf(fixture.Merge("deployments.apps", "d", "{'spec':{'replicas':3}}")), "ok");
  EXPECT_HOLDS(fixture.Get("deployments.apps", "d"), "{'metadata':{'generation':2}}");
  EXPECT_EQ(ErrorOf(fixture.Merge("deployments.apps", "d", "{'status':{'replicas':3}}", "status")),
            "ok");
  EXPECT_HOLDS(fixture.Get("deployments.apps", "d"),
               "{'metadata':{'generation':2},'spec':{'replicas':3},'status':{'replicas':3}}");
}

struct Case {
  const char* name;
  const char* kind;
  const char* given;
  const char* patch;  // A merge patch of it.
  const char* want;   // The causes; empty: allowed.
};
class ApiUpdateRules : public ::testing::TestWithParam<Case> {};

TEST_P(ApiUpdateRules, Hold) {
  ApiFixture fixture;
  const api::Json made = fixture.Make(GetParam().kind, GetParam().given);
  const std::string name(api::StringAt(api::ObjectAt(api::AsObject(made), "metadata"), "name"));
  EXPECT_EQ(CausesOf(fixture.Merge(GetParam().kind, name, GetParam().patch)), GetParam().want);
}

#define FORBIDDEN_CHANGE                                                                      \
  "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`," \
  "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "     \
  "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "  \
  "set to 1 if it was previously negative)"
#define POD "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}]}}"
#define GATED                                                                       \
  "{'metadata':{'name':'a'},'spec':{'schedulingGates':[{'name':'g'},{'name':'h'}]," \
  "'nodeSelector':{'x':'y'},'containers':[{'name':'c','image':'i'}]}}"
#define DEPLOYMENT                                                         \
  "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}}," \
  "'template':{'metadata':{'labels':{'a':'b','c':'d'}},"                   \
  "'spec':{'containers':[{'name':'c','image':'i'}]}}}}"

INSTANTIATE_TEST_SUITE_P(
    Table, ApiUpdateRules,
    ::testing::Values(
        Case{"AnImageMayChange", "pods", POD,
             "{'spec':{'containers':[{'name':'c','image':'j','imagePullPolicy':'Always',"
             "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"
             "'resources':{}}]}}",
             ""},
        Case{"TheNodeMayNot", "pods", POD, "{'spec':{'nodeName':'n'}}", FORBIDDEN_CHANGE},
        Case{"ResourcesMayNot", "pods", POD,
             "{'spec':{'containers':[{'name':'c','image':'i',"
             "'resources':{'requests':{'cpu':'1'}}}]}}",
             FORBIDDEN_CHANGE},
        Case{"NoContainerMayCome", "pods", POD,
             "{'spec':{'containers':[{'name':'c','image':'i'},{'name':'d','image':'i'}]}}",
             "spec.containers: Forbidden: pod updates may not add or remove containers"},
        Case{"TolerationsMayCome", "pods", POD,
             "{'spec':{'tolerations':[{'key':'k','operator':'Exists'},"
             "{'key':'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute',"
             "'tolerationSeconds':300},{'key':'node.kubernetes.io/unreachable',"
             "'operator':'Exists','effect':'NoExecute','tolerationSeconds':5}]}}",
             ""},
        Case{"TolerationsMayNotGo", "pods",
             "{'metadata':{'name':'a'},'spec':{'tolerations':[{'key':'k','operator':'Exists'}],"
             "'containers':[{'name':'c','image':'i'}]}}",
             "{'spec':{'tolerations':[]}}",
             "spec.tolerations: Forbidden: existing toleration can not be modified except its "
             "tolerationSeconds"},
        Case{"GatesMayGo", "pods", GATED, "{'spec':{'schedulingGates':[{'name':'h'}]}}", ""},
        Case{"GatesMayNotCome", "pods", POD, "{'spec':{'schedulingGates':[{'name':'g'}]}}",
             "spec.schedulingGates[0]: Forbidden: only deletion is allowed, but found new "
             "scheduling gate 'g'"},
        Case{"AGatedPodMayBeSteered", "pods", GATED, "{'spec':{'nodeSelector':{'z':'1'}}}", ""},
        Case{"ButNotElsewhere", "pods", GATED, "{'spec':{'nodeSelector':{'x':'1'}}}",
             FORBIDDEN_CHANGE},
        Case{"AnUngatedPodMayNot", "pods", POD, "{'spec':{'nodeSelector':{'x':'1'}}}",
             FORBIDDEN_CHANGE},
        Case{"ADeadlineMayShrink", "pods",
             "{'metadata':{'name':'a'},'spec':{'activeDeadlineSeconds':10,"
             "'containers':[{'name':'c','image':'i'}]}}",
             "{'spec':{'activeDeadlineSeconds':20}}",
             "spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to "
             "previous value"},
        Case{"ASelectorMayNotChange", "deployments.apps", DEPLOYMENT,
             "{'spec':{'selector':{'matchLabels':{'c':'d'}}}}",
             "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\",\"c\":\"d\"}}: field is "
             "immutable"},
        Case{"AStatefulSetsServiceMayNotChange", "statefulsets.apps", DEPLOYMENT,
             "{'spec':{'serviceName':'x'}}",
             "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', "
             "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
             "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"},
        Case{"APriorityMayNotChange", "priorityclasses.scheduling.k8s.io",
             "{'metadata':{'name':'p'},'value':1}", "{'value':2}",
             "value: Forbidden: may not be changed in an update."},
        Case{"AProvisionerMayNotChange", "storageclasses.storage.k8s.io",
             "{'metadata':{'name':'s'},'provisioner':'x'}", "{'provisioner':'y'}",
             "provisioner: Forbidden: updates to provisioner are forbidden."},
        Case{"AnAddressMayNotChange", "services",
             "{'metadata':{'name':'s'},'spec':{'clusterIP':'10.96.7.7','ports':[{'port':1}]}}",
             "{'spec':{'clusterIP':'10.96.7.8'}}",
             "spec.clusterIPs[0]: Invalid value: \"10.96.7.8\": may not change once set"},
        Case{"AClaimMayBeBound", "persistentvolumeclaims",
             "{'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOnce'],"
             "'resources':{'requests':{'storage':'1'}}}}",
             "{'metadata':{'annotations':{'volume.kubernetes.io/selected-node':'n'}},"
             "'spec':{'volumeName':'v'}}",
             ""},
        Case{"ASealedMapMayNotChange", "configmaps",
             "{'metadata':{'name':'m'},'immutable':true,'data':{'k':'v'}}", "{'data':{'k':'w'}}",
             "data: Forbidden: field is immutable when `immutable` is set"},
        Case{"AProviderIdMayNotChange", "nodes",
             "{'metadata':{'name':'n'},'spec':{'providerID':'x'}}", "{'spec':{'providerID':'y'}}",
             "spec.providerID: Forbidden: node updates may not change providerID except from "
             "\"\" to valid"}),
    [](const auto& test) { return test.param.name; });

TEST(ApiUpdate, ResizeChangesOnlyResources) {
  ApiFixture fixture;
  const api::Json pod = fixture.Make("pods", kPodA);
  const api::Json sized = With(pod,
                               "{'spec':{'nodeName':'n','containers':[{'name':'c','image':'other',"
                               "'resources':{'requests':{'cpu':'0.25'}}}]}}");
  EXPECT_EQ(ErrorOf(fixture.Update("pods", "a", sized, "resize")), "ok");
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'generation':2},'spec':{'nodeName':null,'containers':"
               "[{'image':'i','resources':{'requests':{'cpu':'250m'}}}]}}");
}

TEST(ApiUpdate, OfTwoWritesAtOneVersionOneSucceeds) {
  ApiFixture fixture;
  const api::Json made = fixture.Make("pods", kPodA);
  std::atomic<int> written = 0;
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 4; ++i) {
      writers.emplace_back([&, i] {
        const api::Json mine =
            With(made, fmt::format("{{'metadata':{{'labels':{{'by':'w{}'}}}}}}", i));
        const auto outcome = fixture.Update("pods", "a", mine);
        ++(outcome ? written : refused);
        EXPECT_TRUE(outcome || outcome.error().reason == "Conflict");
      });
    }
  }
  EXPECT_EQ(written, 1);
  EXPECT_EQ(refused, 3);
}

TEST(ApiUpdate, NoModifyIsLost) {
  ApiFixture fixture;
  fixture.Make("configmaps", "{'metadata':{'name':'m'}}");
  const ObjectName name{"default", "m"};
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 4; ++i) {
      writers.emplace_back([&] {
        for (int k = 0; k < 20; ++k) {
          const auto done =
              fixture.api.Modify(api::scheme::KindOf("configmaps"), name, [](api::Json& document) {
                api::JsonObject& object = document.get_object();
                api::SetInt(object, "count", api::IntAt(&object, "count").value_or(0) + 1);
                return true;
              });
          EXPECT_EQ(ErrorOf(done), "ok");
        }
      });
    }
  }
  EXPECT_HOLDS(fixture.Get("configmaps", "m"), "{'count':80}");
}

TEST(ApiUpdate, ModifyRetriesAfterAConflict) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  int calls = 0;
  const auto done =
      fixture.api.Modify(api::scheme::KindOf("pods"), {"default", "a"}, [&](api::Json& document) {
        if (++calls == 1) {
          EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'metadata':{'labels':{'x':'1'}}}")), "ok");
        }
        api::SetString(api::EnsureObject(document.get_object(), "status"), "phase", "Running");
        return true;
      });
  EXPECT_EQ(ErrorOf(done), "ok");
  EXPECT_EQ(calls, 2);
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'labels':{'x':'1'},'generation':1},'status':{'phase':'Running'}}");
}

TEST(ApiPatch, TheSchedulersStatusPatchMergesConditionsByType) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  const ObjectName name{"default", "a"};
  const auto patch = [&](std::string_view text) {
    return fixture.api.Patch(api::scheme::KindOf("pods"), name, "status",
                             patch::PatchType::kStrategic, Doc(text));
  };
  EXPECT_EQ(ErrorOf(patch("{'status':{'conditions':[{'type':'Ready','status':'False'}]}}")), "ok");
  EXPECT_EQ(ErrorOf(patch(R"({'status':{'conditions':[{'type':'PodScheduled','status':'False',
      'reason':'Unschedulable','message':'0/2','lastProbeTime':null,
      'lastTransitionTime':'2026-01-01T00:00:00Z','observedGeneration':1}],
      'nominatedNodeName':'n'}})")),
            "ok");
  EXPECT_HOLDS(fixture.Get("pods", "a"), R"({'metadata':{'generation':1},
      'status':{'phase':'Pending','nominatedNodeName':'n'}})");
  const api::Json pod = fixture.Get("pods", "a");
  const api::JsonArray* conditions =
      api::ArrayAt(api::ObjectAt(api::AsObject(pod), "status"), "conditions");
  EXPECT_EQ(conditions ? conditions->size() : 0, 2U);
}

TEST(ApiPatch, TheStatusPatchDoesNotChangeTheSpec) {
  ApiFixture fixture;
  const api::Json before = fixture.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'spec':{'nodeName':'n'}}", "status")), "ok");
  EXPECT_EQ(fixture.Get("pods", "a"), before);
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'status':{'phase':'Running'}}")), "ok");
  EXPECT_EQ(fixture.Get("pods", "a"), before);
}

TEST(ApiPatch, AVersionInThePatchIsAPrecondition) {
  ApiFixture fixture;
  const api::Json pod = fixture.Make("pods", kPodA);
  const std::string version(
      api::StringAt(api::ObjectAt(api::AsObject(pod), "metadata"), "resourceVersion"));
  const std::string good =
      fmt::format("{{'metadata':{{'resourceVersion':'{}','labels':{{'x':'1'}}}}}}", version);
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", good)), "ok");
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", good)),
            "409 Conflict: Operation cannot be fulfilled on pods \"a\": the object has been "
            "modified; please apply your changes to the latest version and try again");
}

TEST(ApiPatch, MissingObjectsCannotBePatched) {
  ApiFixture fixture;
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "x", "{}")), "404 NotFound: pods \"x\" not found");
  fixture.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'metadata':{'name':'b'}}")),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'metadata':{'labels':{'x':1}}}")),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: metadata.labels "
            "must be a map of strings");
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'metadata':7}")),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: metadata must be a "
            "object");
}

TEST(ApiPatch, APatchWithoutChangesWritesNothing) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  const store::Version before = fixture.store->version();
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'spec':{'schedulerName':'default-scheduler'}}")),
            "ok");
  EXPECT_EQ(fixture.store->version(), before);
}

TEST(ApiPatch, CordonAndUncordon) {
  ApiFixture fixture;
  fixture.Make("nodes", R"({'metadata':{'name':'n'},
      'status':{'conditions':[{'type':'Ready','status':'True'}]}})");
  const ObjectName name{"", "n"};
  for (const auto& [patch, want] :
       {std::pair{"{'spec':{'unschedulable':true}}", "{'spec':{'unschedulable':true}}"},
        std::pair{"{'spec':{'unschedulable':null}}", "{'spec':{'unschedulable':null}}"}}) {
    EXPECT_EQ(ErrorOf(fixture.api.Patch(api::scheme::KindOf("nodes"), name, "",
                                        patch::PatchType::kStrategic, Doc(patch))),
              "ok");
    EXPECT_HOLDS(fixture.Get("nodes", "n"), want);
  }
}

TEST(ApiPatch, NestingIsLimited) {
  ApiFixture fixture;
  fixture.Make("configmaps", "{'metadata':{'name':'m'}}");
  std::string deep = "1";
  for (int i = 0; i < 25; ++i) deep = "{'x':" + deep + "}";
  api::scheme::ApiResult<Written> last;
  for (int i = 0; i < 10; ++i) {
    std::string patch = deep;
    // Each patch adds 25 levels.
    for (int k = 0; k < 25 * i; ++k) patch = "{'x':" + patch + "}";
    boost::json::parse_options options;
    options.max_depth = 1000;
    std::ranges::replace(patch, '\'', '"');
    boost::json::error_code error;
    const api::Json parsed = boost::json::parse("{\"extra\":" + patch + "}", error, {}, options);
    ASSERT_FALSE(error);
    last = fixture.api.Patch(api::scheme::KindOf("configmaps"), {"default", "m"}, "",
                             patch::PatchType::kMerge, parsed);
    if (!last) break;
  }
  EXPECT_EQ(ErrorOf(last), "400 BadRequest: the object is nested more than 128 levels deep");
  EXPECT_TRUE(fixture.Get("configmaps", "m").is_object());
}

TEST(ApiPatch, AnApplyRequiresAManager) {
  ApiFixture fixture;
  EXPECT_EQ(ErrorOf(fixture.api.Patch(api::scheme::KindOf("pods"), {"default", "a"}, "",
                                      patch::PatchType::kApply, Doc(kPodA))),
            "422 Invalid: PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: "
            "is required for apply patch");
}

TEST(ApiPatch, AnApplyCreatesAndThenUpdates) {
  ApiFixture fixture;
  const auto apply = [&](std::string_view text) {
    return fixture.api.Patch(api::scheme::KindOf("configmaps"), {"default", "m"}, "",
                             patch::PatchType::kApply, Doc(text), {.field_manager = "me"});
  };
  const auto created = apply(
      "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'m'},'data':{'a':'1','b':'2'}}");
  EXPECT_EQ(ErrorOf(created), "ok");
  EXPECT_TRUE(created->created);
  const auto changed =
      apply("{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'m'},'data':{'a':'3'}}");
  EXPECT_EQ(ErrorOf(changed), "ok");
  EXPECT_FALSE(changed->created);
  EXPECT_HOLDS(fixture.Get("configmaps", "m"), "{'data':{'a':'3','b':null}}");
  // The same configuration changes nothing, even later.
  fixture.clock.Advance(Duration::Seconds(60));
  const store::Version before = fixture.store->version();
  EXPECT_EQ(ErrorOf(apply("{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'m'},"
                          "'data':{'a':'3'}}")),
            "ok");
  EXPECT_EQ(fixture.store->version(), before);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
