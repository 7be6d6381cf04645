#include "apiserver/watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <memory>
#include <sstream>
#include <vector>

#include "apiserver/list.h"
#include "testing/stored_objects.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

// Fields of pods: nodeName, restartPolicy, schedulerName, serviceAccountName, hostNetwork, phase.
ObjectDetails Phase(std::string phase, std::string app = "") {
  ObjectDetails details;
  details.fields = {"", "", "", "", "", std::move(phase)};
  if (!app.empty()) details.labels["app"] = std::move(app);
  return details;
}

class WatchTest : public testing::Test {
 protected:
  WatchPlan Plan(store::Version from, std::string_view labels = "", std::string_view fields = "") {
    return {.form = ObjectForm(api::scheme::RefTo(pods_)),
            .namespace_ = "",
            .selector = *ObjectSelector::Make(pods_, labels, fields),
            .initial = {},
            .from = from,
            .timeout = {},
            .lease = nullptr};
  }
  void Start(WatchPlan plan) {
    source_ = std::make_unique<WatchSource>(std::move(plan), objects_.store(), clock_, exchange_);
  }
  // Starts as the handler does for sendInitialEvents.
  void StartWithInitialState() {
    store::ListResult first = SnapshotPart(objects_.store(), pods_, "", ObjectSelector(), {});
    WatchPlan plan = Plan(first.version);
    plan.initial = std::move(first.objects);
    plan.more_initial = first.more;
    plan.initial_end_bookmark = true;
    Start(std::move(plan));
  }
  std::vector<net::Piece> ReadPieces(size_t limit = 1 << 20) {
    std::vector<net::Piece> pieces;
    state_ = source_->Read(limit, pieces);
    return pieces;
  }
  // Returns "ADDED x/a@101 MODIFIED x/a@102", "BOOKMARK @103 end", "ERROR 410".
  std::string Read(size_t limit = 1 << 20) {
    std::istringstream lines(TextOf(ReadPieces(limit)));
    std::string events;
    for (std::string line; std::getline(lines, line);) {
      if (!events.empty()) events += ' ';
      events += Describe(boost::json::parse(line));
    }
    return events;
  }
  static std::string Describe(const boost::json::value& event) {
    const std::string type(event.at("type").as_string());
    const auto& object = event.at("object").as_object();
    if (type == "ERROR") return "ERROR " + std::to_string(object.at("code").as_int64());
    EXPECT_TRUE(object.contains("kind") && object.contains("apiVersion"));
    const auto& metadata = object.at("metadata").as_object();
    const std::string version(metadata.at("resourceVersion").as_string());
    if (type == "BOOKMARK") {
      return "BOOKMARK @" + version + (metadata.contains("annotations") ? " end" : "");
    }
    return fmt::format("{} {}/{}@{}", type, std::string(metadata.at("namespace").as_string()),
                       std::string(metadata.at("name").as_string()), version);
  }

  const api::scheme::Kind& pods_ = api::scheme::KindOf("pods");
  StoredObjects objects_{8};
  SimClock clock_{Instant::FromUnixSeconds(1000)};
  std::shared_ptr<FakeExchange> exchange_ = std::make_shared<FakeExchange>();
  std::unique_ptr<WatchSource> source_;
  net::BodySource::State state_ = net::BodySource::State::kWait;
};

using State = net::BodySource::State;

TEST_F(WatchTest, SendsEveryChangeAfterItsVersion) {
  const auto version = objects_.Create(pods_, {"x", "a"})->version;
  Start(Plan(version));
  objects_.Replace(pods_, {"x", "a"});
  objects_.Create(api::scheme::KindOf("nodes"), {"", "n"});
  objects_.Create(pods_, {"y", "b"});
  objects_.Delete(pods_, {"x", "a"});
  EXPECT_EQ(Read(), fmt::format("MODIFIED x/a@{} ADDED y/b@{} DELETED x/a@{}", version + 1,
                                version + 3, version + 4));
  EXPECT_EQ(state_, State::kWait);
  EXPECT_EQ(Read(), "");
}

TEST_F(WatchTest, IsWokenByTheNextChangeOnly) {
  Start(Plan(objects_.store().version()));
  EXPECT_EQ(Read(), "");
  objects_.Create(pods_, {"x", "a"});
  objects_.Create(pods_, {"x", "b"});
  EXPECT_EQ(exchange_->wakes(), 1);
  EXPECT_NE(Read(), "");
}

TEST_F(WatchTest, InitialStateComesFirstAndItsEndIsMarked) {
  objects_.Create(pods_, {"x", "a"});
  const auto snapshot = Snapshot(objects_.store(), pods_, "", ObjectSelector());
  WatchPlan plan = Plan(snapshot.version);
  plan.initial = snapshot.objects;
  plan.initial_end_bookmark = true;
  Start(std::move(plan));
  objects_.Create(pods_, {"x", "b"});
  const auto version = snapshot.version;
  EXPECT_EQ(Read(), fmt::format("ADDED x/a@{} BOOKMARK @{} end ADDED x/b@{}", version, version,
                                version + 1));
}

