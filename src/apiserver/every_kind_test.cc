// Every kind that is served can be created, read, listed, watched, patched, printed and deleted, in
// JSON and in protobuf.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>

#include "api/json/document.h"
#include "api/json/view.h"
#include "api/json/writer.h"
#include "api/protobuf/from_json.h"
#include "api/protobuf/to_json.h"
#include "api/scheme/scheme.h"
#include "apiserver/handler.h"
#include "apiserver/handler_testing.h"
#include "apiserver/store/store.h"
#include "testing/require.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

using api::scheme::Kind;
using testing::HasSubstr;

// The least that a valid object of a kind has besides its name, by version and resource.
#define TEMPLATE                                                                         \
  R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},)" \
  R"("spec":{"containers":[{"name":"c","image":"i"}]}})"
#define JOB \
  R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})"
#define ROLE R"("roleRef":{"kind":"ClusterRole","name":"r"})"
#define WEBHOOK                                                                         \
  R"({"name":"a.example.com","clientConfig":{"url":"https://a"},"sideEffects":"None",)" \
  R"("admissionReviewVersions":["v1"]})"
#define CAPACITY R"("capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)"

const std::map<std::string, std::string>& MinimalObjects() {
  static const std::map<std::string, std::string> objects = {
      {"v1/events", R"("involvedObject":{"namespace":"default"})"},
      {"v1/persistentvolumeclaims",
       R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}})"},
      {"v1/persistentvolumes", R"("spec":{)" CAPACITY R"("hostPath":{"path":"/x"}})"},
      {"v1/pods", R"("spec":{"containers":[{"name":"c","image":"i"}]})"},
      {"v1/replicationcontrollers",
       R"("spec":{"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},)"
       R"("spec":{"containers":[{"name":"c","image":"i"}]}}})"},
      {"v1/services", R"("spec":{"ports":[{"port":80}]})"},
      {"admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
       R"("webhooks":[)" WEBHOOK "]"},
      {"admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
       R"("webhooks":[)" WEBHOOK "]"},
      {"admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
       R"("spec":{"policyName":"p","validationActions":["Deny"]})"},
      {"apiextensions.k8s.io/v1/customresourcedefinitions",
       R"("spec":{"group":"example.com","scope":"Namespaced",)"
       R"("names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,)"
       R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]})"},
      {"apiregistration.k8s.io/v1/apiservices",
       R"("spec":{"group":"example.com","version":"v1","groupPriorityMinimum":1,)"
       R"("versionPriority":1})"},
      {"apps/v1/controllerrevisions", R"("revision":1)"},
      {"apps/v1/daemonsets", R"("spec":{)" TEMPLATE "}"},
      {"apps/v1/deployments", R"("spec":{)" TEMPLATE "}"},
      {"apps/v1/replicasets", R"("spec":{)" TEMPLATE "}"},
      {"apps/v1/statefulsets", R"("spec":{)" TEMPLATE "}"},
      {"autoscaling/v1/horizontalpodautoscalers",
       R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"w"},"maxReplicas":3})"},
      {"autoscaling/v2/horizontalpodautoscalers",
       R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"w"},"maxReplicas":3})"},
      {"batch/v1/cronjobs", R"("spec":{"schedule":"* * * * *","jobTemplate":{"spec":{)" JOB "}}}"},
      {"batch/v1/jobs", R"("spec":{)" JOB "}"},
      {"certificates.k8s.io/v1/certificatesigningrequests",
       R"("spec":{"request":"AAAA","signerName":"example.com/s","usages":["client auth"]})"},
      {"discovery.k8s.io/v1/endpointslices", R"("addressType":"IPv4","endpoints":[])"},
      {"events.k8s.io/v1/events",
       R"("eventTime":"2026-05-01T12:00:00.000000Z","reportingController":"c",)"
       R"("reportingInstance":"i","action":"a","reason":"r","regarding":{"namespace":"default"})"},
      {"flowcontrol.apiserver.k8s.io/v1/flowschemas",
       R"("spec":{"priorityLevelConfiguration":{"name":"p"}})"},
      {"flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
       R"("spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}})"},
      {"networking.k8s.io/v1/ingresses",
       R"("spec":{"rules":[{"http":{"paths":[{"path":"/","pathType":"Prefix","backend":)"
       R"({"service":{"name":"s","port":{"number":80}}}}]}}]})"},
      {"networking.k8s.io/v1/ingressclasses", R"("spec":{"controller":"example.com/c"})"},
      {"networking.k8s.io/v1/ipaddresses",
       R"("spec":{"parentRef":{"resource":"services","namespace":"default","name":"s"}})"},
      {"networking.k8s.io/v1/networkpolicies", R"("spec":{"podSelector":{}})"},
      {"networking.k8s.io/v1/servicecidrs", R"("spec":{"cidrs":["10.0.0.0/24"]})"},
      {"node.k8s.io/v1/runtimeclasses", R"("handler":"h")"},
      {"rbac.authorization.k8s.io/v1/clusterrolebindings", ROLE},
      {"rbac.authorization.k8s.io/v1/rolebindings", ROLE},
      {"coordination.k8s.io/v1beta1/leasecandidates",
       R"("spec":{"leaseName":"l","binaryVersion":"1.36.0","emulationVersion":"1.36.0",)"
       R"("strategy":"OldestEmulationVersion"})"},
      {"resource.k8s.io/v1/resourceslices",
       R"("spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"p","generation":1,)"
       R"("resourceSliceCount":1}})"},
      {"scheduling.k8s.io/v1/priorityclasses", R"("value":1)"},
      {"scheduling.k8s.io/v1alpha2/podgroups", R"("spec":{"schedulingPolicy":{"basic":{}}})"},
      {"scheduling.k8s.io/v1alpha2/workloads",
       R"("spec":{"podGroupTemplates":[{"name":"t","schedulingPolicy":{"basic":{}}}]})"},
      {"storage.k8s.io/v1/csidrivers", R"("spec":{})"},
      {"storage.k8s.io/v1/csinodes", R"("spec":{"drivers":[]})"},
      {"storage.k8s.io/v1/csistoragecapacities", R"("storageClassName":"s")"},
      {"storage.k8s.io/v1/storageclasses", R"("provisioner":"p.example.com")"},
      {"storage.k8s.io/v1/volumeattachments",
       R"("spec":{"attacher":"a.example.com","nodeName":"n",)"
       R"("source":{"persistentVolumeName":"v"}})"},
      {"storage.k8s.io/v1/volumeattributesclasses", R"("driverName":"d.example.com")"},
  };
  return objects;
}

