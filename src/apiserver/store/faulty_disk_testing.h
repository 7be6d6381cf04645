// FaultyDisk makes SQLite's writes fail on demand, and records the calls that change files.
//
// It is the default file system of SQLite while it exists; databases must be closed before it is
// destroyed.
#pragma once

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::apiserver::store {

class FaultyDisk {
 public:
  enum class Fault {
    kFull,   // Writes fail: no space is left.
    kWrite,  // Writes fail with an I/O error.
    kSync,   // Writes succeed, but fsync fails: the data may or may not be on the disk.
  };

  FaultyDisk() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    instance_ = this;
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = Open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;
  ~FaultyDisk() { sqlite3_vfs_unregister(&vfs_); }

  // Lets the calls after the next `after` that `fault` concerns fail, until Repair.
  void Break(Fault fault, int after = 0) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    remaining_ = after;
    broken_ = true;
  }
  void Repair() {
    const std::lock_guard lock(mutex_);
    broken_ = false;
  }

  // Returns and forgets the calls so far: "write berth.db-wal", "sync berth.db".
  std::vector<std::string> TakeCalls() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

 private:
  // SQLite allocates it with space for the real file behind it.
  struct File {
    sqlite3_file base;
    const char* name;

    static File& Of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
    static sqlite3_file* Real(sqlite3_file* file) {
      return reinterpret_cast<sqlite3_file*>(&Of(file) + 1);
    }
  };

  // Records a call; returns the code with which it fails, or 0.
  static int Note(const char* what, sqlite3_file* file, bool sync) {
    FaultyDisk& disk = *instance_;
    const std::lock_guard lock(disk.mutex_);
    const std::string_view name = File::Of(file).name != nullptr ? File::Of(file).name : "";
    disk.calls_.push_back(std::string(what) + ' ' + std::string(name.substr(name.rfind('/') + 1)));
    if (!disk.broken_ || (disk.fault_ == Fault::kSync) != sync) return SQLITE_OK;
    if (disk.remaining_-- > 0) return SQLITE_OK;
    errno = disk.fault_ == Fault::kFull ? ENOSPC : EIO;
    if (disk.fault_ == Fault::kFull) return SQLITE_FULL;
    return sync ? SQLITE_IOERR_FSYNC : SQLITE_IOERR_WRITE;
  }

  static int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    static const sqlite3_io_methods kMethods = {
        .iVersion = 1,
        .xClose = [](sqlite3_file* f) { return File::Real(f)->pMethods->xClose(File::Real(f)); },
        .xRead =
            [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
              return File::Real(f)->pMethods->xRead(File::Real(f), to, size, at);
            },
        .xWrite =
            [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
              if (const int code = Note("write", f, false); code != SQLITE_OK) return code;
              return File::Real(f)->pMethods->xWrite(File::Real(f), from, size, at);
            },
        .xTruncate =
            [](sqlite3_file* f, sqlite3_int64 size) {
              Note("truncate", f, false);
              return File::Real(f)->pMethods->xTruncate(File::Real(f), size);
            },
        .xSync =
            [](sqlite3_file* f, int how) {
              if (const int code = Note("sync", f, true); code != SQLITE_OK) return code;
              return File::Real(f)->pMethods->xSync(File::Real(f), how);
            },
        .xFileSize =
            [](sqlite3_file* f, sqlite3_int64* size) {
              return File::Real(f)->pMethods->xFileSize(File::Real(f), size);
            },
        .xLock = [](sqlite3_file* f,
                    int kind) { return File::Real(f)->pMethods->xLock(File::Real(f), kind); },
        .xUnlock = [](sqlite3_file* f,
                      int kind) { return File::Real(f)->pMethods->xUnlock(File::Real(f), kind); },
        .xCheckReservedLock =
            [](sqlite3_file* f, int* held) {
              return File::Real(f)->pMethods->xCheckReservedLock(File::Real(f), held);
            },
        .xFileControl =
            [](sqlite3_file* f, int what, void* argument) {
              return File::Real(f)->pMethods->xFileControl(File::Real(f), what, argument);
            },
        .xSectorSize =
            [](sqlite3_file* f) { return File::Real(f)->pMethods->xSectorSize(File::Real(f)); },
        .xDeviceCharacteristics =
            [](sqlite3_file* f) {
              return File::Real(f)->pMethods->xDeviceCharacteristics(File::Real(f));
            },
        .xShmMap = nullptr,
        .xShmLock = nullptr,
        .xShmBarrier = nullptr,
        .xShmUnmap = nullptr,
        .xFetch = nullptr,
        .xUnfetch = nullptr};
    const int code = instance_->real_->xOpen(instance_->real_, name, File::Real(file), flags, out);
    File::Of(file).name = name;
    file->pMethods = code == SQLITE_OK ? &kMethods : nullptr;
    return code;
  }

  static inline FaultyDisk* instance_ = nullptr;  // SQLite passes no context to a file's methods.

  sqlite3_vfs* const real_;
  sqlite3_vfs vfs_;
  std::mutex mutex_;
  Fault fault_ = Fault::kFull;
  int remaining_ = 0;
  bool broken_ = false;
  std::vector<std::string> calls_;
};

}  // namespace berth::apiserver::store