TEST_F(WatchTest, TheEndOfAnEmptyInitialStateIsMarked) {
  WatchPlan plan = Plan(objects_.store().version());
  plan.initial_end_bookmark = true;
  Start(std::move(plan));
  EXPECT_EQ(Read(), fmt::format("BOOKMARK @{} end", objects_.store().version()));
}

TEST_F(WatchTest, SendsObjectsThatStartAndStopMatching) {
  const auto start = objects_.store().version();
  Start(Plan(start, "", "status.phase!=Succeeded,status.phase!=Failed"));
  objects_.Create(pods_, {"x", "a"}, Phase("Pending"));
  objects_.Replace(pods_, {"x", "a"}, Phase("Running"));
  objects_.Replace(pods_, {"x", "a"}, Phase("Succeeded", "done"));
  objects_.Replace(pods_, {"x", "a"}, Phase("Failed"));
  objects_.Replace(pods_, {"x", "a"}, Phase("Running"));
  objects_.Replace(pods_, {"x", "a"}, Phase("Failed"));
  objects_.Delete(pods_, {"x", "a"});
  EXPECT_EQ(Read(),
            fmt::format("ADDED x/a@{} MODIFIED x/a@{} DELETED x/a@{} ADDED x/a@{} DELETED x/a@{}",
                        start + 1, start + 2, start + 3, start + 5, start + 6));
}

TEST_F(WatchTest, AnUnselectedObjectIsSentInItsOldState) {
  const auto version = objects_.Create(pods_, {"x", "a"}, Phase("Running", "web"))->version;
  Start(Plan(version, "app=web"));
  objects_.Replace(pods_, {"x", "a"}, Phase("Running", "other"));
  const auto event = boost::json::parse(TextOf(ReadPieces()));
  EXPECT_EQ(event.at("type").as_string(), "DELETED");
  EXPECT_EQ(event.at("object").at("metadata").at("labels").at("app").as_string(), "web");
  EXPECT_EQ(event.at("object").at("metadata").at("resourceVersion").as_string(),
            std::to_string(version + 1));
}

TEST_F(WatchTest, OtherNamespacesAreNotSent) {
  WatchPlan plan = Plan(objects_.store().version());
  plan.namespace_ = "x";
  Start(std::move(plan));
  objects_.Create(pods_, {"y", "a"});
  objects_.Create(pods_, {"x", "a"});
  EXPECT_EQ(Read(), fmt::format("ADDED x/a@{}", objects_.store().version()));
}

TEST_F(WatchTest, WaitsForAFutureVersion) {
  const auto start = objects_.store().version();
  Start(Plan(start + 2));
  objects_.Create(pods_, {"x", "a"});
  objects_.Create(pods_, {"x", "b"});
  objects_.Create(pods_, {"x", "c"});
  EXPECT_EQ(Read(), fmt::format("ADDED x/c@{}", start + 3));
}

TEST_F(WatchTest, EventsAreSharedAndNotCopied) {
  Start(Plan(objects_.store().version()));
  const auto pod = objects_.Create(pods_, {"x", "a"});
  const auto pieces = ReadPieces();
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].bytes, R"({"type":"ADDED","object":)");
  EXPECT_EQ(pieces[1].bytes.data(), pod->json.data());
  EXPECT_EQ(pieces[2].bytes, "}\n");
}

TEST_F(WatchTest, AWatchThatFallsBehindIsExpired) {
  Start(Plan(objects_.store().version()));
  objects_.Create(pods_, {"x", "a"});
  for (int i = 0; i < 20; ++i) objects_.Replace(pods_, {"x", "a"});
  EXPECT_EQ(Read(), "ERROR 410");
  EXPECT_EQ(state_, State::kEnd);
}

TEST_F(WatchTest, AStartBeforeTheHistoryIsExpired) {
  objects_.Create(pods_, {"x", "a"});
  Start(Plan(5));
  EXPECT_EQ(Read(), "ERROR 410");
  EXPECT_EQ(state_, State::kEnd);
}

TEST_F(WatchTest, RespectsTheLimit) {
  const auto start = objects_.store().version();
  objects_.Create(pods_, {"x", "a"});
  objects_.Create(pods_, {"x", "b"});
  const auto snapshot = Snapshot(objects_.store(), pods_, "", ObjectSelector());
  WatchPlan plan = Plan(snapshot.version);
  plan.initial = snapshot.objects;
  Start(std::move(plan));
  EXPECT_EQ(Read(1), fmt::format("ADDED x/a@{}", start + 1));
  EXPECT_EQ(state_, State::kMore);
  EXPECT_EQ(Read(1), fmt::format("ADDED x/b@{}", start + 2));
  EXPECT_EQ(Read(1), "");
  EXPECT_EQ(state_, State::kWait);
}

