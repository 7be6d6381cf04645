// Reads files, directories and standard input.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::cmd {

// Reads a file, or standard input if `path` is "-". The error names the file, and the `flag` that
// names it if there is one: "--config a.yaml: No such file or directory".
Result<std::string> ReadText(const std::string& path, std::string_view flag = "");

// The largest input: a dump of some 150,000 pods.
inline constexpr size_t kMaxInputBytes = size_t{1} << 30;

// Reads `stream` to its end; fails if that is beyond `limit`. `name` is used in errors.
Result<std::string> ReadStream(std::FILE* stream, const std::string& name,
                               size_t limit = kMaxInputBytes);

// Returns the *.yaml, *.yml and *.json files of a directory, sorted; any other path unchanged.
Result<std::vector<std::string>> ObjectFilesIn(const std::string& path);

}  // namespace berth::cmd
