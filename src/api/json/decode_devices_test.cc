// Decoding and encoding of claims, classes and slices of devices.
#include <gtest/gtest.h>

#include <string>

#include "api/json/decode.h"
#include "api/json/encode.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

Quantity Amount(const char* text) { return *Quantity::Parse(text); }

ObjectMeta Named(const char* name) {
  ObjectMeta meta;
  meta.name = name;
  return meta;
}

RawJson Raw(const char* text) { return {std::make_shared<const std::string>(text)}; }

// Checks that `json` decodes to `want`, and so does the encoding of `want`. The text of claims is
// not compared.
template <typename T>
void ExpectBothWays(const char* json, const T& want) {
  for (const std::string& text : {std::string(json), EncodeJson(want)}) {
    const auto decoded = DecodeJsonAs<T>(text);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().message << "\n" << text;
    T got = **decoded;
    if constexpr (std::is_same_v<T, ResourceClaim>) got.text = {};
    EXPECT_EQ(got, want) << text;
  }
}

template <typename T>
T Decoded(const char* json) {
  const auto decoded = DecodeJsonAs<T>(json);
  EXPECT_TRUE(decoded.has_value()) << decoded.error().message;
  return decoded ? **decoded : T();
}

template <typename T>
std::string ErrorOf(const char* json) {
  const auto decoded = DecodeJsonAs<T>(json);
  return decoded ? "" : decoded.error().message;
}

TEST(DecodeDevices, SpecOfAClaimBothWays) {
  ResourceClaim claim;
  claim.metadata.name = "c";
  claim.metadata.namespace_ = "shop";
  claim.metadata.finalizers = {"resource.kubernetes.io/delete-protection"};
  DeviceRequest& exact = claim.spec.requests.emplace_back();
  exact.name = "gpu";
  exact.exactly = DeviceSubRequest{
      .device_class_name = "gpu.example.com",
      .selectors = {{.cel_expression = "device.driver == \"a\""}, {.cel_expression = ""}, {}},
      .allocation_mode = "ExactCount",
      .count = 2,
      .admin_access = false,
      .tolerations = {{.key = "k", .op = "Exists", .effect = "NoExecute", .toleration_seconds = 0}},
      .capacity_requests = QuantityMap{{"memory", Amount("10Gi")}}};
  DeviceRequest& first = claim.spec.requests.emplace_back();
  first.name = "any";
  first.first_available = {{.name = "big", .device_class_name = "b", .allocation_mode = "All"},
                           {.name = "small",
                            .device_class_name = "s",
                            .allocation_mode = "ExactCount",
                            .count = 1,
                            .capacity_requests = QuantityMap()}};
  claim.spec.constraints = {{.requests = {"gpu", "any/big"}, .match_attribute = "a.com/numa"},
                            {.distinct_attribute = "a.com/id"}};
  claim.spec.config = {
      {.requests = {"gpu"},
       .opaque = OpaqueDeviceConfiguration{"a.com", Raw(R"({"mode":"x y","n":[1,2.50]})")}}};
  ExpectBothWays(R"({"metadata":{"name":"c","namespace":"shop",
      "finalizers":["resource.kubernetes.io/delete-protection"]},
      "spec":{"devices":{"requests":[
      {"name":"gpu","exactly":{"deviceClassName":"gpu.example.com","selectors":[
        {"cel":{"expression":"device.driver == \"a\""}},{"cel":{}},{}],
        "allocationMode":"ExactCount","count":2,"adminAccess":false,
        "tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":0}],
        "capacity":{"requests":{"memory":"10Gi"}}}},
      {"name":"any","firstAvailable":[
        {"name":"big","deviceClassName":"b","allocationMode":"All"},
        {"name":"small","deviceClassName":"s","capacity":{}}]}],
      "constraints":[{"requests":["gpu","any/big"],"matchAttribute":"a.com/numa"},
        {"distinctAttribute":"a.com/id"}],
      "config":[{"requests":["gpu"],"opaque":{"driver":"a.com","parameters":
        { "mode" : "x y", "n" : [1, 2.50] }}}]}}})",
                 claim);
}

