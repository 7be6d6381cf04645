// Long lists: comparing each element with all others would take minutes or hours.
#include <gtest/gtest.h>

#include <functional>

#include "apiserver/admission/admission.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/admission/validation.h"
#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

constexpr int kMany = 200'000;

// Returns a list of `element`s, in which # is the index.
std::string List(std::string_view element, bool reversed = false) {
  std::string list = "[";
  for (int i = 0; i < kMany; ++i) {
    const std::string index = std::to_string(reversed ? kMany - 1 - i : i);
    for (const char c : element) c == '#' ? list += index : list += c;
    list += ',';
  }
  list.back() = ']';
  return list;
}

std::string Pod(const std::string& rest, const std::string& container = "") {
  return "{'metadata':{'name':'a'},'spec':{'restartPolicy':'Always','dnsPolicy':'Default'," + rest +
         "'containers':[{'name':'c','image':'i','imagePullPolicy':'Never'" + container + "}]}}";
}

std::vector<api::FieldError> ErrorsOf(std::string_view kind, const std::string& text) {
  const api::Json document = registry::Doc(text);
  FieldErrors errors;
  ValidateMetadata(api::scheme::KindOf(kind), document.get_object(), errors);
  Validate(api::scheme::KindOf(kind), document.get_object(), errors);
  return errors.Take();
}

std::vector<api::FieldError> UpdateErrorsOf(std::string_view kind, const std::string& before,
                                            const std::string& after) {
  const api::Json old_document = registry::Doc(before);
  const api::Json new_document = registry::Doc(after);
  FieldErrors errors;
  ValidateMetadataUpdate(old_document.get_object(), new_document.get_object(), errors);
  ValidateUpdate(api::scheme::KindOf(kind), old_document.get_object(), new_document.get_object(),
                 errors);
  return errors.Take();
}

struct ListCase {
  const char* name;
  const char* kind;
  std::function<std::string()> given;
};

class LongList : public testing::TestWithParam<ListCase> {};

TEST_P(LongList, IsValid) {
  const auto errors = ErrorsOf(GetParam().kind, GetParam().given());
  EXPECT_TRUE(errors.empty()) << errors[0].ToString();
}

INSTANTIATE_TEST_SUITE_P(
    Lists, LongList,
    testing::Values(
        ListCase{"Containers", "pods",
                 [] {
                   return "{'metadata':{'name':'a'},'spec':{'restartPolicy':'Always','dnsPolicy':"
                          "'Default','containers':" +
                          List("{'name':'c#','image':'i','imagePullPolicy':'Never'}") + "}}";
                 }},
        ListCase{"Volumes", "pods",
                 [] {
                   return Pod("'volumes':" + List("{'name':'v#'}") + ",",
                              ",'volumeMounts':" + List("{'name':'v#','mountPath':'/#'}", true));
                 }},
        ListCase{"HostPorts", "pods",
                 [] {
                   return Pod("", ",'ports':" + List("{'containerPort':80,'protocol':'TCP',"
                                                     "'hostPort':80,'hostIP':'#'}"));
                 }},
        ListCase{"Gates", "pods",
                 [] { return Pod("'schedulingGates':" + List("{'name':'g#'}") + ","); }},
        ListCase{"SpreadConstraints", "pods",
                 [] {
                   return Pod("'topologySpreadConstraints':" +
                              List("{'maxSkew':1,'topologyKey':'k#','whenUnsatisfiable':"
                                   "'DoNotSchedule'}") +
                              ",");
                 }},
        ListCase{"Taints", "nodes",
                 [] {
                   return "{'metadata':{'name':'n'},'spec':{'taints':" +
                          List("{'key':'k#','effect':'NoSchedule'}") + "}}";
                 }},
        ListCase{"DeviceClaims", "pods",
                 [] {
                   return Pod(
                       "'resourceClaims':" + List("{'name':'c#','resourceClaimName':'x'}") + ",",
                       ",'resources':{'claims':" + List("{'name':'c#'}", true) + "}");
                 }},
        ListCase{"DeviceTolerations", "resourceclaims.resource.k8s.io",
                 [] {
                   return "{'metadata':{'name':'c'},'spec':{'devices':{'requests':[{'name':'r',"
                          "'exactly':{'deviceClassName':'d','allocationMode':'All',"
                          "'tolerations':" +
                          List("{'key':'k#','operator':'Exists'}") + "}}]}}}";
                 }},
        ListCase{"ServicePorts", "services",
                 [] {
                   return "{'metadata':{'name':'s'},'spec':{'type':'ClusterIP','sessionAffinity':"
                          "'None','ports':" +
                          List("{'name':'p#','port':80,'protocol':'TCP'}") + "}}";
                 }}),
    [](const auto& test) { return test.param.name; });

TEST(LongLists, OfOwnersAreQuotedOnceForAllErrors) {
  const auto errors = ErrorsOf(
      "configmaps", "{'metadata':{'name':'m','ownerReferences':" +
                        List("{'apiVersion':'v1','kind':'K','name':'n','uid':'#','controller':"
                             "true}") +
                        "}}");
  ASSERT_EQ(errors.size(), api::kMaxReportedErrors + 1);
  EXPECT_EQ(errors.back().message, std::to_string(kMany - 1 - 100) + " more errors");
}

