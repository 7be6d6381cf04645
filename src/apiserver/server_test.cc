#include "apiserver/server.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>

#include "testing/api_client.h"
#include "testing/raw_client.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";

std::string ConfigMap(const std::string& name, const std::string& extra = "") {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name + "\"" + extra +
         "}}";
}

std::string Pod(const std::string& name) {
  return R"({"metadata":{"name":")" + name +
         R"(","labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}})";
}

class ServerTest : public testing::Test {
 protected:
  explicit ServerTest(ApiServerOptions options = {}) {
    auto started = ApiServer::Start(std::move(options));
    EXPECT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
    client_ = std::make_unique<ApiClient>(server_->port());
  }

  static std::string Reason(const ApiResponse& response) {
    const auto status = boost::json::parse(response.body);
    const auto* reason = status.as_object().if_contains("reason");
    return reason == nullptr ? "" : std::string(reason->as_string());
  }
  static std::string Version(const ApiResponse& response) {
    return std::string(
        boost::json::parse(response.body).at("metadata").at("resourceVersion").as_string());
  }

  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<ApiClient> client_;
};

TEST_F(ServerTest, ServesNonResourcePaths) {
  struct Case {
    const char* path;
    const char* accept;
    const char* type;
    const char* part;
  };
  const Case cases[] = {
      {"/healthz", "", "text/plain; charset=utf-8", "ok"},
      {"/livez", "", "text/plain; charset=utf-8", "ok"},
      {"/readyz?verbose", "", "text/plain; charset=utf-8", "ok"},
      {"/", "", "application/json", "\"/apis/apps/v1\""},
      {"/version", "", "application/json", "\"gitVersion\":\"v1.36."},
      {"/api", "", "application/json", "\"kind\":\"APIVersions\""},
      {"/apis", "", "application/json", "\"kind\":\"APIGroupList\""},
      {"/apis/apps", "", "application/json", "\"kind\":\"APIGroup\""},
      {"/api/v1", "", "application/json", "\"pods/eviction\""},
      {"/apis/apps/v1", "", "application/json", "\"deployments/scale\""},
      {"/api", "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n",
       "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
       "\"kind\":\"APIGroupDiscoveryList\""},
      {"/openapi/v3", "", "application/json", "apis/apps/v1"},
      {"/openapi/v3/apis/apps/v1", "", "application/json", "\"openapi\":\"3."},
      {"/openapi/v2", "", "application/json", "\"swagger\""},
      {"/openapi/v2", "Accept: application/com.github.proto-openapi.spec.v2@v1.0+protobuf\r\n",
       "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", ""},
      {"/metrics", "", "text/plain; version=0.0.4; charset=utf-8", "berth_store_version "},
  };
  for (const Case& c : cases) {
    const ApiResponse response = client_->Get(c.path, c.accept);
    EXPECT_EQ(response.status, 200) << c.path;
    EXPECT_EQ(response.header("Content-Type"), c.type) << c.path;
    EXPECT_NE(response.body.find(c.part), std::string::npos)
        << c.path << response.body.substr(0, 400);
  }
  EXPECT_EQ(client_->Get("/apis/boats").status, 404);
  EXPECT_EQ(client_->Get("/openapi/v3/apis/boats/v1").status, 404);
  EXPECT_EQ(client_->Get("/boats").status, 404);
  EXPECT_EQ(client_->Ask("POST", "/version", "{}").status, 405);
}

