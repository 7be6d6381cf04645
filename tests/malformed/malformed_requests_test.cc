// Malformed requests to the API server: each gets a Status with the right code, and the server
// still works afterwards.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "malformed/malformed_bodies_testing.h"
#include "testing/api_client.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

std::vector<Malformed> BadPaths() {
  std::vector<Malformed> all;
  for (const char* path : {"/api/v1/../../etc/passwd",
                           "/api/v1/namespaces/../pods",
                           "/../",
                           "/..",
                           "/./api",
                           "/api/v1/namespaces/%2e%2e/pods",
                           "/api/v1/namespaces/%2E%2E%2F/pods",
                           "/api/v1/namespaces/default/pods/%2e",
                           "/api/v1/namespaces/default/pods/a%2fb",
                           "/api/v1/namespaces/default/pods/a%00",
                           "/api/v1/namespaces/default/pods/%0a",
                           "/api/v1/namespaces/%zz/pods",
                           "/api/v1/nodes/%",
                           "/api/v1/nodes/%4",
                           "/api/v1/nodes/%ff",
                           "/api/v1/nodes/%c3%28",
                           "/%00",
                           "/api/v1/nodes/%ed%a0%80",
                           "/api/v1/pods?a=%",
                           "/api/v1/pods?a=%g0",
                           "/api/v1/pods?%=1",
                           "/api/v1/pods?a=%ff"}) {
    all.push_back({"GET", path, "", "", 400});
  }
  for (const char* path : {"/nothing",
                           "/api/v2",
                           "/api/v1/boats",
                           "/apis/boats",
                           "/apis/boats/v1",
                           "/apis/apps/v9",
                           "/apis/apps/v1/boats",
                           "/apis/apps/v1/namespaces/default/boats/x",
                           "/api/v1/pods/x",
                           "/api/v1/namespaces/default/nodes",
                           "/api/v1/namespaces/default/pods/x/boat",
                           "/api/v1/namespaces/default/pods/x/status/y",
                           "/api/v1/namespaces//pods",
                           "/api//v1/pods",
                           "/openapi/v9",
                           "/openapi/v3/boats",
                           "/healthz/boat",
                           "/api/v1/watch",
                           "/apis/apps/v1/namespaces/default/deployments/none",
                           "/api/v1/namespaces/none",
                           "/api/v1/nodes/none",
                           "/api/v1/namespaces/default/pods/none/status",
                           "/favicon.ico"}) {
    all.push_back({"GET", path, "", "", 404});
  }
  return all;
}

std::vector<Malformed> BadQueries() {
  std::vector<Malformed> all;
  for (const char* query : {"labelSelector=,",
                            "labelSelector=a,,b",
                            "labelSelector=a+b",
                            "labelSelector=a+in",
                            "labelSelector=a+in+(b",
                            "labelSelector=a+in+b",
                            "labelSelector=a+in+((b))",
                            "labelSelector=!",
                            "labelSelector=!!a",
                            "labelSelector=%3Da",
                            "labelSelector=a%3Db%3Dc",
                            "labelSelector=a%3Eb",
                            "labelSelector=a%3C",
                            "labelSelector=a/b/c",
                            "labelSelector=-a",
                            "labelSelector=a%3D-b",
                            "labelSelector=a%3Db%24",
                            "labelSelector=(",
                            "labelSelector=%E2%82%AC%3D1",
                            "labelSelector=!a%3Db",
                            "fieldSelector=a",
                            "fieldSelector=a%3Db",
                            "fieldSelector=spec.nodeName",
                            "fieldSelector=%3D",
                            "fieldSelector=metadata.name%3D%5C",
                            "fieldSelector=metadata.name%3Da%5Cb",
                            "fieldSelector=metadata.name%3Da%3Db",
                            "fieldSelector=status.boat!%3Da",
                            "limit=x",
                            "limit=1.5",
                            "limit=99999999999999999999",
                            "limit=0x10",
                            "resourceVersion=x",
                            "resourceVersion=-1",
                            "resourceVersion=1.0",
                            "resourceVersion=99999999999999999999",
                            "continue=x",
                            "continue=AAAA",
                            "continue=%00",
                            "watch=1&timeoutSeconds=soon",
                            "watch=1&resourceVersion=now"}) {
    all.push_back({"GET", kPods + "?" + query, "", "", 400});
  }
  for (const char* query :
       {"resourceVersionMatch=Exact", "resourceVersionMatch=Boat&resourceVersion=1",
        "resourceVersion=0&resourceVersionMatch=Exact", "sendInitialEvents=true",
        "watch=1&sendInitialEvents=true", "watch=1&sendInitialEvents=true&resourceVersionMatch=x",
        "watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1", "includeObject=Boat"}) {
    all.push_back({"GET", kPods + "?" + query, "", "", 422});
  }
  all.push_back({"GET", kPods + "?resourceVersion=9223372036854775807", "", "", 504});
  all.push_back({"GET", kPods + "?resourceVersion=1&resourceVersionMatch=Exact", "", "", 410});
  for (const char* query : {"dryRun=Some", "dryRun=", "fieldValidation=Boat", "fieldManager=%01"}) {
    all.push_back({"POST", kMaps + "?" + query, R"({"metadata":{"name":"z"}})", "", 422});
  }
  all.push_back({"DELETE", kMaps + "/kept?gracePeriodSeconds=x", "", "", 400});
  all.push_back({"DELETE", kMaps + "/kept?propagationPolicy=Boat", "", "", 422});
  return all;
}

