#include "cmd/object_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace berth::cmd {
namespace {

constexpr const char* kStandardInput = "-";

std::unexpected<Error> FailOn(const std::string& path, int error) {
  return Fail(fmt::format("{}: {}", path, std::strerror(error)));
}

bool IsObjectFile(const std::filesystem::path& path) {
  const std::string extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

}  // namespace

Result<std::string> ReadStream(std::FILE* stream, const std::string& name, size_t limit) {
  std::string text;
  char chunk[1 << 16];
  errno = 0;
  while (const size_t count = std::fread(chunk, 1, sizeof(chunk), stream)) {
    if (count > limit - text.size()) {
      return Fail(fmt::format("{}: larger than {} bytes", name, limit));
    }
    text.append(chunk, count);
  }
  if (std::ferror(stream) != 0) return FailOn(name, errno);
  return text;
}

Result<std::string> ReadText(const std::string& path, std::string_view flag) {
  const std::string name = flag.empty() ? path : fmt::format("{} {}", flag, path);
  if (path == kStandardInput) return ReadStream(stdin, "standard input");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) return FailOn(name, errno);
  return ReadStream(file.get(), name);
}

Result<std::vector<std::string>> ObjectFilesIn(const std::string& path) {
  std::error_code error;
  if (path == kStandardInput || !std::filesystem::is_directory(path, error))
    return std::vector{path};
  std::vector<std::string> files;
  std::filesystem::directory_iterator entry(path, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (IsObjectFile(entry->path())) files.push_back(entry->path());
  }
  if (error) return FailOn(path, error.value());
  if (files.empty()) {
    return Fail(fmt::format("{}: the directory contains no *.yaml, *.yml or *.json file", path));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace berth::cmd
