#include "store/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace berth::store {
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

// A new directory is there for good once the one that it is in has been synced.
Status Create(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return {};
  const fs::path parent = path.parent_path();
  if (const Status created = Create(parent); !created) return created;
  if (mkdir(path.c_str(), 0700) != 0) {
    return Fail(fmt::format("cannot create directory {}: {}", path.string(), std::strerror(errno)));
  }
  return SyncDirectory(parent.empty() ? fs::path(".") : parent);
}

}  // namespace

Result<DataDirectory> DataDirectory::Open(const std::string& path) {
  std::string plain = path;
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  if (const Status created = Create(plain); !created) return std::unexpected(created.error());
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

}  // namespace berth::store