TEST(DecodeDevices, StatusOfAClaimBothWays) {
  ResourceClaim claim;
  claim.metadata.name = "c";
  claim.metadata.namespace_ = "default";
  AllocationResult& allocation = claim.status.allocation.emplace();
  allocation.results = {{.request = "gpu",
                         .driver = "a.com",
                         .pool = "p",
                         .device = "d0",
                         .admin_access = true,
                         .tolerations = {{.op = "Exists"}},
                         .binding_conditions = {"attached"},
                         .binding_failure_conditions = {"broken"},
                         .share_id = "1f8b6b37-48d3-93cf-98e7-0faa07a90404",
                         .consumed_capacity = {{"memory", Amount("5Gi")}}}};
  allocation.config = {{.source = "FromClass",
                        .requests = {"gpu"},
                        .opaque = OpaqueDeviceConfiguration{"a.com", Raw("{}")}}};
  allocation.node_selector = NodeSelector{{{{}, {{"metadata.name", "In", {"n"}}}}}};
  allocation.allocation_timestamp = Instant::FromUnixSeconds(1'767'225'600);
  claim.status.reserved_for = {{"", "pods", "web", "u"}};
  claim.status.devices = {{.driver = "a.com",
                           .pool = "p",
                           .device = "d0",
                           .share_id = "s",
                           .conditions = {{"attached", "True", "Done", "It is."}}}};
  ExpectBothWays(R"({"metadata":{"name":"c"},"status":{"allocation":{
      "devices":{"results":[{"request":"gpu","driver":"a.com","pool":"p","device":"d0",
        "adminAccess":true,"tolerations":[{"operator":"Exists"}],"bindingConditions":["attached"],
        "bindingFailureConditions":["broken"],"shareID":"1f8b6b37-48d3-93cf-98e7-0faa07a90404",
        "consumedCapacity":{"memory":"5Gi"}}],
        "config":[{"source":"FromClass","requests":["gpu"],
                   "opaque":{"driver":"a.com","parameters":{}}}]},
      "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name",
        "operator":"In","values":["n"]}]}]},
      "allocationTimestamp":"2026-01-01T00:00:00Z"},
      "reservedFor":[{"resource":"pods","name":"web","uid":"u"}],
      "devices":[{"driver":"a.com","pool":"p","device":"d0","shareID":"s","data":{"x":1},
        "conditions":[{"type":"attached","status":"True","reason":"Done","message":"It is."}]}]}})",
                 claim);
}

TEST(DecodeDevices, AllocationWithoutDevicesIsAnAllocation) {
  EXPECT_TRUE(
      Decoded<ResourceClaim>(R"({"metadata":{"name":"c"},"status":{"allocation":{"devices":{}}}})")
          .status.allocation.has_value());
}

TEST(DecodeDevices, ClaimRetainsItsText) {
  const auto claim = Decoded<ResourceClaim>(
      R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1",
          "metadata":{"name":"c","managedFields":[{"manager":"kubectl"}],"generateName":"c-"},
          "spec":{},"status":{"devices":[{"driver":"d","data":{"huge":123456789012345678901234}}]},
          "later":["version"]})");
  ASSERT_NE(claim.text.json, nullptr);
  EXPECT_EQ(*claim.text.json,
            R"({"metadata":{"name":"c","generateName":"c-"},"spec":{},"status":{"devices":)"
            R"([{"driver":"d","data":{"huge":123456789012345678901234}}]},"later":["version"]})");
}

TEST(DecodeDevices, ClaimsOfAListRetainTheirTexts) {
  const auto claims = DecodeJson(
      R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1","items":[
          {"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{}}]})");
  ASSERT_TRUE(claims.has_value()) << claims.error().message;
  ASSERT_EQ(claims->size(), 2u);
  EXPECT_EQ(*std::get<Ref<ResourceClaim>>(claims->at(0))->text.json,
            R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(*std::get<Ref<ResourceClaim>>(claims->at(1))->text.json,
            R"({"metadata":{"name":"b"},"spec":{}})");
}

TEST(DecodeDevices, ClassBothWays) {
  ExpectBothWays(R"({"metadata":{"name":"d"},"spec":{"selectors":[{"cel":{"expression":"true"}}],
      "config":[{"opaque":{"driver":"a.com","parameters":"text"}},{}],
      "extendedResourceName":"example.com/gpu"}})",
                 DeviceClass{.metadata = Named("d"),
                             .selectors = {{.cel_expression = "true"}},
                             .config = {{OpaqueDeviceConfiguration{"a.com", Raw("\"text\"")}}, {}},
                             .extended_resource_name = "example.com/gpu"});
}

TEST(DecodeDevices, SliceOfDevicesBothWays) {
  ResourceSlice slice;
  slice.metadata.name = "s";
  slice.driver = "a.com";
  slice.pool = {.name = "n1", .generation = 3, .resource_slice_count = 2};
  slice.node_name = "n1";
  Device& device = slice.devices.emplace_back();
  device.name = "gpu-0";
  device.attributes["index"].int_value = 0;
  device.attributes["ok"].bool_value = false;
  device.attributes["model"].string_value = "";
  device.attributes["a.com/driver"].version_value = "1.2.3";
  device.attributes["lists"] = {.int_values = {1, -2},
                                .bool_values = {true, false},
                                .string_values = {"x", ""},
                                .version_values = {"1.0.0"}};
  device.capacity["memory"] = {
      .value = Amount("40Gi"),
      .request_policy = CapacityRequestPolicy{
          .default_value = Amount("1Gi"),
          .valid_values = {Amount("1Gi"), Amount("2Gi")},
          .valid_range = CapacityRequestPolicyRange{
              .min = Amount("1Gi"), .max = Amount("4Gi"), .step = Amount("1Gi")}}};
  device.capacity["cores"] = {.value = Amount("8")};
  device.consumes_counters = {{"set", {{"slots", {Amount("2")}}}}};
  device.taints = {{.key = "k",
                    .value = "v",
                    .effect = "NoSchedule",
                    .time_added = Instant::FromUnixSeconds(1'767'225'600)}};
  device.binds_to_node = true;
  device.binding_conditions = {{"attached"}};
  device.binding_failure_conditions = {"broken"};
  device.allow_multiple_allocations = true;
  ExpectBothWays(R"({"metadata":{"name":"s"},"spec":{"driver":"a.com",
      "pool":{"name":"n1","generation":3,"resourceSliceCount":2},"nodeName":"n1",
      "devices":[{"name":"gpu-0","attributes":{"index":{"int":0},"ok":{"bool":false},
        "model":{"string":""},"a.com/driver":{"version":"1.2.3"},
        "lists":{"ints":[1,-2],"bools":[true,false],"strings":["x",""],"versions":["1.0.0"]}},
        "capacity":{"memory":{"value":"40Gi","requestPolicy":{"default":"1Gi",
          "validValues":["1Gi","2Gi"],"validRange":{"min":"1Gi","max":"4Gi","step":"1Gi"}}},
          "cores":{"value":8}},
        "consumesCounters":[{"counterSet":"set","counters":{"slots":{"value":"2"}}}],
        "taints":[{"key":"k","value":"v","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"}],
        "bindsToNode":true,"bindingConditions":["attached"],"bindingFailureConditions":["broken"],
        "allowMultipleAllocations":true}]}})",
                 slice);
}

