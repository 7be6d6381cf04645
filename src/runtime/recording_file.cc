#include "runtime/recording_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace berth::runtime {
namespace {

using scheduler::recording::RecordingHeader;
using scheduler::recording::RecordReader;
using scheduler::recording::RecordSource;

// Sources are copied; the copies share the file.
using SharedFile = std::shared_ptr<std::FILE>;

std::unexpected<Error> FailOn(const std::string& path) {
  return Fail(fmt::format("{}: {}", path, std::strerror(errno)));
}

Result<SharedFile> Open(const std::string& path, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return FailOn(path);
  return SharedFile(file, std::fclose);
}

Result<RecordSource> OpenSource(const std::string& path) {
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

// Returns the file with the part before the one in `path`: FILE.1 for FILE, FILE.3 for FILE.2.
std::string PartBefore(const std::string& path) {
  const size_t dot = path.rfind('.');
  uint32_t number = 0;
  if (dot != path.npos) {
    const char* end = path.data() + path.size();
    const auto [parsed, error] = std::from_chars(path.data() + dot + 1, end, number);
    if (error == std::errc() && parsed == end && number > 0) {
      return fmt::format("{}.{}", path.substr(0, dot), number + 1);
    }
  }
  return path + ".1";
}

std::string NumberedPath(const std::string& path, size_t number) {
  return number == 0 ? path : fmt::format("{}.{}", path, number);
}

}  // namespace

Result<std::unique_ptr<RecordingFile>> RecordingFile::Create(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return FailOn(path);
  return std::unique_ptr<RecordingFile>(new RecordingFile(path, descriptor));
}

RecordingFile::~RecordingFile() { close(descriptor_); }

Status RecordingFile::Write(std::string_view bytes) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t count = write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const auto failure = FailOn(path_);
      // Fails for what is no regular file, which cannot be cut back.
      static_cast<void>(ftruncate(descriptor_, static_cast<off_t>(size_)) == 0 &&
                        lseek(descriptor_, 0, SEEK_END) >= 0);
      return failure;
    }
    rest.remove_prefix(static_cast<size_t>(count));
  }
  size_ += bytes.size();
  return {};
}

Status RotateRecordings(const std::string& path, size_t files) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  for (size_t number = std::max<size_t>(files, 1) - 1; number > 0; --number) {
    const std::string from = NumberedPath(path, number - 1);
    if (rename(from.c_str(), NumberedPath(path, number).c_str()) != 0 && errno != ENOENT) {
      return FailOn(from);
    }
  }
  return {};
}

Result<std::unique_ptr<scheduler::recording::RecordWriter>> StartRecording(
    const std::string& path, const RecordingHeader& header) {
  if (path.empty()) return nullptr;
  auto file = RecordingFile::Create(path);
  if (!file) return std::unexpected(file.error());
  return std::make_unique<scheduler::recording::RecordWriter>(
      header, [file = std::shared_ptr(*std::move(file))](std::string_view bytes) {
        return file->Write(bytes);
      });
}

Result<std::unique_ptr<RecordReader>> OpenRecordingPart(const std::string& path) {
  auto source = OpenSource(path);
  if (!source) return std::unexpected(source.error());
  auto reader = RecordReader::Open(*std::move(source));
  if (!reader) return Fail(fmt::format("{}: {}", path, reader.error().message));
  return reader;
}

Result<std::unique_ptr<RecordReader>> OpenRecording(const std::string& path) {
  auto last = OpenRecordingPart(path);
  if (!last || (*last)->header().part == 1) return last;
  const RecordingHeader& header = (*last)->header();
  std::vector<std::string> paths{path};  // From the last part to the first.
  while (paths.size() < header.part) {
    const uint64_t wanted = header.part - paths.size();
    const std::string before = PartBefore(paths.back());
    const auto part = OpenRecordingPart(before);
    if (!part || (*part)->header().seed != header.seed || (*part)->header().part != wanted) {
      return Fail(fmt::format("{}: it is part {} of a recording, and part {} is not in {}: {}",
                              path, header.part, wanted, before,
                              "a replay needs all parts; --print shows this one alone"));
    }
    paths.push_back(before);
  }
  std::vector<RecordSource> sources;  // From the first part to the last.
  for (auto part = paths.rbegin(); part != paths.rend(); ++part) {
    auto source = OpenSource(*part);
    if (!source) return std::unexpected(source.error());
    sources.push_back(*std::move(source));
  }
  RecordSource first = std::move(sources.front());
  sources.erase(sources.begin());
  auto reader = RecordReader::Open(std::move(first), std::move(sources));
  if (!reader) return Fail(fmt::format("{}: {}", paths.back(), reader.error().message));
  return reader;
}

}  // namespace berth::runtime
