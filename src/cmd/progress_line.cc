#include "cmd/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace berth::cmd {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::Show(std::string_view text) {
  if (!terminal_) return;
  shown_ = true;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

void ProgressLine::Clear() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace berth::cmd