// The parts of a large initial state are read when the client is ready for them.
TEST_F(WatchTest, ASlowWatchSendsTheStateOfItsStart) {
  objects_ = StoredObjects();
  const std::string large(300'000, 'x');
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    objects_.Create(pods_, {"x", name}, {.labels = {{"large", large}}, .fields = {}});
  }
  const auto version = objects_.store().version();
  StartWithInitialState();
  EXPECT_EQ(Read(1), "ADDED x/a@101");
  EXPECT_EQ(state_, State::kMore);
  objects_.Replace(pods_, {"x", "d"});
  objects_.Delete(pods_, {"x", "e"});
  objects_.Create(pods_, {"x", "g"});
  EXPECT_EQ(Read(10 << 20),
            "ADDED x/b@102 ADDED x/c@103 ADDED x/d@104 ADDED x/e@105 ADDED x/f@106 "
            "BOOKMARK @106 end MODIFIED x/d@107 DELETED x/e@108 ADDED x/g@109");
  EXPECT_EQ(version, 106U);
}

TEST_F(WatchTest, ASlowWatchHoldsLittleMemory) {
  const std::string large(300'000, 'x');
  std::vector<std::weak_ptr<const store::Object>> old;
  for (int i = 10; i < 40; ++i) {
    old.push_back(objects_.Create(pods_, {"x", std::to_string(i)},
                                  {.labels = {{"large", large}}, .fields = {}}));
  }
  StartWithInitialState();
  EXPECT_EQ(Read(1), "ADDED x/10@101");
  for (int i = 10; i < 40; ++i) objects_.Replace(pods_, {"x", std::to_string(i)});
  for (int i = 0; i < 64; ++i) objects_.Replace(pods_, {"x", "10"});  // Fills the history.
  const auto alive =
      std::ranges::count_if(old, [](const auto& object) { return !object.expired(); });
  EXPECT_EQ(alive, 1) << "the one that is left of the first MiB";
  EXPECT_EQ(Read(10 << 20), "ADDED x/11@102 ERROR 410");
  EXPECT_EQ(state_, State::kEnd);
}

TEST_F(WatchTest, SendsBookmarksOnceAMinuteOnRequest) {
  WatchPlan plan = Plan(objects_.store().version());
  plan.bookmarks = true;
  Start(std::move(plan));
  EXPECT_EQ(Read(), "");
  ASSERT_EQ(exchange_->delays().size(), 1u);
  EXPECT_EQ(exchange_->delays()[0].count(), 60'001);
  objects_.Create(api::scheme::KindOf("nodes"), {"", "n"});
  clock_.Advance(Duration::Seconds(61));
  EXPECT_EQ(Read(), fmt::format("BOOKMARK @{}", objects_.store().version()));
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(exchange_->delays().size(), 2u);
}

TEST_F(WatchTest, EndsCleanlyAtItsTimeout) {
  WatchPlan plan = Plan(objects_.store().version());
  plan.timeout = Duration::Seconds(5);
  Start(std::move(plan));
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(state_, State::kWait);
  ASSERT_EQ(exchange_->delays().size(), 1u);
  EXPECT_EQ(exchange_->delays()[0].count(), 5001);
  clock_.Advance(Duration::Millis(5001));
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(state_, State::kEnd);
}

TEST_F(WatchTest, PartialMetadataWatchesSendOnlyMetadata) {
  WatchPlan plan = Plan(objects_.store().version());
  plan.form = *ObjectForm::Make(api::scheme::RefTo(pods_),
                                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                                Query(), clock_);
  plan.bookmarks = true;
  Start(std::move(plan));
  objects_.Create(pods_, {"x", "a"});
  clock_.Advance(Duration::Seconds(61));
  const std::string text = TextOf(ReadPieces());
  EXPECT_NE(text.find(R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata",)"),
            std::string::npos);
  EXPECT_NE(text.find(R"({"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata",)"),
            std::string::npos);
}

TEST_F(WatchTest, OnlyTheFirstTableHasColumns) {
  WatchPlan plan = Plan(objects_.store().version(), "app=web");
  plan.form = *ObjectForm::Make(api::scheme::RefTo(pods_),
                                "application/json;as=Table;v=v1;g=meta.k8s.io", Query(), clock_);
  Start(std::move(plan));
  objects_.Create(pods_, {"x", "a"}, Phase("Running", "web"));
  objects_.Replace(pods_, {"x", "a"}, Phase("Running", "other"));
  std::istringstream lines(TextOf(ReadPieces()));
  std::string line;
  std::getline(lines, line);
  const auto first = boost::json::parse(line);
  EXPECT_EQ(first.at("object").at("kind").as_string(), "Table");
  EXPECT_FALSE(first.at("object").at("columnDefinitions").as_array().empty());
  std::getline(lines, line);
  const auto second = boost::json::parse(line);
  EXPECT_EQ(second.at("type").as_string(), "DELETED");
  EXPECT_TRUE(second.at("object").at("columnDefinitions").is_null());
  EXPECT_EQ(second.at("object").at("metadata").at("resourceVersion").as_string(),
            std::to_string(objects_.store().version()));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
