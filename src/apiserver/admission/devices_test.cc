// Claims, templates, classes and slices of devices: defaults, strategies and errors.
#include "apiserver/admission/devices.h"

#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

using registry::ApiFixture;
using registry::CausesOf;
using registry::ErrorOf;

constexpr const char* kClaims = "resourceclaims.resource.k8s.io";
constexpr const char* kTemplates = "resourceclaimtemplates.resource.k8s.io";
constexpr const char* kClasses = "deviceclasses.resource.k8s.io";
constexpr const char* kSlices = "resourceslices.resource.k8s.io";

std::string Claim(const std::string& devices, const std::string& status = "") {
  return "{'metadata':{'name':'c'},'spec':{'devices':{" + devices + "}}" + status + "}";
}
std::string Exactly(const std::string& rest) {
  return Claim("'requests':[{'name':'r','exactly':{'deviceClassName':'gpu'" + rest + "}}]");
}
std::string Selector(const std::string& expression) {
  return Exactly(",'selectors':[{'cel':{'expression':'" + expression + "'}}]");
}
std::string Slice(const std::string& spec) {
  return "{'metadata':{'name':'s'},'spec':{'driver':'d.com','pool':{'name':'p','generation':1,"
         "'resourceSliceCount':1}," +
         spec + "}}";
}
std::string Device(const std::string& rest) {
  return Slice("'nodeName':'n','devices':[{'name':'a'" + rest + "}]");
}
std::string Capacity(const std::string& policy) {
  return Device(",'allowMultipleAllocations':true,'capacity':{'m':{'value':'10','requestPolicy':{" +
                policy + "}}}");
}
std::string Repeated(const std::string& element, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    for (const char c : element) c == '#' ? list += std::to_string(i) : list += c;
  }
  return "[" + list + "]";
}

struct DeviceCase {
  const char* name;
  const char* kind;
  std::string given;
  const char* want;
};

class DeviceValidation : public ::testing::TestWithParam<DeviceCase> {};

TEST_P(DeviceValidation, NamesFieldAndValue) {
  ApiFixture fixture;
  const auto created = fixture.Create(GetParam().kind, GetParam().given);
  EXPECT_EQ(CausesOf(created), GetParam().want);
  EXPECT_EQ(created.has_value(), *GetParam().want == '\0') << ErrorOf(created);
}

const auto kCaseName = [](const auto& info) { return info.param.name; };

#define LABEL_RULE                                                                                \
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "    \
  "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used " \
  "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define UNKNOWN_REQUEST                                                                   \
  "must be the name of a request in the claim or the name of a request and a subrequest " \
  "separated "                                                                            \
  "by '/'"
#define REQUEST "spec.devices.requests[0]"

