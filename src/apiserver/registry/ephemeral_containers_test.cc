#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

struct DebugFixture : ApiFixture {
  DebugFixture() { Make("pods", kPodA); }

  std::string Debug(std::string_view containers) {
    return ErrorOf(Merge("pods", "a",
                         fmt::format("{{'spec':{{'ephemeralContainers':[{}]}}}}", containers),
                         "ephemeralcontainers"));
  }
};

constexpr std::string_view kDebugger = "{'name':'debug','image':'busybox'}";

TEST(EphemeralContainersUpdate, OnlyAdds) {
  DebugFixture fixture;
  EXPECT_EQ(fixture.Debug(kDebugger), "ok");
  EXPECT_EQ(fixture.Debug(std::string(kDebugger) + ",{'name':'more','image':'busybox'}"), "ok");
  EXPECT_EQ(fixture.Debug(kDebugger),
            "422 Invalid: Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: existing "
            "ephemeral containers \"more\" may not be removed\n");
  EXPECT_EQ(fixture.Debug("{'name':'debug','image':'other'},{'name':'more','image':'busybox'}"),
            "422 Invalid: Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: existing "
            "ephemeral containers \"debug\" may not be changed\n");
}

TEST(EphemeralContainersUpdate, RefusesWhatNothingWouldUse) {
  DebugFixture fixture;
  EXPECT_EQ(fixture.Debug("{'name':'d','image':'i','ports':[{'containerPort':80}]}"),
            "422 Invalid: Pod \"a\" is invalid: spec.ephemeralContainers[0].ports: Forbidden: "
            "cannot be set for an Ephemeral Container");
  EXPECT_EQ(fixture.Debug("{'name':'d','image':'i','targetContainerName':'x'}"),
            "422 Invalid: Pod \"a\" is invalid: "
            "spec.ephemeralContainers[0].targetContainerName: Not found: \"x\"");
  EXPECT_EQ(fixture.Debug("{'name':'d','image':'i','targetContainerName':'c'}"), "ok");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
