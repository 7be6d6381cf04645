// Informers watches several collections of an API server and passes all changes to one sink.
//
// Runs on one executor's thread, which also decodes what the server sends: use a dedicated event
// loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/reflector.h"

namespace berth::client {

// A collection to watch; see ReflectorOptions.
struct WatchSource {
  std::string resource;
  std::string path;
  std::string field_selector;
  ObjectCodec codec;
  std::string other_path = {};
};

struct InformersOptions {
  bool protobuf = false;  // As clientConnection.contentType, where the codec supports it.
  bool watch_list = true;
  uint64_t seed = 1;
  CountUndecodable count_undecodable = [](std::string_view, size_t) {};
  CountSilentWatch count_silent_watch = [](std::string_view) {};
};

// The state of one collection.
struct CollectionState {
  std::string resource;
  std::string resource_version;  // Everything up to here was reported.
  size_t objects = 0;
  size_t lists = 0;  // How often it was listed.
  bool synced = false;
};

class Informers {
 public:
  // `client` and `executor` must outlive it; the client's callbacks run on the executor. Each call
  // of `sink` has changes of one collection, in order. `on_synced` is called once, after the sink
  // got all collections.
  Informers(RestClient& client, net::Executor& executor, std::vector<WatchSource> sources,
            const InformersOptions& options, const Reflector::Sink& sink,
            std::function<void()> on_synced, const Warn& warn);
  ~Informers();

  // Begins to list all collections.
  void Start();
  // Lists one collection again (Reflector::Refresh). `resource` must be one of the sources.
  void Refresh(std::string_view resource, std::function<void()> done);

  bool synced() const { return unsynced_ == 0; }
  std::vector<CollectionState> states() const;
  // Returns the cache of one collection ("pods", "csinodes.storage.k8s.io"), or null.
  const ObjectCache* cache(std::string_view resource) const;

 private:
  void OnSynced();

  const std::function<void()> on_synced_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;
  size_t unsynced_ = 0;
};

}  // namespace berth::client
