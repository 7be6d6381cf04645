#include "client/reflector.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "client/escaping.h"
#include "client/rest_client_testing.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kListLine =
    "GET /api/v1/pods\\?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    "&allowWatchBookmarks=true&timeoutSeconds=[345][0-9][0-9]";

std::string Pod(const std::string& name, int version, const std::string& uid = "u") {
  return "{'metadata':{'name':'" + name + "','uid':'" + uid + "','resourceVersion':'" +
         std::to_string(version) + "'}}";
}

std::string Frame(const std::string& type, const std::string& object) {
  return Doc("{'type':'" + type + "','object':" + object + "}\n");
}

std::string Bookmark(int version, bool end = false) {
  return Frame("BOOKMARK", "{'metadata':{'resourceVersion':'" + std::to_string(version) + "'" +
                               (end ? ",'annotations':{'k8s.io/initial-events-end':'true'}" : "") +
                               "}}");
}

std::string List(int version, const std::string& items, const std::string& token = "") {
  return "{'metadata':{'resourceVersion':'" + std::to_string(version) + "','continue':'" + token +
         "'},'items':[" + items + "]}";
}

class PodReflector : public ::testing::Test {
 protected:
  void Start(bool watch_list = true, std::string selector = "") {
    reflector = std::make_unique<Reflector>(
        server.client(), server.executor,
        ReflectorOptions{
            .resource = "pods",
            .path = "/api/v1/pods",
            .other_path = other_path,
            .field_selector = std::move(selector),
            .codec = CodecOf<api::Pod>(),
            .watch_list = watch_list,
            .max_page_bytes = max_page_bytes,
            .count_undecodable =
                [this](std::string_view resource, size_t fields) {
                  undecodable.push_back(fmt::format("{} {}", resource, fields));
                },
            .count_silent_watch =
                [this](std::string_view resource) { silent_watches.emplace_back(resource); }},
        [this](std::vector<api::ObjectChange> batch) {
          ++batches;
          for (const api::ObjectChange& event : batch) {
            const auto* put = std::get_if<api::ObjectPut>(&event);
            const api::ObjectMeta& meta =
                api::MetaOf(put ? put->object : std::get<api::ObjectDeleted>(event).object);
            reported.push_back((put ? "+" : "-") + meta.name + "@" + meta.resource_version);
          }
        },
        [this] { reported.push_back("synced"); },
        [this](const std::string& line) { warnings.push_back(line); });
    reflector->Start();
  }
  // Starts the reflector and lists pod a at version 5 by a watch that continues.
  void StartWatching() {
    Start();
    server.Head(200);
    server.Data(Frame("ADDED", Pod("a", 5)) + Bookmark(6, true));
    Reported();
    server.Lines();
  }
  std::vector<std::string> Reported() { return std::exchange(reported, {}); }
  // Returns the only request since the last call.
  std::string Requested() {
    const auto lines = server.Lines();
    return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " requests";
  }

  FakeApiServer server;
  std::unique_ptr<Reflector> reflector;
  std::vector<std::string> reported;
  std::vector<std::string> warnings;
  std::vector<std::string> undecodable;  // "pods 1"
  std::vector<std::string> silent_watches;
  int batches = 0;
  std::string other_path;
  size_t max_page_bytes = kMaxResponseBytes;
};

