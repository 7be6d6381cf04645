#include "cmd/up_devices.h"

#include <gmock/gmock.h>

#include "apiserver/registry/api_testing.h"
#include "cmd/up_objects.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

constexpr const char* kSlices = "resourceslices.resource.k8s.io";

TEST(MakeGpus, EachNodeHasASliceOfItsOwn) {
  apiserver::registry::ApiFixture fixture;
  ASSERT_TRUE(MakeNodes(fixture.api, 2).has_value());
  const auto made = MakeGpus(fixture.api, 2);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const api::Json node = fixture.Get("nodes", "node-0002");
  const std::string uid(node.at("metadata").at("uid").as_string());
  EXPECT_HOLDS(fixture.Get(kSlices, "node-0002-gpu.example.com"),
               "{'metadata':{'ownerReferences':[{'kind':'Node','name':'node-0002','uid':'" + uid +
                   "','controller':true}]},'spec':{'driver':'gpu.example.com','nodeName':"
                   "'node-0002','pool':{'name':'node-0002','resourceSliceCount':1},'devices':["
                   "{'name':'gpu-0','attributes':{'index':{'int':0},'model':{'string':'A100'}},"
                   "'capacity':{'memory':{'value':'40Gi'}}},{'name':'gpu-1'}]}}");
  EXPECT_HOLDS(fixture.Get("deviceclasses.resource.k8s.io", "gpu.example.com"),
               "{'spec':{'extendedResourceName':'example.com/gpu','selectors':[{'cel':{}}]}}");
}

TEST(MakeGpus, ChangesNothingThatExists) {
  apiserver::registry::ApiFixture fixture;
  ASSERT_TRUE(MakeNodes(fixture.api, 1).has_value());
  ASSERT_TRUE(MakeGpus(fixture.api, 1).has_value());
  ASSERT_TRUE(MakeGpus(fixture.api, kMaxGpus).has_value());
  const api::Json slice = fixture.Get(kSlices, "node-0001-gpu.example.com");
  EXPECT_EQ(slice.at("spec").at("devices").as_array().size(), 1u);
}

TEST(MakeGpus, TheLargestNumberFitsInASlice) {
  apiserver::registry::ApiFixture fixture;
  ASSERT_TRUE(MakeNodes(fixture.api, 1).has_value());
  const auto made = MakeGpus(fixture.api, kMaxGpus);
  EXPECT_TRUE(made.has_value()) << made.error().message;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