std::string KeyOf(const Kind& kind) {
  return fmt::format("{}/{}", kind.api_version(), kind.resource);
}

std::string NameFor(const Kind& kind) {
  if (kind.kind == "APIService") return "v1.example.com";
  if (kind.kind == "CustomResourceDefinition") return "things.example.com";
  return kind.kind == "IPAddress" ? "10.96.0.77" : "subject";
}

std::string MinimalObject(const Kind& kind) {
  const auto found = MinimalObjects().find(KeyOf(kind));
  const std::string rest = found == MinimalObjects().end() ? "" : "," + found->second;
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"}}{}}})",
                     kind.api_version(), kind.kind, NameFor(kind), rest);
}

bool HasVerb(const Kind& kind, std::string_view verb) {
  return std::ranges::find(kind.verbs, verb) != kind.verbs.end();
}

// Removes pods at once, and dependents later.
constexpr const char* kDelete = "?gracePeriodSeconds=0&propagationPolicy=Background";
constexpr const char* kJson = "application/json";
constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

class EveryKind : public testing::Test {
 protected:
  std::shared_ptr<RecordingExchange> Ask(std::string method, std::string target,
                                         std::string body = "", std::string type = kJson,
                                         std::string accept = kJson) {
    net::ServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = {{"Content-Type", std::move(type)}, {"Accept", std::move(accept)}};
    return Send(handler_, std::move(request));
  }
  api::Json Json(const RecordingExchange& exchange, int status) {
    EXPECT_EQ(exchange.status, status) << exchange.body;
    return boost::json::parse(exchange.body);
  }

