#include "scheduler/devices/extended_resources.h"

#include <gtest/gtest.h>

#include "scheduler/devices/devices_testing.h"

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

ClassRef MakeClass(const std::string& name, const std::string& resource, int64_t created) {
  auto made = std::make_shared<api::DeviceClass>();
  made->metadata.name = name;
  if (!resource.empty()) made->extended_resource_name = resource;
  made->metadata.creation_timestamp = Instant::FromUnixSeconds(created);
  return made;
}

std::string Holder(const ExtendedResources& resources, std::string_view name) {
  const api::DeviceClass* found = resources.Find(name);
  return found == nullptr ? "-" : found->metadata.name;
}

TEST(ExtendedResources, NamesThatDevicesMayProvide) {
  EXPECT_TRUE(IsDeviceResource("example.com/gpu"));
  EXPECT_TRUE(IsDeviceResource("deviceclass.resource.kubernetes.io/gpu"));
  EXPECT_FALSE(IsDeviceResource("cpu"));
  EXPECT_FALSE(IsDeviceResource("kubernetes.io/gpu"));
  EXPECT_FALSE(IsDeviceResource("requests.example.com/gpu"));
}

TEST(ExtendedResources, TheNewestClassCounts) {
  ExtendedResources resources;
  const ClassRef old_class = MakeClass("old", "e.com/gpu", 1);
  const ClassRef new_class = MakeClass("new", "e.com/gpu", 2);
  resources.Put(nullptr, new_class);
  resources.Put(nullptr, old_class);
  EXPECT_EQ(Holder(resources, "e.com/gpu"), "new");
  EXPECT_EQ(Holder(resources, "deviceclass.resource.kubernetes.io/old"), "-")
      << "a class that loses on arrival has no name at all";
  EXPECT_EQ(Holder(resources, "deviceclass.resource.kubernetes.io/new"), "new");
  resources.Remove(new_class);
  EXPECT_TRUE(resources.empty());
}

TEST(ExtendedResources, OfTheSameAgeTheFirstNameCounts) {
  ExtendedResources resources;
  resources.Put(nullptr, MakeClass("b", "e.com/gpu", 1));
  resources.Put(nullptr, MakeClass("a", "e.com/gpu", 1));
  EXPECT_EQ(Holder(resources, "e.com/gpu"), "a");
  resources.Put(nullptr, MakeClass("c", "e.com/gpu", 1));
  EXPECT_EQ(Holder(resources, "e.com/gpu"), "a");
}

TEST(ExtendedResources, AnUpdateMovesTheName) {
  ExtendedResources resources;
  const ClassRef before = MakeClass("a", "e.com/gpu", 1);
  resources.Put(nullptr, before);
  resources.Put(before, MakeClass("a", "e.com/tpu", 1));
  EXPECT_EQ(Holder(resources, "e.com/gpu"), "-");
  EXPECT_EQ(Holder(resources, "e.com/tpu"), "a");
}

std::string RequestsText(const std::string& containers) {
  const std::string yaml = fmt::format(
      "{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: default}}, spec: {{{}}}}}",
      containers);
  const auto pod = api::DecodeObjects(yaml, "test");
  if (!pod) return pod.error().message;
  ExtendedResources classes;
  classes.Put(nullptr, MakeClass("gpu", "e.com/gpu", 1));
  const SpecialRequests special =
      MakeSpecialRequests(std::get<api::Ref<api::Pod>>(pod->at(0))->spec, {"e.com/gpu"}, classes);
  std::string text;
  for (const api::DeviceRequest& request : special.requests)
    text += fmt::format("{}x{} ", request.name, request.exactly->count);
  for (const ExtendedResourceMapping& mapping : special.mappings)
    text += fmt::format("| {} {}", mapping.container_name, mapping.request_name);
  return text;
}

std::string ContainerYaml(std::string_view name, int gpus, std::string_view more = "") {
  return fmt::format("{{name: {}, image: i{}, resources: {{requests: {{cpu: 1, e.com/gpu: {}}}}}}}",
                     name, more, gpus);
}

TEST(SpecialRequests, OnePerContainer) {
  EXPECT_EQ(RequestsText("containers: [" + ContainerYaml("a", 2) + "," + ContainerYaml("b", 0) +
                         "," + ContainerYaml("c", 1) + "]"),
            "container-0-request-1x2 container-2-request-1x1 | a container-0-request-1| c "
            "container-2-request-1");
}

TEST(SpecialRequests, InitContainersReuseWhatLaterOnesHave) {
  EXPECT_EQ(RequestsText("initContainers: [" + ContainerYaml("i", 2) + "], containers: [" +
                         ContainerYaml("a", 1) + "," + ContainerYaml("b", 1) + "]"),
            "container-1-request-1x1 container-2-request-1x1 | a container-1-request-1| b "
            "container-2-request-1| i container-1-request-1| i container-2-request-1");
}

TEST(SpecialRequests, InitContainersShareWhatIsMissing) {
  EXPECT_EQ(RequestsText("initContainers: [" + ContainerYaml("i", 3) + "," + ContainerYaml("j", 4) +
                         "], containers: [" + ContainerYaml("a", 1) + "]"),
            "container-1-request-1x3 container-2-request-1x1 | a container-2-request-1| i "
            "container-2-request-1| i container-1-request-1| j container-2-request-1| j "
            "container-1-request-1");
}

TEST(SpecialRequests, SidecarsLiveLong) {
  EXPECT_EQ(
      RequestsText("initContainers: [" + ContainerYaml("s", 1, ", restartPolicy: Always") + "," +
                   ContainerYaml("i", 1) + "], containers: [" + ContainerYaml("a", 1) + "]"),
      "container-0-request-1x1 container-2-request-1x1 | s container-0-request-1| a "
      "container-2-request-1| i container-2-request-1")
      << "the init container starts after the sidecar";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
