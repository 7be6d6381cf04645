// Reflector synchronizes an ObjectCache with one collection of an API server and reports its
// changes, as client-go's reflectors do: it lists, watches from that version on, and lists again
// when it must. Each change is reported exactly once.
//
// Lists use a watch where the server supports it (WatchList), else pages.
//
// Runs on one executor's thread: functions are called there, and so is the sink, with changes in
// order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/random.h"
#include "base/time.h"
#include "client/object_cache.h"
#include "client/outage_log.h"
#include "client/reported_problems.h"
#include "client/rest_client.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"
#include "net/executor.h"

namespace berth::client {

// ReflectorBackoff is the delay between attempts: 0.8 s, doubling up to 30 s, each with a jitter of
// up to its own length. It resets after two minutes without use.
class ReflectorBackoff {
 public:
  Duration Next(Random& random, Instant now) {
    if (last_ && now - *last_ > kReset) base_ = kFirst;
    last_ = now;
    const Duration base = base_;
    base_ = std::min(base * 2, kLongest);
    return base + Duration{static_cast<int64_t>(random.Below(static_cast<uint64_t>(base.nanos)))};
  }

 private:
  static constexpr Duration kFirst = Duration::Millis(800);
  static constexpr Duration kLongest = Duration::Seconds(30);
  static constexpr Duration kReset = Duration::Seconds(120);

  Duration base_ = kFirst;
  std::optional<Instant> last_;
};

// Returns how long a watch is requested to last: five to ten minutes, so that watches do not end
// together.
inline Duration NewWatchTime(Random& random) {
  return Duration::Seconds(300 + static_cast<int64_t>(random.Below(300)));
}

// Logs a line for the operator.
using Warn = std::function<void(const std::string&)>;
// Counts the fields of an object of "pods" that could not be decoded.
using CountUndecodable = std::function<void(std::string_view resource, size_t fields)>;
// Counts watches of "pods" that were opened again because they delivered nothing.
using CountSilentWatch = std::function<void(std::string_view resource)>;

struct ReflectorOptions {
  std::string resource;             // "pods", for messages.
  std::string path;                 // "/api/v1/pods"
  std::string other_path = {};      // Another version of it, for servers that lack the first.
  std::string field_selector = {};  // Empty: none.
  ObjectCodec codec;
  bool protobuf = false;  // Requested if the codec supports it.
  bool watch_list = true;
  // A longer page of a list is requested again in smaller ones.
  size_t max_page_bytes = kMaxResponseBytes;
  uint64_t seed = 1;  // Of the jitter.
  CountUndecodable count_undecodable = [](std::string_view, size_t) {};
  CountSilentWatch count_silent_watch = [](std::string_view) {};
  // Shared by the reflectors of one server; one of its own if null.
  std::shared_ptr<OutageLog> outage = {};
};

class Reflector {
 public:
  using Sink = std::function<void(std::vector<api::ObjectChange>)>;

  // `client` and `executor` must outlive it; the client's callbacks run on the executor.
  // `on_synced` is called once, after the sink got the first list.
  Reflector(RestClient& client, net::Executor& executor, ReflectorOptions options, Sink sink,
            std::function<void()> on_synced, Warn warn);
  ~Reflector();  // Cancels its request; no callback is called afterwards.
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void Start();
  // Lists again, and calls `done` when the sink has everything that was written before this call.
  void Refresh(std::function<void()> done);

  // Reports whether the collection has been listed, or the server has no such resource.
  bool synced() const { return synced_; }
  const ReflectorOptions& options() const { return options_; }
  // Returns the version up to which everything was reported; empty before the first list.
  const std::string& resource_version() const { return version_; }
  const ObjectCache& cache() const { return cache_; }
  size_t lists() const { return lists_; }  // How often the collection was listed.

 private:
  enum class Phase { kListing, kPaging, kWatching };

  // The response to the current request so far.
  struct Response {
    Phase phase = Phase::kListing;
    Instant since;
    int status = 0;
    std::optional<WatchFrames> frames = {};  // Of a stream of events.
    WireForm form = WireForm::kJson;
    std::string body = {};  // Of other responses.
    bool any_event = false;
    Instant heard;  // When the last event arrived.
  };

  // --- requests ---
  void List();
  void BeginList();
  void ListByWatch();
  void ListInPages();
  void NextPage();
  void Watch();
  // Sends a request. `timeout` applies to the whole response.
  void Open(Phase phase, std::string query, Duration timeout);
  void StartTimer(Duration delay, void (Reflector::*what)());
  void AfterBackoff(void (Reflector::*what)());
  // Cancels the current request, if any, and ignores its callbacks.
  void Abandon();

  // --- responses ---
  void OnHead(int status, const std::vector<net::HttpHeader>& headers);
  void OnData(std::string_view bytes);
  void OnEnd(net::HttpResult<void> result);
  void OnPage();
  void OnLongPage();
  void OnRefused(const ServerStatus& status);
  void OnMissing();
  // Processes an event. Returns false if the stream has been abandoned for another request.
  bool Take(WatchEvent event);
  void TakeObject(WatchEvent::Type type, Received received);
  // Learns how often the server sends bookmarks, and from then on opens a watch again that delivers
  // nothing for much longer.
  void NoteBookmark();
  void CheckSilence();
  void OnStreamError(const ServerStatus& status);
  void Collect(Received received);
  void DropGone();
  void FinishList(std::string version);
  // Log and count, once, an object that is not seen, and fields that are left out of one that is.
  void NoteUnreadable(const Received& received);
  void NoteUndecodable(const Received& received);
  void Deliver();
  // Logs a problem; the same one again only after a while.
  void ReportProblem(const std::string& what);
  // Logs that the server did not respond, or only with an error of its own.
  void ReportFailure(const std::string& what);

  RestClient& client_;
  net::Executor& executor_;
  const ReflectorOptions options_;
  const Sink sink_;
  const std::function<void()> on_synced_;
  const Warn warn_;
  const std::shared_ptr<OutageLog> outage_;
  Random random_;
  ReflectorBackoff backoff_;
  net::CallbackGuard callback_guard_;

  ObjectCache cache_;
  std::vector<api::ObjectChange> events_;  // Not passed to the sink yet.
  ReportedProblems reported_;

  // The list so far. An object may be deleted while the list arrives: entries of that name before
  // that position are ignored.
  ObjectList listed_;
  std::map<api::ObjectKey, size_t> listed_gone_;

  bool use_watch_list_;
  // List the newest state: the server cannot list from version_, or that is too old.
  bool from_newest_ = false;
  bool uses_other_path_ = false;
  bool tried_other_path_ = false;                 // Since the last list.
  std::vector<std::function<void()>> refreshed_;  // Callbacks of Refresh.
  bool whole_list_ = false;                       // A page expired: request all at once.
  size_t pages_ = 0;                              // Of the list so far.
  int page_limit_;                                // Objects per page.
  std::string continue_;
  std::string version_;
  uint64_t turn_ = 0;  // Of the current request; callbacks of earlier ones are ignored.
  std::optional<RestClient::RequestId> request_;
  Response response_;
  // The longest time between two bookmarks of a watch; zero if none was seen.
  Duration bookmark_gap_;
  std::optional<Instant> last_bookmark_;  // Of the current request.
  bool checks_silence_ = false;           // There is a timer.
  bool synced_ = false;
  size_t lists_ = 0;
  std::string last_problem_;
  Instant last_problem_at_;
};

}  // namespace berth::client