TEST_F(ServerTest, CreatesReadsUpdatesAndDeletesObjects) {
  const ApiResponse created = client_->Ask("POST", kConfigMaps, ConfigMap("a"));
  EXPECT_EQ(created.status, 201);
  const std::string path = std::string(kConfigMaps) + "/a";
  EXPECT_EQ(client_->Get(path).body, created.body);
  EXPECT_EQ(client_->Ask("HEAD", path).status, 200);

  const ApiResponse again = client_->Ask("POST", kConfigMaps, ConfigMap("a"));
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(Reason(again), "AlreadyExists");

  const std::string stale =
      ",\"resourceVersion\":\"" + Version(created) + "\",\"labels\":{\"x\":\"y\"}";
  EXPECT_EQ(client_->Ask("PUT", path, ConfigMap("a", stale)).status, 200);
  const ApiResponse conflict = client_->Ask(
      "PUT", path, ConfigMap("a", ",\"resourceVersion\":\"" + Version(created) + "\""));
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(Reason(conflict), "Conflict");

  const ApiResponse patched = client_->Ask("PATCH", path, R"({"data":{"k":"v"}})",
                                           "Content-Type: application/merge-patch+json\r\n");
  EXPECT_EQ(patched.status, 200);
  EXPECT_NE(patched.body.find(R"("data":{"k":"v"})"), std::string::npos);

  const ApiResponse deleted = client_->Ask("DELETE", path);
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(boost::json::parse(deleted.body).at("status").as_string(), "Success");
  EXPECT_EQ(client_->Get(path).status, 404);
}

TEST_F(ServerTest, DryRunsStoreNothing) {
  EXPECT_EQ(client_->Ask("POST", std::string(kConfigMaps) + "?dryRun=All", ConfigMap("a")).status,
            201);
  EXPECT_EQ(client_->Get(std::string(kConfigMaps) + "/a").status, 404);
}

TEST_F(ServerTest, AcceptsYamlBodies) {
  EXPECT_EQ(client_
                ->Ask("POST", kConfigMaps, "metadata:\n  name: a\ndata:\n  k: v\n",
                      "Content-Type: application/yaml\r\n")
                .status,
            201);
}

TEST_F(ServerTest, CollectionsAreDeletedByLabel) {
  client_->Ask("POST", kConfigMaps, ConfigMap("a", R"(,"labels":{"app":"web"})"));
  client_->Ask("POST", kConfigMaps, ConfigMap("b"));
  const ApiResponse deleted =
      client_->Ask("DELETE", std::string(kConfigMaps) + "?labelSelector=app%3Dweb");
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(boost::json::parse(deleted.body).at("items").as_array().size(), 1u);
  EXPECT_EQ(client_->Get(std::string(kConfigMaps) + "/a").status, 404);
  EXPECT_EQ(client_->Get(std::string(kConfigMaps) + "/b").status, 200);
}

TEST_F(ServerTest, SendsWarningsAsHeaders) {
  const ApiResponse created =
      client_->Ask("POST", kConfigMaps, R"({"metadata":{"name":"a"},"boat":1})");
  EXPECT_EQ(created.status, 201);
  EXPECT_TRUE(created.header("Warning").starts_with("299 - \"")) << created.head;
  EXPECT_NE(created.header("Warning").find("boat"), std::string::npos) << created.head;
  EXPECT_EQ(client_
                ->Ask("POST", std::string(kConfigMaps) + "?fieldValidation=Strict",
                      R"({"metadata":{"name":"b"},"boat":1})")
                .status,
            400);
}

TEST_F(ServerTest, ReviewsAreNoTables) {
  const ApiResponse refused =
      client_->Ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                   R"({"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}})",
                   "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n");
  EXPECT_EQ(refused.status, 406);
}

TEST_F(ServerTest, WarnsAboutOrRejectsDuplicateFields) {
  const std::string body = R"({"metadata":{"name":"a"},"data":{"k":"1","k":"2"}})";
  const std::string strict = std::string(kConfigMaps) + "?fieldValidation=Strict";
  const ApiResponse refused = client_->Ask("POST", strict, body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("ConfigMap in version \\\"v1\\\" cannot be handled as a ConfigMap: "
                              "strict decoding error: duplicate field \\\"data.k\\\""),
            std::string::npos)
      << refused.body;
  const ApiResponse both = client_->Ask(
      "POST", strict, R"({"metadata":{"name":"a"},"boat":1,"data":{"k":"1","k":"2"}})");
  EXPECT_NE(both.body.find("strict decoding error: unknown field \\\"boat\\\", duplicate field "
                           "\\\"data.k\\\""),
            std::string::npos)
      << both.body;
  const ApiResponse created = client_->Ask("POST", kConfigMaps, body);
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.header("Warning"), R"(299 - "duplicate field \"data.k\"")");
}