TEST(DecodeDevices, SliceOfCountersAndNodesBothWays) {
  ResourceSlice slice;
  slice.metadata.name = "s";
  slice.per_device_node_selection = true;
  slice.all_nodes = false;
  slice.node_selector = NodeSelector{{{{{"zone", "In", {"a"}}}, {}}}};
  slice.shared_counters = {{"set", {{"slots", {Amount("7")}}}}};
  slice.devices.resize(3);
  slice.devices[0].node_name = "n1";
  slice.devices[1].all_nodes = true;
  slice.devices[2].node_selector = NodeSelector{};
  ExpectBothWays(R"({"metadata":{"name":"s"},"spec":{"perDeviceNodeSelection":true,"allNodes":false,
      "nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In",
        "values":["a"]}]}]},
      "sharedCounters":[{"name":"set","counters":{"slots":{"value":"7"}}}],
      "devices":[{"nodeName":"n1"},{"allNodes":true},{"nodeSelector":{"nodeSelectorTerms":[]}}]}})",
                 slice);
}

TEST(DecodeDevices, EmptyBindingConditionsAreNotNone) {
  const auto slice = Decoded<ResourceSlice>(
      R"({"metadata":{"name":"s"},"spec":{"devices":[{"bindingConditions":[]},
          {"bindingConditions":null},{}]}})");
  ASSERT_EQ(slice.devices.size(), 3u);
  EXPECT_TRUE(slice.devices[0].binding_conditions.has_value());
  EXPECT_FALSE(slice.devices[1].binding_conditions.has_value());
  EXPECT_FALSE(slice.devices[2].binding_conditions.has_value());
}

TEST(DecodeDevices, SelectorWithoutCelDiffersFromAnEmptyExpression) {
  const auto device_class = Decoded<DeviceClass>(
      R"({"metadata":{"name":"c"},"spec":{"selectors":[{},{"cel":null},{"cel":{}},
          {"cel":{"expression":""}},{"other":{}}]}})");
  const std::vector<DeviceSelector> want = {
      {}, {}, {.cel_expression = ""}, {.cel_expression = ""}, {}};
  EXPECT_EQ(device_class.selectors, want);
}

TEST(DecodeDevices, ParametersMustBeJson) {
  const auto claim = [](const std::string& parameters) {
    return R"({"metadata":{"name":"c"},"spec":{"config":[{"opaque":{"parameters":)" + parameters +
           "}}]}}";
  };
  EXPECT_EQ(ErrorOf<DeviceClass>(claim("null").c_str()), "");
  EXPECT_EQ(ErrorOf<DeviceClass>(claim("1e3").c_str()), "");
  EXPECT_EQ(ErrorOf<DeviceClass>(claim(R"({"a":tru})").c_str()),
            "DeviceClass \"c\": spec.config[0].opaque.parameters: invalid JSON: "
            "line 1, column 6: syntax error");
  const std::string deep = std::string(300, '[') + std::string(300, ']');
  EXPECT_NE(ErrorOf<DeviceClass>(claim(deep).c_str()), "");
}

TEST(DecodeDevices, PodWithAClaimForExtendedResourcesBothWays) {
  Pod pod;
  pod.metadata.name = "web";
  pod.metadata.namespace_ = "default";
  pod.status.extended_resource_claim_status = {
      .request_mappings = {{"c", "example.com/gpu", "request-0"}}, .resource_claim_name = "web-x"};
  ExpectBothWays(R"({"metadata":{"name":"web"},"status":{"extendedResourceClaimStatus":{
      "requestMappings":[{"containerName":"c","resourceName":"example.com/gpu",
        "requestName":"request-0"}],"resourceClaimName":"web-x"}}})",
                 pod);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
