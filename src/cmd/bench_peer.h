// Runs another scheduler for `berth bench --peer`.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "benchmark/running_cluster.h"

namespace berth::cmd {

// Starts the shell command `command`, with {kubeconfig} replaced by the path of a file with
// `kubeconfig`. All its processes are stopped with it.
Result<std::unique_ptr<benchmark::PeerScheduler>> StartPeerProcess(const std::string& command,
                                                                   const std::string& kubeconfig);

}  // namespace berth::cmd
