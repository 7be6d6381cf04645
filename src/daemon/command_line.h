// The way from the command line to options, as kube-scheduler goes it: what is printed where, what
// is logged, and when the process ends at once.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/options.h"

namespace berth::daemon {

// Where texts go that are no log lines.
struct Streams {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
};

// Reads the arguments after the program's name, sets up logging, and completes the configuration.
// The error is the process's exit code: 0 after --help and --version, 1 after mistakes, all of
// which have been told.
std::expected<DaemonOptions, int> ReadCommandLine(std::span<const std::string> arguments,
                                                  const FileReader& read, const Streams& streams);

}  // namespace berth::daemon
