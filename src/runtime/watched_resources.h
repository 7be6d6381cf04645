// WatchedResources is the table of the API collections that a scheduler watches. The informers
// (over HTTP), the store reflectors (embedded) and the permissions of a scheduler are derived from
// it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/informers.h"
#include "client/watch_events.h"

namespace berth::runtime {

// A feature that needs permissions of its own.
inline constexpr std::string_view kDynamicResources = "dynamic resources";

struct WatchedResource {
  std::string_view resource;  // "csinodes.storage.k8s.io"
  client::ObjectCodec (*codec)();
  client::ObjectCodec (*raw_json_codec)() =
      nullptr;  // For extenders; null if they do not get the kind.
  std::string_view field_selector = {};
  bool written = false;  // The leader writes to it.
  // The feature that needs the permission to watch; empty if the scheduler cannot run without it.
  std::string_view feature = {};

  std::string_view name() const;   // "csinodes"
  std::string_view group() const;  // "storage.k8s.io", "" for core.
  std::string path() const;        // "/apis/storage.k8s.io/v1/csinodes"
};

// Returns all rows; pods come last, so that the objects they depend on arrive first.
std::span<const WatchedResource> WatchedResources();
// Returns the row of that name, which must exist.
const WatchedResource& FindWatchedResource(std::string_view resource);

// Returns the table for Informers. With `raw_json`, retains the raw JSON of objects that extenders
// get.
std::vector<client::WatchSource> WatchSources(bool raw_json);

}  // namespace berth::runtime
