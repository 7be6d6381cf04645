// Reads small files: kubeconfigs, tokens, certificates.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace berth::client {

inline constexpr size_t kMaxFileBytes = size_t{16} << 20;

// All of it. The error is the whole sentence: open PATH: No such file or directory.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxFileBytes);

}  // namespace berth::client