TEST_F(ServerTest, PodsAreBoundAndEvicted) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  EXPECT_EQ(client_->Ask("POST", pods, Pod("p")).status, 201);
  const std::string binding = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})";
  const ApiResponse bound = client_->Ask("POST", pods + "/p/binding", binding);
  EXPECT_EQ(bound.status, 201);
  EXPECT_EQ(bound.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},)"
                        R"("status":"Success","code":201})");
  EXPECT_EQ(client_->Ask("POST", pods + "/p/binding", binding).status, 409);
  EXPECT_EQ(client_->Ask("POST", pods + "/q/binding", binding).status, 400);
  EXPECT_NE(client_->Get(pods + "?fieldSelector=spec.nodeName%3Dn").body.find("\"name\":\"p\""),
            std::string::npos);
  EXPECT_EQ(client_->Ask("POST", pods + "/p/eviction", R"({"metadata":{"name":"p"}})").status, 201);
  EXPECT_EQ(client_->Ask("POST", pods + "/none/eviction", "{}").status, 404);
}

TEST_F(ServerTest, ScalesAreReadAndChanged) {
  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  const ApiResponse created = client_->Ask("POST", deployments, R"({"metadata":{"name":"d"},"spec":{
      "replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{
      "metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_EQ(created.status, 201) << created.body;
  const std::string scale = deployments + "/d/scale";
  EXPECT_NE(client_->Get(scale).body.find(R"("replicas":2)"), std::string::npos);
  const ApiResponse patched = client_->Ask("PATCH", scale, R"({"spec":{"replicas":5}})",
                                           "Content-Type: application/merge-patch+json\r\n");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_NE(client_->Get(deployments + "/d").body.find(R"("replicas":5)"), std::string::npos);
}

TEST_F(ServerTest, ServesEventsInBothGroups) {
  const std::string core = "/api/v1/namespaces/default/events";
  const std::string grouped = "/apis/events.k8s.io/v1/namespaces/default/events";
  const ApiResponse created = client_->Ask("POST", core, R"({"metadata":{"name":"e"},
      "involvedObject":{"kind":"Pod","namespace":"default","name":"p"},"reason":"Tested",
      "message":"well"})");
  EXPECT_EQ(created.status, 201) << created.body;
  const auto event = boost::json::parse(client_->Get(grouped + "/e").body);
  EXPECT_EQ(event.at("apiVersion").as_string(), "events.k8s.io/v1");
  EXPECT_EQ(event.at("note").as_string(), "well");
  EXPECT_EQ(event.at("regarding").at("name").as_string(), "p");
  const auto list =
      boost::json::parse(client_->Get(grouped + "?fieldSelector=regarding.name%3Dp").body);
  EXPECT_EQ(list.at("items").as_array().size(), 1u);
  EXPECT_EQ(list.at("items").at(0).at("note").as_string(), "well");
}

