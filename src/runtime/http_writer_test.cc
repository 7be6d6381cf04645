#include "runtime/http_writer.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>

#include "api/json/decode.h"
#include "api/storage.h"
#include "client/rest_client_testing.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kPod = "/api/v1/namespaces/n/pods/web";

class Writer : public ::testing::Test {
 protected:
  Writer() { fence.Open(); }
  void Execute(const scheduler::framework::ApiWrite& write) {
    result.reset();
    writer.Execute(write,
                   [this](scheduler::framework::WriteResult end) { result = std::move(end); });
  }
  // "kind: message @version".
  std::string Result() const {
    if (!result) return "none yet";
    constexpr const char* kKinds[] = {"ok",      "conflict",    "not found",
                                      "timeout", "unavailable", "rejected"};
    std::string text = kKinds[static_cast<int>(result->kind)];
    if (!result->message.empty()) text += ": " + result->message;
    if (!result->resource_version.empty()) text += " @" + result->resource_version;
    return text;
  }
  const client::FakeRequest& request() { return server.last(); }

  client::FakeApiServer server;
  WriteFence fence{server.executor.clock()};
  HttpWriter writer{server.client(), server.executor, fence};
  std::optional<scheduler::framework::WriteResult> result;
  const scheduler::framework::BindPod bind{{"n", "web"}, "u", "node-1"};
};

TEST_F(Writer, Binds) {
  Execute(bind);
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("POST ") + kPod + "/binding"));
  EXPECT_EQ(request().header("Content-Type"), "application/json");
  EXPECT_EQ(request().body,
            client::Doc("{'apiVersion':'v1','kind':'Binding','metadata':{'name':'web',"
                        "'namespace':'n','uid':'u'},'target':{'kind':'Node',"
                        "'name':'node-1'}}"));
  server.Respond(201, "{'kind':'Status','status':'Success'}");
  EXPECT_EQ(Result(), "ok");
}

TEST_F(Writer, PatchesConditionAndNomination) {
  api::PodCondition condition;
  condition.type = "PodScheduled";
  condition.status = "False";
  condition.reason = "Unschedulable";
  condition.message = "0/1 nodes \"fit\"";
  condition.last_transition_time = Instant{1'767'225'600'900'000'000};
  condition.observed_generation = 1;
  Execute(scheduler::framework::PatchPodStatus{{"n", "web"}, "u", condition, "node-2"});
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("PATCH ") + kPod + "/status"));
  EXPECT_EQ(request().header("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(request().body,
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
            R"("message":"0/1 nodes \"fit\"","lastProbeTime":null,)"
            R"("lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":1}],)"
            R"("nominatedNodeName":"node-2"}})");
  server.Respond(200, "{'metadata':{'resourceVersion':'12'}}");
  EXPECT_EQ(Result(), "ok @12");

  Execute(scheduler::framework::PatchPodStatus{{"n", "web"}, "u", std::nullopt, ""});
  EXPECT_EQ(request().body, R"({"status":{"nominatedNodeName":null}})");
}

TEST_F(Writer, DeletesWithoutPreconditions) {
  Execute(scheduler::framework::DeletePod{{"n", "web"}, "u"});
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("DELETE ") + kPod));
  EXPECT_EQ(request().body, R"({"kind":"DeleteOptions","apiVersion":"v1"})");
  server.Respond(404, "{'message':'no such pod'}");
  EXPECT_EQ(Result(), "not found: no such pod");
}

TEST_F(Writer, VolumesKeepWhatTheEngineDoesNotKnow) {
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->metadata.name = "pv";
  volume->metadata.resource_version = "7";
  volume->metadata.annotations = {{"pv.kubernetes.io/bound-by-controller", "yes"}};
  volume->claim_ref = api::ObjectReference{"v1", "PersistentVolumeClaim", "n", "c", "cu", "5"};
  Execute(scheduler::framework::UpdatePersistentVolume{volume});
  server.Respond(200,
                 "{'metadata':{'name':'pv','resourceVersion':'9','labels':{'a':'b'},"
                 "'annotations':{'x':'y'}},'spec':{'nfs':{'path':'/'}},'status':{}}");
  EXPECT_THAT(server.Lines(),
              ElementsAre("GET /api/v1/persistentvolumes/pv", "PUT /api/v1/persistentvolumes/pv"));
  EXPECT_EQ(
      request().body,
      client::Doc("{'metadata':{'name':'pv','resourceVersion':'7','labels':{'a':'b'},"
                  "'annotations':{'x':'y','pv.kubernetes.io/bound-by-controller':'yes'}},"
                  "'spec':{'nfs':{'path':'/'},'claimRef':{'kind':'PersistentVolumeClaim',"
                  "'apiVersion':'v1','namespace':'n','name':'c','uid':'cu','resourceVersion':'5'}},"
                  "'status':{}}"));
  server.Respond(409, "{'message':'the object has been modified'}");
  EXPECT_EQ(Result(), "conflict: the object has been modified");
}

