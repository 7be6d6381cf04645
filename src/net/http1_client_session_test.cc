#include "net/http1_client_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::net {
namespace BERTH_TEST_FILE {

using std::chrono::seconds;

class CountingSink final : public ResponseSink {
 public:
  bool Head(int, std::vector<HttpHeader>) override { return true; }
  bool Data(std::string_view bytes) override {
    size += bytes.size();
    return true;
  }
  size_t size = 0;
};

TEST(Http1ClientSessionTest, EndsARequestWhoseServerIsSilent) {
  const auto request = std::make_shared<WireRequest>();
  request->silence_limit = Duration::Seconds(45);
  const SteadyTime start{};
  Http1ClientSession session;
  CountingSink sink;
  EXPECT_FALSE(session.deadline().has_value());
  session.Begin(1, request, sink, start);
  EXPECT_EQ(session.deadline(), start + seconds(45));
  // Anything that arrives shows that the server is there.
  session.Receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", start + seconds(40));
  const std::string chunk = "2\r\nab\r\n";
  const size_t used = session.Receive(chunk, start + seconds(80));
  EXPECT_EQ(sink.size, 2U);
  // What was not used is passed again whenever the connection looks for work.
  ASSERT_LT(used, chunk.size());
  session.Receive(std::string_view(chunk).substr(used), start + seconds(100));
  EXPECT_EQ(session.deadline(), start + seconds(125));
  session.Expire(start + seconds(124));
  EXPECT_TRUE(session.TakeEnded().empty());
  session.Expire(start + seconds(125));
  const auto ended = session.TakeEnded();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].result.error().kind, HttpError::Kind::kTimeout);
  EXPECT_EQ(ended[0].result.error().message, "the server was silent for 45s");
  EXPECT_TRUE(session.finished());
}

TEST(Http1ClientSessionTest, SilenceIsNotLimitedUnlessRequested) {
  Http1ClientSession session;
  CountingSink sink;
  session.Begin(1, std::make_shared<WireRequest>(), sink, SteadyTime{});
  EXPECT_FALSE(session.deadline().has_value());
  session.Expire(SteadyTime{} + std::chrono::hours(1));
  EXPECT_TRUE(session.TakeEnded().empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
