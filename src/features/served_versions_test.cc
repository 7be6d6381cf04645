#include "features/served_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::features {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

TEST(ServedVersions, AreThatOfTheSchedulerAndTheNext) {
  EXPECT_EQ(ServedVersionsText(), "v1.36, v1.37");
  EXPECT_EQ(UnservedVersionText("v1.36.0"), "");
  EXPECT_EQ(UnservedVersionText("v1.37.2-gke.100+x"), "");
  EXPECT_THAT(UnservedVersionText("v1.35.9"), HasSubstr("upgrade the API server first"));
  EXPECT_THAT(UnservedVersionText("v1.38.0"), HasSubstr("upgrade Berth"));
}

TEST(ServedVersions, UnreadableVersionsAreNotServed) {
  for (const char* version : {"", "v2.36.0", "v1.", "v1.x", "v1.-3", "1.36.0"}) {
    EXPECT_THAT(UnservedVersionText(version), HasSubstr("is not one of Kubernetes v1")) << version;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::features
