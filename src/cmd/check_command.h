// `berth check`: checks that berth-scheduler can run on a cluster. Read-only.
#pragma once

#include <string>

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

struct CheckOptions {
  std::string kubeconfig;   // Empty: clientConnection.kubeconfig, else in-cluster.
  std::string context;      // Empty: current-context.
  std::string config_file;  // KubeSchedulerConfiguration; empty: defaults.
};

// Returns the exit code of the program.
int RunCheck(const CheckOptions& options, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
