// Protobuf bodies, written byte by byte as Go clients send them.
#include "api/protobuf/to_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <string>

namespace berth::api::protobuf {
namespace BERTH_TEST_FILE {

using boost::json::parse;
using boost::json::serialize;
using testing::HasSubstr;
using std::string_literals::operator""s;

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string Int(uint64_t number, int64_t value) {
  return Varint(number << 3) + Varint(static_cast<uint64_t>(value));
}

std::string Bytes(uint64_t number, const std::string& bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::string Entry(uint64_t number, const std::string& key, const std::string& value) {
  return Bytes(number, Bytes(1, key) + Bytes(2, value));
}

std::string Body(const std::string& api_version, const std::string& kind,
                 const std::string& object) {
  return "k8s\0"s + Bytes(1, Bytes(1, api_version) + Bytes(2, kind)) + Bytes(2, object) +
         Bytes(3, "") + Bytes(4, "");
}

// What Go's encoder writes of an ObjectMeta with only name and namespace.
std::string Meta(const std::string& name, const std::string& namespace_) {
  return Bytes(1, name) + Bytes(2, "") + Bytes(3, namespace_) + Bytes(4, "") + Bytes(5, "") +
         Bytes(6, "") + Int(7, 0) + Bytes(8, "");
}

void ExpectBody(const std::string& body, const char* want) {
  const auto got = DecodeToJson(body);
  ASSERT_TRUE(got.has_value()) << got.error();
  EXPECT_EQ(*got, parse(want)) << serialize(*got);
}

void ExpectError(const std::string& body, const char* part) {
  const auto got = DecodeToJson(body);
  ASSERT_FALSE(got.has_value()) << serialize(*got);
  EXPECT_THAT(got.error(), HasSubstr(part));
}

TEST(ProtobufBody, BindingOfTheScheduler) {
  const std::string target = Bytes(1, "Node") + Bytes(2, "") + Bytes(3, "node-7") + Bytes(4, "") +
                             Bytes(5, "") + Bytes(6, "") + Bytes(7, "");
  const std::string meta = Bytes(1, "web") + Bytes(2, "") + Bytes(3, "default") + Bytes(4, "") +
                           Bytes(5, "0b3c") + Bytes(6, "") + Int(7, 0) + Bytes(8, "");
  ExpectBody(Body("v1", "Binding", Bytes(1, meta) + Bytes(2, target)),
             R"({"kind":"Binding","apiVersion":"v1",
                 "metadata":{"name":"web","namespace":"default","uid":"0b3c"},
                 "target":{"kind":"Node","name":"node-7"}})");
}

TEST(ProtobufBody, LeaseCandidate) {
  const std::string spec = Bytes(1, "kube-scheduler") +
                           Bytes(3, Int(1, 1'777'636'801) + Int(2, 5'000)) + Bytes(4, "1.36.0") +
                           Bytes(5, "1.35.0") + Bytes(6, "OldestEmulationVersion");
  ExpectBody(Body("coordination.k8s.io/v1beta1", "LeaseCandidate",
                  Bytes(1, Meta("host_1", "kube-system")) + Bytes(2, spec)),
             R"({"kind":"LeaseCandidate","apiVersion":"coordination.k8s.io/v1beta1",
                 "metadata":{"name":"host_1","namespace":"kube-system"},
                 "spec":{"leaseName":"kube-scheduler","renewTime":"2026-05-01T12:00:01.000005Z",
                         "binaryVersion":"1.36.0","emulationVersion":"1.35.0",
                         "strategy":"OldestEmulationVersion"}})");
}

TEST(ProtobufBody, Lease) {
  const std::string time = Int(1, 1'777'636'800) + Int(2, 123'456'789);
  const std::string spec = Bytes(1, "host_1") + Int(2, 15) + Bytes(3, time) +
                           Bytes(4, Int(1, 1'777'636'801) + Int(2, 0)) + Int(5, 0);
  ExpectBody(Body("coordination.k8s.io/v1", "Lease",
                  Bytes(1, Meta("kube-scheduler", "kube-system")) + Bytes(2, spec)),
             R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",
                 "metadata":{"name":"kube-scheduler","namespace":"kube-system"},
                 "spec":{"holderIdentity":"host_1","leaseDurationSeconds":15,
                         "acquireTime":"2026-05-01T12:00:00.123456Z",
                         "renewTime":"2026-05-01T12:00:01.000000Z","leaseTransitions":0}})");
}

TEST(ProtobufBody, ReleasedLeaseRetainsItsEmptyHolder) {
  ExpectBody(Body("coordination.k8s.io/v1", "Lease", Bytes(2, Bytes(1, ""))),
             R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",
                 "spec":{"holderIdentity":""}})");
}

TEST(ProtobufBody, EventsOfBothGroups) {
  const std::string regarding = Bytes(1, "Pod") + Bytes(2, "default") + Bytes(3, "web") +
                                Bytes(4, "u") + Bytes(5, "v1") + Bytes(6, "9") + Bytes(7, "");
  ExpectBody(
      Body("events.k8s.io/v1", "Event",
           Bytes(1, Meta("web.1", "default")) + Bytes(2, Int(1, 1'777'636'800) + Int(2, 5'000)) +
               Bytes(4, "default-scheduler") + Bytes(5, "host") + Bytes(6, "Binding") +
               Bytes(7, "Scheduled") + Bytes(8, regarding) + Bytes(10, "done") +
               Bytes(11, "Normal") + Bytes(12, Bytes(1, "") + Bytes(2, "")) + Bytes(13, "") +
               Bytes(14, "") + Int(15, 0)),
      R"({"kind":"Event","apiVersion":"events.k8s.io/v1",
                 "metadata":{"name":"web.1","namespace":"default"},
                 "eventTime":"2026-05-01T12:00:00.000005Z",
                 "reportingController":"default-scheduler","reportingInstance":"host",
                 "action":"Binding","reason":"Scheduled",
                 "regarding":{"kind":"Pod","namespace":"default","name":"web","uid":"u",
                              "apiVersion":"v1","resourceVersion":"9"},
                 "note":"done","type":"Normal"})");
  ExpectBody(Body("v1", "Event",
                  Bytes(1, Meta("web.1", "default")) + Bytes(2, regarding) + Bytes(3, "Failed") +
                      Bytes(5, Bytes(1, "kubelet") + Bytes(2, "node")) +
                      Bytes(6, Int(1, 1'777'636'800) + Int(2, 0)) + Int(8, 3) +
                      Bytes(10, Int(1, 0) + Int(2, 0))),
             R"({"kind":"Event","apiVersion":"v1",
                 "metadata":{"name":"web.1","namespace":"default"},
                 "involvedObject":{"kind":"Pod","namespace":"default","name":"web","uid":"u",
                              "apiVersion":"v1","resourceVersion":"9"},
                 "reason":"Failed","source":{"component":"kubelet","host":"node"},
                 "firstTimestamp":"2026-05-01T12:00:00Z","count":3})");
}

TEST(ProtobufBody, DeleteOptionsOfAnyGroup) {
  ExpectBody(
      "k8s\0"s + Bytes(1, Bytes(1, "v1") + Bytes(2, "DeleteOptions")) + Bytes(3, "") + Bytes(4, ""),
      R"({"kind":"DeleteOptions","apiVersion":"v1"})");
  ExpectBody(Body("apps/v1", "DeleteOptions",
                  Int(1, 0) + Bytes(2, Bytes(1, "u")) + Bytes(4, "Background") + Bytes(5, "All")),
             R"({"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0,
                 "preconditions":{"uid":"u"},"propagationPolicy":"Background","dryRun":["All"]})");
}

TEST(ProtobufBody, DeploymentWithoutReplicas) {
  const std::string container =
      Bytes(1, "web") + Bytes(2, "nginx") + Bytes(6, Int(2, 0) + Int(3, 80) + Bytes(4, "TCP")) +
      Bytes(7, Bytes(1, "A") + Bytes(2, "1")) +
      Bytes(8, Entry(1, "cpu", Bytes(1, "500m")) + Entry(2, "cpu", Bytes(1, "1"))) +
      Bytes(10, Bytes(1, Bytes(2, Bytes(1, "/") +
                                      Bytes(2, Int(1, 1) + Int(2, 0) + Bytes(3, "http"))))) +
      Int(16, 0);
  const std::string template_ =
      Bytes(1, Entry(11, "app", "web")) +
      Bytes(2, Bytes(1, Bytes(1, "scratch") + Bytes(2, Bytes(2, Bytes(1, "")))) +
                   Bytes(2, container) + Int(4, 0) + Int(11, 0));
  const std::string strategy = Bytes(2, Bytes(1, Int(1, 0) + Int(2, 0) + Bytes(3, "")) +
                                            Bytes(2, Int(1, 1) + Int(2, 0) + Bytes(3, "25%")));
  const std::string spec = Int(1, 0) + Bytes(2, Entry(1, "app", "web")) + Bytes(3, template_) +
                           Bytes(4, Bytes(1, "") + strategy) + Int(5, 0) + Int(7, 0);
  ExpectBody(Body("apps/v1", "Deployment",
                  Bytes(1, Meta("web", "default")) + Bytes(2, spec) + Bytes(3, Int(1, 0))),
             R"({"kind":"Deployment","apiVersion":"apps/v1",
                 "metadata":{"name":"web","namespace":"default"},
                 "spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},
                   "template":{"metadata":{"labels":{"app":"web"}},
                     "spec":{"volumes":[{"name":"scratch","emptyDir":{}}],
                       "containers":[{"name":"web","image":"nginx",
                         "ports":[{"containerPort":80,"protocol":"TCP"}],
                         "env":[{"name":"A","value":"1"}],
                         "resources":{"limits":{"cpu":"500m"},"requests":{"cpu":"1"}},
                         "livenessProbe":{"httpGet":{"path":"/","port":"http"}}}],
                       "terminationGracePeriodSeconds":0}},
                   "strategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":"25%"}}}})");
}

