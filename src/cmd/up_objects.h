// The nodes that `berth up --nodes` makes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apiserver/registry/api.h"
#include "base/result.h"

namespace berth::cmd {

// Makes `count` nodes, "node-0001" and so on: in three zones, one after the other, and of three
// sizes. Those that are there already stay as they are.
Status MakeNodes(apiserver::registry::Api& api, size_t count);

// Puts the objects of files into the API, as `kubectl apply` would.
// Creates the objects of all `paths` (see ObjectFilesIn), in order; what is there already is
// changed by server-side apply. Documents may be Lists. Returns how many objects there were. The
// error names the file, the document and the field.
Result<size_t> ApplyFiles(apiserver::registry::Api& api, const std::vector<std::string>& paths);

// Creates the nodes in a file, with nothing of the cluster that they come from but names, labels,
// annotations, spec and status. Nodes that are there already stay as they are. Anything but nodes
// is an error.
Result<size_t> ApplyNodes(apiserver::registry::Api& api, const std::string& path);

}  // namespace berth::cmd
