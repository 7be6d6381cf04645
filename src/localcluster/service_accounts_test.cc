#include "localcluster/service_accounts.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Kind& Accounts() { return api::scheme::KindOf("serviceaccounts"); }
const Kind& ConfigMaps() { return api::scheme::KindOf("configmaps"); }

TEST(ServiceAccounts, EveryNamespaceHasOne) {
  TestCluster cluster({.root_ca = "PEM"});
  cluster.Run();
  cluster.Make("namespaces", "{'metadata':{'name':'shop'}}");
  cluster.Run();
  for (const std::string namespace_ : {"default", "kube-system", "kube-node-lease", "shop"}) {
    EXPECT_THAT(cluster.Names(Accounts(), namespace_), ElementsAre("default"));
    EXPECT_THAT(cluster.Names(ConfigMaps(), namespace_), ElementsAre("kube-root-ca.crt"));
  }
  EXPECT_HOLDS(cluster.Get("configmaps", "kube-root-ca.crt"), "{'data':{'ca.crt':'PEM'}}");
}

TEST(ServiceAccounts, AreRestored) {
  TestCluster cluster({.root_ca = "PEM"});
  cluster.Run();
  cluster.Delete("serviceaccounts", "default");
  cluster.Run();
  EXPECT_THAT(cluster.Names(Accounts()), ElementsAre("default"));
  cluster.Delete("configmaps", "kube-root-ca.crt");
  cluster.Run();
  EXPECT_THAT(cluster.Names(ConfigMaps()), ElementsAre("kube-root-ca.crt"));
  cluster.Merge("configmaps", "kube-root-ca.crt", "{'data':{'ca.crt':'other','more':'x'}}");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("configmaps", "kube-root-ca.crt"),
               "{'data':{'ca.crt':'PEM','more':null}}");
}

TEST(ServiceAccounts, LeaveATerminatingNamespaceAlone) {
  TestCluster cluster;
  cluster.Make("namespaces", "{'metadata':{'name':'shop'}}");
  cluster.Run();
  cluster.Delete("namespaces", "shop");
  cluster.Run();
  EXPECT_TRUE(cluster.Get("namespaces", "shop").is_null());
  EXPECT_THAT(cluster.Names(Accounts(), "shop"), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