TEST_F(PodReflector, ListsByAWatchAndFollows) {
  Start();
  EXPECT_THAT(Requested(), MatchesRegex(kListLine));
  server.Head(200);
  server.Data(Frame("ADDED", Pod("b", 3)));
  server.Data(Frame("ADDED", Pod("a", 5)));
  EXPECT_THAT(Reported(), IsEmpty());
  EXPECT_FALSE(reflector->synced());
  server.Data(Bookmark(6, true) + Frame("MODIFIED", Pod("a", 7)));
  EXPECT_THAT(Reported(), ElementsAre("+b@3", "+a@5", "synced", "+a@7"));
  EXPECT_TRUE(reflector->synced());
  EXPECT_EQ(reflector->resource_version(), "7");
  server.Data(Frame("DELETED", Pod("b", 8)) + Frame("ADDED", Pod("c", 9)) + Bookmark(11));
  EXPECT_THAT(Reported(), ElementsAre("-b@3", "+c@9"));
  EXPECT_EQ(reflector->resource_version(), "11");
  EXPECT_EQ(reflector->cache().size(), 2U);
  EXPECT_EQ(batches, 3);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(PodReflector, ObjectsDeletedDuringTheListAreNotReported) {
  Start();
  server.Head(200);
  server.Data(Frame("ADDED", Pod("a", 3)) + Frame("ADDED", Pod("b", 4)) +
              Frame("DELETED", Pod("a", 5)) + Frame("MODIFIED", Pod("b", 6)) +
              Frame("ADDED", Pod("c", 7)) + Frame("DELETED", Pod("c", 8)) +
              Frame("ADDED", Pod("c", 9, "u2")) + Bookmark(9, true));
  EXPECT_THAT(Reported(), ElementsAre("+b@4", "+b@6", "+c@9", "synced"));
}

TEST_F(PodReflector, RefreshListsTheNewestState) {
  StartWatching();
  int refreshed = 0;
  reflector->Refresh([&] { ++refreshed; });
  const std::string asked = Requested();
  EXPECT_THAT(asked, MatchesRegex(kListLine));
  EXPECT_EQ(asked.find("resourceVersion="), std::string::npos) << "an older version would do";
  server.Head(200);
  server.Data(Frame("ADDED", Pod("a", 5)) + Frame("ADDED", Pod("b", 8)));
  EXPECT_EQ(refreshed, 0);
  server.Data(Bookmark(9, true));
  EXPECT_EQ(refreshed, 1);
  EXPECT_THAT(Reported(), ElementsAre("+b@8"));
  server.Data(Frame("DELETED", Pod("b", 10)));
  EXPECT_THAT(Reported(), ElementsAre("-b@8"));
}

TEST_F(PodReflector, AFailedRefreshIsRetried) {
  StartWatching();
  int refreshed = 0;
  reflector->Refresh([&] { ++refreshed; });
  server.Break(net::HttpError::Kind::kUnreachable);
  server.Lines();
  server.executor.Advance(Duration::Seconds(4));
  EXPECT_EQ(Requested().find("resourceVersion="), std::string::npos);
  server.Head(200);
  server.Data(Bookmark(9, true));
  EXPECT_EQ(refreshed, 1);
  EXPECT_THAT(Reported(), ElementsAre("-a@5"));
}

TEST_F(PodReflector, AWatchThatTheServerEndsIsResumed) {
  StartWatching();
  server.executor.Advance(Duration::Seconds(300));
  server.End();
  EXPECT_THAT(Requested(), MatchesRegex("GET /api/v1/pods\\?watch=true&allowWatchBookmarks=true"
                                        "&resourceVersion=6&timeoutSeconds=[345][0-9][0-9]"));
  server.Head(200);
  server.Data(Frame("MODIFIED", Pod("a", 9)));
  EXPECT_THAT(Reported(), ElementsAre("+a@9"));
  server.Break(net::HttpError::Kind::kBroken, "reset by peer");
  EXPECT_THAT(warnings, ElementsAre("pods: reset by peer"));
  EXPECT_THAT(server.Lines(), IsEmpty());
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_THAT(Requested(), HasSubstr("&resourceVersion=9&"));
}

TEST_F(PodReflector, ASilentWatchIsOpenedAgain) {
  StartWatching();
  EXPECT_EQ(server.last().silence_limit, Duration::Seconds(45));
  server.Break(net::HttpError::Kind::kTimeout, "the server was silent for 45s");
  EXPECT_THAT(Requested(), HasSubstr("&resourceVersion=6&"));
  EXPECT_THAT(warnings, IsEmpty());
  // A server that is gone does not respond to that.
  server.Break(net::HttpError::Kind::kTimeout, "the server was silent for 45s");
  EXPECT_THAT(warnings, ElementsAre("pods: the server was silent for 45s"));
  EXPECT_THAT(server.Lines(), IsEmpty());
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_THAT(Requested(), HasSubstr("&resourceVersion=6&"));
}

TEST_F(PodReflector, AListThatIsTooLongIsRequestedInPages) {
  max_page_bytes = 1000;
  Start(false);
  EXPECT_EQ(Requested(), "GET /api/v1/pods?limit=500&resourceVersion=0");
  server.Head(200);
  server.Data(std::string(1000, ' '));
  server.Data(" ");
  server.executor.Run();
  EXPECT_TRUE(server.last().cancelled);
  EXPECT_THAT(warnings, ElementsAre("pods: the list is longer than 1000 bytes"));
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_EQ(Requested(), "GET /api/v1/pods?limit=500");
  server.Head(200);
  server.Data(std::string(1001, ' '));
  server.executor.Advance(Duration::Millis(3200));
  EXPECT_EQ(Requested(), "GET /api/v1/pods?limit=50");
  server.Respond(200, List(5, Pod("a", 3)));
  EXPECT_THAT(Reported(), ElementsAre("+a@3", "synced"));
}

TEST_F(PodReflector, AnExpiredWatchListsAgainAndReportsTheDifference) {
  StartWatching();
  server.Data(Frame("ADDED", Pod("b", 7)) + Frame("ADDED", Pod("c", 8)));
  Reported();
  server.Data(Frame("ERROR", "{'code':410,'reason':'Expired','message':'too old'}"));
  server.executor.Run();
  EXPECT_TRUE(server.last().cancelled);
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_THAT(Requested(), MatchesRegex(std::string(kListLine) + "&resourceVersion=8"));
  server.Head(200);
  server.Data(Frame("ADDED", Pod("a", 5)) + Frame("ADDED", Pod("b", 20)) +
              Frame("ADDED", Pod("d", 21)) + Bookmark(22, true));
  EXPECT_THAT(Reported(), ElementsAre("-c@8", "+b@20", "+d@21"));
  EXPECT_EQ(reflector->lists(), 2U);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(PodReflector, ServersWithoutWatchListAreListedInPages) {
  Start(true, "status.phase!=Failed");
  EXPECT_THAT(Requested(), HasSubstr("&fieldSelector=status.phase%21%3DFailed"));
  server.Respond(422, "{'code':422,'reason':'Invalid','message':'sendInitialEvents: forbidden'}");
  EXPECT_EQ(Requested(),
            "GET /api/v1/pods?limit=500&resourceVersion=0&fieldSelector=status.phase%21%3DFailed");
  server.Respond(200, List(9, Pod("a", 1) + "," + Pod("b", 2), "to ken"));
  EXPECT_THAT(Reported(), IsEmpty());
  EXPECT_EQ(Requested(),
            "GET /api/v1/pods?limit=500&continue=to%20ken&fieldSelector=status.phase%21%3DFailed");
  server.Respond(200, List(9, Pod("c", 3)));
  EXPECT_THAT(Reported(), ElementsAre("+a@1", "+b@2", "+c@3", "synced"));
  EXPECT_THAT(Requested(), StartsWith("GET /api/v1/pods?watch=true&allowWatchBookmarks=true"
                                      "&resourceVersion=9&timeoutSeconds="));
}

TEST_F(PodReflector, AFailedListByWatchIsRequestedInPages) {
  constexpr const char* kPage = "GET /api/v1/pods?limit=500&resourceVersion=0";
  Start();
  server.Lines();
  server.Head(200);
  server.Data(Frame("ADDED", Pod("a", 3)));
  server.Data(Frame("ERROR",
                    "{'code':500,'reason':'InternalError','message':'the required storage feature "
                    "RequestWatchProgress is disabled'}"));
  EXPECT_EQ(Requested(), kPage);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("RequestWatchProgress is disabled")));
  server.Respond(500, "{'code':500,'message':'etcd has no leader'}");
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_THAT(Requested(), MatchesRegex(kListLine));
  server.Respond(500, "{'code':500,'message':'etcd has no leader'}");
  server.executor.Advance(Duration::Millis(3200));
  EXPECT_EQ(Requested(), kPage);
  server.Respond(200, List(9, Pod("b", 4)));
  EXPECT_THAT(Reported(), ElementsAre("+b@4", "synced"));
}

