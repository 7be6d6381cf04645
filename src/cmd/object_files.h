// Reads Kubernetes objects from files, directories and standard input.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace berth::cmd {

// The whole of a file, or of standard input if `path` is "-". The error names the file.
Result<std::string> ReadText(const std::string& path);

// The rest of `stream`. `name` is for the error.
Result<std::string> ReadStream(std::FILE* stream, const std::string& name);

// The object files (*.yaml, *.yml, *.json) of a directory by name; any other path as it is.
Result<std::vector<std::string>> ObjectFilesIn(const std::string& path);

// The objects of all `paths`, in order. A directory stands for its *.yaml, *.yml and *.json files
// by name; "-" is standard input. Fails on the first file that cannot be read or decoded, and if an
// object appears twice.
Result<std::vector<api::Object>> ReadObjects(const std::vector<std::string>& paths);

}  // namespace berth::cmd