  static std::string Collection(const Kind& kind) {
    return fmt::format("/{}/{}{}/{}", kind.group.empty() ? "api" : "apis", kind.api_version(),
                       kind.namespaced ? "/namespaces/default" : "", kind.resource);
  }
  static std::string Object(const Kind& kind) { return Collection(kind) + "/" + NameFor(kind); }

  // Calls `use` for each stored kind with an object of it, and deletes the object.
  template <typename Use>
  void ForEachKind(const Use& use) {
    for (const Kind& kind : api::scheme::Kinds()) {
      if (!kind.stored || !HasVerb(kind, "create")) continue;
      SCOPED_TRACE(KeyOf(kind));
      const auto created =
          Ask("POST", Collection(kind) + "?fieldValidation=Strict", MinimalObject(kind));
      EXPECT_EQ(created->status, 201) << created->body;
      if (created->status != 201) continue;
      use(kind);
      Ask("DELETE", Object(kind) + kDelete);
    }
  }

  SimClock clock_{Instant::FromUnixSeconds(1'767'225'600)};
  std::unique_ptr<store::Store> store_ =
      Require(store::Store::Open({.collections = api::scheme::CollectionNames()}, nullptr));
  registry::Api api_{*store_, clock_, 1, {true, true, true}};
  Handler handler_{api_, registry::Access({}), clock_, clock_};
};

TEST_F(EveryKind, IsReadAndListedInItsOwnVersion) {
  ForEachKind([&](const Kind& kind) {
    const api::Json object = Json(*Ask("GET", Object(kind)), 200);
    EXPECT_EQ(api::JsonView(object)["apiVersion"].text(), kind.api_version());
    EXPECT_EQ(api::JsonView(object)["kind"].text(), kind.kind);
    EXPECT_EQ(api::JsonView(object)["metadata"]["name"].text(), NameFor(kind));
    EXPECT_EQ(bool(api::JsonView(object)["metadata"]["generation"]), kind.has_generation);
    const api::Json list = Json(*Ask("GET", Collection(kind)), 200);
    EXPECT_EQ(api::JsonView(list)["kind"].text(), std::string(kind.kind) + "List");
    EXPECT_EQ(api::JsonView(list)["apiVersion"].text(), kind.api_version());
    EXPECT_TRUE(std::ranges::any_of(api::JsonView(list)["items"].items(), [&](api::JsonView item) {
      return item["metadata"]["name"].text() == NameFor(kind) &&
             item["apiVersion"].text() == kind.api_version();
    }));
  });
}

TEST_F(EveryKind, IsWatched) {
  ForEachKind([&](const Kind& kind) {
    const auto watch = Ask("GET", fmt::format("{}?watch=true&resourceVersion={}", Collection(kind),
                                              store_->version() - 1));
    ASSERT_NE(watch->source, nullptr) << watch->body;
    const api::Json event = boost::json::parse(watch->ReadSource());
    EXPECT_EQ(api::JsonView(event)["type"].text(), "ADDED");
    EXPECT_EQ(api::JsonView(event)["object"]["kind"].text(), kind.kind);
    EXPECT_EQ(api::JsonView(event)["object"]["apiVersion"].text(), kind.api_version());
  });
}

TEST_F(EveryKind, IsPatchedInEveryWay) {
  ForEachKind([&](const Kind& kind) {
    const auto label = [&](const char* key) {
      const api::Json object = Json(*Ask("GET", Object(kind)), 200);
      return std::string(api::JsonView(object)["metadata"]["labels"][key].text());
    };
    const auto patch = [&](std::string target, const char* type, std::string body) {
      return Json(*Ask("PATCH", std::move(target), std::move(body), type), 200);
    };
    patch(Object(kind), "application/merge-patch+json", R"({"metadata":{"labels":{"m":"1"}}})");
    EXPECT_EQ(label("m"), "1");
    patch(Object(kind), "application/strategic-merge-patch+json",
          R"({"metadata":{"labels":{"s":"2"}}})");
    EXPECT_EQ(label("s"), "2");
    patch(Object(kind), "application/json-patch+json",
          R"([{"op":"add","path":"/metadata/labels/j","value":"3"}])");
    EXPECT_EQ(label("j"), "3");
    api::Json applied = boost::json::parse(MinimalObject(kind));
    api::SetString(api::EnsureObject(api::EnsureObject(applied.get_object(), "metadata"), "labels"),
                   "a", "4");
    patch(Object(kind) + "?fieldManager=me&force=true&fieldValidation=Strict",
          "application/apply-patch+yaml", api::ToJsonText(applied));
    EXPECT_EQ(label("a"), "4");
    EXPECT_EQ(label("m"), "1");
  });
}

TEST_F(EveryKind, IsReplacedAsRead) {
  ForEachKind([&](const Kind& kind) {
    const auto read = Ask("GET", Object(kind));
    const auto written = Ask("PUT", Object(kind) + "?fieldValidation=Strict", read->body);
    EXPECT_EQ(written->status, 200) << written->body;
    EXPECT_EQ(written->body, read->body);
    if (kind.FindSubresource("status") == nullptr) return;
    EXPECT_EQ(Ask("GET", Object(kind) + "/status")->body, read->body);
    const auto status = Ask("PUT", Object(kind) + "/status?fieldValidation=Strict", read->body);
    EXPECT_EQ(status->status, 200) << status->body;
  });
}

TEST_F(EveryKind, IsPrinted) {
  ForEachKind([&](const Kind& kind) {
    const api::Json table = Json(*Ask("GET", Object(kind), "", kJson, kTable), 200);
    const api::JsonView columns = api::JsonView(table)["columnDefinitions"];
    const std::vector<api::JsonView> rows = api::JsonView(table)["rows"].items();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0]["cells"].size(), columns.size());
    EXPECT_THAT(api::ToJsonText(*rows[0]["cells"].value()), HasSubstr(NameFor(kind)));
  });
}

