#include "client/object_watch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json/document.h"
#include "client/rest_client_testing.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr const char* kListByWatch =
    "GET /o\\?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    "&allowWatchBookmarks=true&timeoutSeconds=[3-5][0-9][0-9]&fieldSelector=metadata.name%3Dx";
constexpr const char* kEndOfList =
    "{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'7',"
    "'annotations':{'k8s.io/initial-events-end':'true'}}}}";

class ObjectWatchTest : public testing::Test {
 protected:
  void Start(bool watch_list = true) {
    watch_ = std::make_unique<ObjectWatch>(
        server_.client(), server_.executor,
        ObjectWatchOptions{.path = "/o", .name = "x", .watch_list = watch_list},
        [this] {
          const api::JsonObject* spec = api::ObjectAt(&watch_->object(), "spec");
          story_.push_back(watch_->object().empty() ? "none"
                                                    : std::string(api::StringAt(spec, "v")));
        },
        [this](const std::string& problem) { problems_.push_back(problem); });
    watch_->Start();
    server_.executor.Run();
  }
  static std::string Object(std::string_view value, int version, std::string_view name = "x") {
    return fmt::format("{{'metadata':{{'name':'{}','resourceVersion':'{}'}},'spec':{{'v':'{}'}}}}",
                       name, version, value);
  }
  void Send(std::string_view type, const std::string& object) {
    server_.Data(Doc(fmt::format("{{'type':'{}','object':{}}}", type, object)));
  }
  void Respond(int status, std::string body) {
    server_.Respond(status, std::move(body));
    server_.executor.Run();
  }
  // Waits for the next request of a watch that backs off: it takes at most a minute.
  std::string NextRequest() {
    server_.Lines();
    for (int i = 0; i < 60; ++i) {
      server_.executor.Advance(Duration::Seconds(1));
      const auto lines = server_.Lines();
      if (!lines.empty()) return lines[0];
    }
    return "none";
  }

  FakeApiServer server_;
  std::unique_ptr<ObjectWatch> watch_;
  std::vector<std::string> story_;
  std::vector<std::string> problems_;
};

TEST_F(ObjectWatchTest, ListsAndWatchesInOneRequest) {
  Start();
  EXPECT_THAT(server_.Lines(), ElementsAre(MatchesRegex(kListByWatch)));
  server_.Head(200);
  Send("ADDED", Object("1", 5));
  EXPECT_FALSE(watch_->synced());
  server_.Data(Doc(kEndOfList));
  EXPECT_TRUE(watch_->synced());
  Send("MODIFIED", Object("2", 8));
  Send("MODIFIED", Object("other", 9, "y"));
  Send("BOOKMARK", "{'metadata':{'resourceVersion':'12'}}");
  Send("DELETED", Object("2", 13));
  EXPECT_THAT(story_, ElementsAre("1", "2", "none"));
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(ObjectWatchTest, AWatchThatEndsIsOpenedAgainWhereItEnded) {
  Start();
  server_.Head(200);
  server_.Data(Doc(kEndOfList));
  Send("ADDED", Object("1", 9));
  server_.Lines();
  server_.executor.Advance(Duration::Seconds(300));
  server_.End();
  server_.executor.Run();
  EXPECT_THAT(server_.Lines(),
              ElementsAre(MatchesRegex("GET /o\\?watch=true&allowWatchBookmarks=true"
                                       "&resourceVersion=9&timeoutSeconds=[3-5][0-9][0-9]"
                                       "&fieldSelector=metadata.name%3Dx")));
  // One that ends at once is opened after a while.
  server_.Head(200);
  server_.End();
  server_.executor.Run();
  EXPECT_THAT(server_.Lines(), IsEmpty());
  EXPECT_THAT(NextRequest(), HasSubstr("&resourceVersion=9&"));
}

TEST_F(ObjectWatchTest, AVersionThatIsTooOldIsListedAgain) {
  Start();
  server_.Head(200);
  server_.Data(Doc(kEndOfList));
  Send("ERROR", "{'code':410,'message':'too old'}");
  EXPECT_THAT(NextRequest(), MatchesRegex(kListByWatch));
  server_.Head(200);
  server_.Data(Doc(kEndOfList));
  server_.executor.Advance(Duration::Seconds(300));
  server_.End();
  server_.executor.Run();
  Respond(410, "{'code':410,'message':'too old'}");
  EXPECT_THAT(NextRequest(), MatchesRegex(kListByWatch));
  EXPECT_THAT(problems_, IsEmpty()) << "it happens to every watch";
}

TEST_F(ObjectWatchTest, ListsWithoutAWatchIfTheServerMust) {
  for (const bool watch_list : {false, true}) {
    story_.clear();
    Start(watch_list);
    if (watch_list) Respond(422, "{'code':422,'message':'sendInitialEvents: forbidden'}");
    EXPECT_EQ(server_.Lines().back(),
              "GET /o?limit=500&resourceVersion=0&fieldSelector=metadata.name%3Dx");
    Respond(200, fmt::format("{{'metadata':{{'resourceVersion':'4'}},'items':[{},{}]}}",
                             Object("other", 2, "y"), Object("1", 3)));
    EXPECT_TRUE(watch_->synced());
    EXPECT_THAT(
        server_.Lines(),
        ElementsAre(HasSubstr("/o?watch=true&allowWatchBookmarks=true&resourceVersion=4&")));
    server_.Head(200);
    Send("MODIFIED", Object("2", 8));
    EXPECT_THAT(story_, ElementsAre("1", "2"));
    // The next list must not be older than that.
    Send("ERROR", "{'code':410}");
    EXPECT_EQ(NextRequest(), "GET /o?limit=500&fieldSelector=metadata.name%3Dx");
  }
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(ObjectWatchTest, FailuresAreRetriedAndReportedOnce) {
  Start();
  for (int i = 0; i < 10; ++i) {
    Respond(404, "{'code':404,'message':'the server could not find the requested resource'}");
    EXPECT_THAT(NextRequest(), MatchesRegex(kListByWatch));
  }
  EXPECT_FALSE(watch_->synced());
  EXPECT_THAT(problems_, ElementsAre("the server could not find the requested resource"));
  server_.Break(net::HttpError::Kind::kUnreachable, "refused");
  EXPECT_EQ(problems_.back(), "refused");
  NextRequest();
  server_.Head(200);
  server_.Data("{]");
  EXPECT_THAT(NextRequest(), MatchesRegex(kListByWatch));
  server_.Head(200);
  server_.Data("{\"type\":\"ADDED\"}");
  EXPECT_THAT(NextRequest(), MatchesRegex(kListByWatch));
  server_.Head(200);
  server_.Data(Doc(kEndOfList));
  EXPECT_THAT(story_, ElementsAre("none"));
}

TEST_F(ObjectWatchTest, NothingIsCalledAfterItsEnd) {
  Start();
  watch_.reset();
  server_.executor.Run();
  EXPECT_EQ(server_.pending(), 0u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