TEST(LongLists, OfUnknownDeviceClaimsNameTheKnownOnesOnce) {
  const auto errors = ErrorsOf(
      "pods", Pod("'resourceClaims':" + List("{'name':'c#','resourceClaimName':'x'}") + ",",
                  ",'resources':{'claims':" + List("{'name':'d#'}", true) + "}"));
  ASSERT_EQ(errors.size(), api::kMaxReportedErrors + 1);
  EXPECT_LT(errors[0].message.size(), api::kMaxQuotedBytes + 200);
}

TEST(LongLists, OfDevicesAreNotLookedAtBeyondTheirLimit) {
  const std::string slice =
      "{'metadata':{'name':'s'},'spec':{'driver':'d','nodeName':'n','pool':{'name':'p',"
      "'resourceSliceCount':1},'devices':";
  EXPECT_EQ(ErrorsOf("resourceslices.resource.k8s.io", slice + List("{'name':'D'}") + "}}").size(),
            1u);
  std::string attributes;
  for (int i = 0; i < kMany; ++i) attributes += ",'-" + std::to_string(i) + "':{}";
  const auto errors = ErrorsOf("resourceslices.resource.k8s.io",
                               slice + "[{'name':'d','attributes':{'a':{}" + attributes + "}}]}}");
  ASSERT_EQ(errors.size(), api::kMaxReportedErrors + 1);
}

TEST(LongLists, OfFinalizersAreComparedWithTheOldOnes) {
  const std::string head = "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z','finalizers':";
  EXPECT_TRUE(
      UpdateErrorsOf("configmaps", head + List("'f/#'") + "}}", head + List("'f/#'", true) + "}}")
          .empty());
  const auto errors =
      UpdateErrorsOf("configmaps", head + List("'f/#'") + "}}", head + List("'g/#'") + "}}");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_LT(errors[0].message.size(), api::kMaxQuotedBytes + 100);
}

TEST(LongLists, OfPodsMayBeReordered) {
  const auto reorder = [](const std::string& field, const std::string& element,
                          const std::string& end = "") {
    return UpdateErrorsOf("pods", Pod(field + List(element) + end + ","),
                          Pod(field + List(element, true) + end + ","));
  };
  EXPECT_TRUE(reorder("'tolerations':", "{'key':'k#','operator':'Exists'}").empty());
  EXPECT_TRUE(reorder("'schedulingGates':", "{'name':'g#'}").empty());
  EXPECT_TRUE(reorder("'schedulingGates':[{'name':'g'}],'affinity':{'nodeAffinity':"
                      "{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':"
                      "[{'matchExpressions':",
                      "{'key':'k#','operator':'Exists'}", "}]}}}")
                  .empty());
}

TEST(LongLists, OfNullsAreDropped) {
  std::string text = "{'a':0,";
  for (int i = 0; i < kMany; ++i) text += "'" + std::to_string(i) + "':null,";
  api::Json document = registry::Doc(text + "'z':1}");
  DropNulls(document.get_object());
  EXPECT_EQ(document, registry::Doc("{'a':0,'z':1}"));
}

TEST(LongLists, OfUnknownFieldsAreRestoredInAStatusUpdate) {
  std::string text = "{'status':{'phase':'Running'}";
  for (int i = 0; i < kMany; ++i) text += ",'" + std::to_string(i) + "':1";
  const api::Json before = registry::Doc("{'metadata':{'name':'a'},'spec':{'x':1}}");
  api::Json after = registry::Doc(text + "}");
  PrepareForUpdate(api::scheme::KindOf("pods"), "status", before.get_object(), after.get_object());
  EXPECT_EQ(after, registry::Doc("{'status':{'phase':'Running'},'spec':{'x':1},'metadata':{}}"));
}

TEST(LongLists, OfLabelKeysAreMergedOnce) {
  std::string labels = "{";
  for (int i = 0; i < kMany; ++i) labels += "'k" + std::to_string(i) + "':'v',";
  labels.back() = '}';
  api::Json pod =
      registry::Doc("{'metadata':{'labels':" + labels +
                    "},'spec':{'topologySpreadConstraints':[{'labelSelector':{'matchExpressions':" +
                    List("{'values':['v'],'key':'k#','operator':'In'}") +
                    "},'matchLabelKeys':" + List("'k#'", true) + "}]}}");
  const api::Json before = pod;
  MergeLabelKeys(pod.get_object());
  EXPECT_EQ(pod, before);
}

TEST(LongLists, OfServicePortsRetainTheirNodePorts) {
  registry::ApiFixture fixture;
  const api::scheme::Kind& services = api::scheme::KindOf("services");
  const std::string head =
      "{'metadata':{'name':'s'},'spec':{'type':'NodePort','clusterIP':'None',"
      "'ports':";
  const api::Json before =
      registry::Doc(head + List("{'port':#,'protocol':'TCP','nodePort':30000}") + "}}");
  api::Json after = registry::Doc(head + List("{'port':#,'protocol':'TCP'}", true) + "}}");
  PriorityClasses priorities;
  AdmissionContext context{*fixture.store, priorities, fixture.clock.Now(), Random(1)};
  EXPECT_EQ(
      registry::ErrorOf(AdmitUpdate(context, services, before.get_object(), after.get_object())),
      "ok");
  EXPECT_EQ(after.at("spec").at("ports").as_array()[7].at("nodePort"), api::Json(30000));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
