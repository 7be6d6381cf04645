// Kills `berth apiserver --data-dir` at random moments while clients write over HTTP: acknowledged
// objects exist exactly once, resource versions only grow, and watches resume.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/json/document.h"
#include "base/random.h"
#include "berth_process_testing.h"
#include "testing/api_client.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

constexpr int kRounds = 50;
constexpr int kWriters = 4;
constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";

using api::AsObject;
using api::ObjectAt;
using api::StringAt;
using Version = uint64_t;

Version VersionOf(const boost::json::value& object) {
  return std::stoull(
      std::string(StringAt(ObjectAt(AsObject(object), "metadata"), "resourceVersion")));
}

class ApiServerCrashTest : public testing::Test {
 protected:
  void StartServer() {
    server_ = std::make_unique<RunningProcess>(std::vector<std::string>{
        BERTH_BINARY, "apiserver", "--port", "0", "--data-dir", data_.path("data")});
    const std::string port = server_->WaitForLine("listening on http://127.0.0.1:");
    ASSERT_FALSE(port.empty()) << server_->err();
    port_ = static_cast<uint16_t>(std::stoul(port));
  }

  // Creates config maps one after another until the server is gone.
  void Write(int round, int writer) {
    RawClient client(port_);
    for (int i = 0;; ++i) {
      const std::string name = fmt::format("r{}-w{}-{}", round, writer, i);
      const std::string body =
          fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"k":"{}"}}}})", name, i);
      {
        const std::lock_guard lock(mutex_);
        tried_.insert(name);
      }
      client.Send(
          fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nContent-Length: {}\r\n\r\n{}",
                      kConfigMaps, body.size(), body));
      const std::string response = ReadResponse(client);
      if (response.empty()) return;
      Acknowledge(name, VersionOf(boost::json::parse(response)));
    }
  }

  // Returns the body; empty if the server died before it was complete.
  static std::string ReadResponse(RawClient& client) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const std::string next = client.Read(1);
      if (next.empty()) return "";
      head += next;
    }
    EXPECT_TRUE(head.starts_with("HTTP/1.1 201")) << head;
    const size_t at = head.find("Content-Length: ");
    const size_t size = at == head.npos ? 0 : std::stoul(head.substr(at + 16));
    std::string body = client.Read(size);
    return body.size() == size ? body : "";
  }

  void Acknowledge(const std::string& name, Version version) {
    const std::lock_guard lock(mutex_);
    EXPECT_GT(version, newest_before_) << "a version was given out twice: " << name;
    acknowledged_[name] = version;
    if (--left_ == 0) server_->Send(SIGKILL);
  }

  void WriteAndKill(int round, int writes) {
    left_ = writes;
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) writers.emplace_back([=, this] { Write(round, i); });
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(server_->Wait(), -1) << "the server ended by itself: " << server_->err();
  }

  void Check() {
    const ApiResponse response = ApiClient(port_).Get(kConfigMaps);
    ASSERT_EQ(response.status, 200) << response.body;
    const auto list = boost::json::parse(response.body);
    newest_before_ = VersionOf(list);
    std::map<std::string, Version> present;
    for (const auto& item : *api::ArrayAt(AsObject(list), "items")) {
      const std::string name(StringAt(ObjectAt(AsObject(item), "metadata"), "name"));
      EXPECT_TRUE(present.emplace(name, VersionOf(item)).second) << name << " is there twice";
      EXPECT_TRUE(tried_.contains(name)) << name << " was never written";
      EXPECT_LE(VersionOf(item), newest_before_) << name;
    }
    for (const auto& [name, version] : acknowledged_) {
      const auto found = present.find(name);
      ASSERT_TRUE(found != present.end()) << name << " was acknowledged and is lost";
      EXPECT_EQ(found->second, version) << name;
    }
    acknowledged_ = std::move(present);  // What exists now must remain.
  }

  // A watch from a version before the crash delivers all events since, in order.
  void CheckWatch() {
    std::vector<Version> expected;
    for (const auto& [name, version] : acknowledged_) expected.push_back(version);
    std::ranges::sort(expected);
    const size_t from = expected.size() / 2;
    RawClient watch(port_);
    watch.Send(fmt::format("GET {}?watch=true&timeoutSeconds=1&resourceVersion={} HTTP/1.0\r\n\r\n",
                           kConfigMaps, expected.at(from)));
    const std::string received = watch.Read(SIZE_MAX);
    size_t at = 0;
    for (size_t i = from + 1; i < expected.size(); ++i) {
      at = received.find(fmt::format("\"resourceVersion\":\"{}\"", expected[i]), at);
      ASSERT_NE(at, received.npos) << "version " << expected[i] << " is missing";
    }
  }

  TemporaryDirectory data_;
  std::unique_ptr<RunningProcess> server_;
  uint16_t port_ = 0;
  std::mutex mutex_;  // Guards what follows, while writers run.
  std::map<std::string, Version> acknowledged_;
  std::set<std::string> tried_;
  Version newest_before_ = 0;
  int left_ = 0;
};

TEST_F(ApiServerCrashTest, AcknowledgedWritesSurvive) {
  Random random(7);
  StartServer();
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    WriteAndKill(round, 1 + static_cast<int>(random.Below(60)));
    StartServer();
    Check();
    if (round % 10 == 9) CheckWatch();
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
