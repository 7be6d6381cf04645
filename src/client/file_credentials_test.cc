#include "client/file_credentials.h"

#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

class FileCredentialsTest : public testing::Test {
 protected:
  FileCredentialsTest() {
    folder_.Write("token", "one");
    auto credentials = FileCredentials::Create(
        {.token = folder_.path("token"), .certificate = {}, .key = {}, .fixed = {}}, clock_);
    EXPECT_TRUE(credentials.has_value());
    credentials_ = *std::move(credentials);
  }

  std::string Token() {
    std::string token;
    credentials_->Get([&](Result<Credential> credential) { token = credential->bearer_token; });
    return token;
  }
  void Refuse(const std::string& token) {
    credentials_->Refused({.bearer_token = token, .certificate = {}, .key = {}});
  }

  TemporaryDirectory folder_;
  SimClock clock_{Instant::FromUnixSeconds(1000)};
  std::shared_ptr<FileCredentials> credentials_;
};

TEST_F(FileCredentialsTest, AreReadAgainAfterAWhile) {
  folder_.Write("token", "two");
  clock_.Advance(Duration::Seconds(49));
  EXPECT_EQ(Token(), "one");
  clock_.Advance(Duration::Seconds(1));
  EXPECT_EQ(Token(), "two");
}

TEST_F(FileCredentialsTest, AreReadAtOnceWhenRejected) {
  folder_.Write("token", "two");
  clock_.Advance(Duration::Seconds(1));
  Refuse("something else");
  EXPECT_EQ(Token(), "one");
  Refuse("one");
  EXPECT_EQ(Token(), "two");
}

TEST_F(FileCredentialsTest, RepeatedRejectionsDoNotReadTheFileEachTime) {
  clock_.Advance(Duration::Seconds(1));
  Refuse("one");
  EXPECT_EQ(Token(), "one");
  folder_.Write("token", "two");
  Refuse("one");
  EXPECT_EQ(Token(), "one");
  clock_.Advance(Duration::Seconds(1));
  EXPECT_EQ(Token(), "two");
}

TEST_F(FileCredentialsTest, RetainTheLastValueIfTheFileIsMissingOrEmpty) {
  folder_.Write("token", "");
  clock_.Advance(Duration::Seconds(60));
  EXPECT_EQ(Token(), "one");
  folder_.Write("token", "two");
  clock_.Advance(Duration::Seconds(60));
  EXPECT_EQ(Token(), "two");
}

TEST_F(FileCredentialsTest, AreReadAgainAfterTheClockIsSetBack) {
  folder_.Write("token", "two");
  clock_.Advance(Duration::Seconds(-500));
  EXPECT_EQ(Token(), "two");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
