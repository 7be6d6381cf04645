// RunCommand runs a process and collects its output.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace berth::client {

struct ExecRequest {
  std::string command;            // A path if it contains a slash; otherwise searched for in PATH.
  std::vector<std::string> args;  // After the command's name.
  std::vector<std::string> env;   // "NAME=value", added to our own; the last of a name applies.
  Duration timeout = Duration::Seconds(60);
  size_t max_output_bytes = size_t{1} << 20;
};

struct ExecOutcome {
  int exit_code = 0;         // -1 if a signal ended it.
  std::string output;        // Standard output, all of it.
  std::string error_output;  // The first kilobytes of standard error.
};

struct ExecFailure {
  bool not_found = false;  // The command does not exist.
  std::string message;     // For the user, without the command's name.
};

// Runs a command and blocks until it ends. The command gets no input and none of our files. It is
// killed, with its child processes, if it takes too long, prints too much, or when `cancel_fd`
// (unless -1) becomes readable.
std::expected<ExecOutcome, ExecFailure> RunCommand(const ExecRequest& request, int cancel_fd = -1);

}  // namespace berth::client
