#include "apiserver/registry/bootstrap.h"

#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

size_t CountOf(const ApiFixture& fixture, std::string_view resource) {
  return fixture.store->List(api::scheme::KindOf(resource).collection, {}).objects.size();
}

TEST(Bootstrap, CreatesEveryObjectOfItsTables) {
  ApiFixture fixture;
  CreateClusterObjects(fixture.api, {"127.0.0.1", 6443});
  EXPECT_EQ(CountOf(fixture, "clusterroles.rbac.authorization.k8s.io"), 31u);
  EXPECT_EQ(CountOf(fixture, "clusterrolebindings.rbac.authorization.k8s.io"), 12u);
  EXPECT_EQ(CountOf(fixture, "roles.rbac.authorization.k8s.io"), 7u);
  EXPECT_EQ(CountOf(fixture, "rolebindings.rbac.authorization.k8s.io"), 7u);
  EXPECT_EQ(CountOf(fixture, "flowschemas.flowcontrol.apiserver.k8s.io"), 11u);
  EXPECT_EQ(CountOf(fixture, "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io"), 8u);
  EXPECT_EQ(CountOf(fixture, "servicecidrs.networking.k8s.io"), 1u);
  EXPECT_EQ(CountOf(fixture, "endpointslices.discovery.k8s.io"), 1u);
}

TEST(Bootstrap, RolesHaveTheirRules) {
  ApiFixture fixture;
  CreateClusterObjects(fixture.api, {"127.0.0.1", 6443});
  const auto role = [&](std::string_view name) {
    return fixture.Get("clusterroles.rbac.authorization.k8s.io", name);
  };
  EXPECT_HOLDS(role("cluster-admin"),
               "{'metadata':{'labels':{'kubernetes.io/bootstrapping':'rbac-defaults'}},"
               "'rules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*']},"
               "{'verbs':['*'],'nonResourceURLs':['*']}]}");
  EXPECT_HOLDS(role("system:basic-user"),
               "{'rules':[{'verbs':['create'],'apiGroups':['authorization.k8s.io'],"
               "'resources':['selfsubjectaccessreviews','selfsubjectrulesreviews']},{}]}");
  // A rule over several lines.
  EXPECT_HOLDS(role("system:aggregate-to-admin"),
               "{'rules':[{},{'verbs':['create','delete','deletecollection','get','list','patch',"
               "'update','watch'],'apiGroups':['rbac.authorization.k8s.io'],"
               "'resources':['rolebindings','roles']}]}");
  const auto rules = [&](std::string_view name) {
    return role(name).at("rules").as_array().size();
  };
  EXPECT_EQ(rules("view"), rules("system:aggregate-to-view"));
  EXPECT_EQ(rules("edit"), rules("system:aggregate-to-edit") + rules("view"));
  EXPECT_EQ(rules("admin"), rules("system:aggregate-to-admin") + rules("edit"));
  EXPECT_HOLDS(fixture.Get("clusterrolebindings.rbac.authorization.k8s.io", "cluster-admin"),
               "{'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole',"
               "'name':'cluster-admin'},'subjects':[{'kind':'Group',"
               "'apiGroup':'rbac.authorization.k8s.io','name':'system:masters'}]}");
}

TEST(Bootstrap, RequestsHaveALevel) {
  ApiFixture fixture;
  CreateClusterObjects(fixture.api, {"127.0.0.1", 6443});
  EXPECT_HOLDS(fixture.Get("flowschemas.flowcontrol.apiserver.k8s.io", "service-accounts"),
               "{'spec':{'matchingPrecedence':9000,'distinguisherMethod':{'type':'ByUser'},"
               "'priorityLevelConfiguration':{'name':'workload-low'},'rules':[{"
               "'subjects':[{'kind':'Group','group':{'name':'system:serviceaccounts'}}],"
               "'resourceRules':[{'verbs':['*'],'clusterScope':true}]}]},"
               "'status':{'conditions':[{'type':'Dangling','status':'False'}]}}");
  EXPECT_HOLDS(
      fixture.Get("prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", "leader-election"),
      "{'spec':{'type':'Limited','limited':{'nominalConcurrencyShares':10,"
      "'limitResponse':{'type':'Queue','queuing':{'queues':16,'handSize':4}}}}}");
}

TEST(Bootstrap, ServiceKubernetesLeadsToTheServer) {
  ApiFixture fixture;
  CreateClusterObjects(fixture.api, {"10.1.2.3", 7000});
  EXPECT_HOLDS(fixture.Get("endpointslices.discovery.k8s.io", "kubernetes"),
               "{'addressType':'IPv4','endpoints':[{'addresses':['10.1.2.3']}],"
               "'ports':[{'name':'https','port':7000,'protocol':'TCP'}]}");
  CreateClusterObjects(fixture.api, {"127.0.0.1", 7001});
  EXPECT_HOLDS(fixture.Get("endpoints", "kubernetes"),
               "{'subsets':[{'addresses':[{'ip':'192.0.2.1'}],'ports':[{'port':7001}]}]}");
}

TEST(Bootstrap, KeepsWhatUsersChanged) {
  ApiFixture fixture;
  CreateClusterObjects(fixture.api, {"127.0.0.1", 6443});
  fixture.Merge("clusterroles.rbac.authorization.k8s.io", "view", "{'rules':[]}");
  const auto before = fixture.store->version();
  CreateClusterObjects(fixture.api, {"127.0.0.1", 6443});
  EXPECT_EQ(fixture.store->version(), before);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
