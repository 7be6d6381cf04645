#include "apiserver/slow_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/scheme/scheme.h"
#include "apiserver/handler_testing.h"
#include "apiserver/store/store.h"
#include "base/time.h"
#include "testing/require.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

SlowWrites::Cancelled NotCancelled() { return std::make_shared<std::atomic<bool>>(false); }

TEST(SlowWritesTest, NamespacesTakeTurns) {
  std::promise<void> started;
  std::promise<void> all_wait;
  std::promise<void> done;
  std::vector<std::string> order;
  {
    SlowWrites writes;
    writes.Add("", NotCancelled(), [&] {
      started.set_value();
      all_wait.get_future().wait();
    });
    started.get_future().wait();
    for (const char* name : {"a1", "a2", "a3", "b1", "b2"}) {
      writes.Add({name[0]}, NotCancelled(), [&, name] { order.emplace_back(name); });
    }
    writes.Add("c", NotCancelled(), [&] { done.set_value(); });
    all_wait.set_value();
    done.get_future().wait();
  }
  EXPECT_THAT(order, ElementsAre("a1", "b1", "a2", "b2", "a3"));
}

TEST(SlowWritesTest, OnlySomeWait) {
  std::promise<void> started;
  SlowWrites writes;
  const auto cancelled = NotCancelled();
  writes.Add("", cancelled, [&] {
    started.set_value();
    cancelled->wait(false);
  });
  started.get_future().wait();
  for (size_t i = 0; i < SlowWrites::kMaxWaiting; ++i) {
    EXPECT_TRUE(writes.Add("", NotCancelled(), [] {}));
  }
  EXPECT_FALSE(writes.Add("", NotCancelled(), [] {}));
  *cancelled = true;
  cancelled->notify_all();
}

// An exchange whose response can be waited for.
class AwaitedExchange final : public net::Exchange {
 public:
  explicit AwaitedExchange(net::ServerRequest request) : request_(std::move(request)) {}

  const net::ServerRequest& request() const override { return request_; }
  void Respond(net::ServerResponse response) override {
    thread = std::this_thread::get_id();
    responded.set_value(std::move(response));
  }
  void Stream(net::ServerResponse, std::unique_ptr<net::BodySource>) override {}
  void Wake() override {}
  void WakeAfter(std::chrono::milliseconds) override {}
  void OnAbandoned(std::function<void()> what) override { abandoned = std::move(what); }

  std::promise<net::ServerResponse> responded;
  std::thread::id thread;
  std::function<void()> abandoned;

 private:
  net::ServerRequest request_;
};

// A clock that stops the thread for expensive writes, on demand.
class StoppingClock final : public Clock {
 public:
  Instant Now() const override {
    if (std::this_thread::get_id() != test_) stopped.wait(true);
    return Instant::FromUnixSeconds(1'767'225'600);
  }

  std::atomic<bool> stopped = false;

 private:
  const std::thread::id test_ = std::this_thread::get_id();
};

class ExpensiveWriteTest : public testing::Test {
 protected:
  ExpensiveWriteTest() {
    const auto created = Ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", R"({
      "metadata":{"name":"notes.example.com"},"spec":{"group":"example.com","scope":"Cluster",
      "names":{"plural":"notes","kind":"Note"},"versions":[{"name":"v1","served":true,
      "storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
      "text":{"type":"string","pattern":"[a-z]{500}"}}}}}]}})");
    EXPECT_EQ(created->responded.get_future().get().status, 201);
  }

  std::shared_ptr<AwaitedExchange> Ask(std::string target, std::string body) {
    net::ServerRequest request;
    request.method = "POST";
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = {{"Content-Type", "application/json"}};
    auto exchange = std::make_shared<AwaitedExchange>(std::move(request));
    handler_.Handle(exchange);
    return exchange;
  }
  // Creates an object whose text has that length, which is matched with 500 instructions.
  std::shared_ptr<AwaitedExchange> Create(const std::string& name, size_t length) {
    return Ask("/apis/example.com/v1/notes",
               R"({"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":")" + name +
                   R"("},"text":")" + std::string(length, 'a') + R"("})");
  }

  StoppingClock clock_;
  std::unique_ptr<store::Store> store_ =
      Require(store::Store::Open({.collections = api::scheme::CollectionNames()}, nullptr));
  registry::Api api_{*store_, clock_, 1};
  Handler handler_{api_, registry::Access({}), clock_, clock_};
};

TEST_F(ExpensiveWriteTest, RunsOnAnotherThread) {
  const auto easy = Create("easy", 1'000);
  EXPECT_EQ(easy->responded.get_future().get().status, 201);
  EXPECT_EQ(easy->thread, std::this_thread::get_id());
  const auto hard = Create("hard", 10'000);
  EXPECT_EQ(hard->responded.get_future().get().status, 201);
  EXPECT_NE(hard->thread, std::this_thread::get_id());
}

TEST_F(ExpensiveWriteTest, IsRefusedOnceTheServerStops) {
  handler_.StopSlowWrites();
  EXPECT_EQ(Create("hard", 10'000)->responded.get_future().get().status, 429);
  EXPECT_EQ(Create("easy", 1'000)->responded.get_future().get().status, 201);
}

TEST_F(ExpensiveWriteTest, EndsWithItsClient) {
  // The first occupies the thread, so that the second has not started when its client leaves.
  clock_.stopped = true;
  const auto first = Create("first", 10'000);
  const auto second = Create("second", 10'000);
  ASSERT_TRUE(second->abandoned);
  second->abandoned();
  clock_.stopped = false;
  clock_.stopped.notify_all();
  EXPECT_EQ(second->responded.get_future().get().status, 503);
  EXPECT_EQ(first->responded.get_future().get().status, 201);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
