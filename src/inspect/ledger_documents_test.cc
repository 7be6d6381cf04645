#include "inspect/ledger_documents.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "testing/require.h"

namespace berth::inspect {
namespace BERTH_TEST_FILE {

using ledger::Outcome;

constexpr Instant kStart = Instant::FromUnixSeconds(1'000'000);

std::string MemberAt(const api::Json& document, std::string_view path) {
  boost::system::error_code error;
  const api::Json* found = document.find_pointer("/" + std::string(path), error);
  return found == nullptr ? "absent" : api::ToJsonText(*found);
}

class LedgerDocumentsTest : public testing::Test {
 protected:
  uint64_t Append(std::string_view name, Outcome outcome, std::string_view node = "") {
    ledger::AttemptView attempt;
    attempt.time = kStart;
    attempt.namespace_ = "shop";
    attempt.name = name;
    attempt.uid = "u";
    attempt.number = 1;
    attempt.outcome = outcome;
    attempt.node = node;
    static constexpr std::string_view kPlugins[] = {"NodeResourcesFit"};
    static constexpr ledger::BasicNodeGroup<std::string_view> kGroups[] = {
        {"NodeResourcesFit", "Insufficient cpu", 3}};
    if (outcome == Outcome::kUnschedulable) {
      attempt.failure = {"0/3 nodes are available", kPlugins, kGroups};
    }
    attempt.evaluated = 3;
    attempt.phases.filter = Duration::Millis(2);
    attempt.woken_by = {"NodeAdd", "Node/a-1", kStart};
    attempt.waited_for = kPlugins;
    attempt.waited = Duration::Millis(1500);
    return ledger_.Append(attempt);
  }
  Response Get(const std::string& query) {
    const auto request = Require(Request::Parse("/berth/v1/attempts?" + query));
    return AttemptListResponse(history_, request);
  }
  api::Json Json(const Response& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    return Require(api::ParseJson(response.body));
  }

  ledger::Ledger ledger_;
  ledger::ActivityLog activity_;
  History history_{&ledger_, nullptr, &activity_};
};

TEST_F(LedgerDocumentsTest, AnAttemptSaysWhatHappened) {
  Append("web", Outcome::kUnschedulable);
  const api::Json list = Json(Get("pod=shop/web"));
  EXPECT_EQ(MemberAt(list, "kind"), R"("AttemptList")");
  EXPECT_EQ(MemberAt(list, "complete"), "true");
  EXPECT_EQ(
      MemberAt(list, "items/0"),
      R"({"sequence":1,"time":"1970-01-12T13:46:40.000000Z","namespace":"shop","name":"web",)"
      R"("uid":"u","attempt":1,"outcome":"unschedulable","message":"0/3 nodes are available",)"
      R"("plugins":["NodeResourcesFit"],)"
      R"("groups":[{"plugin":"NodeResourcesFit","reason":"Insufficient cpu","nodes":3}],)"
      R"("candidates":[],"victims":[],"victimCount":0,"evaluated":3,"feasible":0,)"
      R"("phases":{"filter":0.002},)"
      R"("wokenBy":{"event":"NodeAdd","object":"Node/a-1","time":"1970-01-12T13:46:40.000000Z"},)"
      R"("waitedFor":1.5,"waitedOn":["NodeResourcesFit"]})");
}

TEST_F(LedgerDocumentsTest, AttemptsAreFilteredAndPaged) {
  for (int i = 0; i < 5; ++i) Append(fmt::format("web-{}", i), Outcome::kAssumed, "a");
  Append("late", Outcome::kUnschedulable);
  EXPECT_EQ(MemberAt(Json(Get("outcome=unschedulable")), "items/0/name"), R"("late")");
  EXPECT_EQ(MemberAt(Json(Get("outcome=unschedulable")), "items/1"), "absent");
  EXPECT_EQ(MemberAt(Json(Get("node=a&limit=1")), "items/0/name"), R"("web-4")");
  EXPECT_EQ(MemberAt(Json(Get("node=b")), "items"), "[]");
  EXPECT_EQ(MemberAt(Json(Get("plugin=NodeResourcesFit")), "items/0/name"), R"("late")");
  EXPECT_EQ(MemberAt(Json(Get("before=3")), "items/0/sequence"), "2");
  std::vector<std::string> names;
  std::string token;
  for (int pages = 0; pages < 10; ++pages) {
    const api::Json page = Json(Get("limit=4&continue=" + token));
    for (const api::Json& item : page.at("items").as_array()) {
      names.push_back(std::string(api::StringAt(api::AsObject(item), "name")));
    }
    token = api::StringAt(api::AsObject(page), "continue");
    if (token.empty()) break;
  }
  EXPECT_THAT(names, testing::ElementsAre("late", "web-4", "web-3", "web-2", "web-1", "web-0"));
}

TEST_F(LedgerDocumentsTest, ActivityIsColumns) {
  activity_.CountDecision(kStart, Outcome::kAssumed, Duration::Millis(1), 0);
  activity_.CountDecision(kStart, Outcome::kWaiting, Duration::Millis(1), 0);
  activity_.CountDecision(kStart, Outcome::kNominated, Duration::Millis(1), 2);
  activity_.CountBinding(kStart, true, Duration::Millis(3));
  activity_.CountCalls(kStart, ledger::ApiLane::kStatus, 2);
  activity_.CountCalls(kStart, ledger::ApiLane::kNominate, 1);
  activity_.CountReason(kStart,
                        activity_.ReasonNumber(kStart, "NodeResourcesFit", "Insufficient cpu"));
  activity_.SetQueues(kStart, {.active = 4, .in_flight = 3, .waiting = 1});
  const auto request = Require(Request::Parse("/berth/v1/activity?window=10"));
  const api::Json document = Json(ActivityResponse(history_, request, kStart));
  EXPECT_EQ(MemberAt(document, "step"), "5");
  EXPECT_EQ(MemberAt(document, "decisions/bound"), "[0,2]");
  EXPECT_EQ(MemberAt(document, "decisions/nominated"), "[0,1]");
  EXPECT_EQ(MemberAt(document, "binds"), "[0,1]");
  EXPECT_EQ(MemberAt(document, "preemptions"), "[0,2]");
  EXPECT_EQ(MemberAt(document, "reasons"), R"({"NodeResourcesFit: Insufficient cpu":[0,1]})");
  EXPECT_EQ(MemberAt(document, "apiCalls/status"), "[0,3]");
  EXPECT_EQ(MemberAt(document, "queues/inFlight"), "[0,2]");
  EXPECT_EQ(MemberAt(document, "queues/waiting"), "[0,1]");
  const size_t bounds = document.at("latency").at("bounds").as_array().size();
  EXPECT_EQ(document.at("latency").at("counts").at(0).as_array().size(), bounds + 1);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::inspect