TEST_F(PodReflector, AListOfEndlessPagesIsGivenUp) {
  Start(false);
  for (size_t i = 0; i < kMaxListPages; ++i) {
    EXPECT_THAT(warnings, IsEmpty());
    Requested();
    server.Respond(200, List(9, "", "more"));
  }
  EXPECT_THAT(warnings, ElementsAre("pods: the list has more than 4000 pages"));
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_EQ(Requested(), "GET /api/v1/pods?limit=500&resourceVersion=0");
}

TEST_F(PodReflector, AnExpiredPageRequestsTheWholeList) {
  Start(false);
  server.Respond(200, List(9, Pod("a", 1), "c"));
  server.Lines();
  server.Respond(410, "{'code':410,'reason':'Expired'}");
  EXPECT_EQ(Requested(), "GET /api/v1/pods?resourceVersion=0");
  server.Respond(200, List(12, Pod("a", 10)));
  EXPECT_THAT(Reported(), ElementsAre("+a@10", "synced"));
}

TEST_F(PodReflector, AVersionThatTheServerDoesNotHaveIsNotRequestedAgain) {
  StartWatching();
  server.Break(net::HttpError::Kind::kUnreachable);
  server.executor.Advance(Duration::Millis(1600));
  server.Lines();
  server.Respond(410, "{'code':410}");
  server.executor.Advance(Duration::Seconds(4));
  EXPECT_THAT(Requested(), HasSubstr("&resourceVersion=6"));
  server.Respond(504,
                 "{'code':504,'reason':'Timeout','message':'Too large resource version',"
                 "'details':{'causes':[{'reason':'ResourceVersionTooLarge'}]}}");
  EXPECT_THAT(Requested(), MatchesRegex(kListLine));
  server.Head(200);
  server.Data(Bookmark(2, true));
  EXPECT_THAT(Reported(), ElementsAre("-a@5"));
  EXPECT_EQ(reflector->resource_version(), "2");
}

