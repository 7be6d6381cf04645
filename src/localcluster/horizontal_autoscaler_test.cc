#include "localcluster/horizontal_autoscaler.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kKind = "horizontalpodautoscalers.autoscaling";

std::string Deployment(int replicas) {
  return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: nginx}}]}}
)",
                     replicas);
}
constexpr std::string_view kAutoscaler = R"(
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 5
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
)";

struct ScaledCluster : TestCluster {
  ScaledCluster() { AddNodes(1); }
  int64_t Replicas() const {
    return IntAt(ObjectAt(AsObject(Get("deployments.apps", "web")), "spec"), "replicas")
        .value_or(0);
  }
};

TEST(HorizontalAutoscaler, SaysThatThereAreNoMetrics) {
  ScaledCluster cluster;
  cluster.Apply(Deployment(3));
  cluster.Apply(kAutoscaler);
  EXPECT_EQ(cluster.Conditions(kKind, "scaler"),
            "AbleToScale=True(SucceededGetScale) ScalingActive=False(FailedGetResourceMetric)");
  EXPECT_HOLDS(cluster.Get(kKind, "scaler"),
               "{'status':{'currentReplicas':3,'desiredReplicas':3,'conditions':[{},{'message':"
               "'the HPA was unable to compute the replica count: failed to get cpu utilization: "
               "unable to get metrics for resource cpu: unable to fetch metrics from resource "
               "metrics API: the server could not find the requested resource (get "
               "pods.metrics.k8s.io)'}]}}");
  EXPECT_THAT(cluster.EventsOf("scaler"),
              Contains("Warning FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), "
                       "first error is: failed to get cpu resource metric value: failed to get cpu "
                       "utilization: unable to get metrics for resource cpu: unable to fetch "
                       "metrics from resource metrics API: the server could not find the requested "
                       "resource (get pods.metrics.k8s.io)"));
}

TEST(HorizontalAutoscaler, KeepsTheBounds) {
  ScaledCluster cluster;
  cluster.Apply(Deployment(9));
  cluster.Apply(kAutoscaler);
  EXPECT_EQ(cluster.Replicas(), 5);
  EXPECT_HOLDS(cluster.Get(kKind, "scaler"),
               "{'status':{'desiredReplicas':5,'lastScaleTime':'2026-01-01T00:00:00Z'}}");
  EXPECT_THAT(cluster.EventsOf("scaler"),
              Contains("Normal SuccessfulRescale New size: 5; reason: Current number of replicas "
                       "above Spec.MaxReplicas"));
  cluster.Merge("deployments.apps", "web", "{'spec':{'replicas':1}}");
  cluster.Run();
  EXPECT_EQ(cluster.Replicas(), 2);
  EXPECT_EQ(cluster.ShowPods(), "2 web-#-* Running");
}

TEST(HorizontalAutoscaler, ZeroReplicasDisableIt) {
  ScaledCluster cluster;
  cluster.Apply(Deployment(0));
  cluster.Apply(kAutoscaler);
  EXPECT_EQ(cluster.Replicas(), 0);
  EXPECT_EQ(cluster.Conditions(kKind, "scaler"),
            "AbleToScale=True(SucceededGetScale) ScalingActive=False(ScalingDisabled)");
}

TEST(HorizontalAutoscaler, MissingTargetIsReported) {
  ScaledCluster cluster;
  cluster.Apply(kAutoscaler);
  EXPECT_EQ(cluster.Conditions(kKind, "scaler"), "AbleToScale=False(FailedGetScale)");
  EXPECT_THAT(cluster.EventsOf("scaler"),
              ElementsAre("Warning FailedGetScale deployments.apps \"web\" not found"));
  cluster.Apply(Deployment(3));
  EXPECT_EQ(cluster.Conditions(kKind, "scaler"),
            "AbleToScale=True(SucceededGetScale) ScalingActive=False(FailedGetResourceMetric)");
  cluster.Delete(kKind, "scaler");
  cluster.Delete("deployments.apps", "web", {.propagation_policy = "Background"});
  cluster.Delete("nodes", "node-0");
  cluster.AdvanceSeconds(100);
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
