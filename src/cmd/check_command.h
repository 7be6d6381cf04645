// `berth check`: asks a cluster whether berth-scheduler would work there, and writes nothing.
#pragma once

#include <string>

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

struct CheckOptions {
  std::string kubeconfig;   // Empty: that of the configuration, or in-cluster.
  std::string context;      // Of the kubeconfig; empty: its current one.
  std::string config_file;  // KubeSchedulerConfiguration; empty: the default one.
};

// Returns the exit code of the program.
int RunCheck(const CheckOptions& options, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
