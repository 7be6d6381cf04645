#include "localcluster/endpoint_slices.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Kind& Slices() { return api::scheme::KindOf("endpointslices.discovery.k8s.io"); }

constexpr std::string_view kService = R"(
apiVersion: v1
kind: Service
metadata: {name: web, labels: {team: a}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
)";

std::string WebPods(int replicas) {
  return fmt::format(R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: web}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: nginx, ports: [{{name: main, containerPort: 9000}}]}}]}}
)",
                     replicas);
}

struct EndpointCluster : TestCluster {
  EndpointCluster() { AddNodes(2, "4", "500"); }

  // Returns the number of endpoints in each slice of the service.
  std::vector<size_t> SliceSizes() const {
    std::vector<size_t> sizes;
    for (const std::string& name : Names(Slices())) {
      if (!name.starts_with("web-")) continue;
      sizes.push_back(
          Get("endpointslices.discovery.k8s.io", name).at("endpoints").as_array().size());
    }
    std::ranges::sort(sizes);
    return sizes;
  }
  // Returns the version of each slice.
  std::map<std::string, apiserver::store::Version> Versions() const {
    std::map<std::string, apiserver::store::Version> found;
    for (const auto& slice : store->List(Slices().collection, {}).objects) {
      found[slice->key.name] = slice->version;
    }
    return found;
  }
  Json Slice() const {
    for (const std::string& name : Names(Slices())) {
      if (name.starts_with("web-")) return Get("endpointslices.discovery.k8s.io", name);
    }
    return {};
  }
};

TEST(Endpoints, FollowThePodsOfAService) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(0u));
  cluster.Apply(WebPods(2));
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(2u));
  EXPECT_HOLDS(cluster.Slice(),
               "{'addressType':'IPv4','metadata':{'labels':{'team':'a',"
               "'kubernetes.io/service-name':'web','endpointslice.kubernetes.io/managed-by':"
               "'endpointslice-controller.k8s.io'},'ownerReferences':[{'kind':'Service',"
               "'name':'web','controller':true}]},"
               "'ports':[{'name':'http','port':8080,'protocol':'TCP'}],"
               "'endpoints':[{'conditions':{'ready':true,'serving':true,'terminating':false},"
               "'targetRef':{'kind':'Pod'}},{}]}");
  EXPECT_HOLDS(cluster.Get("endpoints", "web"),
               "{'metadata':{'labels':{'team':'a','endpoints.kubernetes.io/managed-by':"
               "'endpoint-controller'}},'subsets':[{'addresses':[{'targetRef':{'kind':'Pod'}},{}],"
               "'ports':[{'name':'http','port':8080,'protocol':'TCP'}]}]}");
  cluster.Apply(WebPods(0));
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(0u));
  EXPECT_HOLDS(cluster.Get("endpoints", "web"), "{'subsets':null}");
}

TEST(Endpoints, FillSlicesOfAHundred) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Apply(WebPods(250));
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(50u, 100u, 100u));
  const auto before = cluster.Versions();
  cluster.Apply(WebPods(251));
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(51u, 100u, 100u));
  const auto after = cluster.Versions();
  size_t changed = 0;
  for (const auto& [name, version] : after) changed += before.at(name) != version;
  EXPECT_EQ(changed, 1u);
}

TEST(Endpoints, ResolveNamedPorts) {
  EndpointCluster cluster;
  cluster.Apply(R"(
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: main}]}
)");
  cluster.Apply(WebPods(1));
  EXPECT_HOLDS(cluster.Slice(), "{'ports':[{'name':'','port':9000,'protocol':'TCP'}]}");
}

TEST(Endpoints, UnreadyPodsAreNotReady) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Apply(WebPods(1));
  const std::string pod = cluster.Names(Pods()).front();
  for (const std::string& node : cluster.Names(Nodes())) {
    cluster.Merge("nodes", node, "{'metadata':{'annotations':{'berth.dev/kubelet':'stopped'}}}");
  }
  cluster.AdvanceSeconds(60);
  EXPECT_HOLDS(cluster.Slice(), "{'endpoints':[{'conditions':{'ready':false,'serving':false}}]}");
  EXPECT_HOLDS(cluster.Get("endpoints", "web"),
               "{'subsets':[{'addresses':null,'notReadyAddresses':[{}]}]}");
}

TEST(Endpoints, GoWithTheirService) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Apply(WebPods(1));
  cluster.Delete("services", "web");
  cluster.Run();
  EXPECT_THAT(cluster.SliceSizes(), IsEmpty());
  EXPECT_TRUE(cluster.Get("endpoints", "web").is_null());
}

TEST(Endpoints, GoWithTheSelector) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Apply(WebPods(1));
  cluster.Merge("services", "web", "{'spec':{'selector':null}}");
  cluster.Run();
  EXPECT_THAT(cluster.SliceSizes(), IsEmpty());
  EXPECT_TRUE(cluster.Get("endpoints", "web").is_null());
}

TEST(Endpoints, FollowTheLabelsOfPods) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Make("pods",
               "{'metadata':{'name':'a','labels':{'app':'web'}},"
               "'spec':{'containers':[{'name':'c','image':'i'}]}}");
  cluster.Run();
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(1u));
  cluster.Merge("pods", "a", "{'metadata':{'labels':{'app':'other'}}}");
  cluster.Run();
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(0u));
  cluster.Merge("pods", "a", "{'metadata':{'labels':{'app':'web'}}}");
  cluster.Run();
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(1u));
}

