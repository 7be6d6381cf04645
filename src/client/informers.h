// Informers follow every collection of an API server that the engine reads, as kube-scheduler does,
// and hand what becomes of their objects to one sink.
//
// Lives on the thread that the callbacks of its requests and timers come on. Reading what the
// server sends happens there, too: give it a loop of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/reflector.h"

namespace berth::client {

struct InformersOptions {
  bool protobuf = false;       // For pods and nodes: clientConnection.contentType says so.
  bool keep_raw_json = false;  // Of pods and nodes, for extenders; there is no protobuf then.
  bool watch_list = true;
  uint64_t seed = 1;
};

// How one collection stands.
struct CollectionState {
  std::string resource;
  std::string resource_version;  // All up to here has been told.
  size_t objects = 0;
  size_t lists = 0;  // How often it was listed.
  bool synced = false;
};

class Informers {
 public:
  // `requests` and `timers` must outlive it. Each call of `sink` has events of one collection, in
  // order. `on_synced` is called once, when all collections have been listed and told.
  Informers(Requests& requests, Timers& timers, const InformersOptions& options,
            Reflector::Sink sink, std::function<void()> on_synced, Warn warn);
  ~Informers();

  // Begins to list all collections.
  void Start();
  // Lists one collection again (Reflector::Refresh). There must be one of that name.
  void Refresh(std::string_view resource, std::function<void()> done);

  bool synced() const { return unsynced_ == 0; }
  std::vector<CollectionState> states() const;
  // What was told of one collection; "pods", "csinodes.storage.k8s.io". Null if there is none.
  const ObjectCache* told(std::string_view resource) const;

 private:
  void OnSynced();

  const std::function<void()> on_synced_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;
  size_t unsynced_ = 0;
};

// The paths of all collections that are read: "/api/v1/pods".
std::vector<std::string> WatchedPaths();

}  // namespace berth::client
