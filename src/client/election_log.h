// A line that the parts of a leader election log, in the words of client-go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace berth::client {

struct ElectionLogLine {
  static constexpr int kError = -1;

  int level = 0;  // The verbosity from which on it is logged, or kError.
  std::string_view message = {};
  std::string error = {};   // Why; may be empty.
  std::string holder = {};  // Whose lease it is; may be empty.
};

using ElectionLog = std::function<void(const ElectionLogLine& line)>;

}  // namespace berth::client
