#include "apiserver/store/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace berth::apiserver::store {
namespace {

namespace fs = std::filesystem;

Status SyncDirectory(const fs::path& path) {
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = directory >= 0 && fsync(directory) == 0;
  const int error = errno;
  if (directory >= 0) close(directory);
  if (!synced)
    return Fail(fmt::format("cannot write to {}: {}", path.string(), std::strerror(error)));
  return {};
}

// Creates the directory and its parents. A new directory is durable once its parent is synced.
Status CreateDirectory(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return {};
  const fs::path parent = path.parent_path();
  if (const Status created = CreateDirectory(parent); !created) return created;
  if (mkdir(path.c_str(), 0700) != 0) {
    return Fail(fmt::format("cannot create directory {}: {}", path.string(), std::strerror(errno)));
  }
  return SyncDirectory(parent.empty() ? fs::path(".") : parent);
}

}  // namespace

Result<DataDirectory> DataDirectory::Open(const std::string& path) {
  std::string plain = path;
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  if (const Status created = CreateDirectory(plain); !created) {
    return std::unexpected(created.error());
  }
  const std::string file = plain + "/lock";
  const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return Fail(fmt::format("cannot open {}: {}", file, std::strerror(errno)));
  DataDirectory directory(plain, lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return Fail(fmt::format("directory {} is in use by another berth process", plain));
    }
    return Fail(fmt::format("cannot lock {}: {}", file, std::strerror(errno)));
  }
  return directory;
}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) close(lock_);
}

Status DataDirectory::Sync() const { return SyncDirectory(path_); }

namespace {

// A line of fixed length, "<database> <version> <checksum>\n" in hexadecimal digits, so that a
// shorter number leaves nothing of a longer one.
constexpr size_t kDigits = 16;
constexpr size_t kMarkSize = 3 * (kDigits + 1);

std::string MarkLine(const AcknowledgedMark::Value& value) {
  const std::string numbers =
      fmt::format("{:016x} {:016x} ", static_cast<uint64_t>(value.database), value.version);
  const uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(numbers.data()), numbers.size());
  return fmt::format("{}{:016x}\n", numbers, checksum);
}

}  // namespace

AcknowledgedMark::~AcknowledgedMark() {
  if (file_ >= 0) close(file_);
}

std::optional<AcknowledgedMark::Value> AcknowledgedMark::Read() const {
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, kMarkSize + 1> bytes;
  const ssize_t size = pread(file, bytes.data(), bytes.size(), 0);
  close(file);
  if (size != static_cast<ssize_t>(kMarkSize)) return std::nullopt;
  Value value;
  uint64_t database = 0;
  std::from_chars(bytes.data(), bytes.data() + kDigits, database, 16);
  const char* version = bytes.data() + kDigits + 1;
  std::from_chars(version, version + kDigits, value.version, 16);
  value.database = static_cast<int64_t>(database);
  if (std::string_view(bytes.data(), kMarkSize) != MarkLine(value)) return std::nullopt;
  return value;
}

void AcknowledgedMark::Write(const Value& value) {
  if (file_ < 0) file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) return;
  const std::string line = MarkLine(value);
  // Best effort; a variable, since GCC's fortified headers refuse a cast to void.
  [[maybe_unused]] const ssize_t written = pwrite(file_, line.data(), line.size(), 0);
}

}  // namespace berth::apiserver::store