TEST_F(EveryKind, IsDeleted) {
  ForEachKind([&](const Kind& kind) {
    EXPECT_EQ(Ask("DELETE", Object(kind) + kDelete)->status, 200);
    // The namespace controller removes namespaces.
    const bool has_finalizer = kind.kind == "Namespace" || kind.kind == "PodGroup";
    const int status = has_finalizer ? 200 : 404;
    EXPECT_EQ(Ask("GET", Object(kind))->status, status);
  });
}

TEST_F(EveryKind, IsSentAndReceivedInProtobuf) {
  ForEachKind([&](const Kind& kind) {
    if (kind.kind == "Namespace") return;  // It is terminating.
    Ask("DELETE", Object(kind) + kDelete);
    Ask("PATCH", Object(kind), R"({"metadata":{"finalizers":null}})",
        "application/merge-patch+json");
    const auto body = api::protobuf::EncodeFromJson(boost::json::parse(MinimalObject(kind)));
    ASSERT_TRUE(body.has_value()) << body.error();
    const auto created = Ask("POST", Collection(kind), *body, kProtobuf, kProtobuf);
    EXPECT_EQ(created->status, 201) << created->body;
    EXPECT_EQ(net::FindHeader(created->headers, "Content-Type"), kProtobuf);
    const auto decoded = api::protobuf::DecodeToJson(created->body);
    ASSERT_TRUE(decoded.has_value()) << decoded.error();
    EXPECT_EQ(api::JsonView(*decoded)["kind"].text(), kind.kind);
    EXPECT_EQ(api::JsonView(*decoded)["apiVersion"].text(), kind.api_version());
    EXPECT_EQ(api::JsonView(*decoded)["metadata"]["name"].text(), NameFor(kind));
    EXPECT_NE(api::JsonView(*decoded)["metadata"]["uid"].text(), "");
  });
}