TEST_F(Writer, ClaimsGetTheirAnnotation) {
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->metadata.name = "c";
  claim->metadata.namespace_ = "n";
  claim->metadata.resource_version = "7";
  claim->metadata.annotations = {{"volume.kubernetes.io/selected-node", "node-1"}};
  Execute(scheduler::framework::UpdatePersistentVolumeClaim{claim});
  server.Respond(200, "{'metadata':{'name':'c'},'spec':{'x':1}}");
  EXPECT_THAT(server.Lines(), ElementsAre("GET /api/v1/namespaces/n/persistentvolumeclaims/c",
                                          "PUT /api/v1/namespaces/n/persistentvolumeclaims/c"));
  EXPECT_EQ(request().body,
            client::Doc("{'metadata':{'name':'c','resourceVersion':'7','annotations':{"
                        "'volume.kubernetes.io/selected-node':'node-1'}},'spec':{'x':1}}"));
  server.Respond(200, "{'metadata':{'resourceVersion':'8'}}");
  EXPECT_EQ(Result(), "ok @8");

  Execute(scheduler::framework::UpdatePersistentVolumeClaim{claim});
  server.Respond(404, "{'message':'gone'}");
  EXPECT_EQ(Result(), "not found: gone");
  Execute(scheduler::framework::UpdatePersistentVolumeClaim{claim});
  server.Respond(200, "[]");
  EXPECT_EQ(Result(), "rejected: the server's response is not an object");
}

// --- ResourceClaims ---

constexpr const char* kClaim = "/apis/resource.k8s.io/v1/namespaces/n/resourceclaims/c";
constexpr const char* kClaimJson =
    R"({"metadata":{"name":"c","namespace":"n","uid":"cu","resourceVersion":"7"},)"
    R"("spec":{"devices":{"future":1}}})";

std::shared_ptr<api::ResourceClaim> MakeClaim() {
  auto claim = api::DecodeJsonAs<api::ResourceClaim>(kClaimJson);
  EXPECT_TRUE(claim.has_value()) << claim.error().message;
  return std::make_shared<api::ResourceClaim>(**claim);
}

TEST_F(Writer, PutsTheFinalizerOfAClaim) {
  auto claim = MakeClaim();
  claim->metadata.finalizers = {"f"};
  Execute(scheduler::framework::UpdateResourceClaim{claim});
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("PUT ") + kClaim));
  EXPECT_EQ(request().header("Content-Type"), "application/json");
  EXPECT_EQ(request().body,
            R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c",)"
            R"("namespace":"n","uid":"cu","resourceVersion":"7","finalizers":["f"]},)"
            R"("spec":{"devices":{"future":1}}})");
  server.Respond(200,
                 "{'metadata':{'name':'c','namespace':'n','resourceVersion':'8',"
                 "'finalizers':['f']},'spec':{'x':1}}");
  EXPECT_EQ(Result(), "ok @8");
  ASSERT_NE(result->claim, nullptr);
  EXPECT_THAT(result->claim->metadata.finalizers, ElementsAre("f"));
  ASSERT_NE(result->claim->text.json, nullptr);  // The next write is made of it.
  EXPECT_NE(result->claim->text.json->find(R"("x":1)"), std::string::npos);
}

