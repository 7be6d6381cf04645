// The command line of berth-scheduler as a table, for what is generated from it: the completion of
// shells and the manual page. ReadCommandLine (options.h) parses it as kube-scheduler does.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "flags/command.h"

namespace berth::daemon {

// The flags, and `completion`, which kube-scheduler does not have.
std::shared_ptr<flags::Command> SchedulerCommandTable();

// Runs `completion`, or what its scripts call, if the arguments begin with it; returns its exit
// code. Returns nullopt for all other arguments.
std::optional<int> RunCompletion(std::span<const std::string> arguments, size_t columns);

}  // namespace berth::daemon
