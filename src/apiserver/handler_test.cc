// Requests that fail in unusual ways.
#include "apiserver/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "api/scheme/scheme.h"
#include "apiserver/handler_testing.h"
#include "apiserver/store/store.h"
#include "testing/require.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::StartsWith;

// A clock that throws on demand, in place of any code of a request that does.
class ThrowingClock final : public Clock {
 public:
  Instant Now() const override {
    if (fail) fail();
    return Instant::FromUnixSeconds(1'767'225'600);
  }

  void (*fail)() = nullptr;
};

class HandlerTest : public testing::Test {
 protected:
  std::shared_ptr<RecordingExchange> Ask(std::string method, std::string target,
                                         std::string body = "",
                                         std::string type = "application/json") {
    net::ServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = {{"Content-Type", std::move(type)}};
    return Send(handler_, std::move(request));
  }

  ThrowingClock clock_;
  std::unique_ptr<store::Store> store_ =
      Require(store::Store::Open({.collections = api::scheme::CollectionNames()}, nullptr));
  registry::Api api_{*store_, clock_, 1};
  Handler handler_{api_, registry::Access({}), clock_, clock_};
};

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kMap = R"({"metadata":{"name":"a"}})";

TEST_F(HandlerTest, AnExceptionFailsTheRequestNotTheProcess) {
  for (void (*fail)() :
       {+[] { throw std::bad_alloc(); }, +[] { throw std::length_error("too long"); }}) {
    clock_.fail = fail;
    const auto failed = Ask("POST", kConfigMaps, kMap);
    EXPECT_EQ(failed->responses, 1);
    EXPECT_EQ(failed->status, 500);
    EXPECT_THAT(failed->body, StartsWith(R"({"kind":"Status")"));
    EXPECT_THAT(failed->body, HasSubstr(R"("message":"Internal error occurred: )"));
  }
  clock_.fail = nullptr;
  EXPECT_EQ(Ask("POST", kConfigMaps, kMap)->status, 201);
}

TEST_F(HandlerTest, AnExceptionEndsAWatch) {
  const auto watch = Ask("GET", std::string(kConfigMaps) + "?watch=true");
  ASSERT_NE(watch->source, nullptr);
  std::vector<net::Piece> pieces;
  EXPECT_EQ(watch->source->Read(1000, pieces), net::BodySource::State::kWait);
  clock_.fail = [] { throw std::bad_alloc(); };
  EXPECT_EQ(watch->source->Read(1000, pieces), net::BodySource::State::kEnd);
  clock_.fail = nullptr;
}

TEST_F(HandlerTest, AliasesDoNotExtendTheLimitOfBodies) {
  std::string yaml = "metadata: {name: a}\nx: &x " + std::string(30, 'x') + "\ny: [";
  for (int i = 0; i < 100'000; ++i) yaml += "*x,";
  const auto large = Ask("POST", std::string(kConfigMaps) + "?fieldValidation=Ignore", yaml + "]",
                         "application/yaml");
  EXPECT_EQ(large->status, 413);
  EXPECT_THAT(large->body, HasSubstr("Request entity too large: limit is 3145728"));
}

// A duplicate of each of 60,000 keys below a key of 1 MB.
TEST_F(HandlerTest, AnswersAreNotMuchLargerThanTheRequest) {
  std::string json = R"({"metadata":{"name":"a"},")" + std::string(1'000'000, 'k') + "\":{";
  for (int i = 0; i < 60'000; ++i)
    json += "\"" + std::to_string(i) + "\":0,\"" + std::to_string(i) + "\":0,";
  json.back() = '}';
  const auto strict = Ask("POST", std::string(kConfigMaps) + "?fieldValidation=Strict", json + "}");
  EXPECT_EQ(strict->status, 400);
  EXPECT_LT(strict->body.size(), 1'000'000u);

  std::string finalizers;
  for (int i = 0; i < 200'000; ++i) finalizers += "\"-" + std::to_string(i) + "\",";
  finalizers.back() = ']';
  const auto invalid =
      Ask("POST", kConfigMaps, R"({"metadata":{"name":"a","finalizers":[)" + finalizers + "}}");
  EXPECT_EQ(invalid->status, 422);
  EXPECT_LT(invalid->body.size(), 200'000u);
  EXPECT_THAT(invalid->body, HasSubstr("199900 more errors"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
