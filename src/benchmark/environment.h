// Environment is what a benchmark needs from its process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/steady_clock.h"

namespace berth::benchmark {

struct Environment {
  // Reads a file; the error names it.
  std::function<Result<std::string>(const std::string& path)> read_file;
  // Returns the resident memory of the process.
  std::function<uint64_t()> resident_bytes = [] { return uint64_t{0}; };
  // Returns the nanoseconds by which the calls of an engine alone are timed: processor time of the
  // calling thread, so that other programs on the machine do not count.
  int64_t (*engine_nanos)() = SteadyNanos;
  // Reports whether the user wants to stop: the benchmark ends with what it has measured.
  std::function<bool()> interrupted = [] { return false; };
  // Shows what is being done now. Called often; must be fast.
  std::function<void(const std::string& line)> show = [](const std::string&) {};
};

}  // namespace berth::benchmark
