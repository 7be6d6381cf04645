// A randomized test of Reflector: watches break, expire and are split at random. In the end the
// reported objects equal those of the server, and no change is reported twice or without a cause.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "client/reflector.h"
#include "client/rest_client_testing.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

struct Version {
  std::string uid;
  int version = 0;
  bool finished = false;
  friend bool operator==(const Version&, const Version&) = default;
};

std::string PodText(const std::string& name, const Version& pod) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","uid":"{}","resourceVersion":"{}"}},"status":{{"phase":"{}"}}}})",
      name, pod.uid, pod.version, pod.finished ? "Succeeded" : "Running");
}

std::string Frame(std::string_view type, const std::string& object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

// Returns the value of `key` in the query; empty if there is none.
std::string Parameter(const std::string& path, const std::string& key) {
  const size_t at = path.find(key + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size() + 1;
  return path.substr(begin, path.find('&', begin) - begin);
}

class Server {
 public:
  Server(FakeApiServer& api, Random& random) : api_(api), random_(random) {
    has_watch_list_ = random.Chance(50);
  }

  // Creates, changes, finishes, deletes or replaces one pod.
  void Change() {
    const std::string name = fmt::format("p{}", random_.Below(8));
    const auto found = pods_.find(name);
    ++version_;
    if (found == pods_.end()) {
      pods_[name] = {fmt::format("u{}", version_), version_};
      Note("ADDED", name, pods_[name]);
    } else if (random_.Chance(40)) {
      Version last = found->second;
      last.version = version_;
      pods_.erase(found);
      Note("DELETED", name, last);
    } else {
      found->second.version = version_;
      found->second.finished |= random_.Chance(20);
      Note("MODIFIED", name, found->second);
    }
  }

  // Drops the history: watches from earlier versions expire.
  void Compact() { compacted_ = version_; }

  // Responds to a new request, or sends a piece of the pending output on the current one.
  void Serve() {
    api_.executor.Run();
    if (api_.requests.empty() || api_.last().cancelled) return;
    if (api_.last().id != responded_) return Respond();
    if (!streaming_) return;
    for (; sent_ < history_.size(); ++sent_) {
      if (history_[sent_].version > position_) outgoing_ += history_[sent_].frame;
    }
    position_ = version_;
    if (listing_ && random_.Chance(30)) {
      outgoing_ += Bookmark(true);
      listing_ = false;
    } else if (!listing_ && random_.Chance(20)) {
      outgoing_ += Bookmark(false);
    }
    const size_t size = std::min<size_t>(1 + random_.Below(300), outgoing_.size());
    const std::string piece = outgoing_.substr(0, size);
    outgoing_.erase(0, size);
    if (!piece.empty()) api_.Data(piece);
  }

  void Break() {
    api_.executor.Run();
    if (!streaming_ || api_.last().cancelled) return;
    streaming_ = false;
    switch (random_.Below(3)) {
      case 0:
        return api_.End();
      case 1:
        return api_.Break(net::HttpError::Kind::kBroken);
      default:
        return api_.Data(Cut() + Frame("ERROR", R"({"code":410,"message":"too old"})"));
    }
  }

  bool idle() const {
    return streaming_ && !listing_ && outgoing_.empty() && position_ == version_;
  }
  const std::map<std::string, Version>& pods() const { return pods_; }

 private:
  struct Past {
    int version;
    std::string frame;
  };

  void Note(std::string_view type, const std::string& name, const Version& pod) {
    history_.push_back({version_, Frame(type, PodText(name, pod))});
  }

  std::string Bookmark(bool end) const {
    return Frame("BOOKMARK",
                 fmt::format(R"({{"metadata":{{"resourceVersion":"{}"{}}}}})", position_,
                             end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : ""));
  }

  // Returns the rest of a partly sent event, so that an error can follow.
  std::string Cut() { return std::exchange(outgoing_, {}); }

  void Refuse(int code, const std::string& body) {
    streaming_ = false;
    api_.Head(code);
    api_.Data(body);
    api_.End();
  }

  void Respond() {
    responded_ = api_.last().id;
    const std::string path = api_.last().path;
    outgoing_.clear();
    streaming_ = false;
    if (random_.Chance(10)) return api_.Break(net::HttpError::Kind::kUnreachable);
    if (path.find("watch=true") == std::string::npos) return RespondWithPage(path);
    const bool is_list = path.find("sendInitialEvents") != std::string::npos;
    if (is_list && !has_watch_list_) return Refuse(422, R"({"code":422})");
    const std::string from = Parameter(path, "resourceVersion");
    if (!is_list && std::stoi(from) < compacted_) return Refuse(410, R"({"code":410})");
    streaming_ = true;
    listing_ = is_list;
    position_ = is_list ? version_ : std::stoi(from);
    sent_ = 0;
    api_.Head(200);
    if (!is_list) return;
    for (const auto& [name, pod] : pods_) outgoing_ += Frame("ADDED", PodText(name, pod));
  }

  // Responds with two pods, of the state when the first page was requested.
  void RespondWithPage(const std::string& path) {
    const std::string token = Parameter(path, "continue");
    if (token.empty()) {
      snapshot_.clear();
      for (const auto& [name, pod] : pods_) snapshot_.push_back(PodText(name, pod));
      snapshot_version_ = version_;
    } else if (snapshot_version_ < compacted_) {
      return Refuse(410, R"({"code":410})");
    }
    const bool whole = path.find("limit=") == std::string::npos;
    const size_t begin = token.empty() ? 0 : std::stoul(token);
    const size_t end = whole ? snapshot_.size() : std::min(begin + 2, snapshot_.size());
    std::string items;
    for (size_t i = begin; i < end; ++i) items += (i > begin ? "," : "") + snapshot_[i];
    const std::string next = end < snapshot_.size() ? std::to_string(end) : "";
    api_.Head(200);
    api_.Data(
        fmt::format(R"({{"metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
                    snapshot_version_, next, items));
    api_.End();
  }

  FakeApiServer& api_;
  Random& random_;
  bool has_watch_list_ = true;
  std::map<std::string, Version> pods_;
  std::vector<Past> history_;
  int version_ = 1;
  int compacted_ = 0;
  net::HttpClient::RequestId responded_ = 0;
  bool streaming_ = false;
  bool listing_ = false;  // The end of the list has not been sent.
  int position_ = 0;      // Of the watch: everything up to here is sent or in outgoing_.
  size_t sent_ = 0;       // Of history_.
  std::string outgoing_;
  std::vector<std::string> snapshot_;
  int snapshot_version_ = 0;
};

// Checker applies the reported changes and verifies that each is possible.
class Checker {
 public:
  void Apply(const std::vector<api::ObjectChange>& events) {
    for (const api::ObjectChange& event : events) {
      if (const auto* put = std::get_if<api::ObjectPut>(&event)) {
        Put(*std::get<api::Ref<api::Pod>>(put->object));
      } else {
        const auto& name = api::MetaOf(std::get<api::ObjectDeleted>(event).object).name;
        EXPECT_EQ(pods.erase(name), 1U) << name;
      }
    }
  }

  std::map<std::string, Version> pods;

 private:
  void Put(const api::Pod& pod) {
    EXPECT_FALSE(pod.finished());
    const Version now{pod.metadata.uid, std::stoi(pod.metadata.resource_version)};
    const auto [known, is_new] = pods.try_emplace(pod.metadata.name, now);
    if (is_new) return;
    EXPECT_EQ(known->second.uid, now.uid);
    EXPECT_LT(known->second.version, now.version);
    known->second = now;
  }
};

void Follow(uint64_t seed) {
  SCOPED_TRACE(seed);
  Random random(seed);
  FakeApiServer api;
  Server server(api, random);
  Checker checker;
  Reflector reflector(
      api.client(), api.executor,
      {.resource = "pods", .path = "/api/v1/pods", .codec = CodecOf<api::Pod>(), .seed = seed},
      [&](const std::vector<api::ObjectChange>& events) { checker.Apply(events); }, {},
      [](const std::string&) {});
  reflector.Start();
  for (int step = 0; step < 400; ++step) {
    const uint64_t dice = random.Below(100);
    if (dice < 40) {
      server.Change();
    } else if (dice < 85) {
      server.Serve();
    } else if (dice < 90) {
      server.Break();
    } else if (dice < 93) {
      server.Compact();
    } else {
      api.executor.Advance(Duration::Seconds(20));
    }
  }
  for (int i = 0; i < 2000 && !server.idle(); ++i) {
    server.Serve();
    api.executor.Advance(Duration::Seconds(1));
  }
  ASSERT_TRUE(server.idle());
  std::map<std::string, Version> want = server.pods();
  std::erase_if(want, [](const auto& pod) { return pod.second.finished; });
  EXPECT_EQ(checker.pods, want);
  EXPECT_EQ(reflector.cache().size(), want.size());
}

TEST(RandomServers, NothingIsLostAndNothingInvented) {
  for (uint64_t seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed) Follow(seed);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
