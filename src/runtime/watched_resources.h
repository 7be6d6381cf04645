// WatchedResources is the table of the API collections that a scheduler watches. The informers
// (over HTTP), the store reflectors (embedded) and the permissions of a scheduler are derived from
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/informers.h"
#include "client/watch_events.h"
#include "scheduler/model/features.h"

namespace berth::runtime {

// Features that need permissions of their own.
inline constexpr std::string_view kDynamicResources = "dynamic resources";
inline constexpr std::string_view kPodGroups = "pod groups";

struct WatchedResource {
  std::string_view resource;  // "csinodes.storage.k8s.io"
  client::ObjectCodec (*codec)();
  client::ObjectCodec (*raw_json_codec)() =
      nullptr;  // For extenders; null if they do not get the kind.
  std::string_view field_selector = {};
  bool written = false;  // The leader writes to it.
  // The feature that needs the permission to watch; empty if the scheduler cannot run without it.
  std::string_view feature = {};
  std::string_view version = "v1";
  std::string_view later_version = {};  // That of later servers, which have the same fields.
  bool scheduler::model::Features::* gate = nullptr;  // Watched only if this is on.

  std::string_view name() const;   // "csinodes"
  std::string_view group() const;  // "storage.k8s.io", "" for core.
  std::string path() const;        // "/apis/storage.k8s.io/v1/csinodes"
  std::string later_path() const;  // Empty if there is no later version.
};

// Returns the rows for these feature gates; pods come last, so that the objects they depend on
// arrive first.
std::vector<WatchedResource> WatchedResources(const scheduler::model::Features& features);
// Returns the row of that name, which must exist.
const WatchedResource& FindWatchedResource(std::string_view resource);

// Returns the table for Informers. With `raw_json`, retains the raw JSON of objects that extenders
// get.
std::vector<client::WatchSource> WatchSources(const scheduler::model::Features& features,
                                              bool raw_json);

}  // namespace berth::runtime
