#include "client/informers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "client/rest_client_testing.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

class AllInformers : public ::testing::Test {
 protected:
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    for (const FakeRequest& request : server.requests) {
      paths.push_back(request.path.substr(0, request.path.find('?')));
    }
    return paths;
  }
  Informers Make(bool protobuf = false) {
    return {server.client(),
            server.executor,
            {{"nodes", "/api/v1/nodes", "", CodecOf<api::Node>()},
             {"services", "/api/v1/services", "", CodecOf<api::Service>()},
             {"pods", "/api/v1/pods", "a!=b", CodecOf<api::Pod>()}},
            {.protobuf = protobuf},
            [this](std::vector<api::ObjectChange> events) { changes += events.size(); },
            [this] { ++syncs; },
            [this](const std::string& line) { warnings.push_back(line); }};
  }

  FakeApiServer server;
  size_t changes = 0;
  int syncs = 0;
  std::vector<std::string> warnings;
};

// Each collection is requested again and again; the operator sees two lines.
TEST_F(AllInformers, LogAnOutageOnce) {
  auto informers = Make();
  informers.Start();
  size_t failed = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    for (; failed < server.requests.size(); ++failed) {
      const auto stream = server.requests[failed].stream;
      if (attempt == 2) stream.on_head(503, FakeApiServer::Json());
      stream.on_end(attempt == 2 ? net::HttpResult<void>()
                                 : std::unexpected(net::HttpError{.message = "refused"}));
    }
    server.executor.Advance(Duration::Millis(400));
  }
  EXPECT_THAT(warnings, ElementsAre("nodes: refused"));
  server.last().stream.on_head(200, FakeApiServer::Json());
  EXPECT_THAT(warnings, ElementsAre("nodes: refused",
                                    ::testing::MatchesRegex("the API server responds again after "
                                                            ".* s; [0-9]+ requests failed")));
}

TEST_F(AllInformers, ListEachCollection) {
  auto informers = Make();
  informers.Start();
  EXPECT_THAT(Paths(), ElementsAre("/api/v1/nodes", "/api/v1/services", "/api/v1/pods"));
  EXPECT_THAT(server.last().path, ::testing::EndsWith("&fieldSelector=a%21%3Db"));
}

TEST_F(AllInformers, AreSyncedWhenTheLastIs) {
  auto informers = Make();
  informers.Start();
  const size_t count = server.requests.size();
  for (size_t i = 0; i < count; ++i) {
    EXPECT_FALSE(informers.synced());
    const auto stream = server.requests[i].stream;
    if (i == 1) {
      stream.on_head(404, {{"Content-Type", "text/plain"}});
      stream.on_end({});
      continue;
    }
    stream.on_head(200, FakeApiServer::Json());
    stream.on_data(
        Doc("{'type':'ADDED','object':{'metadata':{'name':'a','uid':'u',"
            "'resourceVersion':'5'}}}{'type':'BOOKMARK','object':{'metadata':{"
            "'resourceVersion':'6','annotations':{'k8s.io/initial-events-end':'true'"
            "}}}}"));
  }
  EXPECT_TRUE(informers.synced());
  EXPECT_EQ(syncs, 1);
  EXPECT_EQ(changes, count - 1);
  const auto states = informers.states();
  EXPECT_EQ(states.at(1).objects, 0U);
  EXPECT_EQ(states.back().resource, "pods");
  EXPECT_EQ(states.back().resource_version, "6");
  EXPECT_EQ(states.back().objects, 1U);
  EXPECT_NE(informers.cache("pods")->Find("default", "a"), nullptr);
  EXPECT_EQ(informers.cache("secrets"), nullptr);
}

TEST_F(AllInformers, RequestProtobufOnlyForPodsAndNodes) {
  auto informers = Make(true);
  informers.Start();
  std::vector<std::string> paths;
  for (size_t i = 0; i < server.requests.size(); ++i) {
    if (server.requests[i].header("Accept") != "application/json") paths.push_back(Paths()[i]);
  }
  EXPECT_THAT(paths, ElementsAre("/api/v1/nodes", "/api/v1/pods"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
