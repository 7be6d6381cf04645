// ProcessValues are what the kernel tells about a process, read from the texts of /proc. Whoever
// asks reads those files.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth::serve {

struct ProcessValues {
  double cpu_seconds = 0;
  double resident_memory_bytes = 0;
  double virtual_memory_bytes = 0;
  double virtual_memory_max_bytes = 0;
  double start_time_seconds = 0;  // Since 1970.
  double open_fds = 0;
  double max_fds = 0;
};

struct ProcessTexts {
  std::string_view stat;         // /proc/self/stat
  std::string_view limits;       // /proc/self/limits
  std::string_view system_stat;  // /proc/stat
  uint64_t open_fds = 0;         // The entries of /proc/self/fd.
  int64_t ticks_per_second = 100;
  int64_t page_bytes = 4096;
};

// What cannot be read stays zero; what has no limit is the largest number of 64 bits.
ProcessValues ReadProcess(const ProcessTexts& texts);

}  // namespace berth::serve