TEST(ProtobufBody, OwnersSecretsAndPriorityClasses) {
  const std::string owner = Bytes(1, "ReplicaSet") + Bytes(3, "rs") + Bytes(4, "u") +
                            Bytes(5, "apps/v1") + Int(6, 0) + Int(7, 1);
  ExpectBody(Body("v1", "Secret",
                  Bytes(1, Bytes(1, "s") + Bytes(13, owner) + Bytes(14, "f")) +
                      Entry(2, "key", "\x00\xff\x10z"s) + Entry(2, "none", "") + Int(5, 0)),
             R"({"kind":"Secret","apiVersion":"v1",
                 "metadata":{"name":"s","finalizers":["f"],"ownerReferences":[
                   {"kind":"ReplicaSet","name":"rs","uid":"u","apiVersion":"apps/v1",
                    "controller":false,"blockOwnerDeletion":true}]},
                 "data":{"key":"AP8Qeg==","none":""},"immutable":false})");
  ExpectBody(Body("scheduling.k8s.io/v1", "PriorityClass", Int(2, -5) + Int(3, 0)),
             R"({"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","value":-5})");
}

TEST(ProtobufBody, ReviewsAndDynamicResources) {
  ExpectBody(
      Body("authorization.k8s.io/v1", "SelfSubjectAccessReview",
           Bytes(1, Meta("", "")) +
               Bytes(2, Bytes(1, Bytes(1, "default") + Bytes(2, "create") + Bytes(5, "pods"))) +
               Bytes(3, Int(1, 0) + Bytes(2, "") + Int(4, 0))),
      R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1",
                 "spec":{"resourceAttributes":{"namespace":"default","verb":"create",
                                               "resource":"pods"}},
                 "status":{"allowed":false}})");
  ExpectBody(Body("authentication.k8s.io/v1", "TokenReview",
                  Bytes(3, Bytes(2, Bytes(1, "jane") +
                                        Bytes(4, Bytes(1, "scopes") +
                                                     Bytes(2, Bytes(1, "a") + Bytes(1, "b")))))),
             R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1",
                 "status":{"user":{"username":"jane","extra":{"scopes":["a","b"]}}}})");
  const std::string opaque = Bytes(1, "gpu.example.com") + Bytes(2, Bytes(1, R"({"shared":true})"));
  ExpectBody(
      Body("resource.k8s.io/v1", "DeviceClass", Bytes(2, Bytes(2, Bytes(1, Bytes(1, opaque))))),
      R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1",
                 "spec":{"config":[{"opaque":{"driver":"gpu.example.com",
                                              "parameters":{"shared":true}}}]}})");
}

