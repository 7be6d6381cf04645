// The Table representation of objects, which `kubectl get` prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::printing {

enum class IncludeObject : uint8_t { kMetadata, kObject, kNone };

struct TableOptions {
  IncludeObject include = IncludeObject::kMetadata;
  bool columns = true;  // False: columnDefinitions is null, as in all but the first watch event.
  std::string api_version = "meta.k8s.io/v1";  // Or v1beta1.
  Instant now;                                 // Ages are relative to it.
};

// Returns the Table of `objects`, with `list_metadata` (resourceVersion, continue,
// remainingItemCount) as its metadata. Events may be of either group.
std::string MakeTable(const api::scheme::Kind& kind, std::span<const store::ObjectPtr> objects,
                      const std::string& list_metadata, const TableOptions& options);

// Formats like kubectl: "59s", "5m14s", "11m", "2d3h".
std::string ShortAge(Duration age);

}  // namespace berth::apiserver::printing