TEST_F(Writer, PatchesPodGroupsInTheVersionThatTheServerHas) {
  const auto line = [](const char* version) {
    return fmt::format("PATCH /apis/scheduling.k8s.io/{}/namespaces/n/podgroups/job/status",
                       version);
  };
  scheduler::framework::PatchPodGroupStatus patch{{"n", "job"}, "u", {}};
  patch.condition.type = "PodGroupScheduled";
  Execute(patch);
  EXPECT_THAT(server.Lines(), ElementsAre(line("v1alpha2")));
  EXPECT_THAT(request().body, HasSubstr(R"("type":"PodGroupScheduled")"));
  server.Respond(404, "404 page not found");
  EXPECT_THAT(server.Lines(), ElementsAre(line("v1beta1")));
  EXPECT_THAT(request().body, HasSubstr(R"("type":"PodGroupInitiallyScheduled")"));
  server.Respond(200, "{'metadata':{'resourceVersion':'12'}}");
  EXPECT_EQ(Result(), "ok @12");

  Execute(patch);
  EXPECT_THAT(server.Lines(), ElementsAre(line("v1beta1")));
  // The group is gone: the server has neither.
  server.Respond(404, "{'code':404,'message':'not found'}");
  EXPECT_THAT(server.Lines(), ElementsAre(line("v1alpha2")));
  server.Respond(404, "404 page not found");
  EXPECT_THAT(Result(), HasSubstr("not found"));
  Execute(patch);
  EXPECT_THAT(server.Lines(), ElementsAre(line("v1beta1")));
}

TEST_F(Writer, PutsTheStatusOfAClaim) {
  auto claim = MakeClaim();
  claim->status.allocation.emplace();
  claim->status.reserved_for.push_back({"", "pods", "web", "u"});
  Execute(scheduler::framework::UpdateResourceClaimStatus{claim});
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("PUT ") + kClaim + "/status"));
  EXPECT_EQ(request().body,
            R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c",)"
            R"("namespace":"n","uid":"cu","resourceVersion":"7"},)"
            R"("spec":{"devices":{"future":1}},"status":{"allocation":{},)"
            R"("reservedFor":[{"resource":"pods","name":"web","uid":"u"}]}})");
  server.Respond(409, "{'message':'the object has been modified'}");
  EXPECT_EQ(Result(), "conflict: the object has been modified");
  EXPECT_FALSE(result->may_have_happened);

  Execute(scheduler::framework::UpdateResourceClaimStatus{claim});
  server.Respond(200, "[]");
  EXPECT_EQ(result->kind, scheduler::framework::WriteResult::Kind::kRejected);
}

