// The collections of the API that a scheduler watches: one table, from which the informers (over
// HTTP), the store reflectors (embedded) and the permissions of a scheduler follow.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/informers.h"
#include "client/watch_events.h"

namespace berth::runtime {

struct WatchedResource {
  std::string_view resource;  // "csinodes.storage.k8s.io"
  client::ObjectCodec (*codec)();
  client::ObjectCodec (*raw_json_codec)() = nullptr;  // For extenders; null: they do not see it.
  std::string_view field_selector = {};
  bool written = false;  // A leader writes to it.
  // Without permission to watch it, only this does not work; empty: nothing works.
  std::string_view feature = {};

  std::string_view name() const;   // "csinodes"
  std::string_view group() const;  // "storage.k8s.io", "" for core.
  std::string path() const;        // "/apis/storage.k8s.io/v1/csinodes"
};

// Returns all of them; pods come last, so that what they depend on arrives first.
std::span<const WatchedResource> WatchedResources();
// There must be one of that name.
const WatchedResource& FindWatchedResource(std::string_view resource);

// Returns the table for Informers. `raw_json`: keeps the raw JSON of objects that extenders see.
std::vector<client::WatchSource> WatchSources(bool raw_json);

}  // namespace berth::runtime