std::vector<Malformed> WrongVerbs() {
  std::vector<Malformed> all;
  for (const char* method : {"OPTIONS", "TRACE", "CONNECTED", "BREW", "get"}) {
    all.push_back({method, kPods, "", "", 405});
    all.push_back({method, "/version", "", "", 405});
  }
  for (const auto& [method, target] : std::vector<std::pair<std::string, std::string>>{
           {"POST", "/api/v1/pods"},
           {"POST", kMaps + "/kept"},
           {"PUT", kMaps},
           {"PATCH", kMaps},
           {"DELETE", "/api/v1/pods"},
           {"DELETE", "/api/v1/nodes/n/status"},
           {"GET", kPods + "/p/binding"},
           {"PUT", kPods + "/p/eviction"},
           {"GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"},
           {"DELETE", "/api/v1/namespaces"},
           {"POST", "/healthz"},
           {"DELETE", "/api"}}) {
    all.push_back({method, target, method == "GET" ? "" : "{}", "", 405});
  }
  return all;
}

class MalformedRequestsTest : public testing::Test {
 protected:
  MalformedRequestsTest() {
    auto started = ApiServer::Start({});
    EXPECT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
    client_ = std::make_unique<ApiClient>(server_->port());
    client_->Ask("POST", kMaps, R"({"metadata":{"name":"kept"}})");
  }

  void Check(const std::vector<Malformed>& requests) {
    for (const Malformed& request : requests) {
      const std::string what = request.method + " " + request.target + "\n" + request.headers +
                               request.body.substr(0, 200);
      const ApiResponse response =
          client_->Ask(request.method, request.target, request.body, request.headers);
      EXPECT_EQ(response.status, request.code) << what << "\n" << response.body;
      boost::system::error_code error;
      const auto status = boost::json::parse(response.body, error);
      ASSERT_FALSE(error) << what << "\n" << response.body;
      ASSERT_TRUE(status.as_object().contains("reason")) << what;
      EXPECT_EQ(status.at("kind").as_string(), "Status") << what;
      EXPECT_EQ(status.at("status").as_string(), "Failure") << what;
      EXPECT_EQ(status.at("code").as_int64(), response.status) << what;
      EXPECT_FALSE(status.at("reason").as_string().empty()) << what;
      EXPECT_FALSE(status.at("message").as_string().empty()) << what;
      ++checked_;
    }
    EXPECT_EQ(client_->Get("/readyz").status, 200);
    EXPECT_EQ(client_->Get(kMaps + "/kept").status, 200);
  }

  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<ApiClient> client_;
  size_t checked_ = 0;
};

TEST_F(MalformedRequestsTest, EachGetsAStatusAndTheServerStillWorks) {
  for (const auto& requests :
       {BadBodies(), WrongTypes(), BadPaths(), BadQueries(), WrongVerbs(), BadObjects()}) {
    Check(requests);
  }
  EXPECT_GE(checked_, 200u);
}

TEST_F(MalformedRequestsTest, AnIncompleteRequestAffectsNoOthers) {
  RawClient half(server_->port());
  half.Send("POST " + kMaps + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  half.EndSending();
  RawClient slow(server_->port());
  slow.Send("GET / HT");
  RawClient gone(server_->port());
  gone.Send("GET " + kPods + "?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  gone.ReadUntil("\r\n\r\n");
  gone.Close();
  client_->Ask("POST", kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[
      {"name":"c","image":"i"}]}})");
  EXPECT_EQ(client_->Get("/readyz").status, 200);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
