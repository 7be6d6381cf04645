// ReflectorBackoff says how long to wait before the server is asked again: 0.8 s, doubling up to
// 30 s, each stretched at random by up to its double. After two minutes without need of it, it
// begins anew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/random.h"
#include "base/time.h"
#include "client/object_cache.h"
#include "client/rest_client.h"
#include "client/timers.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"

namespace berth::client {

class ReflectorBackoff {
 public:
  Duration Next(Random& random, Instant now) {
    if (last_ && now - *last_ > kReset) base_ = kFirst;
    last_ = now;
    const Duration base = base_;
    base_ = {std::min(base.nanos * 2, kLongest.nanos)};
    return {base.nanos + static_cast<int64_t>(random.Below(static_cast<uint64_t>(base.nanos)))};
  }

 private:
  static constexpr Duration kFirst = Duration::Millis(800);
  static constexpr Duration kLongest = Duration::Seconds(30);
  static constexpr Duration kReset = Duration::Seconds(120);

  Duration base_ = kFirst;
  std::optional<Instant> last_;
};

// Reflector follows one collection of an API server and tells what becomes of its objects, as
// client-go's reflectors do: it lists, watches from there on, and lists again when it must. What
// it told before is remembered (driver/told_objects.h), so nothing is told twice or lost.
//
// Lists come as a watch where the server can (WatchList), else page by page.
//
// Lives on the thread that its requests' and timers' callbacks come on: all is called there, and
// the sink is called there, with events in order.
// A line for whoever runs the program.
using Warn = std::function<void(const std::string&)>;

struct ReflectorOptions {
  std::string resource;             // "pods", for messages.
  std::string path;                 // "/api/v1/pods"
  std::string field_selector = {};  // Or none.
  ObjectCodec codec;
  bool protobuf = false;  // Ask for it, if the codec reads it.
  bool watch_list = true;
  uint64_t seed = 1;  // Of the random times.
};

class Reflector {
 public:
  using Sink = std::function<void(std::vector<api::ObjectChange>)>;

  // `requests` and `timers` must outlive it. `on_synced` is called once, after the sink got what
  // the first list had.
  Reflector(Requests& requests, Timers& timers, ReflectorOptions options, Sink sink,
            std::function<void()> on_synced, Warn warn);
  ~Reflector();  // Ends its request; no callback is called afterwards.
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void Start();
  // Lists again, and calls `done` when all that was written before this call has been told.
  void Refresh(std::function<void()> done);

  // The collection has been listed, or the server has no such resource.
  bool synced() const { return synced_; }
  const ReflectorOptions& options() const { return options_; }
  // All up to this version has been told; empty before the first list.
  const std::string& resource_version() const { return version_; }
  const ObjectCache& told() const { return cache_; }
  size_t lists() const { return lists_; }  // How often the collection was listed.

 private:
  enum class Phase { kListing, kPaging, kWatching };

  // What the answer to the request under way has brought so far.
  struct Answer {
    Phase phase = Phase::kListing;
    Instant since;
    int status = 0;
    std::optional<WatchFrames> frames = {};  // Of a stream of events.
    WireForm form = WireForm::kJson;
    std::string body = {};  // Of all else.
    bool any_event = false;
  };

  // --- asking ---
  void List();
  void BeginList();
  void ListByWatch();
  void NextPage();
  void Watch();
  // `timeout` is for the whole answer.
  void Open(Phase phase, std::string query, Duration timeout);
  Duration NewWatchTime();
  void StartTimer(Duration delay, void (Reflector::*what)());
  void AfterBackoff(void (Reflector::*what)());
  // Ends the request under way, if any: nothing more is heard of it.
  void Abandon();

  // --- hearing ---
  void OnHead(int status, std::string_view content_type);
  void OnData(std::string_view bytes);
  void OnEnd(RestResult<void> result);
  void OnPage();
  void OnRefused(const ServerStatus& status);
  void OnMissing();
  // False if the stream is of no more use; what comes next is under way then.
  bool Take(WatchEvent event);
  void TakeObject(WatchEvent::Type type, Received received);
  void OnStreamError(const ServerStatus& status);
  void Collect(Received received);
  void DropGone();
  void FinishList(std::string version);
  void NoteUnreadable(const Received& received);
  void Deliver();
  // Says it again only after a while.
  void ReportProblem(const std::string& what);

  Requests& requests_;
  Timers& timers_;
  const ReflectorOptions options_;
  const Sink sink_;
  const std::function<void()> on_synced_;
  const Warn warn_;
  Random random_;
  ReflectorBackoff backoff_;
  CallbackGuard callback_guard_;

  ObjectCache cache_;
  std::vector<api::ObjectChange> events_;             // Not handed over yet.
  std::map<api::ObjectKey, std::string> unreadable_;  // Names and uids: each is logged once.

  // What a list has brought so far. Objects may go while it comes: then all of that name before
  // that place in the list are void.
  ObjectList listed_;
  std::map<api::ObjectKey, size_t> listed_gone_;

  bool use_watch_list_;
  // List what is newest: the server cannot list from version_, or that is not new enough.
  bool from_newest_ = false;
  std::vector<std::function<void()>> refreshed_;  // Who waits for Refresh.
  bool whole_list_ = false;                       // A page expired: ask for all at once.
  std::string continue_;
  std::string version_;
  uint64_t turn_ = 0;  // Of the request under way; callbacks of earlier ones are ignored.
  std::optional<Requests::RequestId> request_;
  Answer answer_;
  bool synced_ = false;
  size_t lists_ = 0;
  std::string last_problem_;
  Instant last_problem_at_;
};

}  // namespace berth::client
