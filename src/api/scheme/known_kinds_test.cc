#include "api/scheme/known_kinds.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::api::scheme {
namespace BERTH_TEST_FILE {

TEST(KnownKindsTest, AreThoseOfTheSchemeAndOthers) {
  EXPECT_TRUE(IsKubernetesKind("v1", "Pod"));
  EXPECT_TRUE(IsKubernetesKind("apps/v1", "Deployment"));
  EXPECT_TRUE(IsKubernetesKind("networking.k8s.io/v1", "Ingress"));
  EXPECT_TRUE(IsKubernetesKind("resource.k8s.io/v1beta1", "ResourceClaim"));
  EXPECT_TRUE(IsKubernetesKind("storagemigration.k8s.io/v1beta1", "StorageVersionMigration"));
  EXPECT_FALSE(IsKubernetesKind("v1", "Deployment"));
  EXPECT_FALSE(IsKubernetesKind("extensions/v1beta1", "Deployment"));
  EXPECT_FALSE(IsKubernetesKind("v1", "pod"));
}

TEST(KnownKindsTest, CustomResourcesHaveGroupsOfTheirOwn) {
  EXPECT_TRUE(MayBeCustomResource("monitoring.coreos.com/v1"));
  EXPECT_TRUE(MayBeCustomResource("serving.knative.dev/v1"));
  EXPECT_TRUE(MayBeCustomResource("gateway.networking.k8s.io/v1"));
  EXPECT_TRUE(MayBeCustomResource("snapshot.storage.k8s.io/v1"));
  EXPECT_FALSE(MayBeCustomResource("v1"));
  EXPECT_FALSE(MayBeCustomResource("app/v1"));
  EXPECT_FALSE(MayBeCustomResource("apps/v2"));
  EXPECT_FALSE(MayBeCustomResource("storage.k8s.io/v1"));
  EXPECT_FALSE(MayBeCustomResource("storge.k8s.io/v1"));
}

struct MessageCase {
  const char* api_version;
  const char* kind;
  const char* hint;  // What the message suggests.
};

TEST(KnownKindsTest, TheMessageSuggestsTheNearest) {
  const MessageCase kCases[] = {
      {"v1", "Nodee", "; did you mean Node?"},
      {"v1", "pod", "; did you mean Pod?"},
      {"apps/v1", "Deploymnt", "; did you mean Deployment?"},
      {"v1", "Deployment", "; did you mean apiVersion apps/v1?"},
      {"extensions/v1beta1", "Ingress", "; did you mean apiVersion networking.k8s.io/v1?"},
      {"policy/v1beta1", "PodDisruptionBudget", "; did you mean apiVersion policy/v1?"},
      {"apps/v1", "Jb", "; did you mean Job?"},
      {"v1", "Whatever", ""},
  };
  for (const MessageCase& tested : kCases) {
    EXPECT_EQ(UnknownKindMessage(tested.api_version, tested.kind),
              std::string("no matches for kind \"") + tested.kind + "\" in version \"" +
                  tested.api_version + "\"" + tested.hint);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::scheme
