// DataDirectory is a directory that one process at a time may have.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace berth::store {

class DataDirectory {
 public:
  // Creates the directory if it is missing, such that it survives a loss of power.
  static Result<DataDirectory> Open(const std::string& path);
  DataDirectory(DataDirectory&& other) noexcept
      : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();  // Gives it free.

  const std::string& path() const { return path_; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // The descriptor that holds the lock.
};

}  // namespace berth::store