TEST_F(EveryKind, ReviewsAllowEverything) {
  for (const char* resource : {"selfsubjectaccessreviews", "subjectaccessreviews"}) {
    const Kind& kind = *api::scheme::FindKind("authorization.k8s.io", "v1", resource);
    const std::string body =
        fmt::format(R"({{"apiVersion":"{}","kind":"{}","spec":{{{}"resourceAttributes":)"
                    R"({{"verb":"delete","resource":"nodes"}}}}}})",
                    kind.api_version(), kind.kind,
                    kind.kind == "SubjectAccessReview" ? R"("user":"jane",)" : "");
    const api::Json review = Json(*Ask("POST", Collection(kind), body), 201);
    EXPECT_TRUE(api::JsonView(review)["status"]["allowed"].flag());
    const auto encoded = api::protobuf::EncodeFromJson(boost::json::parse(body));
    const auto answer = Ask("POST", Collection(kind), *encoded, kProtobuf, kProtobuf);
    const auto decoded = api::protobuf::DecodeToJson(answer->body);
    ASSERT_TRUE(decoded.has_value()) << answer->body;
    EXPECT_TRUE(api::JsonView(*decoded)["status"]["allowed"].flag());
  }
}

TEST_F(EveryKind, ListsAndWatchesInProtobuf) {
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  const auto before = store_->version();
  Ask("POST", maps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  const auto list = Ask("GET", maps, "", kJson, kProtobuf);
  EXPECT_EQ(net::FindHeader(list->headers, "Content-Type"), kProtobuf);
  const auto envelope = api::protobuf::OpenEnvelope(list->body);
  ASSERT_TRUE(envelope.has_value()) << envelope.error();
  EXPECT_EQ(envelope->kind, "ConfigMapList");
  EXPECT_THAT(std::string(envelope->object), HasSubstr("\x12\x01v"));

  const auto watch = Ask("GET", fmt::format("{}?watch=true&resourceVersion={}", maps, before), "",
                         kJson, kProtobuf);
  EXPECT_EQ(net::FindHeader(watch->headers, "Content-Type"),
            "application/vnd.kubernetes.protobuf;stream=watch");
  const std::string frame = watch->ReadSource();
  ASSERT_GT(frame.size(), 4u);
  EXPECT_EQ(frame.substr(0, 3), std::string(3, '\0'));
  EXPECT_EQ(static_cast<unsigned char>(frame[3]) + 4u, frame.size());
  EXPECT_EQ(frame.substr(4, 7),
            "\x0a\x05"
            "ADDED");
  EXPECT_THAT(frame, HasSubstr(std::string("k8s\0", 4)));
}

TEST_F(EveryKind, BindingsNameTheirPod) {
  Ask("POST", "/api/v1/namespaces/default/pods",
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  const auto bound = Ask("POST", "/api/v1/namespaces/default/bindings",
                         R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},)"
                         R"("target":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(bound->status, 201) << bound->body;
  const api::Json pod = Json(*Ask("GET", "/api/v1/namespaces/default/pods/p"), 200);
  EXPECT_EQ(api::JsonView(pod)["spec"]["nodeName"].text(), "n");
}

TEST_F(EveryKind, ConnectionsToContainersSayThatThereAreNone) {
  Ask("POST", "/api/v1/namespaces/default/pods",
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  for (const char* path : {"/pods/p/log", "/pods/p/exec?command=ls", "/pods/p/proxy/a/b"}) {
    const auto answer = Ask("GET", std::string("/api/v1/namespaces/default") + path);
    EXPECT_EQ(answer->status, 501) << path;
    EXPECT_THAT(answer->body, HasSubstr("Berth runs no containers")) << path;
  }
  EXPECT_EQ(Ask("GET", "/api/v1/namespaces/default/pods/q/log")->status, 404);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
