// berth-scheduler, from its arguments to its exit code.
#pragma once

#include <span>
#include <string>

namespace berth::daemon {

// `arguments` are those after the program's name.
int RunDaemon(std::span<const std::string> arguments);

}  // namespace berth::daemon
