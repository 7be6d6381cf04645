// ProgressLine says on a terminal what a command is doing, on a line of its own that goes away.
#pragma once

#include <string_view>

namespace berth::cmd {

// Writes to standard error; nothing if that is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces what it shows.
  void Show(std::string_view text);
  // Shows nothing, so that others can print.
  void Clear();

 private:
  const bool terminal_;
  bool shown_ = false;
};

}  // namespace berth::cmd
