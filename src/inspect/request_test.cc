#include "inspect/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/require.h"

namespace berth::inspect {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RequestTest, SegmentsAndParametersAreDecoded) {
  const Request request =
      Require(Request::Parse("/berth/v1/nodes/a%2Fb%20c?name=x%26y&q=a+b&empty&limit=7"));
  EXPECT_THAT(request.path, ElementsAre("nodes", "a/b c"));
  EXPECT_EQ(request.Get("name"), "x&y");
  EXPECT_EQ(request.Get("q"), "a b");
  EXPECT_EQ(request.Get("empty"), "");
  EXPECT_EQ(request.Get("absent"), "");
  EXPECT_EQ(Require(request.Number("limit", 500, 5000)), 7U);
  EXPECT_EQ(Require(request.Number("limit", 500, 5)), 5U);
  EXPECT_EQ(Require(request.Number("absent", 500, 5000)), 500U);
}

TEST(RequestTest, MalformedTargetsAreErrors) {
  const std::string targets[] = {
      "/metrics",
      "/berth/v1",
      "/berth/v1/nodes/%",
      "/berth/v1/nodes/%2",
      "/berth/v1/nodes/%zz",
      "/berth/v1/nodes/%ff",
      "/berth/v1/pods?name=%ff",
      "/berth/v1/pods?%=1",
      "/berth/v1/" + std::string(10'000, 'a'),
      "/berth/v1/pods?" +
          [] {
            std::string query;
            for (int i = 0; i < 100; ++i) query += "a=1&";
            return query;
          }(),
  };
  for (const std::string& target : targets) {
    const auto request = Request::Parse(target);
    ASSERT_FALSE(request.has_value()) << target;
    EXPECT_NE(request.error().message, "");
  }
}

TEST(RequestTest, NumbersMustBePositive) {
  for (const char* value : {"0", "-1", "1x", "x", "1e3", "18446744073709551616", "%20"}) {
    const Request request = Require(Request::Parse(std::string("/berth/v1/pods?limit=") + value));
    EXPECT_FALSE(request.Number("limit", 1, 10).has_value()) << value;
  }
}

TEST(RequestTest, TokensAreOfOneVersion) {
  const auto read = [](const std::string& query) {
    return ReadPage(Require(Request::Parse("/berth/v1/nodes?" + query)), 100, 7);
  };
  EXPECT_EQ(read("")->limit, 100U);
  EXPECT_EQ(read("limit=20")->limit, 20U);
  EXPECT_EQ(read("continue=" + ContinueToken(7, 40))->first, 40U);
  EXPECT_EQ(read("continue=" + ContinueToken(6, 40)).error().status, 410);
  for (const char* token : {"x", "7", "7.", ".7", "7.x", "7.1.2", "-7.1", "7.-1"}) {
    EXPECT_EQ(read(std::string("continue=") + token).error().status, 400) << token;
  }
  EXPECT_EQ(read("limit=x").error().status, 400);
}

TEST(RequestTest, FailuresAreKubernetesStatuses) {
  const Response response = Failure(404, "no \"<b>x</b>\"");
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr(R"("kind":"Status")"));
  EXPECT_THAT(response.body, HasSubstr(R"("reason":"NotFound")"));
  EXPECT_THAT(response.body, HasSubstr(R"("message":"no \")"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::inspect
