// Puts the objects of files into the API, as `kubectl apply` would.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apiserver/api.h"
#include "base/result.h"

namespace berth {

// Creates the objects of all `paths` (see ObjectFilesIn), in order; what is there already is
// changed by server-side apply. Documents may be Lists. Returns how many objects there were. The
// error names the file, the document and the field.
Result<size_t> ApplyFiles(apiserver::Api& api, const std::vector<std::string>& paths);

// Creates the nodes in a file, with nothing of the cluster that they come from but names, labels,
// annotations, spec and status. Nodes that are there already stay as they are. Anything but nodes
// is an error.
Result<size_t> ApplyNodes(apiserver::Api& api, const std::string& path);

}  // namespace berth