TEST(Endpoints, OfDeletedPodsTerminate) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Make("pods",
               "{'metadata':{'name':'a','labels':{'app':'web'},'annotations':{"
               "'berth.dev/stop-seconds':'5'}},'spec':{'containers':[{'name':'c','image':'i'}]}}");
  cluster.Run();
  cluster.Delete("pods", "a");
  cluster.Run();
  EXPECT_HOLDS(cluster.Slice(),
               "{'endpoints':[{'conditions':{'ready':false,'serving':true,'terminating':true}}]}");
  EXPECT_HOLDS(cluster.Get("endpoints", "web"), "{'subsets':null}");
  cluster.AdvanceSeconds(5);
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(0u));
}

TEST(Endpoints, MayBePublishedBeforeTheyAreReady) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Make("pods",
               "{'metadata':{'name':'a','labels':{'app':'web'},'annotations':{"
               "'berth.dev/ready-seconds':'never'}},"
               "'spec':{'containers':[{'name':'c','image':'i'}]}}");
  cluster.Run();
  EXPECT_HOLDS(cluster.Slice(), "{'endpoints':[{'conditions':{'ready':false,'serving':false}}]}");
  cluster.Merge("services", "web", "{'spec':{'publishNotReadyAddresses':true}}");
  cluster.Run();
  EXPECT_HOLDS(cluster.Slice(), "{'endpoints':[{'conditions':{'ready':true,'serving':true}}]}");
  EXPECT_HOLDS(cluster.Get("endpoints", "web"), "{'subsets':[{'addresses':[{}]}]}");
}

TEST(Endpoints, NameNodeZoneAndHost) {
  EndpointCluster cluster;
  for (const std::string& node : cluster.Names(Nodes())) {
    cluster.Merge("nodes", node, "{'metadata':{'labels':{'topology.kubernetes.io/zone':'z1'}}}");
  }
  cluster.Apply(R"(
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, clusterIP: None, ports: [{port: 80}]}
)");
  cluster.Make("pods",
               "{'metadata':{'name':'a','labels':{'app':'web'}},'spec':{'hostname':'one',"
               "'subdomain':'web','containers':[{'name':'c','image':'i'}]}}");
  cluster.Run();
  EXPECT_HOLDS(cluster.Slice(),
               "{'metadata':{'labels':{'service.kubernetes.io/headless':''}},'endpoints':[{"
               "'hostname':'one','nodeName':'node-0','zone':'z1','targetRef':{'name':'a'}}]}");
  EXPECT_HOLDS(cluster.Get("endpoints", "web"),
               "{'subsets':[{'addresses':[{'hostname':'one','nodeName':'node-0'}]}]}");
}

TEST(Endpoints, DeletedSlicesAreWrittenAgain) {
  EndpointCluster cluster;
  cluster.Apply(kService);
  cluster.Apply(WebPods(2));
  const Json slice = cluster.Slice();
  cluster.Delete("endpointslices.discovery.k8s.io",
                 StringAt(ObjectAt(AsObject(slice), "metadata"), "name"));
  cluster.Run();
  EXPECT_THAT(cluster.SliceSizes(), ElementsAre(2u));
}

TEST(Endpoints, ExternalNamesHaveNone) {
  EndpointCluster cluster;
  cluster.Apply(R"(
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: ExternalName, externalName: example.com, selector: {app: web}}
)");
  cluster.Apply(WebPods(1));
  EXPECT_THAT(cluster.SliceSizes(), IsEmpty());
  EXPECT_TRUE(cluster.Get("endpoints", "web").is_null());
}

TEST(Endpoints, OfAServiceWithoutSelectorAreTheUsers) {
  EndpointCluster cluster;
  cluster.Apply(R"(
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: web}
subsets: [{addresses: [{ip: 10.1.2.3}], ports: [{port: 80}]}]
)");
  EXPECT_HOLDS(cluster.Get("endpoints", "web"), "{'subsets':[{'addresses':[{'ip':'10.1.2.3'}]}]}");
  EXPECT_THAT(cluster.SliceSizes(), IsEmpty());
}

TEST(Endpoints, ManyPodsAreSyncedOncePerSecond) {
  EndpointCluster cluster;
  cluster.AddNodes(0);
  for (int i = 2; i < 6; ++i) {
    cluster.Make("nodes", fmt::format("{{'metadata':{{'name':'node-{}'}},'status':{{'capacity':"
                                      "{{'cpu':'9','memory':'16Gi','pods':'500'}}}}}}",
                                      i));
  }
  cluster.Apply(kService);
  cluster.Apply(WebPods(1100));
  cluster.AdvanceSeconds(2);
  EXPECT_EQ(cluster.SliceSizes().size(), 11u);
  EXPECT_HOLDS(
      cluster.Get("endpoints", "web"),
      "{'metadata':{'annotations':{'endpoints.kubernetes.io/over-capacity':'truncated'}}}");
  const std::vector<std::string> pods = cluster.Names(Pods());
  // The first change is written at once, others of the same second are not.
  const auto before = cluster.Versions();
  cluster.Delete("pods", pods[0]);
  cluster.Run();
  const auto after = cluster.Versions();
  EXPECT_NE(after, before);
  cluster.Delete("pods", pods[1]);
  cluster.Run();
  EXPECT_EQ(cluster.Versions(), after);
  cluster.AdvanceSeconds(1);
  EXPECT_NE(cluster.Versions(), after);
  EXPECT_EQ(cluster.SliceSizes().size(), 11u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
