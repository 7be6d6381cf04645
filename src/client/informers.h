// Informers watch several collections of an API server and pass all changes to one sink.
//
// Lives on one executor's thread, which also decodes what the server sends: give it an event loop
// of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/reflector.h"

namespace berth::client {

// A collection to watch, as ReflectorOptions has it.
struct WatchSource {
  std::string resource;
  std::string path;
  std::string field_selector;
  ObjectCodec codec;
};

struct InformersOptions {
  bool protobuf = false;  // Where the codec decodes it: clientConnection.contentType says so.
  bool watch_list = true;
  uint64_t seed = 1;
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
  // `client` and `executor` must outlive it; the client's callbacks come on the executor. Each call
  // of `sink` has changes of one collection, in order. `on_synced` is called once, when the sink
  // has all collections.
  Informers(RestClient& client, net::Executor& executor, std::vector<WatchSource> sources,
            const InformersOptions& options, Reflector::Sink sink, std::function<void()> on_synced,
            Warn warn);
  ~Informers();

  // Begins to list all collections.
  void Start();
  // Lists one collection again (Reflector::Refresh). There must be one of that name.
  void Refresh(std::string_view resource, std::function<void()> done);

  bool synced() const { return unsynced_ == 0; }
  std::vector<CollectionState> states() const;
  // The cache of one collection ("pods", "csinodes.storage.k8s.io"), or null.
  const ObjectCache* cache(std::string_view resource) const;

 private:
  void OnSynced();

  const std::function<void()> on_synced_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;
  size_t unsynced_ = 0;
};

}  // namespace berth::client
