// What an update of a subresource may change of the metadata.
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

struct Case {
  const char* name;
  const char* kind;
  const char* object;  // Named "a".
  bool labels, annotations, owners;
};
class StatusMetadata : public ::testing::TestWithParam<Case> {};

TEST_P(StatusMetadata, ChangesAsInKubeApiserver) {
  const Case& test = GetParam();
  ApiFixture fixture;
  fixture.Make(test.kind, test.object);
  ASSERT_EQ(ErrorOf(fixture.Merge(test.kind, "a",
                                  "{'metadata':{'labels':{'l':'1'},'annotations':{'n':'1'},"
                                  "'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p',"
                                  "'uid':'u'}]}}",
                                  "status")),
            "ok");
  const api::Json after = fixture.Get(test.kind, "a");
  const auto has = [&](const char* key, const char* member) {
    const api::JsonObject* metadata = api::ObjectAt(api::AsObject(after), "metadata");
    return api::At(api::ObjectAt(metadata, key), member) != nullptr;
  };
  EXPECT_EQ(has("labels", "l"), test.labels);
  EXPECT_EQ(has("annotations", "n"), test.annotations);
  EXPECT_EQ(!api::EmptyAt(api::ObjectAt(api::AsObject(after), "metadata"), "ownerReferences"),
            test.owners);
}

constexpr const char* kWorkload =
    "{'metadata':{'name':'a'},'spec':{'selector':{'matchLabels':{'x':'y'}},'template':{'metadata':"
    "{'labels':{'x':'y'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}";

INSTANTIATE_TEST_SUITE_P(
    Kinds, StatusMetadata,
    ::testing::Values(
        Case{"Pod", "pods", kPodA.data(), true, true, false},
        Case{"Node", "nodes", "{'metadata':{'name':'a'}}", true, true, true},
        Case{"Namespace", "namespaces", "{'metadata':{'name':'a'}}", true, true, true},
        Case{"Deployment", "deployments.apps", kWorkload, false, true, true},
        Case{"ReplicaSet", "replicasets.apps", kWorkload, true, true, true},
        Case{"Job", "jobs.batch",
             "{'metadata':{'name':'a'},'spec':{'template':{'spec':{'restartPolicy':'Never',"
             "'containers':[{'name':'c','image':'i'}]}}}}",
             true, true, true},
        Case{"CronJob", "cronjobs.batch",
             "{'metadata':{'name':'a'},'spec':{'schedule':'* * * * *','jobTemplate':{'spec':{"
             "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]"
             "}}}}}}",
             true, true, true},
        Case{"ResourceClaim", "resourceclaims.resource.k8s.io",
             "{'metadata':{'name':'a'},'spec':{}}", false, false, false},
        Case{"PriorityLevelConfiguration",
             "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
             "{'metadata':{'name':'a'},'spec':{'type':'Exempt'}}", false, false, false}),
    [](const auto& test) { return test.param.name; });

TEST(ResizeMetadata, StaysAsItIs) {
  ApiFixture fixture;
  fixture.Make("pods",
               "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i',"
               "'resources':{'requests':{'cpu':'1'}}}]}}");
  ASSERT_EQ(ErrorOf(fixture.Merge("pods", "a",
                                  "{'metadata':{'labels':{'l':'1'}},'spec':{'containers':[{"
                                  "'name':'c','image':'i','resources':{'requests':{'cpu':'2'}}}]}}",
                                  "resize")),
            "ok");
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'labels':null},'spec':{'containers':[{'resources':{'requests':"
               "{'cpu':'2'}}}]}}");
}

TEST(PodLevelResources, CanBeResized) {
  ApiFixture fixture;
  fixture.Make("pods",
               "{'metadata':{'name':'a'},'spec':{'resources':{'requests':{'cpu':'1'}},"
               "'containers':[{'name':'c','image':'i'}]}}");
  ASSERT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'spec':{'resources':{'requests':{'cpu':'2'}}}}",
                                  "resize")),
            "ok");
  EXPECT_HOLDS(fixture.Get("pods", "a"), "{'spec':{'resources':{'requests':{'cpu':'2'}}}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
