#include "runtime/recording_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace berth::runtime {
namespace {

// Sinks and sources are copied; the copies share the file.
using SharedFile = std::shared_ptr<std::FILE>;

std::unexpected<Error> FailOn(const std::string& path) {
  return Fail(fmt::format("{}: {}", path, std::strerror(errno)));
}

Result<SharedFile> Open(const std::string& path, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return FailOn(path);
  return SharedFile(file, std::fclose);
}

}  // namespace

Result<scheduler::recording::RecordSink> CreateRecordingFile(const std::string& path) {
  auto file = Open(path, "wb");
  if (!file) return std::unexpected(file.error());
  return [file = *std::move(file), path](std::string_view bytes) -> Status {
    const size_t written = std::fwrite(bytes.data(), 1, bytes.size(), file.get());
    if (written != bytes.size() || std::fflush(file.get()) != 0) return FailOn(path);
    return {};
  };
}

Result<std::unique_ptr<scheduler::recording::RecordWriter>> StartRecording(
    const std::string& path, const scheduler::recording::RecordingHeader& header) {
  if (path.empty()) return nullptr;
  auto sink = CreateRecordingFile(path);
  if (!sink) return std::unexpected(sink.error());
  return std::make_unique<scheduler::recording::RecordWriter>(header, *std::move(sink));
}

Result<scheduler::recording::RecordSource> OpenRecordingFile(const std::string& path) {
  const bool is_standard_input = path == "-";
  auto file = is_standard_input
                  ? Result<SharedFile>(SharedFile(stdin, [](std::FILE*) { return 0; }))
                  : Open(path, "rb");
  if (!file) return std::unexpected(file.error());
  const std::string name = is_standard_input ? "standard input" : path;
  return [file = *std::move(file), name](std::span<char> into) -> Result<size_t> {
    errno = 0;
    const size_t count = std::fread(into.data(), 1, into.size(), file.get());
    if (std::ferror(file.get()) != 0) return FailOn(name);
    return count;
  };
}

}  // namespace berth::runtime
