#include "net/jwt_key.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "testing/require.h"

namespace berth::net {
namespace BERTH_TEST_FILE {

TEST(JwtKey, VerifiesWhatItSigned) {
  const JwtKey key = Require(JwtKey::Generate());
  const std::string token = Require(key.Sign(R"({"sub":"a"})"));
  EXPECT_EQ(key.Verify(token), R"({"sub":"a"})");
}

TEST(JwtKey, RejectsEveryOtherToken) {
  const JwtKey key = Require(JwtKey::Generate());
  const std::string token = Require(key.Sign(R"({"sub":"a"})"));
  EXPECT_FALSE(Require(JwtKey::Generate()).Verify(token));
  for (size_t i = 0; i < token.size(); ++i) {
    std::string forged = token;
    forged[i] = forged[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(key.Verify(forged)) << i;
    EXPECT_FALSE(key.Verify(token.substr(0, i))) << i;
  }
  EXPECT_FALSE(key.Verify(token + "A"));
  EXPECT_FALSE(key.Verify(""));
  EXPECT_FALSE(key.Verify(".."));
  const std::string unsigned_token =
      EncodeBase64Url(R"({"alg":"none"})") + "." + EncodeBase64Url(R"({"sub":"a"})") + ".";
  EXPECT_FALSE(key.Verify(unsigned_token));
}

TEST(JwtKey, IsTheSameAfterItWasStored) {
  const JwtKey key = Require(JwtKey::Generate());
  const JwtKey again = Require(JwtKey::FromPem(Require(key.ToPem())));
  EXPECT_EQ(again.Verify(Require(key.Sign("{}"))), "{}");
  EXPECT_FALSE(JwtKey::FromPem("nonsense"));
  EXPECT_FALSE(JwtKey::FromPem(""));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
