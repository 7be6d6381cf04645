#include "apiserver/request_options.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

struct ErrorCase {
  const char* name;
  const char* query;
  bool watch;
  int code;
  const char* field;  // Of the first cause of a 422.
};

class ListOptionsErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ListOptionsErrorTest, IsRejected) {
  const auto options = ReadListOptions(*Query::Parse(GetParam().query), GetParam().watch);
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, GetParam().code);
  if (GetParam().code == 422) {
    EXPECT_EQ(options.error().causes.at(0).field, GetParam().field);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Values, ListOptionsErrorTest,
    testing::Values(
        ErrorCase{"LimitIsNoNumber", "limit=x", false, 400, ""},
        ErrorCase{"TimeoutIsNoNumber", "timeoutSeconds=1s", true, 400, ""},
        ErrorCase{"VersionIsNoNumber", "resourceVersion=abc", false, 400, ""},
        ErrorCase{"VersionIsNegative", "resourceVersion=-1", false, 400, ""},
        ErrorCase{"VersionIsTooLarge", "resourceVersion=99999999999999999999", true, 400, ""},
        ErrorCase{"UnknownMatch", "resourceVersion=1&resourceVersionMatch=Newest", false, 422,
                  "resourceVersionMatch"},
        ErrorCase{"ExactZero", "resourceVersion=0&resourceVersionMatch=Exact", false, 422,
                  "resourceVersionMatch"},
        ErrorCase{"MatchWithoutVersion", "resourceVersionMatch=NotOlderThan", false, 422,
                  "resourceVersionMatch"},
        ErrorCase{"MatchWithContinue", "resourceVersion=1&resourceVersionMatch=Exact&continue=abc",
                  false, 422, "resourceVersionMatch"},
        ErrorCase{"InitialEventsOfAList", "sendInitialEvents=true", false, 422,
                  "sendInitialEvents"},
        ErrorCase{"InitialEventsWithoutMatch", "sendInitialEvents=true", true, 422,
                  "resourceVersionMatch"},
        ErrorCase{"InitialEventsWithExact", "sendInitialEvents=true&resourceVersionMatch=Exact",
                  true, 422, "resourceVersionMatch"},
        ErrorCase{"MatchOfAPlainWatch", "resourceVersion=1&resourceVersionMatch=NotOlderThan", true,
                  422, "resourceVersionMatch"}),
    [](const auto& test) { return test.param.name; });

TEST(ListOptionsTest, AreParsed) {
  const auto options = ReadListOptions(
      *Query::Parse("labelSelector=a%3Db&fieldSelector=c%3Dd&resourceVersion=7&limit=3&"
                    "timeoutSeconds=30&allowWatchBookmarks=true&sendInitialEvents=true&"
                    "resourceVersionMatch=NotOlderThan"),
      true);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->label_selector, "a=b");
  EXPECT_EQ(options->field_selector, "c=d");
  EXPECT_EQ(options->resource_version, 7u);
  EXPECT_EQ(options->limit, 3);
  EXPECT_EQ(options->timeout_seconds, 30);
  EXPECT_TRUE(options->allow_bookmarks);
  EXPECT_EQ(options->send_initial_events, true);
  EXPECT_EQ(options->match, ListOptions::Match::kNotOlderThan);
}

TEST(WriteOptionsTest, TheDefaultManagerIsTheUserAgent) {
  const auto options = ReadWriteOptions(*Query::Parse(""), "kubectl/v1.36.4 (linux/amd64)");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->field_manager, "kubectl");
  EXPECT_EQ(options->field_validation, registry::FieldValidation::kWarn);
  EXPECT_FALSE(options->dry_run);
}

TEST(WriteOptionsTest, AreParsed) {
  const auto options = ReadWriteOptions(
      *Query::Parse("fieldManager=me&fieldValidation=Strict&dryRun=All&force=true"), "x/1");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->field_manager, "me");
  EXPECT_EQ(options->field_validation, registry::FieldValidation::kStrict);
  EXPECT_TRUE(options->dry_run);
  EXPECT_TRUE(options->force);
}

TEST(WriteOptionsTest, UnknownValuesAreInvalid) {
  const std::string long_name = "fieldManager=" + std::string(129, 'x');
  for (const std::string& query : {std::string("dryRun=Some"), std::string("dryRun="),
                                   std::string("fieldValidation=strict"), long_name}) {
    const auto options = ReadWriteOptions(*Query::Parse(query), "");
    ASSERT_FALSE(options) << query;
    EXPECT_EQ(options.error().code, 422) << query;
  }
}

TEST(DeleteOptionsTest, TheBodyTakesPrecedenceOverTheQuery) {
  const auto options =
      ReadDeleteOptions(*Query::Parse("gracePeriodSeconds=5&propagationPolicy=Orphan"),
                        boost::json::parse(R"({"kind":"DeleteOptions","gracePeriodSeconds":0,
                           "propagationPolicy":"Background","dryRun":["All"],
                           "preconditions":{"uid":"u","resourceVersion":"9"}})"));
  ASSERT_TRUE(options);
  EXPECT_EQ(options->grace_period_seconds, 0);
  EXPECT_EQ(options->propagation_policy, "Background");
  EXPECT_TRUE(options->dry_run);
  EXPECT_EQ(options->uid, "u");
  EXPECT_EQ(options->resource_version, "9");
}

TEST(DeleteOptionsTest, WithoutABodyTheQueryIsUsed) {
  const auto options = ReadDeleteOptions(
      *Query::Parse("gracePeriodSeconds=5&propagationPolicy=Foreground"), api::Json());
  ASSERT_TRUE(options);
  EXPECT_EQ(options->grace_period_seconds, 5);
  EXPECT_EQ(options->propagation_policy, "Foreground");
}

TEST(DeleteOptionsTest, WrongTypesAreBadRequests) {
  for (const char* body : {"[]", "5", R"({"gracePeriodSeconds":"x"})",
                           R"({"gracePeriodSeconds":1.5})", R"({"propagationPolicy":7})",
                           R"({"preconditions":[]})", R"({"preconditions":{"uid":1}})"}) {
    const auto options = ReadDeleteOptions(Query(), boost::json::parse(body));
    ASSERT_FALSE(options) << body;
    EXPECT_EQ(options.error().code, 400) << body;
  }
}

TEST(DeleteOptionsTest, UnknownValuesAreInvalid) {
  for (const char* body :
       {R"({"propagationPolicy":"Later"})", R"({"dryRun":["Some"]})", R"({"dryRun":[1]})"}) {
    const auto options = ReadDeleteOptions(Query(), boost::json::parse(body));
    ASSERT_FALSE(options) << body;
    EXPECT_EQ(options.error().code, 422) << body;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
