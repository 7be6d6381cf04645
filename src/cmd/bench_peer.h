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

// Returns a warning if the scheduler in the shell command keeps kube-scheduler's default of 50
// requests per second: the ratio would be that of the limit. Empty if --kube-api-qps, or the file
// of --config, raises it, or the command runs no kube-scheduler or berth-scheduler.
std::string PeerRateWarning(const std::string& command);

}  // namespace berth::cmd