TEST_F(ServerTest, ServesTablesOnRequest) {
  const ApiResponse table = client_->Get(
      "/api/v1/namespaces", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n");
  EXPECT_EQ(table.header("Content-Type"), "application/json");
  const auto document = boost::json::parse(table.body);
  EXPECT_EQ(document.at("kind").as_string(), "Table");
  EXPECT_EQ(document.at("rows").as_array().size(), 4u);
}

TEST_F(ServerTest, WatchesSendChanges) {
  RawClient watcher(server_->port());
  watcher.Send("GET " + std::string(kConfigMaps) +
               "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
               "&allowWatchBookmarks=true HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(watcher.ReadUntil("\r\n\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_NE(watcher.ReadUntil("}\n").find("k8s.io/initial-events-end"), std::string::npos);
  client_->Ask("POST", kConfigMaps, ConfigMap("a"));
  EXPECT_NE(watcher.ReadUntil("}\n").find(R"({"type":"ADDED","object":{"kind":"ConfigMap")"),
            std::string::npos);
  EXPECT_NE(client_->Get("/metrics")
                .body.find("apiserver_registered_watchers{resource=\"configmaps\"} 1"),
            std::string::npos);
  client_->Ask("DELETE", std::string(kConfigMaps) + "/a");
  EXPECT_NE(watcher.ReadUntil("}\n").find(R"("type":"DELETED")"), std::string::npos);
}

TEST_F(ServerTest, WatchesOfDroppedVersionsEndWithAnError) {
  RawClient watcher(server_->port());
  watcher.Send("GET /api/v1/pods?watch=1&resourceVersion=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(watcher.ReadUntil("\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_NE(watcher.ReadUntil("}\n").find(R"({"type":"ERROR","object":{"kind":"Status")"),
            std::string::npos);
}

class TokenServerTest : public ServerTest {
 protected:
  TokenServerTest()
      : ServerTest({.access = {.tokens = *registry::ParseTokenFile("secret,alice,u1,ops")}}) {}
};

TEST_F(TokenServerTest, WithoutATokenNoBodyIsRead) {
  RawClient stranger(server_->port());
  stranger.Send(
      "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: h\r\nContent-Length: "
      "3000000\r\n\r\n");
  EXPECT_EQ(stranger.ReadUntil("\r\n"), "HTTP/1.1 401 Unauthorized\r\n");
}

TEST_F(TokenServerTest, WithoutATokenTheConnectionIsClosed) {
  const ApiResponse refused = client_->Get("/api/v1/pods");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(Reason(refused), "Unauthorized");
  EXPECT_EQ(refused.header("Connection"), "close");
  EXPECT_EQ(client_->Get("/version").status, 401);
  EXPECT_EQ(client_->Get("/readyz").status, 200);
}

TEST_F(TokenServerTest, WithATokenEverythingIsAllowed) {
  const char* token = "Authorization: Bearer secret\r\n";
  EXPECT_EQ(client_->Get("/api/v1/pods", token).status, 200);
  const ApiResponse me =
      client_->Ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", token);
  EXPECT_EQ(me.status, 201);
  EXPECT_NE(me.body.find("\"username\":\"alice\""), std::string::npos) << me.body;
}

TEST(ServerStartTest, OtherAddressesRequireAuthentication) {
  const auto refused = ApiServer::Start({.address = "0.0.0.0"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--tls"), std::string::npos);
}

TEST(ServerStartTest, AcknowledgedWritesSurviveARestart) {
  const TemporaryDirectory directory;
  std::string written;
  {
    const auto server = ApiServer::Start({.data_dir = directory.path()});
    ASSERT_TRUE(server) << server.error().message;
    ApiClient client((*server)->port());
    written = client.Ask("POST", kConfigMaps, ConfigMap("a")).body;
  }
  {
    const auto server = ApiServer::Start({.data_dir = directory.path()});
    ASSERT_TRUE(server) << server.error().message;
    ApiClient client((*server)->port());
    EXPECT_EQ(client.Get(std::string(kConfigMaps) + "/a").body, written);
  }
}

TEST(KubeconfigTest, HasServerAndCredentials) {
  const std::string plain = KubeconfigText("http://127.0.0.1:1", "", "");
  EXPECT_NE(plain.find("    server: http://127.0.0.1:1\n    insecure-skip-tls-verify: true\n"),
            std::string::npos);
  EXPECT_NE(plain.find("  user: {}\n"), std::string::npos);
  const std::string secure = KubeconfigText("https://h:1", "PEM", "a\"b");
  EXPECT_NE(secure.find("    certificate-authority-data: UEVN\n"), std::string::npos);
  EXPECT_EQ(secure.find("insecure"), std::string::npos);
  EXPECT_NE(secure.find("    token: \"a\\\"b\"\n"), std::string::npos);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