TEST(ProtobufBody, SkipsFieldsOfLaterVersions) {
  ExpectBody(Body("v1", "Namespace",
                  Bytes(1, Bytes(1, "a") + Int(900, 1) + Varint(901 << 3 | 5) + "\1\2\3\4" +
                               Varint(902 << 3 | 1) + "\1\2\3\4\5\6\7\10")),
             R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a"}})");
}

TEST(ProtobufBody, UnpacksPackedNumbers) {
  const std::string action = Bytes(1, "In") + Bytes(2, Varint(1) + Varint(300));
  const std::string rule = Bytes(1, "Restart") + Bytes(2, action);
  ExpectBody(Body("v1", "Pod", Bytes(2, Bytes(2, Bytes(25, rule)))),
             R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"restartPolicyRules":[
                 {"action":"Restart","exitCodes":{"operator":"In","values":[1,300]}}]}]}})");
}

TEST(ProtobufBody, ErrorsOfMalformedBodiesNameTheField) {
  const std::string good = Body("v1", "Namespace", Bytes(1, Meta("a", "")));
  ExpectError("", "6b 38 73 00");
  ExpectError("{}", "6b 38 73 00");
  ExpectError("k8s\0"s, "kind");
  ExpectError(Body("v1", "Unicorn", ""), "Unicorn of v1");
  ExpectError(Body("example.com/v1", "Pod", ""), "Pod of example.com/v1");
  ExpectError("k8s\0"s + Bytes(3, "gzip"), "content encoding");
  ExpectError(Body("v1", "Namespace", Bytes(1, Varint(1 << 3 | 2) + Varint(100) + "abc")),
              "metadata: meta.ObjectMeta: a value of 100 bytes is cut off after 3");
  ExpectError(Body("v1", "Namespace", Bytes(1, Varint(7 << 3) + std::string(11, '\xff'))),
              "varint is too long");
  ExpectError(Body("v1", "Namespace", Bytes(1, Varint(7 << 3) + "\xff")), "varint is cut off");
  ExpectError(Body("v1", "Namespace", Bytes(1, Int(1, 5))),
              "name: the value is a varint instead of length-delimited");
  ExpectError(Body("v1", "Namespace", Bytes(1, Bytes(7, "x"))), "generation: the value is");
  ExpectError(Body("v1", "Namespace", Int(1, 5)), "metadata: a message is a varint");
  ExpectError(Body("v1", "Namespace", Bytes(1, Int(11, 5))), "labels: an entry of a map");
  ExpectError(Body("v1", "Namespace", Bytes(1, Entry(11, "a", "\xff"))), "labels: [a]: a string");
  ExpectError(Body("v1", "Namespace", Varint(1 << 3 | 3)), "wire type 3");
  ExpectError(Body("v1", "Namespace", "\0"s), "no field number 0");
  ExpectError(Body("v1", "Namespace", Bytes(1, Bytes(8, Int(1, INT64_MAX)))), "out of range");
  ExpectError(Body("v1", "Namespace", Bytes(1, Bytes(17, Bytes(7, Bytes(1, "{"))))), "not JSON");
}

