// ObjectWatch follows one object of any kind, by name: it lists and watches a collection with a
// field selector, as client-go's informers with one do, and holds the object as JSON.
//
// Reflector does this for whole collections of the kinds that Berth schedules by. Runs on one
// executor's thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "base/random.h"
#include "client/reflector.h"
#include "client/rest_client.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"
#include "net/executor.h"

namespace berth::client {

struct ObjectWatchOptions {
  std::string path;  // "/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates"
  std::string name;
  bool watch_list = true;
  uint64_t seed = 1;  // Of the jitter.
};

class ObjectWatch {
 public:
  // `client` and `executor` must outlive it; the client's callbacks run on the executor.
  // `on_change` is called when the object was first listed, has changed or is gone; neither it nor
  // `warn` may destroy the watch.
  ObjectWatch(RestClient& client, net::Executor& executor, ObjectWatchOptions options,
              std::function<void()> on_change, Warn warn);
  ~ObjectWatch();  // Cancels its request; no callback is called afterwards.
  ObjectWatch(const ObjectWatch&) = delete;
  ObjectWatch& operator=(const ObjectWatch&) = delete;

  void Start();

  // Reports whether the collection has been listed.
  bool synced() const { return synced_; }
  // Returns the object as last seen; empty if there is none.
  const api::JsonObject& object() const { return object_; }

 private:
  enum class Phase { kListing, kPaging, kWatching };

  // --- requests ---
  void List();
  void Watch();
  void Open(Phase phase, std::string query, Duration timeout);
  void AfterBackoff(void (ObjectWatch::*what)());
  void Abandon();

  // --- responses ---
  void OnHead(int status, const std::vector<net::HttpHeader>& headers);
  void OnData(std::string_view bytes);
  void OnEnd(net::HttpResult<void> result);
  void OnRefused(const ServerStatus& status);
  void OnPage();
  // Processes an event. Returns false if the stream has been abandoned for another request.
  bool Take(std::string_view frame);
  void FinishList(std::string_view version);
  void Set(api::JsonObject object);
  // Logs a problem; the same one again only after a while.
  void Report(const std::string& problem);

  RestClient& client_;
  net::Executor& executor_;
  const ObjectWatchOptions options_;
  const std::function<void()> on_change_;
  const Warn warn_;
  Random random_;
  ReflectorBackoff backoff_;
  net::CallbackGuard callback_guard_;

  api::JsonObject object_;
  api::JsonObject listed_;  // The object in the list so far.
  std::string version_;     // Of the collection; empty before the first list.
  bool synced_ = false;
  bool use_watch_list_;

  // The current request and its response so far.
  uint64_t turn_ = 0;  // Callbacks of earlier ones are ignored.
  std::optional<RestClient::RequestId> request_;
  Phase phase_ = Phase::kListing;
  Instant since_;
  int status_ = 0;
  std::optional<WatchFrames> frames_;  // Of a stream of events.
  std::string body_;                   // Of other responses.

  std::string last_problem_;
  Instant last_problem_at_;
};

}  // namespace berth::client
