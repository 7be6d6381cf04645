// Objects that `berth up` creates at startup: generated nodes, and objects from files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apiserver/registry/api.h"
#include "base/result.h"

namespace berth::cmd {

// Creates `count` nodes, "node-0001" and so on, in three zones in turn and of three sizes. Existing
// ones are not changed.
Status MakeNodes(apiserver::registry::Api& api, size_t count);

struct AppliedObjects {
  size_t applied = 0;
  std::vector<std::string> errors;  // One for each that failed, with file, document and field.
};

// Creates the objects of all `paths` (see ObjectFilesIn), in order; existing ones are updated by
// server-side apply. Documents may be Lists. Continues with the next object after one that fails.
// Returns an error if a file cannot be read.
Result<AppliedObjects> ApplyFiles(apiserver::registry::Api& api,
                                  const std::vector<std::string>& paths);

// Creates the nodes of a file, copying only name, labels, annotations, spec and status. Existing
// nodes are not changed; any other kind is an error. Returns the number of nodes.
Result<size_t> ApplyNodes(apiserver::registry::Api& api, const std::string& path);

}  // namespace berth::cmd