TEST_F(PodReflector, AWatchFromBeyondTheServersVersionListsAgain) {
  StartWatching();
  server.Break(net::HttpError::Kind::kBroken);
  server.executor.Advance(Duration::Millis(1600));
  server.Lines();
  server.Respond(504,
                 "{'code':504,'message':'Too large resource version','details':{'causes':["
                 "{'reason':'ResourceVersionTooLarge'}]}}");
  server.executor.Advance(Duration::Seconds(4));
  EXPECT_THAT(Requested(), HasSubstr("sendInitialEvents=true"));
}

TEST_F(PodReflector, AMissingResourceIsEmptyAndRequestedRarely) {
  Start();
  server.Respond(404, "404 page not found");
  EXPECT_THAT(Reported(), ElementsAre("synced"));
  EXPECT_THAT(warnings, ElementsAre("pods: the server has no resource pods (/api/v1/pods): going "
                                    "on as if there were none"));
  server.Lines();
  server.executor.Advance(Duration::Seconds(599));
  EXPECT_THAT(server.Lines(), IsEmpty());
  server.executor.Advance(Duration::Seconds(1));
  EXPECT_THAT(Requested(), MatchesRegex(kListLine));
  server.Head(200);
  server.Data(Frame("ADDED", Pod("a", 5)) + Bookmark(6, true));
  EXPECT_THAT(Reported(), ElementsAre("+a@5"));
}