INSTANTIATE_TEST_SUITE_P(
    Claims, DeviceValidation,
    ::testing::Values(
        DeviceCase{"NoRequests", kClaims, Claim(""), ""},
        DeviceCase{"ExactRequest", kClaims, Exactly(""), ""},
        DeviceCase{"NeitherKindOfRequest", kClaims, Claim("'requests':[{'name':'r'}]"),
                   REQUEST ": Required value: exactly one of `exactly` or `firstAvailable` is "
                           "required"},
        DeviceCase{"BothKindsOfRequest", kClaims,
                   Claim("'requests':[{'name':'r','exactly':{'deviceClassName':'a'},"
                         "'firstAvailable':[{'name':'x','deviceClassName':'a'}]}]"),
                   REQUEST ": Invalid value: null: exactly one of `exactly` or `firstAvailable` is "
                           "required, but multiple fields are set"},
        DeviceCase{"NamesOfRequests", kClaims,
                   Claim("'requests':[{'name':'R','exactly':{'deviceClassName':'a'}},"
                         "{'name':'x','exactly':{'deviceClassName':'a'}},"
                         "{'name':'x','exactly':{}}]"),
                   REQUEST ".name: Invalid value: \"R\": " LABEL_RULE
                           "\nspec.devices.requests[2].exactly.deviceClassName: Required value"
                           "\nspec.devices.requests[2]: Duplicate value: \"x\""},
        DeviceCase{
            "TooManyRequests", kClaims,
            Claim("'requests':" + Repeated("{'name':'r#','exactly':{'deviceClassName':'a'}}", 33)),
            "spec.devices.requests: Too many: 33: must have at most 32 items"},
        DeviceCase{"TooManyAlternatives", kClaims,
                   Claim("'requests':[{'name':'r','firstAvailable':" +
                         Repeated("{'name':'r#','deviceClassName':'a'}", 9) + "}]"),
                   REQUEST ".firstAvailable: Too many: 9: must have at most 8 items"},
        DeviceCase{"CountForAll", kClaims, Exactly(",'allocationMode':'All','count':1"),
                   REQUEST ".exactly.count: Invalid value: 1: must not be specified when "
                           "allocationMode is 'All'"},
        DeviceCase{"NegativeCount", kClaims, Exactly(",'count':-1"),
                   REQUEST ".exactly.count: Invalid value: -1: must be greater than zero"},
        DeviceCase{"UnknownMode", kClaims, Exactly(",'allocationMode':'Some'"),
                   REQUEST ".exactly.allocationMode: Unsupported value: \"Some\": supported "
                           "values: \"All\", \"ExactCount\""},
        DeviceCase{"Tolerations", kClaims,
                   Exactly(",'tolerations':[{'operator':'Exists','value':'v'},{'operator':'In'},"
                           "{'key':'k','effect':'Never'}]"),
                   REQUEST ".exactly.tolerations[0].value: Invalid value: \"v\": must be empty for "
                           "operator `Exists`\n" REQUEST
                           ".exactly.tolerations[1].operator: Unsupported value: \"In\": supported "
                           "values: \"Equal\", \"Exists\"\n" REQUEST
                           ".exactly.tolerations[2].effect: Unsupported value: \"Never\": "
                           "supported values: \"NoExecute\", \"NoSchedule\", \"None\""},
        DeviceCase{"Constraints", kClaims,
                   Claim("'requests':[{'name':'r','exactly':{'deviceClassName':'a'}}],"
                         "'constraints':[{'requests':['r','r'],'matchAttribute':'a.com/x'},"
                         "{'requests':['s'],'distinctAttribute':'x'},{}]"),
                   "spec.devices.constraints[0].requests[1]: Duplicate value: \"r\"\n"
                   "spec.devices.constraints[1].requests[0]: Invalid value: \"s\": " UNKNOWN_REQUEST
                   "\nspec.devices.constraints[1].distinctAttribute: Invalid value: \"x\": a fully "
                   "qualified name must be a domain and a name separated by a slash\n"
                   "spec.devices.constraints[2]: Required value: exactly one of \"matchAttribute\" "
                   "or \"distinctAttribute\" is required, but multiple fields are set"},
        DeviceCase{
            "ReferencesToAlternatives", kClaims,
            Claim("'requests':[{'name':'r','firstAvailable':[{'name':'x','deviceClassName':"
                  "'a'}]}],'constraints':[{'requests':['r/x'],'matchAttribute':'a.com/x'},"
                  "{'requests':['r/y'],'matchAttribute':'a.com/x'},"
                  "{'requests':['r/x/z'],'matchAttribute':'a.com/x'}]"),
            "spec.devices.constraints[1].requests[0]: Invalid value: \"r/y\": " UNKNOWN_REQUEST
            "\nspec.devices.constraints[2].requests[0]: Invalid value: "
            "\"r/x/z\": " UNKNOWN_REQUEST},
        DeviceCase{"Config", kClaims,
                   Claim("'config':[{},{'opaque':{'driver':'','parameters':{'a':1}}},"
                         "{'opaque':{'driver':'d.com'}}]"),
                   "spec.devices.config[0].opaque: Required value\n"
                   "spec.devices.config[1].opaque.driver: Required value\n"
                   "spec.devices.config[2].opaque.parameters: Required value"},
        DeviceCase{"LongParameters", kClaims,
                   Claim("'config':[{'opaque':{'driver':'d.com','parameters':{'a':'" +
                         std::string(10'240, 'x') + "'}}}]"),
                   "spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 "
                   "bytes"},
        DeviceCase{"AdminAccess", kClaims, Exactly(",'adminAccess':true"),
                   REQUEST ".adminAccess: Forbidden: admin access to devices requires the "
                           "`resource.kubernetes.io/admin-access: true` label on the containing "
                           "namespace"}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    Selectors, DeviceValidation,
    ::testing::Values(
        DeviceCase{"GoodSelector", kClaims, Selector("device.driver == \\\"a\\\""), ""},
        DeviceCase{"NoCel", kClaims, Exactly(",'selectors':[{}]"),
                   REQUEST ".exactly.selectors[0].cel: Required value"},
        DeviceCase{"SyntaxError", kClaims, Selector("device.driver =="),
                   REQUEST ".exactly.selectors[0].cel.expression: Invalid value: \"device.driver "
                           "==\": compilation failed: ERROR: <input>:1:17: Syntax error: "
                           "mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', "
                           "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
                           "IDENTIFIER}\n | device.driver ==\n | ................^"},
        DeviceCase{"NotABoolean", kClaims, Selector("device.driver"),
                   REQUEST ".exactly.selectors[0].cel.expression: Invalid value: "
                           "\"device.driver\": must evaluate to bool or the unknown type, not "
                           "string"},
        DeviceCase{
            "TooComplex", kClaims,
            Selector("device.attributes.all(a, device.attributes.all(b, "
                     "device.attributes.all(c, device.attributes.all(d, a == b && c == d))))"),
            REQUEST ".exactly.selectors[0].cel.expression: Forbidden: too complex, exceeds "
                    "cost limit"},
        DeviceCase{"TooLong", kClaims, Selector(std::string(10'241, ' ')),
                   REQUEST ".exactly.selectors[0].cel.expression: Too long: may not be more than "
                           "10240 bytes"},
        DeviceCase{"TooManySelectors", kClasses,
                   "{'metadata':{'name':'c'},'spec':{'selectors':" +
                       Repeated("{'cel':{'expression':'true'}}", 33) + "}}",
                   "spec.selectors: Too many: 33: must have at most 32 items"},
        DeviceCase{"ClassSelector", kClasses,
                   "{'metadata':{'name':'c'},'spec':{'selectors':[{'cel':{'expression':'x'}}]}}",
                   "spec.selectors[0].cel.expression: Invalid value: \"x\": compilation failed: "
                   "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"},
        DeviceCase{"ExtendedResourceName", kClasses,
                   "{'metadata':{'name':'c'},'spec':{'extendedResourceName':'cpu'}}",
                   "spec.extendedResourceName: Invalid value: \"cpu\": must be a valid extended "
                   "resource name"},
        DeviceCase{"TemplateSelector", kTemplates,
                   "{'metadata':{'name':'t'},'spec':{'metadata':{'name':'x','labels':{'a':'b'}},"
                   "'spec':{'devices':{'requests':[{'name':'r'}]}}}}",
                   "spec.metadata.name: Forbidden: cannot be set for a Pod template\n"
                   "spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or "
                   "`firstAvailable` is required"}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    Slices, DeviceValidation,
    ::testing::Values(
        DeviceCase{"PlainSlice", kSlices, Device(""), ""},
        DeviceCase{"NothingGiven", kSlices, "{'metadata':{'name':'s'},'spec':{}}",
                   "spec.driver: Required value\nspec.pool.name: Required value\n"
                   "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero\n"
                   "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                   "`perDeviceNodeSelection` is required"},
        DeviceCase{"SeveralNodeChoices", kSlices, Slice("'nodeName':'n','allNodes':true"),
                   "spec: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, "
                   "`nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple "
                   "fields are set"},
        DeviceCase{"FalseAndEmpty", kSlices,
                   Slice("'nodeName':'','allNodes':false,'perDeviceNodeSelection':true"),
                   "spec.nodeName: Invalid value: \"\": must be either unset or set to a non-empty "
                   "string\nspec.allNodes: Invalid value: false: must be either unset or set to "
                   "true"},
        DeviceCase{"CountersAndDevices", kSlices,
                   Slice("'nodeName':'n','devices':[],'sharedCounters':[{'name':'x'}]"),
                   "spec: Invalid value: \"\": only one of `sharedCounters` or `devices` is "
                   "allowed\nspec.sharedCounters[0].counters: Required value"},
        DeviceCase{"ManyDevices", kSlices,
                   Slice("'nodeName':'n','devices':" + Repeated("{'name':'d#'}", 129)),
                   "spec.devices: Too many: 129: must have at most 128 items"},
        DeviceCase{
            "ManyTaintedDevices", kSlices,
            Slice("'nodeName':'n','devices':" +
                  Repeated("{'name':'d#','taints':[{'key':'k','effect':'NoSchedule'}]}", 65)),
            "spec.devices: Too many: 65: must have at most 64 items"},
        DeviceCase{"Attributes", kSlices,
                   Device(",'attributes':{'a':{},'b':{'int':1,'bool':true},'c':{'version':'1'},"
                          "'/d':{'int':1},'e-f':{'int':1}}"),
                   "spec.devices[0].attributes[a]: Invalid value: \"\": exactly one value must be "
                   "specified\n"
                   "spec.devices[0].attributes[b]: Invalid value: {\"int\":1,\"bool\":true}: "
                   "exactly one value must be specified\n"
                   "spec.devices[0].attributes[c].version: Invalid value: \"1\": must be a string "
                   "compatible with semver.org spec 2.0.0\n"
                   "spec.devices[0].attributes: Invalid value: \"\": the domain must not be empty\n"
                   "spec.devices[0].attributes: Invalid value: \"e-f\": a valid C identifier must "
                   "start with alphabetic character or '_', followed by a string of alphanumeric "
                   "characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
                   "validation is '[A-Za-z_][A-Za-z0-9_]*')"},
        DeviceCase{"ListsAreDropped", kSlices, Device(",'attributes':{'a':{'ints':[1]}}"),
                   "spec.devices[0].attributes[a]: Invalid value: \"\": exactly one value must be "
                   "specified"},
        DeviceCase{"PolicyOfUnsharedDevice", kSlices,
                   Device(",'capacity':{'m':{'value':'1','requestPolicy':{}}}"),
                   "spec.devices[0].capacity[m].requestPolicy: Forbidden: "
                   "allowMultipleAllocations must be true"},
        DeviceCase{"ValidValues", kSlices, Capacity("'default':'3','validValues':['2','1','20']"),
                   "spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: "
                   "\"1\": values must be sorted in ascending order\n"
                   "spec.devices[0].capacity[m].requestPolicy.validValues[2]: Invalid value: "
                   "\"20\": option is larger than capacity value: 10\n"
                   "spec.devices[0].capacity[m].requestPolicy.validValues: Invalid value: \"3\": "
                   "default value is not valid according to the requestPolicy"},
        DeviceCase{"ValidRange", kSlices,
                   Capacity("'default':'3','validRange':{'min':'1','max':'8','step':'3'}"),
                   "spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "
                   "\"3\": value is not a multiple of a given step (3) from (1)\n"
                   "spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "
                   "\"8\": value is not a multiple of a given step (3) from (1)"},
        DeviceCase{"StepOfZero", kSlices,
                   Capacity("'default':'3','validRange':{'min':'1','step':'0'}"),
                   "spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "
                   "\"3\": value is not a multiple of a given step (0) from (1)"},
        DeviceCase{"RangeWithoutDefault", kSlices, Capacity("'validRange':{'min':'1'}"),
                   "spec.devices[0].capacity[m].requestPolicy.default: Required value: required "
                   "when validRange is defined"},
        DeviceCase{"Taints", kSlices,
                   Device(",'taints':[{'key':'k'},{'key':'k','effect':'PreferNoSchedule'}]"),
                   "spec.devices[0].taints[0].effect: Required value\n"
                   "spec.devices[0].taints[1].effect: Unsupported value: \"PreferNoSchedule\": "
                   "supported values: \"NoExecute\", \"NoSchedule\", \"None\""},
        DeviceCase{"ConsumedCounters", kSlices,
                   Device(",'consumesCounters':[{'counterSet':'x','counters':{'a':{'value':'1'}}},"
                          "{'counterSet':'x','counters':{'B':{'value':'1'}}}]"),
                   "spec.devices[0].consumesCounters[1].counters: Invalid value: \"B\": " LABEL_RULE
                   "\nspec.devices[0].consumesCounters[1]: Duplicate value: \"x\""},
        DeviceCase{"NodeOfADevice", kSlices, Device(",'allNodes':true"),
                   "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and "
                   "`allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "
                   "ResourceSlice spec"},
        DeviceCase{"DeviceWithoutNodes", kSlices,
                   Slice("'perDeviceNodeSelection':true,'devices':[{'name':'a'}]"),
                   "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or "
                   "`allNodes` is required when `perDeviceNodeSelection` is set to true in the "
                   "ResourceSlice spec"},
        DeviceCase{"BindingConditions", kSlices,
                   Device(",'bindingConditions':['a','a'],'bindingFailureConditions':['a']"),
                   "spec.devices[0].bindingConditions[1]: Duplicate value: \"a\"\n"
                   "spec.devices[0].bindingFailureConditions[0]: Invalid value: \"a\": "
                   "bindingFailureConditions must not overlap with bindingConditions"},
        DeviceCase{"BindingConditionsAlone", kSlices, Device(",'bindingConditions':['a']"),
                   "spec.devices[0].bindingFailureConditions: Invalid value: null: "
                   "bindingFailureConditions are required to use bindingConditions"}),
    kCaseName);

TEST(Devices, RequestsAndTolerationsHaveDefaults) {
  ApiFixture fixture;
  EXPECT_HOLDS(fixture.Make(kClaims, Exactly(",'count':0,'tolerations':[{'key':'k'}]")),
               "{'spec':{'devices':{'requests':[{'name':'r','exactly':{'allocationMode':"
               "'ExactCount','count':1,'tolerations':[{'key':'k','operator':'Equal'}]}}]}},"
               "'metadata':{'generation':null}}");
  EXPECT_HOLDS(fixture.Make(kTemplates,
                            "{'metadata':{'name':'t'},'spec':{'spec':{'devices':{'requests':[{"
                            "'name':'r','firstAvailable':[{'name':'x','deviceClassName':'c'},"
                            "{'name':'y','deviceClassName':'c','allocationMode':'All'}]}]}}}}"),
               "{'spec':{'spec':{'devices':{'requests':[{'firstAvailable':[{'count':1},{'count':"
               "null,'allocationMode':'All'}]}]}}}}");
}

TEST(Devices, TaintsAreAddedNow) {
  ApiFixture fixture;
  const api::Json slice = fixture.Make(
      kSlices, Device(",'taints':[{'key':'k','effect':'None'},"
                      "{'key':'l','effect':'None','timeAdded':'2020-01-01T00:00:00Z'}]"));
  EXPECT_HOLDS(slice,
               "{'spec':{'devices':[{'taints':[{'timeAdded':'2026-01-01T00:00:00Z'},"
               "{'timeAdded':'2020-01-01T00:00:00Z'}]}]},'metadata':{'generation':1}}");
}

TEST(Devices, AdminAccessNeedsALabelOfTheNamespace) {
  ApiFixture fixture;
  fixture.Make("namespaces",
               "{'metadata':{'name':'admin','labels':{'resource.kubernetes.io/admin-access':"
               "'true'}}}");
  EXPECT_EQ(ErrorOf(fixture.Create(kClaims, Exactly(",'adminAccess':true"), "admin")), "ok");
}

TEST(Devices, ImmutableFields) {
  ApiFixture fixture;
  fixture.Make(kClaims, Exactly(""));
  EXPECT_EQ(ErrorOf(fixture.Merge(kClaims, "c", "{'metadata':{'finalizers':['a/b']}}")), "ok");
  EXPECT_EQ(CausesOf(fixture.Merge(kClaims, "c", "{'spec':{'devices':null}}")),
            "spec: Invalid value: {}: field is immutable");
  fixture.Make(kSlices, Device(""));
  EXPECT_EQ(CausesOf(fixture.Merge(kSlices, "s",
                                   "{'spec':{'driver':'x','nodeName':'m','pool':{'name':'q'}}}")),
            "spec.pool.name: Invalid value: \"q\": field is immutable\n"
            "spec.driver: Invalid value: \"x\": field is immutable\n"
            "spec.nodeName: Invalid value: \"m\": field is immutable");
  EXPECT_EQ(ErrorOf(fixture.Merge(kSlices, "s", "{'spec':{'pool':{'generation':2}}}")), "ok");
  EXPECT_HOLDS(fixture.Get(kSlices, "s"), "{'metadata':{'generation':2}}");
}

TEST(Devices, StoredSelectorsOfAClassStayValid) {
  ApiFixture fixture;
  fixture.Make(kClasses, "{'metadata':{'name':'c'},'spec':{}}");
  // A selector of a later version that this one does not compile.
  const auto changed =
      fixture.api.Modify(api::scheme::KindOf(kClasses), {"", "c"}, [](api::Json& document) {
        document.get_object()["spec"] =
            registry::Doc("{'selectors':[{'cel':{'expression':'device.later()'}}]}");
        return true;
      });
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(ErrorOf(fixture.Merge(kClasses, "c", "{'metadata':{'labels':{'a':'b'}}}")), "ok");
}

TEST(Devices, UpperCaseDriverNamesGiveAWarning) {
  ApiFixture fixture;
  std::vector<std::string> warnings;
  registry::WriteOptions options;
  options.warnings = &warnings;
  api::Json slice = registry::Doc(Device(""));
  slice.at("spec").as_object()["driver"] = "D.com";
  EXPECT_EQ(ErrorOf(fixture.api.Create(api::scheme::KindOf(kSlices), "", slice, options)), "ok");
  EXPECT_EQ(warnings, std::vector<std::string>{"spec.driver: driver names should be lowercase; "
                                               "\"D.com\" contains uppercase characters"});
}

TEST(Devices, SlicesAreSelectedByNodeAndDriver) {
  ApiFixture fixture;
  fixture.Make(kSlices, Device(""));
  const auto slices = fixture.store->List(api::scheme::KindOf(kSlices).collection, {});
  ASSERT_EQ(slices.objects.size(), 1u);
  EXPECT_EQ(slices.objects[0]->fields, (std::vector<std::string>{"n", "d.com"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