// Reports whether each member of `part` is in `whole`, with the same value or a part of it.
bool IsPartOf(const Json& part, const Json& whole) {
  if (!part.is_object()) return part == whole;
  if (!whole.is_object()) return false;
  return std::ranges::all_of(part.get_object(), [&](const auto& member) {
    const Json* value = whole.get_object().if_contains(member.key());
    return value != nullptr && IsPartOf(member.value(), *value);
  });
}

std::string PodBody() {
  return Body("v1", "Pod",
              Bytes(1, Meta("a", "b")) + Bytes(2, Bytes(2, Bytes(1, "c") + Bytes(2, "d"))));
}

TEST(ProtobufBody, CutOffAnywhereIsAnErrorOrAPartOfTheDocument) {
  const std::string body = PodBody();
  const auto whole = DecodeToJson(body);
  ASSERT_TRUE(whole.has_value()) << whole.error();
  size_t errors = 0;
  for (size_t size = 0; size < body.size(); ++size) {
    const auto got = DecodeToJson(std::string_view(body).substr(0, size));
    if (got) {
      EXPECT_TRUE(IsPartOf(*got, *whole)) << size << " bytes: " << serialize(*got);
    } else {
      EXPECT_NE(got.error(), "") << size << " bytes";
      ++errors;
    }
  }
  // The prefixes that end between the fields of the envelope are valid: after typeMeta, the object,
  // and contentEncoding (contentType is the last).
  EXPECT_EQ(errors, body.size() - 3);
}

TEST(ProtobufBody, WithADamagedByteIsAnErrorOrADocument) {
  const std::string body = PodBody();
  size_t documents = 0, errors = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    for (const char byte : {'\x00', '\x7f', '\x80', '\xff'}) {
      std::string damaged = body;
      damaged[i] = byte;
      const auto got = DecodeToJson(damaged);
      if (got) {
        EXPECT_TRUE(got->is_object()) << serialize(*got);
        ++documents;
      } else {
        EXPECT_NE(got.error(), "") << "byte " << i;
        ++errors;
      }
    }
  }
  EXPECT_GT(documents, 0U);
  EXPECT_GT(errors, 0U);
}

TEST(ProtobufBody, DeepNestingDoesNotOverflowTheStack) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes = Bytes(1, bytes);
  const auto got = DecodeToJson(Body("v1", "Namespace", bytes));
  ASSERT_FALSE(got.has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::protobuf
