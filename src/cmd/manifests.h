// Manifests are the objects of a user's files. Nothing in them is ignored in silence: a field or a
// kind that does not exist is an error that suggests what may have been meant, and objects that do
// not affect scheduling are counted.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/json/json.h"
#include "api/object.h"
#include "base/result.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::cmd {

// What to do about unknown and duplicate fields, as kubectl's --validate.
enum class FieldCheck { kIgnore, kWarn, kStrict };

struct Manifest {
  std::string place;                  // "pods.yaml: document 2: items[0]"
  std::optional<api::Object> object;  // If the scheduler reads objects of this kind.
  // For kinds whose controllers create pods: the kind, and the object with its apiVersion and kind.
  const api::scheme::Kind* workload = nullptr;
  // For LimitRanges, ResourceQuotas and RuntimeClasses, which say which pods may be created:
  // likewise.
  const api::scheme::Kind* limit = nullptr;
  api::Json document = nullptr;
};

struct Manifests {
  std::vector<Manifest> objects;          // In order.
  std::map<std::string, size_t> skipped;  // Number of other objects by kind.
  std::vector<std::string> warnings;

  // Returns one line about the skipped objects, or nothing.
  std::string SkippedText() const;
};

// Reads the objects of all `paths` (see ObjectFilesIn and ReadText). Fails if a file cannot be read
// or decoded, or an object appears twice. Otherwise the error lists all that is wrong with fields
// and kinds, one problem per line, each with file, document, object, field and value.
Result<Manifests> ReadManifests(const std::vector<std::string>& paths, FieldCheck check);

}  // namespace berth::cmd
