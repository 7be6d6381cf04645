#include "cmd/object_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>

#include "api/json/yaml.h"

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

Result<std::string> ReadStream(std::FILE* stream, const std::string& name) {
  std::string text;
  char chunk[1 << 16];
  errno = 0;
  while (const size_t count = std::fread(chunk, 1, sizeof(chunk), stream)) {
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
  if (path == kStandardInput || !std::filesystem::is_directory(path, error)) return {{path}};
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

Result<std::vector<api::Object>> ReadObjects(const std::vector<std::string>& paths) {
  std::vector<api::Object> objects;
  std::map<std::tuple<size_t, std::string, std::string>, std::string>
      seen;  // With the file of each.
  for (const std::string& path : paths) {
    const auto files = ObjectFilesIn(path);
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) {
      const auto text = ReadText(file, file == path ? "--filename" : "");
      if (!text) return std::unexpected(text.error());
      auto decoded = api::DecodeObjects(*text, file == kStandardInput ? "standard input" : file);
      if (!decoded) return std::unexpected(decoded.error());
      for (api::Object& object : *decoded) {
        const api::ObjectMeta& meta = api::MetaOf(object);
        const api::KindInfo& kind = api::KindOf(object);
        if (meta.name.empty()) {
          return Fail(fmt::format("{}: {}: metadata.name is required", file, kind.kind));
        }
        const std::string home =
            kind.namespaced && meta.namespace_.empty() ? "default" : meta.namespace_;
        const auto [first, is_new] = seen.try_emplace({object.index(), home, meta.name}, file);
        if (!is_new) {
          return Fail(fmt::format("{}: {} \"{}\": duplicate object; first defined in {}", file,
                                  kind.kind, api::KeyOf(object).ToString(), first->second));
        }
        objects.push_back(std::move(object));
      }
    }
  }
  return objects;
}

}  // namespace berth::cmd
