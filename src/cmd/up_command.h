// The options of `berth up`: a cluster on this machine, complete except for containers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cmd/apiserver_command.h"
#include "ledger/ledger.h"

namespace berth::cmd {

struct UpOptions {
  ApiServerFlags api;
  size_t nodes = 0;
  size_t gpus = 0;  // Of each node.
  std::string nodes_from;
  std::vector<std::string> files;
  std::string scheduler = "embedded";  // Or "http", or "none".
  std::string config_file;             // KubeSchedulerConfiguration.
  std::vector<std::string> feature_gates;
  ledger::LedgerOptions ledger;  // Of the scheduler.
  double speed = 1;
  std::string stages_file;
  uint32_t seed = 0;  // Of what the stages draw.
  bool no_controllers = false;
  bool no_kubelets = false;
  bool no_leases = false;
  bool demo = false;
  bool dashboard = true;
  uint16_t dashboard_port = 0;  // 0: any free port.

  bool has_scheduler() const { return scheduler != "none"; }
};

}  // namespace berth::cmd