TEST_F(PodReflector, AResourceIsReadInTheOtherVersionIfTheServerLacksTheFirst) {
  other_path = "/api/v2/pods";
  Start();
  server.Respond(404, "404 page not found");
  EXPECT_THAT(server.Lines(), ElementsAre(StartsWith("GET /api/v1/pods?watch=true"),
                                          StartsWith("GET /api/v2/pods?watch=true")));
  server.Head(200);
  server.Data(Frame("ADDED", Pod("a", 5)) + Bookmark(6, true));
  EXPECT_THAT(Reported(), ElementsAre("+a@5", "synced"));
  EXPECT_THAT(warnings, IsEmpty());
  // A server that is older again.
  server.Break(net::HttpError::Kind::kBroken);
  server.executor.Advance(Duration::Millis(1600));
  server.Lines();
  server.Respond(404, "404 page not found");
  EXPECT_THAT(Requested(), StartsWith("GET /api/v1/pods?watch=true&sendInitialEvents=true"));
  server.Respond(404, "404 page not found");
  EXPECT_THAT(Reported(), ElementsAre("-a@5"));
  EXPECT_THAT(warnings, Contains(HasSubstr("going on as if there were none")));
}

TEST_F(PodReflector, AForbiddenResourceIsRequestedAgainAndLoggedRarely) {
  Start();
  for (int i = 0; i < 8; ++i) {
    server.Respond(403, "{'code':403,'message':'pods is forbidden'}");
    EXPECT_THAT(server.Lines(), SizeIs(1));
    server.executor.Advance(Duration::Seconds(60));
  }
  EXPECT_FALSE(reflector->synced());
  EXPECT_THAT(warnings,
              ElementsAre("pods: the server does not let us read pods: pods is forbidden"));
  server.executor.Advance(Duration::Seconds(600));
  server.Respond(403, "{'code':403,'message':'pods is forbidden'}");
  EXPECT_THAT(warnings, SizeIs(2));
}

TEST_F(PodReflector, BacksOffBetweenRetries) {
  Start();
  for (const int millis : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    server.Lines();
    server.Break(net::HttpError::Kind::kUnreachable, "connection refused");
    server.executor.Advance(Duration::Millis(millis - 1));
    EXPECT_THAT(server.Lines(), IsEmpty()) << millis;
    server.executor.Advance(Duration::Millis(millis + 1));
    EXPECT_THAT(server.Lines(), SizeIs(1)) << millis;
  }
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(warnings.front(), "pods: connection refused");
  server.executor.Advance(Duration::Seconds(121));
  server.Break(net::HttpError::Kind::kUnreachable);
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_THAT(server.Lines(), SizeIs(1));
}

TEST_F(PodReflector, AWatchThatEndsAtOnceIsRetriedWithBackoff) {
  StartWatching();
  server.executor.Advance(Duration::Seconds(300));
  server.End();
  server.Lines();
  server.Head(200);
  server.End();
  EXPECT_THAT(server.Lines(), IsEmpty());
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_THAT(Requested(), HasSubstr("&resourceVersion=6&"));
}

TEST_F(PodReflector, UnreadableObjectsAreLoggedOnceAndSkipped) {
  const std::string bad =
      "{'metadata':{'name':'a','namespace':'default','uid':'u',"
      "'resourceVersion':'8'},'spec':{'priority':'x'}}";
  StartWatching();
  server.Data(Frame("MODIFIED", bad) + Frame("MODIFIED", bad) + Frame("ADDED", Pod("b", 9)));
  EXPECT_THAT(Reported(), ElementsAre("+b@9"));
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0],
              HasSubstr("the scheduler does not see Pod \"default/a\": spec.priority"));
  server.Data(Frame("DELETED", bad));
  EXPECT_THAT(Reported(), ElementsAre("-a@5"));
}

