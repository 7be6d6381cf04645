#include "inspect/http/link_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::inspect::http {
namespace BERTH_TEST_FILE {

using ::testing::MatchesRegex;

constexpr const char* kKey = "0123456789abcdef0123456789abcdef";
constexpr Instant kNoon = Instant::FromUnixSeconds(1'800'000'000);

TEST(LinkTokenTest, IsValidUntilItsTime) {
  const std::string token = MakeLinkToken(kKey, kNoon);
  EXPECT_THAT(token, MatchesRegex("1800000000-[0-9a-f]+"));
  EXPECT_EQ(token.size(), 11 + 64);
  EXPECT_TRUE(IsValidLinkToken(kKey, token, kNoon - Duration::Seconds(1)));
  EXPECT_FALSE(IsValidLinkToken(kKey, token, kNoon));
}

TEST(LinkTokenTest, WhatIsChangedIsNotValid) {
  const std::string token = MakeLinkToken(kKey, kNoon);
  const Instant before = kNoon - Duration::Seconds(1);
  const std::string signature = token.substr(token.find('-'));
  for (const std::string& forged :
       {std::string(), std::string("-"), std::string(kKey), signature, "1800000001" + signature,
        "1800000000x" + signature, "99999999999999999999" + signature, "01800000000" + signature,
        token + "0", token.substr(0, token.size() - 1), " " + token}) {
    EXPECT_FALSE(IsValidLinkToken(kKey, forged, before)) << forged;
  }
  EXPECT_FALSE(IsValidLinkToken("another key", token, before));
  const std::string nonsense = "soon";
  EXPECT_FALSE(IsValidLinkToken(kKey, nonsense + signature, before));
}

TEST(LinkTokenTest, ALinkIsValidForADay) {
  const std::string link = DashboardLink(8600, kKey, kNoon);
  const std::string start = "http://127.0.0.1:8600/?token=";
  ASSERT_EQ(link.substr(0, start.size()), start);
  const std::string token = link.substr(start.size());
  EXPECT_TRUE(IsValidLinkToken(kKey, token, kNoon + Duration::Seconds(11 * 3600)));
  EXPECT_FALSE(IsValidLinkToken(kKey, token, kNoon + Duration::Seconds(13 * 3600)));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::inspect::http
