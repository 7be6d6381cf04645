#include "api/json/claim_document.h"

#include <gtest/gtest.h>

#include <memory>

#include "api/json/decode.h"
#include "api/json/parse.h"
#include "api/json/writer.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

std::string Canonical(std::string_view text) {
  const auto document = ParseJson(text);
  return document ? ToCanonicalJson(*document) : document.error().message;
}

ResourceClaim Decoded(std::string_view text) {
  const auto claim = DecodeJsonAs<ResourceClaim>(text);
  EXPECT_TRUE(claim.has_value()) << claim.error().message;
  return **claim;
}

std::string Written(const ResourceClaim& claim) {
  const auto document = ClaimDocument(claim);
  return document ? Canonical(*document) : document.error().message;
}

AllocationResult Allocation(const char* device) {
  AllocationResult allocation;
  DeviceRequestAllocationResult result;
  result.request = "gpu";
  result.driver = "gpu.example.com";
  result.pool = "n1";
  result.device = device;
  allocation.results.push_back(result);
  return allocation;
}

constexpr const char* kPending = R"({"metadata":{"name":"c","namespace":"n","uid":"u",)"
                                 R"("resourceVersion":"7","selfLink":"kept"},)"
                                 R"("spec":{"devices":{"future":[1.5]}}})";

TEST(ClaimDocumentTest, AnUnchangedClaimIsItsRawJson) {
  EXPECT_EQ(Written(Decoded(kPending)),
            Canonical(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)"
                      R"("metadata":{"name":"c","namespace":"n","uid":"u","resourceVersion":"7",)"
                      R"("selfLink":"kept"},"spec":{"devices":{"future":[1.5]}}})"));
}

TEST(ClaimDocumentTest, AFinalizerIsAdded) {
  ResourceClaim claim = Decoded(kPending);
  claim.metadata.finalizers.emplace_back("resource.kubernetes.io/delete-protection");
  EXPECT_EQ(Written(claim),
            Canonical(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)"
                      R"("metadata":{"name":"c","namespace":"n","uid":"u","resourceVersion":"7",)"
                      R"("selfLink":"kept","finalizers":)"
                      R"(["resource.kubernetes.io/delete-protection"]},)"
                      R"("spec":{"devices":{"future":[1.5]}}})"));
}

TEST(ClaimDocumentTest, AFinalizerIsRemoved) {
  ResourceClaim claim = Decoded(R"({"metadata":{"name":"c","finalizers":["a","b"]}})");
  claim.metadata.finalizers = {"b"};
  EXPECT_NE(Written(claim).find(R"("finalizers":["b"])"), std::string::npos);
  claim.metadata.finalizers = {};
  EXPECT_EQ(Written(claim).find("finalizers"), std::string::npos);
}

TEST(ClaimDocumentTest, AnAllocationAndAReservationAreAdded) {
  ResourceClaim claim = Decoded(kPending);
  claim.status.allocation = Allocation("gpu-0");
  claim.status.allocation->allocation_timestamp = Instant::FromUnixSeconds(1767225600);
  claim.status.reserved_for.push_back({"", "pods", "web", "pu"});
  EXPECT_EQ(Written(claim),
            Canonical(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)"
                      R"("metadata":{"name":"c","namespace":"n","uid":"u","resourceVersion":"7",)"
                      R"("selfLink":"kept"},"spec":{"devices":{"future":[1.5]}},)"
                      R"("status":{"allocation":{"devices":{"results":[{"request":"gpu",)"
                      R"("driver":"gpu.example.com","pool":"n1","device":"gpu-0"}]},)"
                      R"("allocationTimestamp":"2026-01-01T00:00:00Z"},)"
                      R"("reservedFor":[{"resource":"pods","name":"web","uid":"pu"}]}})"));
}

constexpr const char* kAllocated =
    R"({"metadata":{"name":"c"},"spec":{},"status":{"allocation":{"future":true,"devices":)"
    R"({"results":[{"request":"gpu","driver":"d","pool":"p","device":"x","future":1}]}},)"
    R"("reservedFor":[{"resource":"pods","name":"a","uid":"au"}],)"
    R"("devices":[{"driver":"d","pool":"p","device":"x","data":{"ip":"::1"}}],"future":2}})";

// Another pod uses an allocated claim: what others have written remains.
TEST(ClaimDocumentTest, AReservationKeepsTheAllocation) {
  ResourceClaim claim = Decoded(kAllocated);
  claim.status.reserved_for.push_back({"", "pods", "b", "bu"});
  claim.status.allocation->allocation_timestamp = Instant::FromUnixSeconds(1767225600);
  EXPECT_EQ(
      Written(claim),
      Canonical(
          R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},)"
          R"("spec":{},"status":{"allocation":{"future":true,"devices":)"
          R"({"results":[{"request":"gpu","driver":"d","pool":"p","device":"x","future":1}]},)"
          R"("allocationTimestamp":"2026-01-01T00:00:00Z"},)"
          R"("reservedFor":[{"resource":"pods","name":"a","uid":"au"},)"
          R"({"resource":"pods","name":"b","uid":"bu"}],)"
          R"("devices":[{"driver":"d","pool":"p","device":"x","data":{"ip":"::1"}}],"future":2}})"));
}

TEST(ClaimDocumentTest, ADeallocationRemovesWhatBelongsToTheAllocation) {
  ResourceClaim claim = Decoded(kAllocated);
  claim.status = {};
  EXPECT_EQ(Written(claim),
            Canonical(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)"
                      R"("metadata":{"name":"c"},"spec":{},"status":{"future":2}})"));
}

TEST(ClaimDocumentTest, AClaimToCreateHasNoIdentity) {
  ResourceClaim claim;
  claim.metadata.name = "<extended-resources>";
  claim.metadata.namespace_ = "n";
  claim.metadata.uid = "temporary";
  claim.metadata.annotations = {{"a", "b"}};
  claim.metadata.finalizers = {"f"};
  claim.status.allocation = Allocation("gpu-0");
  const auto document = NewClaimDocument(claim, "web-extended-resources-");
  ASSERT_TRUE(document.has_value()) << document.error().message;
  EXPECT_EQ(Canonical(*document),
            Canonical(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)"
                      R"("metadata":{"generateName":"web-extended-resources-","namespace":"n",)"
                      R"("annotations":{"a":"b"}},"spec":{}})"));
}

TEST(ClaimDocumentTest, ThePatchIsThatOfKubeScheduler) {
  EXPECT_EQ(UnreservePatch("cu", "p\"u"),
            R"({"metadata": {"uid": "cu"}, "status": { "reservedFor": [ )"
            R"({"$patch": "delete", "uid": "p\"u"} ] }})");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