TEST_F(Writer, CreatesReadsUnreservesAndDeletesClaims) {
  auto special = std::make_shared<api::ResourceClaim>();
  special->metadata.name = "<extended-resources>";
  special->metadata.namespace_ = "n";
  Execute(scheduler::framework::CreateResourceClaim{special, "web-extended-resources-"});
  EXPECT_THAT(server.Lines(),
              ElementsAre("POST /apis/resource.k8s.io/v1/namespaces/n/resourceclaims"));
  EXPECT_EQ(request().body,
            R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{)"
            R"("namespace":"n","generateName":"web-extended-resources-"},"spec":{}})");
  server.Respond(201, "{'metadata':{'name':'web-extended-resources-x','namespace':'n'}}");
  ASSERT_NE(result->claim, nullptr);
  EXPECT_EQ(result->claim->metadata.name, "web-extended-resources-x");

  Execute(scheduler::framework::GetResourceClaim{{"n", "c"}});
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("GET ") + kClaim));
  server.Respond(404, "{'message':'gone'}");
  EXPECT_EQ(Result(), "not found: gone");

  Execute(scheduler::framework::UnreserveResourceClaim{{"n", "c"}, "cu", "u"});
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("PATCH ") + kClaim + "/status"));
  EXPECT_EQ(request().header("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(request().body, R"({"metadata": {"uid": "cu"}, "status": { "reservedFor": [ )"
                            R"({"$patch": "delete", "uid": "u"} ] }})");
  server.Respond(200, "{'metadata':{'name':'c','namespace':'n','resourceVersion':'9'}}");
  EXPECT_EQ(Result(), "ok @9");

  Execute(scheduler::framework::DeleteResourceClaim{{"n", "c"}});
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("DELETE ") + kClaim));
  EXPECT_EQ(request().body, R"({"kind":"DeleteOptions","apiVersion":"v1"})");
  server.Respond(200, "{'kind':'Status','status':'Success'}");
  EXPECT_EQ(Result(), "ok");
}

TEST_F(Writer, PatchesTheClaimForExtendedResources) {
  const api::PodExtendedResourceClaimStatus status{
      {{"main", "example.com/gpu", "container-0-request-0"}}, "web-x"};
  Execute(
      scheduler::framework::PatchPodStatus{{"n", "web"}, "u", std::nullopt, std::nullopt, status});
  EXPECT_EQ(request().body, R"({"status":{"extendedResourceClaimStatus":{"requestMappings":[{)"
                            R"("containerName":"main","requestName":"container-0-request-0",)"
                            R"("resourceName":"example.com/gpu"}],"resourceClaimName":"web-x"}}})");
  Execute(scheduler::framework::PatchPodStatus{{"n", "web"},
                                               "u",
                                               std::nullopt,
                                               std::nullopt,
                                               api::PodExtendedResourceClaimStatus{{}, "web-y"}});
  EXPECT_EQ(request().body,
            R"({"status":{"extendedResourceClaimStatus":{"resourceClaimName":"web-y"}}})");
}

// Of a write without a response nobody knows whether it took effect.
TEST_F(Writer, TellsWhichWritesMayHaveHappened) {
  const auto ends = [this](const net::HttpResult<net::HttpResponse>& response) {
    Execute(scheduler::framework::UpdateResourceClaimStatus{MakeClaim()});
    client::FakeApiServer::RespondTo(server.last(), response);
    return result->may_have_happened;
  };
  const auto status = [](int code) {
    return client::FakeApiServer::Response(code, "{'message':'why'}");
  };
  using enum net::HttpError::Kind;
  EXPECT_TRUE(ends(std::unexpected(net::HttpError{kBroken, "reset"})));
  EXPECT_TRUE(ends(std::unexpected(net::HttpError{kTimeout, "slow"})));
  EXPECT_TRUE(ends(status(500)));
  EXPECT_TRUE(ends(status(504)));
  EXPECT_FALSE(ends(std::unexpected(net::HttpError{kUnreachable, "refused"})));
  for (const int code : {403, 404, 409, 422, 429}) EXPECT_FALSE(ends(status(code))) << code;
}

struct EndCase {
  net::HttpResult<net::HttpResponse> response;
  const char* want;
};

TEST_F(Writer, MapsResponsesToResults) {
  const auto status = [](int code) {
    return client::FakeApiServer::Response(code, "{'message':'why'}");
  };
  const auto error = [](net::HttpError::Kind kind) {
    return std::unexpected(net::HttpError{kind, "how"});
  };
  const EndCase cases[] = {
      {status(409), "conflict: why"},
      {status(404), "not found: why"},
      {status(504), "timeout: why"},
      {status(500), "unavailable: why"},
      {status(503), "unavailable: why"},
      {status(429), "unavailable: why"},
      {status(403), "rejected: why"},
      {status(422), "rejected: why"},
      {error(net::HttpError::Kind::kTimeout), "timeout: how"},
      {error(net::HttpError::Kind::kUnreachable), "unavailable: how"},
      {error(net::HttpError::Kind::kBroken), "unavailable: how"},
      {error(net::HttpError::Kind::kCredentials), "unavailable: how"},
  };
  for (const EndCase& one : cases) {
    Execute(scheduler::framework::DeletePod{{"n", "web"}, "u"});
    client::FakeApiServer::RespondTo(server.last(), one.response);
    EXPECT_EQ(Result(), one.want);
  }
}

TEST_F(Writer, ABindWithAnUnknownResultReadsThePod) {
  struct Case {
    const char* pod;
    const char* want;
  };
  for (const Case& one : {
           Case{"{'metadata':{'uid':'u','resourceVersion':'9'},'spec':{'nodeName':'node-1'}}",
                "ok @9"},
           Case{"{'metadata':{'uid':'u'},'spec':{'nodeName':'node-2'}}", "unavailable: reset"},
           Case{"{'metadata':{'uid':'u'},'spec':{}}", "unavailable: reset"},
           Case{"{'metadata':{'uid':'v'},'spec':{'nodeName':'node-1'}}", "unavailable: reset"},
       }) {
    Execute(bind);
    server.Lines();
    server.Break(net::HttpError::Kind::kBroken, "reset");
    EXPECT_EQ(Result(), "none yet");
    EXPECT_THAT(server.Lines(), ElementsAre(std::string("GET ") + kPod));
    server.Respond(200, one.pod);
    EXPECT_EQ(Result(), one.want);
  }
}

TEST_F(Writer, ABindThatWasNotSentFailsAtOnce) {
  Execute(bind);
  server.Break(net::HttpError::Kind::kUnreachable, "refused");
  EXPECT_EQ(Result(), "unavailable: refused");
  Execute(bind);
  server.Respond(422, "{'message':'invalid'}");
  EXPECT_EQ(Result(), "rejected: invalid");
}

TEST_F(Writer, AConflictMayBeWithAnEarlierTryOfOurs) {
  Execute(bind);
  server.Respond(409, "{'message':'already assigned'}");
  server.Respond(200, "{'metadata':{'uid':'u'},'spec':{'nodeName':'node-1'}}");
  EXPECT_EQ(Result(), "ok");
  Execute(bind);
  server.Respond(409, "{'message':'already assigned'}");
  server.Respond(200, "{'metadata':{'uid':'u'},'spec':{'nodeName':'node-3'}}");
  EXPECT_EQ(Result(), "conflict: already assigned");
}

TEST_F(Writer, LooksAtThePodAFewTimesWhileTheServerIsAway) {
  Execute(bind);
  server.Break(net::HttpError::Kind::kTimeout, "no answer");
  server.Lines();
  for (int i = 0; i < 5; ++i) {
    server.Break(net::HttpError::Kind::kUnreachable);
    EXPECT_THAT(server.Lines(), SizeIs(i == 0 ? 0 : 1));
    EXPECT_EQ(Result(), "none yet");
    server.executor.Advance(Duration::Millis(200 << i));
  }
  EXPECT_THAT(server.Lines(), SizeIs(1));
  server.Break(net::HttpError::Kind::kUnreachable);
  EXPECT_EQ(Result(), "timeout: no answer");
  EXPECT_EQ(server.executor.timers(), 0U);

  Execute(bind);
  server.Break(net::HttpError::Kind::kTimeout);
  server.Respond(404, "{'message':'gone'}");
  EXPECT_EQ(Result(), "not found: gone");
}

TEST_F(Writer, SendsNoWriteOnceTheFenceIsClosed) {
  const std::vector<scheduler::framework::ApiWrite> writes = {
      bind,
      scheduler::framework::PatchPodStatus{{"n", "web"}, "u", std::nullopt, "node-2"},
      scheduler::framework::DeletePod{{"n", "web"}, "u"},
      scheduler::framework::CreateResourceClaim{MakeClaim(), "x-"},
      scheduler::framework::UpdateResourceClaim{MakeClaim()},
      scheduler::framework::UpdateResourceClaimStatus{MakeClaim()},
      scheduler::framework::UnreserveResourceClaim{{"n", "c"}, "cu", "u"},
      scheduler::framework::DeleteResourceClaim{{"n", "c"}}};
  fence.Close();
  for (const scheduler::framework::ApiWrite& write : writes) {
    Execute(write);
    server.executor.Run();
    EXPECT_THAT(server.Lines(), SizeIs(0));
    EXPECT_EQ(Result(), "unavailable: not sent");
  }
}

TEST_F(Writer, SendsNoWriteOnceTheLeaseHasEnded) {
  fence.SetLeaseEnd(server.executor.Now() + Duration::Seconds(1));
  Execute(bind);
  EXPECT_THAT(server.Lines(), SizeIs(1));
  server.executor.Advance(Duration::Seconds(1));
  Execute(bind);
  server.executor.Run();
  EXPECT_THAT(server.Lines(), SizeIs(0));
  EXPECT_EQ(Result(), "unavailable: not sent");
}

// The second request of a write is a write of its own.
TEST_F(Writer, ReplacesNothingIfTheFenceClosesWhileItReads) {
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->metadata.name = "v";
  Execute(scheduler::framework::UpdatePersistentVolume{volume});
  EXPECT_THAT(server.Lines(), ElementsAre("GET /api/v1/persistentvolumes/v"));
  fence.Close();
  server.Respond(200, "{'metadata':{'name':'v'}}");
  server.executor.Run();
  EXPECT_THAT(server.Lines(), SizeIs(0));
  EXPECT_EQ(Result(), "unavailable: not sent");
}

TEST_F(Writer, ReadsWhatBecameOfABindAfterTheFenceIsClosed) {
  Execute(bind);
  fence.Close();
  server.Break(net::HttpError::Kind::kBroken);
  server.Respond(200,
                 "{'metadata':{'uid':'u','resourceVersion':'9'},'spec':{'nodeName':'node-1'}}");
  EXPECT_EQ(Result(), "ok @9");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