TEST_F(PodReflector, UndecodableFieldsAreLoggedOnceAndLeftOut) {
  const auto running = [](int version, const std::string& spec) {
    return "{'metadata':{'name':'a','namespace':'default','uid':'u','resourceVersion':'" +
           std::to_string(version) + "'},'spec':{'nodeName':'n'," + spec + "}}";
  };
  StartWatching();
  server.Data(Frame("MODIFIED", running(8, "'priority':'x'")) +
              Frame("MODIFIED", running(9, "'priority':'y'")));
  EXPECT_THAT(Reported(), ElementsAre("+a@8", "+a@9"));
  EXPECT_THAT(warnings, ElementsAre("pods \"default/a\": what cannot be read is left out: "
                                    "spec.priority: expected an integer, found \"x\""));
  EXPECT_THAT(undecodable, ElementsAre("pods 1"));
  server.Data(Frame("MODIFIED", running(10, "'priority':'y','volumes':7,'tolerations':7")));
  EXPECT_THAT(warnings, SizeIs(2));
  EXPECT_THAT(undecodable, ElementsAre("pods 1", "pods 3"));
}

TEST_F(PodReflector, InvalidEventsCauseARelist) {
  StartWatching();
  server.Data(Frame("ADDED", Pod("b", 9)) + "nonsense");
  EXPECT_THAT(Reported(), ElementsAre("+b@9"));
  EXPECT_THAT(warnings, ElementsAre("pods: the watch sent what cannot be read: an event is not "
                                    "JSON: nonsense"));
  server.executor.Advance(Duration::Millis(1600));
  EXPECT_THAT(Requested(), MatchesRegex(std::string(kListLine) + "&resourceVersion=9"));
}

TEST_F(PodReflector, CallsBackNoMoreOnceDestroyed) {
  StartWatching();
  server.Break(net::HttpError::Kind::kBroken);
  reflector.reset();
  server.executor.Advance(Duration::Seconds(60));
  EXPECT_THAT(server.Lines(), IsEmpty());
  StartWatching();
  reflector.reset();
  server.executor.Run();
  EXPECT_TRUE(server.last().cancelled);
  server.Data(Frame("ADDED", Pod("z", 9)));
  EXPECT_THAT(Reported(), IsEmpty());
}

// The connection lives, and so does the server; only the watch does not go on.
TEST_F(PodReflector, OpensAWatchAgainThatDeliversNothingAlthoughBookmarksAreDue) {
  StartWatching();
  for (int version : {7, 8, 9}) {
    server.executor.Advance(Duration::Seconds(60));
    server.Data(Bookmark(version));
  }
  server.executor.Advance(Duration::Seconds(149));
  EXPECT_THAT(server.Lines(), IsEmpty());
  server.executor.Advance(Duration::Seconds(1));
  EXPECT_THAT(Requested(), HasSubstr("&resourceVersion=9&"));
  EXPECT_THAT(silent_watches, ElementsAre("pods"));
  EXPECT_THAT(warnings, ElementsAre("pods: the watch has delivered nothing for 150 seconds: "
                                    "opening it again"));
  server.Head(200);
  // An event is as good as a bookmark.
  server.executor.Advance(Duration::Seconds(100));
  server.Data(Frame("ADDED", Pod("b", 10)));
  server.executor.Advance(Duration::Seconds(149));
  EXPECT_THAT(server.Lines(), IsEmpty());
  server.executor.Advance(Duration::Seconds(1));
  EXPECT_THAT(Requested(), HasSubstr("&resourceVersion=10&"));
}

TEST_F(PodReflector, WaitsForAServerThatSendsNoBookmarksOrFewOnes) {
  StartWatching();
  server.executor.Advance(Duration::Seconds(280));
  EXPECT_THAT(server.Lines(), IsEmpty()) << "it has never sent one";
  server.Data(Bookmark(7));
  server.executor.Advance(Duration::Seconds(100));
  server.Data(Bookmark(8));
  server.executor.Advance(Duration::Seconds(199));
  EXPECT_THAT(server.Lines(), IsEmpty()) << "it sends one in a hundred seconds";
  server.executor.Advance(Duration::Seconds(1));
  EXPECT_THAT(silent_watches, ElementsAre("pods"));
}

TEST(QueryText, EscapesReservedCharacters) {
  EXPECT_EQ(QueryEscape("a-b_c.d~9"), "a-b_c.d~9");
  EXPECT_EQ(QueryEscape("a=b,c!&+ %\xc3\xa4"), "a%3Db%2Cc%21%26%2B%20%25%C3%A4");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
