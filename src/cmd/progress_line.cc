#include "cmd/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "base/terminal.h"

namespace berth::cmd {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::Show(std::string_view text) {
  if (!terminal_) return;
  shown_ = true;
  ReplaceLine(stderr, text);
}

void ProgressLine::Clear() {
  if (!shown_) return;
  shown_ = false;
  ReplaceLine(stderr, "");
}

}  // namespace berth::cmd
