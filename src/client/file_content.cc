#include "client/file_content.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace berth::client {

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (file == nullptr) {
    return Fail(fmt::format("open {}: {}", path, std::generic_category().message(errno)));
  }
  std::string text;
  std::array<char, 1 << 14> piece;
  while (const size_t size = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), size);
    if (text.size() > max_bytes) {
      return Fail(fmt::format("read {}: the file is longer than {} bytes", path, max_bytes));
    }
  }
  if (std::ferror(file.get()) != 0) {
    return Fail(fmt::format("read {}: {}", path, std::generic_category().message(errno)));
  }
  return text;
}

}  // namespace berth::client
